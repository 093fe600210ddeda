/** What a step left to do: links to follow, prices to fetch, differences to look at again. */
import { follow } from "../../events/receive.js";
import { retrieve } from "../../events/refetch.js";
import { commit } from "../../runtime/commit/commit.js";
import type { Example } from "../../runtime/reports.js";
import type { Runtime } from "../../runtime/runtime.js";
import { compareAgain } from "../drift/compare.js";
import { NO_DRIFT, withExamples } from "../drift/drift.js";
import type { Partition, Pending, PendingFollow } from "../run/partition.js";
import { each } from "../run/step.js";

/** How many objects one step asks Stripe for: it must end well within its lease. */
const MOST_ASKED = 20;
const AT_ONCE = 5;

/** Doing it twice does no harm. */
export async function followAll(
  runtime: Runtime,
  pending: readonly PendingFollow[],
): Promise<void> {
  await each(pending, AT_ONCE, (one) => follow(runtime, one));
}

type Comparing = Partition<"list" | "scan" | "sample">;

/**
 * Does what is pending, or as much as one step may; `isUnfinished` if there is more. Doing it twice
 * does no harm.
 */
export async function settlePending<P extends Comparing>(
  runtime: Runtime,
  at: P,
): Promise<{ readonly at: P; readonly isUnfinished: boolean }> {
  const all: readonly Pending[] = at.pending;
  if (all.length === 0) return { at, isUnfinished: false };
  const asking = all.filter((each) => each.do !== "follow");
  const now = new Set(asking.slice(0, MOST_ASKED));
  const found = await each(all, AT_ONCE, async (pending) => {
    if (pending.do === "follow") await follow(runtime, pending);
    else if (now.has(pending)) return settleOne(runtime, at, pending);
    return undefined;
  });
  const drift = found.flatMap((example) => (example === undefined ? [] : [example]));
  const pending = asking.slice(MOST_ASKED);
  return {
    at: {
      ...at,
      pending,
      ...(drift.length === 0 ? {} : { drift: withExamples(at.drift ?? NO_DRIFT, drift) }),
    },
    isUnfinished: pending.length > 0,
  };
}

async function settleOne(
  runtime: Runtime,
  at: Comparing,
  pending: Exclude<Pending, PendingFollow>,
): Promise<Example | undefined> {
  if (pending.do === "compare") return compareAgain(runtime, at.resource, pending);
  const { resource, id } = pending;
  // Nothing was known of it; if something is by now, that was seen after this was requested.
  const snapshot = await retrieve(runtime, resource, id, 0);
  await commit(runtime, { source: "answer", units: [{ snapshots: [snapshot] }] });
  return undefined;
}
