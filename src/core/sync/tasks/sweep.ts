/**
 * Asks Stripe about the objects that no list showed and no event spoke of: absence from a list
 * deletes nothing, an answer does. It stops when Stripe knows too few of them: then the key is
 * rather of another account than all those objects gone.
 */

import { answerAsks, retrieve } from "../../events/refetch.js";
import { refreshDue } from "../../events/refresh.js";
import { ASK_DELAY } from "../../mirror/rule.js";
import type { Snapshot } from "../../mirror/store.js";
import { BillingError } from "../../runtime/errors.js";
import { asKept, exampleOf } from "../drift/compare.js";
import { NO_DRIFT, withExamples } from "../drift/drift.js";
import type { Pending } from "../run/run.js";
import { each, resourceOf, type Step, type Stepped } from "../run/step.js";
import { settlePending } from "./settle.js";

const CHUNK = 20;
const AT_ONCE = 5;

export async function sweepStep(step: Step): Promise<Stepped> {
  const { runtime } = step;
  const { at } = await settlePending(step);
  const resource = resourceOf(at);
  const sweep = at.sweep ?? { since: 0, allowed: 0, unknown: 0 };
  const rows = await runtime.store.unconfirmed(resource, sweep.since, at.cursor ?? "", CHUNK);
  if (rows.length === 0) return { next: { ...at, state: "done" } };
  const looked = await each(rows, AT_ONCE, async ({ id, revision }) => {
    const row = await runtime.store.row(resource, id);
    const snapshot = await retrieve(runtime, resource, id, revision);
    return { snapshot, example: exampleOf(row?.stripe ?? null, asKept(runtime, snapshot)) };
  });
  const snapshots = looked.map(({ snapshot }) => snapshot);
  const unknown = sweep.unknown + snapshots.filter(({ kind }) => kind === "missing").length;
  if (unknown > sweep.allowed) throw tooManyUnknown(resource, unknown, sweep.allowed);
  const found = looked.flatMap(({ example }) => (example === undefined ? [] : [example]));
  return {
    units: [{ snapshots }],
    next: {
      ...at,
      cursor: rows.at(-1)?.id ?? at.cursor,
      pages: at.pages + 1,
      rows: at.rows + rows.length,
      sweep: { ...sweep, unknown },
      pending: resource === "customers" ? forgotten(snapshots) : [],
      ...(found.length === 0 ? {} : { drift: withExamples(at.drift ?? NO_DRIFT, found) }),
    },
  };
}

/** Links to customers that turn out to be deleted. */
function forgotten(snapshots: readonly Snapshot[]): Pending[] {
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

/** After so many steps new doubts come as fast as old ones are settled. */
const MOST_SETTLING = 500;

/** Asks about what is in doubt, so that a run that is done leaves nothing in doubt behind it. */
export async function settleStep({ runtime, at }: Step): Promise<Stepped> {
  const refreshed = await refreshDue(runtime, CHUNK / 2, runtime.timing.refreshDelay);
  const settled = refreshed + (await answerAsks(runtime, CHUNK / 2, ASK_DELAY));
  const pages = at.pages + 1;
  const isOver = settled === 0 || pages >= MOST_SETTLING;
  return { next: { ...at, pages, rows: at.rows + settled, state: isOver ? "done" : "running" } };
}
