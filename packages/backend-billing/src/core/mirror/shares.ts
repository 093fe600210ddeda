/**
 * The records of the kind `share`: each says what a subscription was until it changed within its period,
 * so that what its plan includes of that period is given, whether or not any of it was taken by then.
 * A commit that writes the change requests it, where the application's plans include anything. Pure.
 */
import type { Batch, Snapshot, Unit, UnitOutcome } from "./store.js";
import type { Former, Judged, PutRecord } from "./writes.js";

/** What is looked at of a subscription; of a content that is stored in part some may be missing. */
interface Shown {
  readonly id?: string;
  readonly status?: string;
  readonly created?: number;
  readonly customer?: string;
  readonly billing_cycle_anchor?: number;
  readonly cancel_at?: number | null;
  readonly cancel_at_period_end?: boolean;
  readonly items?: { readonly data?: readonly Item[] };
}

interface Item {
  readonly current_period_start?: number;
  readonly current_period_end?: number;
  readonly price?: { readonly product?: unknown; readonly recurring?: unknown };
}

/** What a snapshot leaves to be given; undefined if that is nothing. */
export function formerBy(
  before: object,
  { resource, content, lo, hi }: Snapshot,
  now: number,
): Former | undefined {
  if (resource !== "subscriptions" || content === null) return undefined;
  if (!isLeft(before, content as Shown)) return undefined;
  // Just before the second of the change; of what was read, and not told, the latest that it can be.
  return { before: shownOf(before), at: Math.min((lo + hi) * 500, now) - 1 };
}

/** Whether a plan within a period, or what it is worth, gives way to another one. */
function isLeft(before: Shown, after: Shown): boolean {
  if (before.status !== "active" && before.status !== "trialing") return false;
  // What has ended does not come back, and a period that is not paid for includes nothing.
  if (after.status === "canceled" || after.status === "past_due") return false;
  const starts = itemsOf(before).map((item) => item.current_period_start);
  const isWithin = itemsOf(after).some((item) => starts.includes(item.current_period_start));
  return isWithin && (before.status !== after.status || soldBy(before) !== soldBy(after));
}

const itemsOf = ({ items }: Shown): readonly Item[] => items?.data ?? [];

const soldBy = (shown: Shown): string =>
  itemsOf(shown)
    .map(({ price }) => String(price?.product))
    .join(" ");

const shownOf = (shown: Shown): Shown => {
  const { id, status, created, customer, billing_cycle_anchor, cancel_at, cancel_at_period_end } =
    shown as Required<Shown>;
  const data = itemsOf(shown).map(({ current_period_start, current_period_end, price }) => ({
    current_period_start,
    current_period_end,
    price: { product: price?.product, recurring: price?.recurring },
  }));
  const own = { id, status, created, customer, billing_cycle_anchor };
  return { ...own, cancel_at, cancel_at_period_end, items: { data } } as Shown;
};

/** The records of a batch: nothing else has their ids, so nothing need be read for them. */
export const shareRecords = (
  objects: readonly Judged[],
  { now, draw = "" }: Batch,
): readonly PutRecord[] =>
  objects.flatMap(({ id, version, former = [] }) =>
    former.map((data, at): PutRecord => {
      const { customer: ref = null } = data.before as Shown;
      return {
        write: "putRecord",
        kind: "share",
        id: `${draw}.${id}.${version?.revision}.${at}`,
        from: 0,
        rescheduled: true,
        record: { revision: 1, ref, due: now, data },
      };
    }),
  );

/** Whether a unit that was committed may have requested such a record. */
export function sharesLeftBy({ snapshots = [] }: Unit, outcome: UnitOutcome | undefined): boolean {
  if (outcome === undefined || outcome.duplicate) return false;
  return snapshots.some(
    ({ resource }, at) => resource === "subscriptions" && outcome.outcomes[at]?.act === "write",
  );
}
