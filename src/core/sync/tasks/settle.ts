/** What a page left to do: links to follow, prices to fetch, differences to look at again. */
import { follow } from "../../events/receive.js";
import { retrieve } from "../../events/refetch.js";
import { commit } from "../../runtime/commit/commit.js";
import type { Example } from "../../runtime/reports.js";
import { compareAgain } from "../drift/compare.js";
import { NO_DRIFT, withExamples } from "../drift/drift.js";
import type { Partition, Pending } from "../run/run.js";
import { each, resourceOf, type Step } from "../run/step.js";

/** How many objects one step asks Stripe for: it must end well within its lease. */
const MOST_ASKED = 20;
const AT_ONCE = 5;

export interface Settled {
  readonly at: Partition;
  /** There is more of it than one step should do. */
  readonly isUnfinished: boolean;
}

/** Does what is pending, or as much as one step may. Doing it twice does no harm. */
export async function settlePending(step: Step): Promise<Settled> {
  const { runtime, at } = step;
  if (at.pending.length === 0) return { at, isUnfinished: false };
  const asking = at.pending.filter((each) => each.do !== "follow");
  const now = new Set(asking.slice(0, MOST_ASKED));
  const found = await each(at.pending, AT_ONCE, async (pending) => {
    if (pending.do === "follow") await follow(runtime, pending);
    else if (now.has(pending)) return settleOne(step, pending);
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
  { runtime, at }: Step,
  pending: Exclude<Pending, { do: "follow" }>,
): Promise<Example | undefined> {
  if (pending.do === "compare") return compareAgain(runtime, resourceOf(at), pending.id);
  const { resource, id } = pending;
  // Nothing was known of it; if something is by now, that was seen after this was requested.
  const snapshot = await retrieve(runtime, resource, id, 0);
  await commit(runtime, { source: "answer", units: [{ snapshots: [snapshot] }] });
  return undefined;
}
