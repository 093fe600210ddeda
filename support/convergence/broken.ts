/**
 * Faults that histories must find, made around the real core: between it and its store, or between
 * it and Stripe. Those that change a line of the core are directives there; see proof/mutants.
 */
import type Stripe from "stripe";
import { resources } from "../../packages/backend-billing/src/core/catalogue/resources.js";
import { judge } from "../../packages/backend-billing/src/core/mirror/rule.js";
import type {
  Batch,
  Committed,
  Snapshot,
  Store,
  Unit,
} from "../../packages/backend-billing/src/core/mirror/store.js";

export interface Broken {
  /** What a process takes for its store. `database` has no gates, and never fails. */
  store?(store: Store, database: Store): Store;
  /** What a process takes for Stripe. */
  stripe?(stripe: Stripe): Stripe;
}

export const faults = {
  "joining an earlier fetch": { stripe: joiningFetches },
  "an overtaken answer written after all": { store: committing(overtakenWritten) },
  "receipt before a durable ask": { store: committing(receiptFirst) },
  "classify and write in two steps": { store: committing(judgedBefore) },
} as const satisfies { readonly [name: string]: Broken };

export type Fault = keyof typeof faults;

export const isFault = (name: string): name is Fault => Object.hasOwn(faults, name);

type Commit = (store: Store, batch: Batch, database: Store) => Promise<Committed>;

function committing(commit: Commit): (store: Store, database: Store) => Store {
  return (store, database) => ({ ...store, commit: (batch) => commit(store, batch, database) });
}

/** A retrieval waits for one of the same object that is under way, however long ago it began. */
function joiningFetches(stripe: Stripe): Stripe {
  type Retrieve = (id: string) => Promise<unknown>;
  const underWay = new Map<string, Promise<unknown>>();
  const joined =
    (retrieve: Retrieve): Retrieve =>
    (id) => {
      const fetch = underWay.get(id) ?? retrieve(id).finally(() => underWay.delete(id));
      underWay.set(id, fetch);
      return fetch;
    };
  const parts = Object.entries(stripe).map(([name, part]: [string, { retrieve?: Retrieve }]) => [
    name,
    part.retrieve === undefined ? part : { ...part, retrieve: joined(part.retrieve) },
  ]);
  return Object.fromEntries(parts) as Stripe;
}

/** An answer that something overtook is not fetched again: it is written as it is. */
async function overtakenWritten(store: Store, batch: Batch): Promise<Committed> {
  const result = await store.commit(batch);
  const outcome = outcomeOf(result, 0, 0);
  if (outcome?.act !== "retry") return result;
  const [snapshot] = batch.units[0]?.snapshots ?? [];
  if (snapshot === undefined) return result;
  return overtakenWritten(store, only(batch, { ...snapshot, askedAt: outcome.revision }));
}

/** The receipt is stored by itself, and what the event says afterwards. */
async function receiptFirst(store: Store, batch: Batch): Promise<Committed> {
  const receipts = batch.units.flatMap(({ receipt }): Unit[] => (receipt ? [{ receipt }] : []));
  const isAlone = batch.units.length === 1 && (batch.records ?? []).length === 0;
  if (receipts.length !== 1 || !isAlone) return store.commit(batch);
  const first = await store.commit({ source: "event", now: batch.now, units: receipts });
  if (!first.committed || first.units[0]?.duplicate) return first;
  return store.commit({ ...batch, units: batch.units.map(({ receipt: _, ...rest }) => rest) });
}

/** What was new when it was classified is written, whatever came between that and its commit. */
async function judgedBefore(store: Store, batch: Batch, database: Store): Promise<Committed> {
  const wasNew = new Set<Snapshot>();
  for (const snapshot of batch.units.flatMap(({ snapshots = [] }) => snapshots)) {
    if (await isNew(database, snapshot)) wasNew.add(snapshot);
  }
  const result = await store.commit(batch);
  for (const [nth, { snapshots = [] }] of batch.units.entries()) {
    for (const [index, snapshot] of snapshots.entries()) {
      const outcome = outcomeOf(result, nth, index);
      if (outcome === undefined || outcome.act === "write" || !wasNew.has(snapshot)) continue;
      const forced: Snapshot = { ...snapshot, origin: "answer", askedAt: outcome.revision };
      await database.commit(only(batch, forced));
    }
  }
  return result;
}

async function isNew(store: Store, snapshot: Snapshot): Promise<boolean> {
  const { resource, id } = snapshot;
  const known = await store.version(resource, id);
  const watermark = (await store.record("watermark", resource))?.data.at as number | undefined;
  const idsReturn = "idsReturn" in resources[resource];
  return judge(known, snapshot, { idsReturn, watermark, equal: undefined }).act === "write";
}

const outcomeOf = (result: Committed, unit: number, snapshot: number) => {
  const found = result.committed ? result.units[unit] : undefined;
  return found?.duplicate === false ? found.outcomes[snapshot] : undefined;
};

const only = ({ source, now }: Batch, snapshot: Snapshot): Batch => ({
  source,
  now,
  units: [{ snapshots: [snapshot] }],
});
