/** The `store` mutation: the only writer of the library's tables. One call is one transaction. */
import {
  type GenericDataModel,
  type GenericMutationCtx,
  // mutant "a public store": internalMutationGeneric -> mutationGeneric as internalMutationGeneric
  internalMutationGeneric,
  type RegisteredMutation,
} from "convex/server";
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import type { Listening } from "../../core/mirror/listening.js";
import type { RecordKind } from "../../core/mirror/store.js";
import type { AnyCatalogue } from "../../core/plans/catalogue.js";
import { settleShares } from "../../core/usage/shares/settle.js";
import { begin, type Deliverer, type DeliveryOptions, tell } from "../reactions/deliver.js";
import {
  ownedIds,
  relatedIds,
  storedCustomer,
  storedOffers,
  storedPlans,
  storedSubscriptions,
} from "../reads/reads.js";
import { storedSubscribed } from "../reads/subscribed.js";
import {
  leftBy,
  type Scheduling,
  type StoreReference,
  scheduleWork,
  type WorkReference,
} from "../schedule.js";
import { commit } from "../store/commit.js";
import * as records from "../store/records.js";
import * as versions from "../store/versions.js";
import { type Db, type MirrorDocument, mirrorOf, rowOf, rowsAfter } from "../tables/database.js";
import { changeIn } from "../usage/change.js";
import { creditIn } from "../usage/credits.js";
import { forgetUsage } from "../usage/forget.js";
import * as outbox from "../usage/outbox.js";
import { watch } from "../watchdog.js";
import {
  anyResult,
  type Operation,
  type OperationOf,
  type OperationResult,
  operation,
  type ResultOf,
  type SingleOperation,
  type SingleResult,
  type WireRow,
} from "./operations.js";
import { recordsBatch } from "./wired.js";

export interface StoreOptions {
  readonly resources: readonly ResourceName[];
  /** What the application listens to: all functions of a deployment are of one version. */
  readonly listening?: Listening;
  /** How it is told; undefined where it has no handlers. */
  readonly delivery?: DeliveryOptions;
  /** Kinds of records that this application has workers for, beside those that every one has. */
  readonly watched?: readonly RecordKind[];
  /** The features whose usage is sent to meters. */
  readonly metered?: readonly string[];
  /** By which credits are given that were bought. */
  readonly catalogue?: AnyCatalogue | undefined;
  /** The application's own `store` and `sync`, which scheduled work goes through. */
  readonly store: StoreReference;
  readonly sync: WorkReference;
}

export type StoreMutation = RegisteredMutation<
  "internal",
  { operation: Operation },
  Promise<OperationResult>
>;

export function createStoreMutation(options: StoreOptions): StoreMutation {
  return internalMutationGeneric({
    args: { operation },
    returns: anyResult,
    handler: (ctx, args): Promise<OperationResult> => runOperation(ctx, options, args.operation),
  }) as StoreMutation;
}

/** One operation in the transaction that `ctx` is, or several. */
export async function runOperation(
  ctx: Transaction,
  options: StoreOptions,
  asked: Operation,
): Promise<OperationResult> {
  if (asked.type !== "several") return runSingle(ctx, options, asked);
  const answers: SingleResult[] = [];
  for (const each of asked.operations) answers.push(await runSingle(ctx, options, each));
  return answers;
}

type Transaction = Pick<GenericMutationCtx<GenericDataModel>, "db" | "scheduler" | "runMutation">;

async function runSingle(
  ctx: Transaction,
  options: StoreOptions,
  asked: SingleOperation,
): Promise<SingleResult> {
  const db = ctx.db as unknown as Db;
  const scheduling: Scheduling = { ...options, scheduler: ctx.scheduler };
  switch (asked.type) {
    case "commit":
      return commitAll(db, options, scheduling, asked);
    case "takeAsks":
      return versions.takeAsks(db, asked);
    case "postponeAsk": {
      const isLeft = await versions.postponeAsk(db, asked);
      const due = isLeft ? [{ step: "work" as const, at: asked.until }] : [];
      await scheduleWork(db, scheduling, { due, outstanding: isLeft });
      return null;
    }
    case "record": {
      const found = await records.recordAt(db, asked.kind, asked.id);
      return found === null ? null : records.wireRecord(found);
    }
    case "claimed":
      return claimed(db, options, asked);
    case "recordsOf":
      return records.recordsOf(db, asked);
    case "records":
      return records.records(db, asked);
    case "takeRecords":
      return records.takeRecords(db, asked);
    case "version": {
      const found = await versions.versionAt(db, asked.resource, asked.id);
      return found === null ? null : versions.versionOf(found);
    }
    case "unconfirmed":
      return versions.unconfirmed(db, asked);
    case "owned":
      return ownedIds(mirrorOf(db), asked);
    case "related":
      return relatedIds(mirrorOf(db), asked);
    case "pruneReceipts":
      return versions.pruneReceipts(db, asked);
    case "row":
      return wire(await rowOf(mirrorOf(db), asked.resource as ResourceName, asked.id));
    case "rows":
      return (
        await rowsAfter(mirrorOf(db), asked.resource as ResourceName, asked.after).take(asked.limit)
      ).map(wireRow);
    case "plans":
      return (await storedPlans(mirrorOf(db))).map((plan) => ({
        ...plan,
        prices: [...plan.prices],
      }));
    case "offers":
      return storedOffers(mirrorOf(db), asked.priceIds);
    case "customerOf":
      return wire(await storedCustomer(mirrorOf(db), asked.entityId));
    case "subscribed": {
      const facts = await storedSubscribed(db, asked.entityId, options.resources);
      return facts as unknown as ResultOf<"subscribed">; // contents are any JSON to a validator
    }
    case "activeSubscriptionsOf":
      return (await storedSubscriptions(mirrorOf(db), asked.entityId)).map(wireRow);
    case "unsent":
      return outbox.unsent(db, asked);
    case "gather": {
      const made = await outbox.gather(db, asked);
      await scheduleWork(db, scheduling, { due: [], outstanding: made !== null });
      return made;
    }
    case "isLeft":
      return outbox.isUnsent(db, asked.place);
    case "forget":
      return forgetUsage(db, asked.entityId);
    case "credit":
      return creditIn(db, options.resources, options.catalogue, asked);
    case "share": {
      const { catalogue, resources } = options;
      if (catalogue === undefined) return null;
      await settleShares({ change: changeIn(db, resources) }, catalogue, asked.former, asked.now);
      return null;
    }
    case "deliver":
    case "tell": {
      const { delivery } = options;
      if (delivery === undefined) return null;
      const on = delivererIn(ctx, options, delivery, scheduling);
      await (asked.type === "deliver" ? begin(on, asked.ref) : tell(on, asked));
      return null;
    }
    case "watch":
      await watch(db, scheduling, { ...options, tells: options.delivery !== undefined }, asked.at);
      return null;
  }
}

/** Commits a batch, and schedules what that leaves to be done. */
async function commitAll(
  db: Db,
  { resources, listening = {}, delivery }: StoreOptions,
  scheduling: Scheduling,
  asked: Pick<OperationOf<"commit">, "batch">,
): Promise<ResultOf<"commit">> {
  const { result, writes } = await commit(db, resources, listening, asked);
  await scheduleWork(db, scheduling, leftBy(writes, delivery !== undefined));
  return result;
}

function delivererIn(
  { db, scheduler, runMutation }: Transaction,
  options: StoreOptions,
  delivery: DeliveryOptions,
  scheduling: Scheduling,
): Deliverer {
  const own = db as unknown as Db;
  return {
    options: delivery,
    resources: options.resources,
    db: own,
    scheduler,
    store: options.store,
    runMutation,
    async follow(writes, requests) {
      if (writes.length === 0 && requests.length === 0) return;
      const batch = recordsBatch(writes, requests, Date.now());
      const { committed } = await commitAll(own, options, scheduling, { batch });
      // All of this transaction is taken back then, and worked out again.
      if (!committed) throw new Error("What follows from a change was changed by its handler.");
    },
  };
}

/** A claim, what is known of the customer that it points at, and other records. */
async function claimed(
  db: Db,
  { resources }: StoreOptions,
  { id, beside, unlinked }: OperationOf<"claimed">,
): Promise<ResultOf<"claimed">> {
  const record = await records.recordAt(db, "claim", id);
  const ref = record?.ref ?? null;
  const version = ref === null ? null : await versions.versionAt(db, "customers", ref);
  const isMirrored = ref !== null && resources.includes("customers");
  const row = isMirrored ? await rowOf(mirrorOf(db), "customers", ref) : null;
  const others: (records.RecordDocument | null)[] = [];
  const keys = ref === null ? [...beside, ...unlinked] : beside;
  for (const key of keys) others.push(await records.recordAt(db, key.kind, key.id));
  return {
    record: record === null ? null : records.wireRecord(record),
    state: version?.state ?? null,
    row: wire(row),
    beside: others.filter((other) => other !== null).map(records.wireRecord),
  };
}

const wire = (document: MirrorDocument | null): WireRow | null =>
  document === null ? null : wireRow(document);

/** Convex takes no field that begins with `_` in a record, so a row's own fields travel apart. */
function wireRow(document: MirrorDocument): WireRow {
  const { _id, _creationTime, stripe, last_synced_at, ...fields } = document;
  return { _id, stripe, last_synced_at, fields: fields as WireRow["fields"] };
}
