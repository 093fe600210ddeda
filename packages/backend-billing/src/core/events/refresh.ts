/**
 * Refreshes the subscriptions of one customer, after an event of a payment that names none of them,
 * reads the lines of a checkout session, after the event of a page that was paid, and other lists of
 * one owner after an event that says no more than that they changed; and fetches events that tell of
 * usage which Stripe could not count. Hints are records, so many of
 * them for one customer become one reading, and none is lost; where the only
 * subscription of that customer is read for another reason, that reading serves.
 */
import type Stripe from "stripe";
import { snapshotsOfPage } from "../mirror/snapshot.js";
import type { Ask, Lease, StoredRecord } from "../mirror/store.js";
import { commit } from "../runtime/commit/commit.js";
import { factsOf } from "../runtime/error-facts.js";
import { records } from "../runtime/records/records.js";
import type { Runtime } from "../runtime/runtime.js";
import { checkPlace } from "../stripe/account.js";
import { paced } from "../stripe/pacer.js";
import { countMeterErrors, meterErrorsIn } from "./meter-errors.js";
import { relist, relistingIn } from "./owner.js";
import { answerAsk } from "./refetch.js";
import { settleLines } from "./session.js";

const LEASE = 30_000;

/**
 * Reads a customer's subscriptions, canceled ones too, and stores them. Where an event contradicts
 * the list, Stripe is asked about that subscription: later, or at once if a caller waits for it.
 */
export async function refreshCustomer(
  runtime: Runtime,
  customer: string,
  { awaited = false } = {},
): Promise<void> {
  if (!runtime.resources.includes("subscriptions")) return;
  for (let after: string | undefined; ; ) {
    const found = await pageOf(runtime, customer, after, awaited);
    if (found === undefined) return;
    const { page, startedAt } = found;
    const snapshots = snapshotsOfPage(runtime, "subscriptions", page, startedAt);
    const { units } = await commit(runtime, { source: "call", units: [{ snapshots }] });
    const [unit] = units;
    const asks = (unit?.duplicate === false ? unit.outcomes : []).flatMap(
      ({ act, revision }, index): Ask[] => {
        const id = snapshots[index]?.id;
        return act === "ask" && id !== undefined
          ? [{ resource: "subscriptions", id, revision }]
          : [];
      },
    );
    if (awaited) for (const ask of asks) await answerAsk(runtime, ask, { awaited });
    if (!page.has_more) return;
    after = page.data.at(-1)?.id;
  }
}

/** A page of a customer's subscriptions; of a customer that is gone there is none. */
async function pageOf(
  runtime: Runtime,
  customer: string,
  after: string | undefined,
  awaited: boolean,
) {
  let startedAt = runtime.now();
  const send = () => {
    startedAt = runtime.now(); // the wait for the pacer is no part of the answer's time
    return runtime.stripe().subscriptions.list({
      customer,
      status: "all",
      limit: 100,
      ...(after === undefined ? {} : { starting_after: after }),
    });
  };
  try {
    const page = await (awaited ? send() : paced(runtime, "GET subscriptions", send));
    return { page, startedAt };
  } catch (error) {
    const { code } = error as Partial<Stripe.errors.StripeError>;
    if (code === "resource_missing" && after === undefined) return undefined;
    throw error;
  }
}

/** Whether a refresh is of a checkout session, and not of a customer. */
const isSession = (id: string): boolean => id.startsWith("cs_");

/** Leaves the record for another reading. */
async function readLater(
  runtime: Runtime,
  { kind, id, ref, revision }: StoredRecord,
  { due, data }: { readonly due: number; readonly data: object },
): Promise<void> {
  const next = { ref, due, data: { ...data } };
  const records = [{ kind, id, expect: revision, next }];
  const { committed } = await commit(runtime, { source: "record", records });
  if (committed) runtime.wake(due - runtime.now());
}

/** How refreshes are taken that are due, or will be within so many milliseconds. */
export const refreshLease = ({ now }: Runtime, limit = 20, ahead = 0): Lease => ({
  now: now() + ahead,
  lease: LEASE,
  limit,
});

/** Does the refreshes that are due, or will be within so many milliseconds; answers how many. */
export async function refreshDue(runtime: Runtime, limit = 20, ahead = 0): Promise<number> {
  await checkPlace(runtime);
  const due = await runtime.store.takeRecords("refresh", refreshLease(runtime, limit, ahead));
  let done = 0;
  for (const record of due) {
    const { id, revision } = record;
    const relisting = relistingIn(record);
    const errors = meterErrorsIn(record);
    let later: Awaited<ReturnType<typeof relist>>;
    try {
      if (relisting !== undefined) later = await relist(runtime, relisting);
      else if (errors !== undefined) await countMeterErrors(runtime, errors);
      else await (isSession(id) ? settleLines(runtime, id) : refreshCustomer(runtime, id));
    } catch (error) {
      const line = { object: id, ...factsOf(error) };
      runtime.log?.warn(line, "A refresh failed and is tried again");
      runtime.wake(LEASE);
      continue;
    }
    // A hint that came meanwhile has raised the revision; then the record stays for another round.
    if (later === undefined) await records.refresh(id).remove(runtime, { revision });
    else await readLater(runtime, record, later);
    done++;
  }
  return done;
}
