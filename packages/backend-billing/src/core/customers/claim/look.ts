/**
 * Looks for customers of an entity that its claim does not know of: in the mirror, by search, and
 * in a list. What is found is adopted.
 */
import type Stripe from "stripe";
import { APP_KEY, ENTITY_KEY, entityInMetadata } from "../../catalogue/carrier.js";
import { stripeStatus } from "../../mirror/snapshot.js";
import type { StoredRecord } from "../../mirror/store.js";
import type { Runtime } from "../../runtime/runtime.js";
import {
  besides,
  type Claim,
  doubted,
  linkedTo,
  listedSince,
  renewed,
  rotated,
  searchedInVain,
  type Target,
} from "./claim.js";
import {
  isMirrored,
  isTaken,
  keyOf,
  link,
  put,
  reaching,
  reportOther,
  retrieve,
} from "./record.js";

/** Whose customer is looked for, and what the mirror knows of customers. */
export interface Looking {
  readonly runtime: Runtime;
  readonly target: Target;
  /** As it was read with the claim. */
  readonly knownUntil: number | undefined;
}

/** The oldest of the other customers of this entity that the mirror has, by what it says now. */
export async function mirrored(runtime: Runtime, claim: Claim): Promise<string | undefined> {
  const live: { id: string; created: number }[] = [];
  for (const id of isMirrored(runtime, claim) ? claim.others : []) {
    const row = await runtime.store.row("customers", id);
    if (row === undefined || !isOf(runtime, row.stripe, claim)) continue;
    if (!(await isTaken(runtime, id, claim))) live.push(row.stripe);
  }
  return live.sort(byAge)[0]?.id;
}

/** Whether a customer carries this entity of this application. */
function isOf(
  { app }: Pick<Runtime, "app">,
  { metadata }: Pick<Stripe.Customer, "metadata">,
  { entityId }: Target,
): boolean {
  const entity = entityInMetadata(metadata, app);
  return entity.is === "ours" && entity.entityId === entityId;
}

/**
 * Whether a customer may be what this claim's request has made: it carries the entity as the
 * request said it, which was without the application's name if that was given only afterwards.
 */
function isMadeFor(
  runtime: Runtime,
  customer: Pick<Stripe.Customer, "metadata">,
  claim: Claim,
): boolean {
  if (isOf(runtime, customer, claim)) return true;
  const sent = claim.params?.metadata;
  const hasNoName = typeof sent === "object" && sent !== null && !Object.hasOwn(sent, APP_KEY);
  return hasNoName && isOf({ app: undefined }, customer, claim);
}

const byAge = (a: { created: number }, b: { created: number }) => a.created - b.created;

/**
 * Searches for customers that carry the entity's id, where the mirror may not know of them. Answers
 * the claim to go on with, to be committed with its next step; undefined if one was found.
 */
export async function search(
  looking: Looking,
  held: StoredRecord,
  claim: Claim,
): Promise<Claim | undefined> {
  if (await adopt(looking, held, claim, await searched(looking))) return undefined;
  return searchedInVain(claim, looking.runtime.now());
}

async function searched({ runtime, target }: Looking): Promise<readonly Stripe.Customer[]> {
  const quoted = target.entityId.replaceAll("\\", "\\\\").replaceAll("'", "\\'");
  const named = runtime.app === undefined ? "" : ` AND metadata['${APP_KEY}']:'${runtime.app}'`;
  const query = `metadata['${ENTITY_KEY}']:'${quoted}'${named}`;
  try {
    const page = await runtime.stripe().customers.search({ query, limit: 100 }, reaching(target));
    return page.data.filter((customer) => isOf(runtime, customer, target));
  } catch (error) {
    // Search is not offered everywhere. The claim alone still keeps two callers apart.
    if (![400, 403].includes(stripeStatus(error) ?? 0)) throw error;
    return [];
  }
}

async function listed(work: Looking, claim: Claim): Promise<readonly Stripe.Customer[]> {
  const { runtime, target } = work;
  const gte = listedSince(claim, work.knownUntil, runtime.now());
  const found: Stripe.Customer[] = [];
  const all = runtime.stripe().customers.list({ created: { gte }, limit: 100 }, reaching(target));
  for await (const customer of all) {
    if (isMadeFor(runtime, customer, claim)) found.push(customer);
  }
  return found;
}

/** Looks for the customer that an unclear answer, or a claim that was lost, may have left behind. */
export async function lookUp(work: Looking, held: StoredRecord, claim: Claim): Promise<void> {
  const { runtime, target } = work;
  if (await adopt(work, held, claim, await searched(work))) return;
  if (await adopt(work, held, claim, await listed(work, claim))) return;
  const known = await mirrored(runtime, claim);
  const now = runtime.now();
  const looked = searchedInVain(claim, now);
  if (known !== undefined) await put(runtime, held, linkedTo(claim, known));
  else if (claim.doubt === "conflict") {
    await put(runtime, held, doubted(looked, "looked", now, runtime.timing));
  } else if (claim.doubt === "age") {
    await put(runtime, held, renewed(looked));
  } else {
    await put(runtime, held, rotated(looked, await keyOf(runtime, target, claim.counter + 1)));
  }
}

/** Links the oldest of these customers that is alive and of no other entity; the rest is reported. */
async function adopt(
  work: Looking,
  held: StoredRecord,
  claim: Claim,
  carriers: readonly Stripe.Customer[],
): Promise<boolean> {
  const { runtime, target } = work;
  for (const { id } of [...carriers].sort(byAge)) {
    if (await isTaken(runtime, id, target)) continue;
    const startedAt = runtime.now();
    const live = await retrieve(runtime, target, id);
    if (live === undefined || !isMadeFor(runtime, live, claim)) continue;
    const rest: string[] = [];
    for (const { id: other } of carriers) {
      if (other === id || (await isTaken(runtime, other, target))) continue;
      reportOther(runtime, other);
      rest.push(other);
    }
    await link(runtime, held, besides(claim, rest), live, startedAt);
    return true;
  }
  return false;
}
