/** Lists the objects of a resource: to store them, or in a verification to compare them. */
import { entityInMetadata } from "../../catalogue/carrier.js";
import { listsPerOwner, type ResourceName } from "../../catalogue/catalogue.js";
import { specified } from "../../catalogue/entries/specified.js";
import type { Listing } from "../../catalogue/resource.js";
import { resources } from "../../catalogue/resources.js";
import { recordStrangers, strangerBy } from "../../customers/strangers.js";
import { answerOwned } from "../../events/owner.js";
import { snapshotsOfPage } from "../../mirror/snapshot.js";
import { outcomesOf, type Snapshot } from "../../mirror/store.js";
import type { Stranger } from "../../runtime/records/records.js";
import type { Runtime } from "../../runtime/runtime.js";
import { NO_BUCKETS, withIds } from "../drift/buckets.js";
import { unequal } from "../drift/compare.js";
import { reportDrift } from "../drift/drift.js";
import { tallyPage } from "../drift/findings.js";
import { groupOf, type Partition, type Pending, UNREAD } from "../run/partition.js";
import type { Circumstances } from "../run/phases.js";
import type { Run } from "../run/run.js";
import type { Listed, ListedPage, Step, Stepped } from "../run/step.js";
import { inlinePrices } from "../work/inline.js";
import { readOwned } from "./owned.js";
import { type List, type Read, readList } from "./page.js";
import { settlePending } from "./pending.js";

/** The lists with which a run begins: those that wait for no other. */
export const open = (run: Run, { chosen }: Circumstances): readonly Partition<"list">[] =>
  unlocked({ ...run, phase: "list" }, chosen);

/** The lists that are to be read now: what they waited for has been read to its end. */
export function unlocked(run: Run, chosen: readonly ResourceName[]): readonly Partition<"list">[] {
  if (run.phase !== "list") return [];
  const all = chosen.flatMap((name) => listsOf(run, name));
  const isRead = (other: Partition<"list">) => run.open[groupOf(other)] === 0;
  return all.filter(
    (one) =>
      run.made[groupOf(one)] === undefined &&
      all.every((other) => !waitsFor(one, other) || isRead(other)),
  );
}

const listsOf = (run: Run, resource: ResourceName): Partition<"list">[] =>
  Array.from({ length: listCount(run, resource) }, (_, list) => ({
    ...UNREAD,
    task: "list",
    resource,
    list,
  }));

/** How many lists a run reads. Those for each object of another resource count as one, the last. */
function listCount({ options: { withoutOwned = [] } }: Run, resource: ResourceName): number {
  // mutant "lists for each owner are not read": listsPerOwner(resource) !== undefined -> false
  const isOwned = listsPerOwner(resource) !== undefined && !withoutOwned.includes(resource);
  return resources[resource].lists.length + (isOwned ? 1 : 0);
}

function waitsFor(one: Partition<"list">, other: Partition<"list">): boolean {
  const entry = resources[one.resource];
  const isAfter = "listedAfter" in entry && entry.listedAfter === other.resource;
  return isAfter || turnOf(one) > turnOf(other);
}

/**
 * First comes what the specification names: with it an application can work. Last comes what Stripe
 * lists for one owner at a time: it takes the longest, and its owners have to be known.
 */
function turnOf({ resource, list }: Partition<"list">): number {
  if (list >= resources[resource].lists.length) return 2;
  return resource in specified ? 0 : 1;
}

const list: List<"list"> = {
  fetch(runtime, { resource, list }, page, options) {
    const listing = resources[resource].lists[list] as unknown as Listing<Listed>;
    return listing(runtime.stripe(), page, options);
  },
  part: ({ resource, list }, range) => ({ ...UNREAD, task: "list", resource, list, range }),
  read: (step, page) =>
    step.run.kind === "verify" ? compareObjects(step, page) : readObjects(step, page),
};

export async function step(step: Step<"list">): Promise<Stepped<"list">> {
  const { at, isUnfinished } = await settlePending(step.runtime, step.at);
  if (isUnfinished) return { next: at };
  const per =
    at.list < resources[at.resource].lists.length ? undefined : listsPerOwner(at.resource);
  return per === undefined
    ? readList({ ...step, at }, list)
    : readOwned({ ...step, at }, per, list.read);
}

export const report = reportDrift;

async function readObjects(step: Step<"list">, page: ListedPage): Promise<Read<"list">> {
  const { runtime, at } = step;
  const { resource } = at;
  const snapshots: Snapshot[] = snapshotsOfPage(runtime, resource, page, page.startedAt);
  const pending: Pending[] = [];
  const found = resource === "customers" ? carriers(runtime, page.data) : undefined;
  pending.push(...(found?.pending ?? []));
  if (resource === "subscriptions") pending.push(...(await inlinePrices(runtime, page.data)));
  return {
    kept: { pending },
    stepped: {
      units: [{ snapshots }],
      after: async (outcomes) => {
        await recordStrangers(runtime, found?.strangers ?? []);
        await answerOwned(runtime, snapshots, outcomesOf(outcomes));
        return tallyPage(step, snapshots, outcomes);
      },
    },
  };
}

/** Customers that carry an entity's id are that entity's, if no other owns them and they are ours. */
function carriers(
  { app }: Runtime,
  customers: readonly Listed[],
): { readonly pending: readonly Pending[]; readonly strangers: readonly Stranger[] } {
  const pending: Pending[] = [];
  const strangers: Stranger[] = [];
  for (const { id, metadata } of customers) {
    const entity = entityInMetadata(metadata, app);
    const stranger = strangerBy(entity, id);
    if (stranger !== undefined) strangers.push(stranger);
    if (entity.is !== "ours") continue;
    const { entityId } = entity;
    pending.push({ do: "follow", observe: { id, entityId, idempotencyKey: null } });
  }
  return { pending, strangers };
}

/**
 * What a page shows against what is stored; nothing is written. What differs is looked at again a
 * little later, by id: a change may have been on its way.
 */
async function compareObjects(
  { runtime, at }: Step<"list">,
  page: ListedPage,
): Promise<Read<"list">> {
  const { resource, buckets = NO_BUCKETS } = at;
  const snapshots = snapshotsOfPage(runtime, resource, page, page.startedAt);
  const ids = snapshots.map(({ id }) => id);
  const pending = await unequal(runtime, resource, snapshots);
  return {
    kept: { pending, buckets: withIds(buckets, ids) },
    stepped: pending.length === 0 ? {} : { pause: runtime.timing.verifyDelay },
  };
}
