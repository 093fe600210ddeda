/** The core's store inside an action: each call, or several begun together, is one run of the `store` mutation. */
import type { ResourceName, Row } from "../../core/catalogue/catalogue.js";
import type {
  Ask,
  Batch,
  Offer,
  Plan,
  RecordKey,
  RecordKind,
  RecordRequest,
  Snapshot,
  Store,
  StoredRecord,
  SubscriptionFacts,
} from "../../core/mirror/store.js";
import { asideRequest } from "../../core/runtime/commit/set-aside.js";
import type { Logger } from "../../core/runtime/config.js";
import { decode, encode } from "./encode.js";
import { fitted, OMITTED } from "./fit.js";
import type {
  Operation,
  OperationOf,
  OperationType,
  ResultOf,
  WireRecord,
  WireRow,
} from "./operations.js";
import { refused } from "./refusal.js";
import { together } from "./together.js";
import { wiredRequests, wiredWrites } from "./wired.js";

export interface ConvexStoreOptions {
  readonly resources: readonly ResourceName[];
  readonly log?: Logger | undefined;
}

const keyOf = ({ kind, id }: RecordKey): RecordKey => ({ kind, id });

export function createConvexStore(
  call: (operation: Operation) => Promise<unknown>,
  { resources: chosen, log }: ConvexStoreOptions,
): Store {
  const collected = together(call);
  const run = async <T extends OperationType>(operation: OperationOf<T>): Promise<ResultOf<T>> =>
    (await collected(operation)) as ResultOf<T>;

  const known = (resource: ResourceName): ResourceName => {
    if (chosen.includes(resource)) return resource;
    throw new RangeError(`${resource} is not among the chosen resources`);
  };

  const stored = (snapshot: Snapshot): Snapshot => {
    known(snapshot.resource);
    if (snapshot.content === null) return snapshot;
    return { ...snapshot, content: fitted(encode(snapshot.content)) as Snapshot["content"] };
  };

  /** The records of what is stored in part, so that it is reported like what cannot be stored. */
  const requestsFor = (snapshots: readonly Snapshot[], now: number): RecordRequest[] =>
    snapshots.flatMap((snapshot) => {
      const { resource, id: object, content } = snapshot;
      if (content === null || !(OMITTED in content)) return [];
      // The names of what was left out may be keys of metadata, so only their number is logged.
      const omitted = (content[OMITTED] as readonly string[]).length;
      log?.warn(
        { object, resource, omitted },
        "An object is too large for a Convex document and was stored in part",
      );
      const reason = `It is larger than a Convex document may be; ${omitted} of its fields were left out.`;
      return [asideRequest(snapshot, { reason, at: now, kept: "part", known: true })];
    });

  const onWire = (batch: Batch): OperationOf<"commit">["batch"] => ({
    source: batch.source,
    now: batch.now,
    ...(batch.draw === undefined ? {} : { draw: batch.draw }),
    ...(batch.shares ? { shares: true } : {}),
    units: batch.units.map(({ receipt, snapshots = [], requests = [] }) => {
      const fitting = snapshots.map(stored);
      return {
        ...(receipt === undefined ? {} : { receipt }),
        snapshots: fitting,
        requests: wiredRequests([...requests, ...requestsFor(fitting, batch.now)]),
      };
    }),
    records: wiredWrites(batch.records ?? []),
  });

  return {
    // A transaction reads and writes 16 MiB and looks at 4,096 ranges; a snapshot takes about seven.
    // A sample is an array, to which its pages of lists are added: Convex takes arrays of 8,192 elements.
    limits: { snapshots: 200, bytes: 3 * 1024 * 1024, sample: 5_000 },

    commit: async (batch) => {
      const operation = { type: "commit", batch: onWire(batch) } as const;
      return run<"commit">(operation).catch((error: unknown) => {
        throw refused(error);
      });
    },

    kept: (content) => decode(fitted(encode(content))),

    takeAsks: async (lease) =>
      (await run<"takeAsks">({ type: "takeAsks", ...lease })) as readonly Ask[],
    async postponeAsk(ask, until) {
      await run<"postponeAsk">({ type: "postponeAsk", ask, until });
    },

    async record(kind, id) {
      const found = await run<"record">({ type: "record", kind, id });
      return found === null ? undefined : recordFrom(found);
    },
    async claimed(id, beside, unlinked) {
      const found = await run<"claimed">({
        type: "claimed",
        id,
        beside: beside.map(keyOf),
        unlinked: unlinked.map(keyOf),
      });
      return {
        record: found.record === null ? undefined : recordFrom(found.record),
        version: found.state === null ? undefined : { state: found.state },
        row: found.row === null ? undefined : rowFrom<"customers">(found.row),
        beside: found.beside.map(recordFrom),
      };
    },
    recordsOf: async (kind, ref, after, limit) =>
      (await run<"recordsOf">({ type: "recordsOf", kind, ref, after, limit })).map(recordFrom),
    records: async (kind: RecordKind, after, limit) =>
      (await run<"records">({ type: "records", kind, after, limit })).map(recordFrom),
    takeRecords: async (kind, lease) =>
      (await run<"takeRecords">({ type: "takeRecords", kind, ...lease })).map(recordFrom),

    version: async (resource, id) =>
      (await run<"version">({ type: "version", resource: known(resource), id })) ?? undefined,
    async unconfirmed(resource, since, after, limit) {
      const found: { id: string; revision: number }[] = [];
      for (let from: string | null = after; from !== null && found.length < limit; ) {
        const rest = limit - found.length;
        const stretch: ResultOf<"unconfirmed"> = await run<"unconfirmed">({
          type: "unconfirmed",
          resource,
          since,
          after: from,
          limit: rest,
        });
        found.push(...stretch.found);
        from = stretch.after;
      }
      return found;
    },
    owned: async (resource, owner, after, limit) =>
      run<"owned">({ type: "owned", resource: known(resource), owner, after, limit }),
    related: (resource, field, value, after, limit) =>
      run<"related">({
        type: "related",
        resource: known(resource),
        field,
        value,
        after,
        limit,
      }),
    pruneReceipts: (before, limit) =>
      run<"pruneReceipts">({ type: "pruneReceipts", before, limit }),

    async row<N extends ResourceName>(resource: N, id: string) {
      const found = await run<"row">({ type: "row", resource: known(resource), id });
      return found === null ? undefined : rowFrom<N>(found);
    },
    async rows<N extends ResourceName>(resource: N, after: string, limit: number) {
      const found = await run<"rows">({ type: "rows", resource: known(resource), after, limit });
      return found.map((row) => rowFrom<N>(row));
    },
    plans: async () => decode(await run<"plans">({ type: "plans" })) as readonly Plan[],
    async offers(priceIds) {
      const found = await run<"offers">({ type: "offers", priceIds: [...priceIds] });
      return found.map(({ price, product }) => ({
        price: decode(price) as Offer["price"],
        product: product === null ? undefined : (decode(product) as Offer["product"]),
      }));
    },
    async customerOf(entityId) {
      const found = await run<"customerOf">({ type: "customerOf", entityId });
      return found === null ? undefined : rowFrom<"customers">(found);
    },
    async subscribed(entityId) {
      const { lapses, ...contents } = await run<"subscribed">({ type: "subscribed", entityId });
      return {
        ...(decode(contents) as Omit<SubscriptionFacts, "lapses">),
        lapses: lapses.map(recordFrom),
      };
    },
    async activeSubscriptionsOf(entityId) {
      const type = "activeSubscriptionsOf";
      return (await run<typeof type>({ type, entityId })).map((row) =>
        rowFrom<"subscriptions">(row),
      );
    },
  };
}

export function recordFrom({ data, ...record }: WireRecord): StoredRecord {
  return { ...record, data: decode(data) as StoredRecord["data"] };
}

function rowFrom<N extends ResourceName>({ fields, stripe, ...row }: WireRow): Row<N> {
  return { ...row, ...fields, stripe: decode(stripe) } as unknown as Row<N>;
}
