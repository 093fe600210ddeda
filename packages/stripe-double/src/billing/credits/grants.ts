/**
 * The life of a credit grant: it waits until it takes effect, is used up by invoices, and expires
 * or is voided. The ledger of a grant begins when it takes effect.
 */
import { refused } from "../../api/errors.js";
import { same } from "../../world/same.js";
import type { World } from "../../world/world.js";
import { later } from "../later.js";
import { type CreditGrant, ledgerBalance, moneyOf, record, transactionsOf } from "./ledger.js";

/** Grants that a customer can have that are not used up (docs: billing credits). */
const MOST_UNUSED = 100;

export const isPending = (world: World, { effective_at: from }: CreditGrant): boolean =>
  from !== null && from > world.now();

export const isExpired = (world: World, { expires_at: end }: CreditGrant): boolean =>
  end !== null && end <= world.now();

const isOver = (world: World, grant: CreditGrant): boolean =>
  grant.voided_at !== null || isExpired(world, grant);

function isUnused(world: World, grant: CreditGrant): boolean {
  return !isOver(world, grant) && (isPending(world, grant) || ledgerBalance(world, grant.id) > 0);
}

export const grantsOf = (world: World, customer: string): CreditGrant[] =>
  world.objects["billing.credit_grant"].where("customer", customer);

/** Refuses a grant that would be over before it is used. */
function checkSpan(
  world: World,
  { effective_at: from, expires_at: end }: Pick<CreditGrant, "effective_at" | "expires_at">,
): void {
  if (end === null) return;
  if (end <= world.now()) throw refused("`expires_at` must be in the future.", "expires_at");
  if (from !== null && end <= from) {
    throw refused("`expires_at` must be after `effective_at`.", "expires_at");
  }
}

/** Makes a grant. What it is worth is on its ledger from the time at which it takes effect. */
export function createGrant(
  world: World,
  terms: Pick<
    CreditGrant,
    | "amount"
    | "applicability_config"
    | "category"
    | "customer"
    | "effective_at"
    | "expires_at"
    | "metadata"
    | "name"
    | "priority"
  >,
): CreditGrant {
  if (terms.effective_at !== null && terms.effective_at < world.now()) {
    throw refused("`effective_at` can't be in the past.", "effective_at");
  }
  checkSpan(world, terms);
  const unused = grantsOf(world, terms.customer).filter((each) => isUnused(world, each));
  if (unused.length >= MOST_UNUSED) {
    throw refused(`A customer can have up to ${MOST_UNUSED} unused credit grants.`, "customer");
  }
  const grant = world.objects["billing.credit_grant"].add({
    id: world.id(world.livemode ? "credgr" : "credgr_test"),
    object: "billing.credit_grant",
    created: world.now(),
    customer_account: null,
    livemode: world.livemode,
    test_clock: world.find("customer", terms.customer).test_clock ?? null,
    updated: world.now(),
    voided_at: null,
    ...terms,
  });
  world.raise("billing.credit_grant.created", grant);
  if (isPending(world, grant)) {
    later(world, (grant.effective_at ?? 0) - world.now(), () => begin(world, grant.id));
  } else begin(world, grant.id);
  watchExpiry(world, grant);
  return grant;
}

function begin(world: World, id: string): void {
  const grant = world.find("billing.credit_grant", id);
  if (isOver(world, grant)) return;
  record(world, grant, moneyOf(grant).value, { type: "credits_granted" });
}

/** Has a grant expire in time, unless it is to expire at another time by then. */
function watchExpiry(world: World, { id, expires_at: end }: CreditGrant): void {
  if (end === null) return;
  later(world, end - world.now(), () => {
    if (world.find("billing.credit_grant", id).expires_at === end) expireRest(world, id);
  });
}

/** Takes what is left of a grant off its ledger. */
export function expireRest(world: World, id: string): void {
  const left = ledgerBalance(world, id);
  if (left === 0) return;
  record(world, world.find("billing.credit_grant", id), left, { type: "credits_expired" });
}

/** Refuses to change the course of a grant that is over. */
function checkAlive(world: World, id: string): CreditGrant {
  const grant = world.find("billing.credit_grant", id);
  if (grant.voided_at !== null) throw refused("This credit grant has been voided.");
  if (isExpired(world, grant)) throw refused("This credit grant has already expired.");
  return grant;
}

/** Changes a grant and tells of it; nothing is told of a change to what it was. */
function changeGrant(
  world: World,
  before: CreditGrant,
  changes: Partial<Pick<CreditGrant, "expires_at" | "metadata" | "voided_at">>,
): CreditGrant {
  if (same({ ...before, ...changes }, before)) return before;
  return world.change(
    "billing.credit_grant",
    before.id,
    { ...changes, updated: world.now() },
    "billing.credit_grant.updated",
  );
}

/** Changes what can be changed of a grant. Only one that is not over can expire at another time. */
export function updateGrant(
  world: World,
  id: string,
  changes: Partial<Pick<CreditGrant, "expires_at" | "metadata">>,
): CreditGrant {
  const before = world.find("billing.credit_grant", id);
  if (changes.expires_at === undefined) return changeGrant(world, before, changes);
  checkAlive(world, id);
  checkSpan(world, { effective_at: before.effective_at, expires_at: changes.expires_at });
  const after = changeGrant(world, before, changes);
  watchExpiry(world, after);
  return after;
}

export function expireGrant(world: World, id: string): CreditGrant {
  const before = checkAlive(world, id);
  const after = changeGrant(world, before, { expires_at: world.now() });
  expireRest(world, id);
  return after;
}

/** Takes a grant back, which is possible as long as no invoice has used it. */
export function voidGrant(world: World, id: string): CreditGrant {
  const before = checkAlive(world, id);
  if (transactionsOf(world, id).some(({ debit }) => debit?.type === "credits_applied")) {
    throw refused(
      "This credit grant has been applied to an invoice and can't be voided. Expire it instead.",
    );
  }
  const left = ledgerBalance(world, id);
  const after = changeGrant(world, before, { voided_at: world.now() });
  if (left > 0) record(world, after, left, { type: "credits_voided" });
  return after;
}
