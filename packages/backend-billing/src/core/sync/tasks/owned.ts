/**
 * Lists what Stripe shows only for one object of another resource, such as the payment methods of a
 * customer: one request, usually, for each of those objects that the mirror has.
 */
import type { ListsPerOwner } from "../../catalogue/catalogue.js";
import { listOf } from "../../events/owner.js";
import type { UnitOutcome } from "../../mirror/store.js";
import type { Runtime } from "../../runtime/runtime.js";
import type { Partition } from "../run/partition.js";
import { each, type Step, type Stepped } from "../run/step.js";
import { type List, secondOf } from "./page.js";
import { ALWAYS } from "./scan.js";

/** Owners that one step asks for, and how many at once: it must end well within its lease. */
const OWNERS = 10;
const AT_ONCE = 5;

/** Reads all that belongs to the next owners, in the order of their ids. */
export async function readOwned(
  step: Step<"list">,
  per: ListsPerOwner,
  read: List<"list">["read"],
): Promise<Stepped<"list">> {
  const { runtime } = step;
  let { at } = step;
  if (at.listed) return { next: { ...at, state: "done" } };
  const found = await runtime.store.unconfirmed(per.owner, ALWAYS, at.owner ?? "", OWNERS);
  const owners = found.map(({ id }) => id);
  const options = { maxNetworkRetries: 0, timeout: Math.round(runtime.timing.pageLease * 0.4) };
  const lists = await each(owners, AT_ONCE, (owner) =>
    listOf(runtime, at.resource, owner, options),
  );
  const pages = lists.flatMap((list) => list.pages);
  const steps: Omit<Stepped<"list">, "next">[] = [];
  for (const page of pages) {
    const { kept, stepped } = await read({ ...step, at }, page);
    steps.push(stepped);
    at = {
      ...at,
      ...kept,
      pending: [...at.pending, ...kept.pending],
      pages: at.pages + 1,
      rows: at.rows + page.data.length,
      since: at.since ?? secondOf(runtime, page),
    };
  }
  return { ...together(steps), next: after(runtime, at, owners) };
}

function after(
  runtime: Runtime,
  at: Partition<"list">,
  owners: readonly string[],
): Partition<"list"> {
  const listed = owners.length < OWNERS;
  const owner = owners.at(-1) ?? at.owner;
  const next = {
    ...at,
    // Without an owner there was no answer to take the time from.
    since: at.since ?? Math.floor(runtime.now() / 1000),
    listed,
    ...(owner === undefined ? {} : { owner }),
  };
  return { ...next, state: listed && at.pending.length === 0 ? "done" : "running" };
}

/** What the pages of a step come to. */
function together(steps: readonly Omit<Stepped<"list">, "next">[]): Omit<Stepped<"list">, "next"> {
  const pause = Math.max(0, ...steps.map((each) => each.pause ?? 0));
  return {
    units: steps.flatMap(({ units = [] }) => units),
    ...(pause === 0 ? {} : { pause }),
    after: async (outcomes) => {
      let at = 0;
      for (const { units = [], after } of steps) {
        // Of a page each snapshot is committed as a unit of its own.
        const count = units.reduce((sum, { snapshots = [] }) => sum + snapshots.length, 0);
        const own: readonly UnitOutcome[] = outcomes.slice(at, at + count);
        at += count;
        await after?.(own);
      }
    },
  };
}
