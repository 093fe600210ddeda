/**
 * The email and metadata of a customer that exists: what a caller gives is brought to Stripe, unless
 * a person changed it there since it was last written here.
 */
import type Stripe from "stripe";
import type { Snapshot, StoredRecord } from "../mirror/store.js";
import { provider } from "../runtime/errors.js";
import { AGAIN, inRounds } from "../runtime/rounds.js";
import type { Runtime } from "../runtime/runtime.js";
import { type Claim, claimOf, type Target } from "./claim/claim.js";
import { forgetCustomer, put, type ReadClaim, reaching, seen, store } from "./claim/record.js";
import { type Details, digestsOf, fieldsOf, paramsOf, type Written } from "./written.js";

/**
 * What becomes of one field. `same`: Stripe has what was given. `write`: it is set to what was given.
 * `keep`: a person changed or removed it at Stripe, or it is not known who wrote it.
 *
 * @param wanted - undefined to remove the field
 * @param current - undefined where Stripe has none
 * @param isOurs - whether `current` is what was last written here; undefined if nothing is remembered
 */
export function judgeField(
  wanted: string | undefined,
  current: string | undefined,
  isOurs: boolean | undefined,
): "same" | "write" | "keep" {
  if (wanted === current) return "same";
  if (isOurs === undefined) return current === undefined ? "write" : "keep";
  return isOurs ? "write" : "keep";
}

interface Plan {
  /** What is to be set at Stripe. */
  readonly changes: ReadonlyMap<string, string>;
  /** What is remembered once that is done, also of fields that Stripe had already. */
  readonly written: Written;
}

async function planFor(
  runtime: Runtime,
  id: string,
  given: ReadonlyMap<string, string>,
  customer: Details,
  written: Written,
): Promise<Plan> {
  const there = fieldsOf(customer);
  const changes = new Map<string, string>();
  const after: { [field: string]: string } = { ...written };
  for (const [name, value] of given) {
    const current = there.get(name);
    const wanted = value === "" ? undefined : value;
    const was = await digestsOf(runtime, id, name, current ?? "");
    const known = written[was.field];
    const isOurs = known === undefined ? undefined : known === was.value;
    const act = judgeField(wanted, current, isOurs);
    if (act === "keep") continue;
    if (act === "write") changes.set(name, value);
    if (wanted === undefined) delete after[was.field];
    else after[was.field] = (await digestsOf(runtime, id, name, wanted)).value;
  }
  return { changes, written: after };
}

const isSame = (a: Written, b: Written): boolean =>
  Object.keys(a).length === Object.keys(b).length &&
  Object.entries(a).every(([field, value]) => b[field] === value);

/**
 * Brings what was given to Stripe, and what Stripe answers to the mirror. If nothing differs, only
 * what was read with the claim is looked at. False if the customer turns out to be deleted.
 */
export async function bringDetails(
  runtime: Runtime,
  target: Target,
  id: string,
  details: Details,
  read: ReadClaim,
): Promise<boolean> {
  const given = fieldsOf(details);
  if (given.size === 0) return true;
  const written = claimOf(read.record)?.written ?? {};
  const { record, row } = read;
  if (row !== undefined) {
    const plan = await planFor(runtime, id, given, row.stripe, written);
    if (plan.changes.size === 0) {
      if (!isSame(plan.written, written)) await remember(runtime, record, id, plan.written);
      return true;
    }
  }
  // The mirror may lack a change that a person made just now.
  const startedAt = runtime.now();
  const customer = await runtime
    .stripe()
    .customers.retrieve(id, {}, reaching(target))
    .catch(provider);
  const snapshot = seen(runtime, target, customer, startedAt);
  if (customer.deleted) {
    await store(runtime, snapshot);
    await forgetCustomer(runtime, id);
    return false;
  }
  const plan = await planFor(runtime, id, given, customer, written);
  const answer = plan.changes.size === 0 ? snapshot : await update(runtime, target, id, plan);
  await remember(runtime, record, id, plan.written, answer);
  return true;
}

async function update(
  runtime: Runtime,
  target: Target,
  id: string,
  { changes }: Plan,
): Promise<Snapshot | undefined> {
  const startedAt = runtime.now();
  const params: Stripe.CustomerUpdateParams = paramsOf(changes);
  const updated = await runtime
    .stripe()
    .customers.update(id, params, reaching(target))
    .catch(provider);
  return seen(runtime, target, updated, startedAt);
}

/**
 * Commits what was written with what Stripe answered, if the claim is still this customer's.
 * `read`: the claim as it was read.
 */
async function remember(
  runtime: Runtime,
  read: StoredRecord | undefined,
  id: string,
  written: Written,
  snapshot?: Snapshot,
): Promise<void> {
  let record = read;
  return inRounds("The claim of a customer that was updated", async () => {
    const claim = claimOf(record);
    // Many callers with the same details: after the first there is nothing left to remember.
    const isKnown = claim !== undefined && isSame(written, claim.written);
    if (record === undefined || claim?.customerId !== id || isKnown) {
      return store(runtime, snapshot);
    }
    const next: Claim = { ...claim, written };
    if ((await put(runtime, record, next, { snapshot })) !== undefined) return;
    record = await runtime.store.record(record.kind, record.id);
    return AGAIN;
  });
}
