/**
 * Goes through the rows of customers that are erased. Each is committed once more as it is stored, and
 * the commit leaves out what is personal, as it does of whatever comes later.
 */
import { ownerFieldOf, type ResourceName } from "../catalogue/catalogue.js";
import { childrenOf } from "../catalogue/kin.js";
import { isScrubbed } from "../mirror/scrub.js";
import { snapshotOfStored } from "../mirror/snapshot.js";
import { outcomesOf } from "../mirror/store.js";
import { commit } from "../runtime/commit/commit.js";
import type { Runtime } from "../runtime/runtime.js";

const PAGE = 50;

/** Answers how many are left: those that Stripe is being asked about, or that have just changed. */
export async function scrubRows(runtime: Runtime, customers: readonly string[]): Promise<number> {
  let left = 0;
  for (const id of customers) left += await scrubFrom(runtime, "customers", id);
  return left;
}

/** An object, and all that belongs to its customer through it. */
async function scrubFrom(runtime: Runtime, resource: ResourceName, id: string): Promise<number> {
  const { store, resources } = runtime;
  let left = resources.includes(resource) ? await scrubRow(runtime, resource, id) : 0;
  for (const kin of childrenOf(resource)) {
    if (!resources.includes(kin.resource)) continue;
    for (let after: string | null = ""; after !== null; ) {
      const page = await store.related(kin.resource, kin.field, id, after, PAGE);
      for (const child of page.ids) left += await scrubFrom(runtime, kin.resource, child);
      after = page.next;
    }
  }
  return left;
}

async function scrubRow(runtime: Runtime, resource: ResourceName, id: string): Promise<number> {
  const { store } = runtime;
  const [row, version] = await Promise.all([store.row(resource, id), store.version(resource, id)]);
  if (row === undefined || row.stripe === null || isScrubbed(row.stripe)) return 0;
  // The answer to an ask is stored as it should be.
  if (version === undefined || version.stale) return 1;
  const owner = (row as { readonly [field: string]: unknown })[ownerFieldOf(resource) ?? ""];
  const whose = typeof owner === "string" ? { owner } : {};
  const snapshot = { ...snapshotOfStored(resource, id, version, row.stripe), ...whose };
  const { units } = await commit(runtime, { source: "answer", units: [{ snapshots: [snapshot] }] });
  return outcomesOf(units).some(({ act }) => act === "write") ? 0 : 1;
}
