/**
 * Asks Stripe about the objects that no list showed and no event spoke of: absence from a list
 * deletes nothing, an answer does. It stops when Stripe knows too few of them: then the key is
 * rather of another account than all those objects gone.
 */

import { ownerIn } from "../../catalogue/catalogue.js";
import { retrieve } from "../../events/refetch.js";
import type { Snapshot } from "../../mirror/store.js";
import { BillingError } from "../../runtime/errors.js";
import { asKept, exampleOf } from "../drift/compare.js";
import { NO_DRIFT, reportDrift, withExamples } from "../drift/drift.js";
import { type Partition, type PendingFollow, UNSCANNED } from "../run/partition.js";
import { type Circumstances, completeSince, listed } from "../run/phases.js";
import type { Run } from "../run/run.js";
import { each, type Step, type Stepped } from "../run/step.js";
import { followAll } from "./pending.js";

const CHUNK = 20;
/** Rows that are looked at in one step where most of them are not asked for. */
const SKIMMED = 100;
const AT_ONCE = 5;

export function open(run: Run, at: Circumstances): readonly Partition<"sweep">[] {
  return at.chosen.map((resource) => {
    const since = (completeSince(at, resource) ?? 0) + at.skew;
    const rows = listed(at, resource).reduce((sum, each) => sum + each.rows, 0);
    const allowed = run.options.maxMissing ?? allowedUnknown(rows);
    const part = run.options.withoutOwned?.includes(resource)
      ? { withoutOwned: true as const }
      : {};
    const sweep = { since, allowed, unknown: 0, ...part };
    return { ...UNSCANNED, task: "sweep", resource, sweep };
  });
}

/** How many objects of a resource may be unknown to Stripe, if the caller does not say. */
export function allowedUnknown(listed: number): number {
  return Math.max(20, Math.floor(listed / 10));
}

export const report = reportDrift;

export async function step({ runtime, at }: Step<"sweep">): Promise<Stepped<"sweep">> {
  const { resource, sweep } = at;
  await followAll(runtime, at.pending);
  const most = sweep.withoutOwned ? SKIMMED : CHUNK;
  const found = await runtime.store.unconfirmed(resource, sweep.since, at.cursor ?? "", most);
  if (found.length === 0) return { next: { ...at, pending: [], state: "done" } };
  const stored = await each(found, AT_ONCE, async ({ id, revision }) => ({
    id,
    revision,
    row: await runtime.store.row(resource, id),
  }));
  const rows = stored.filter(({ row }) => !sweep.withoutOwned || ownerIn(resource, row) === null);
  const looked = await each(rows, AT_ONCE, async ({ id, revision, row }) => {
    const snapshot = await retrieve(runtime, resource, id, revision);
    return { snapshot, example: exampleOf(row?.stripe ?? null, asKept(runtime, snapshot)) };
  });
  const snapshots = looked.map(({ snapshot }) => snapshot);
  const unknown = sweep.unknown + snapshots.filter(({ kind }) => kind === "missing").length;
  if (unknown > sweep.allowed) throw tooManyUnknown(resource, unknown, sweep.allowed);
  const examples = looked.flatMap(({ example }) => (example === undefined ? [] : [example]));
  return {
    units: [{ snapshots }],
    next: {
      ...at,
      cursor: found.at(-1)?.id ?? at.cursor,
      pages: at.pages + 1,
      rows: at.rows + rows.length,
      sweep: { ...sweep, unknown },
      pending: resource === "customers" ? forgotten(snapshots) : [],
      ...(examples.length === 0 ? {} : { drift: withExamples(at.drift ?? NO_DRIFT, examples) }),
    },
  };
}

/** Links to customers that turn out to be deleted. */
function forgotten(snapshots: readonly Snapshot[]): PendingFollow[] {
  return snapshots.flatMap(({ id, kind }) =>
    kind === "deleted" ? [{ do: "follow" as const, forget: id }] : [],
  );
}

function tooManyUnknown(resource: string, unknown: number, allowed: number): BillingError {
  return new BillingError(
    "invalid_config",
    `Stripe does not know ${unknown} of the ${resource} in the mirror, and ${allowed} were expected at most. Nothing more is removed. Check that STRIPE_SECRET_KEY belongs to the account that this mirror is of; if those objects were really deleted, call reconcile({ maxMissing }) with a number large enough.`,
  );
}
