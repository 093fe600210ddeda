/**
 * A store on SQLite, as a test of the port and not as a product: it shows that the port can be
 * implemented from docs/architecture.md and the port's types alone. It is in memory, has one
 * connection and a driver that never waits, so each call is a transaction that nothing interrupts.
 */
import {
  defaultResources,
  ownerFieldOf,
  type ResourceName,
} from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { beyond } from "../../packages/backend-billing/src/core/mirror/due.js";
import {
  activeStatuses,
  plansFrom,
} from "../../packages/backend-billing/src/core/mirror/reads/reads.js";
import { readSubscribed } from "../../packages/backend-billing/src/core/mirror/reads/subscribed.js";
import type { Ask, Store } from "../../packages/backend-billing/src/core/mirror/store.js";
import { commit } from "./commit.js";
import { readRecord, readRecords, readRows, readVersion } from "./read.js";
import type { Sql } from "./tables.js";

/** A field of a row, or one inside its object. */
const extracted = (field: string): string =>
  field.startsWith("stripe.") ? `stripe ->> '$.${field.slice(7)}'` : `fields ->> '${field}'`;
export function createSqliteStore(
  sql: Sql,
  chosen: readonly ResourceName[] = defaultResources,
): Store {
  const row: Store["row"] = async (resource, id) => readRows(sql, resource, "id = ?", id)[0];
  const claimedCustomer = (entityId: string) => readRecord(sql, "claim", entityId)?.ref ?? "";

  return {
    limits: { snapshots: 1000, bytes: 8 * 1024 * 1024 },

    commit: async (batch) => sql.transaction(() => commit(sql, batch, chosen)),

    takeAsks: async ({ now, lease, limit }) =>
      sql.transaction(() => {
        const taken = sql.all(
          `select resource, id, revision from versions where ask_at <= ? or ask_at > ?
           order by ask_at limit ?`,
          now,
          beyond("ask", now),
          limit,
        ) as unknown as readonly Ask[];
        for (const { resource, id } of taken) {
          const update = "update versions set ask_at = ? where resource = ? and id = ?";
          sql.run(update, now + lease, resource, id);
        }
        return taken;
      }),
    async postponeAsk({ resource, id, revision }, until) {
      sql.run(
        `update versions set ask_at = ?
         where resource = ? and id = ? and revision = ? and ask_at is not null`,
        until,
        resource,
        id,
        revision,
      );
    },

    record: async (kind, id) => readRecord(sql, kind, id),
    async claimed(id, beside, unlinked) {
      const record = readRecord(sql, "claim", id);
      const customer = record?.ref ?? "";
      const others = record?.ref ? beside : [...beside, ...unlinked];
      const [found] = readRows(sql, "customers", "id = ?", customer);
      return {
        record,
        version: readVersion(sql, "customers", customer),
        row: found,
        beside: others.flatMap((other) => readRecord(sql, other.kind, other.id) ?? []),
      };
    },
    recordsOf: async (kind, ref, after, limit) =>
      readRecords(
        sql,
        "kind = ? and ref = ? and id > ? order by id limit ?",
        kind,
        ref,
        after,
        limit,
      ),
    records: async (kind, after, limit) =>
      readRecords(sql, "kind = ? and id > ? order by id limit ?", kind, after, limit),
    takeRecords: async (kind, { now, lease, limit }) =>
      sql.transaction(() => {
        const isDue = "kind = ? and (due <= ? or due > ?) order by due limit ?";
        const due = readRecords(sql, isDue, kind, now, beyond(kind, now), limit);
        return due.map((record) => {
          const taken = { ...record, revision: record.revision + 1, due: now + lease };
          const update = "update records set revision = ?, due = ? where kind = ? and id = ?";
          sql.run(update, taken.revision, taken.due, kind, record.id);
          return taken;
        });
      }),

    version: async (resource, id) => readVersion(sql, resource, id),
    unconfirmed: async (resource, since, after, limit) =>
      sql.all(
        `select id, revision from versions
         where resource = ? and id > ? and hi < ? and state in ('live', 'unknown')
         order by id limit ?`,
        resource,
        after,
        since,
        limit,
      ) as unknown as { id: string; revision: number }[],

    owned: async (resource, owner, after, limit) =>
      sql
        .all(
          `select id from mirror where resource = ? and fields ->> '${ownerFieldOf(resource)}' = ?
           and id > ? order by id limit ?`,
          resource,
          owner,
          after,
          limit,
        )
        .map(({ id }) => String(id)),

    related: async (resource, field, value, after, limit) => {
      const found = sql.all(
        `select id from mirror where resource = ? and ${extracted(field)} = ? and id > ? order by id limit ?`,
        resource,
        value,
        after,
        limit,
      );
      const ids = found.map(({ id }) => String(id));
      return { ids, next: ids.length < limit ? null : (ids.at(-1) ?? null) };
    },

    pruneReceipts: async (before, limit) =>
      sql.run(
        `delete from receipts where event_id in
           (select event_id from receipts where received_at < ? order by received_at limit ?)`,
        before,
        limit,
      ),

    row,
    rows: async (resource, after, limit) =>
      readRows(sql, resource, "_id > ? order by _id limit ?", Number(after), limit),
    plans: async () =>
      plansFrom(
        readRows(sql, "products", "true").map(({ stripe }) => stripe),
        readRows(sql, "prices", "true").map(({ stripe }) => stripe),
      ),
    offers: async (priceIds) =>
      priceIds.flatMap((priceId) => {
        const [price] = readRows(sql, "prices", "id = ?", priceId);
        if (price === undefined) return [];
        const [product] = readRows(sql, "products", "id = ?", price.stripe.product);
        return [{ price: price.stripe, product: product?.stripe }];
      }),
    customerOf: (entityId) => row("customers", claimedCustomer(entityId)),
    subscribed: (entityId) => {
      const ofCustomer = "fields ->> 'customerId' = ?";
      const all = readRows(sql, "subscriptions", ofCustomer, claimedCustomer(entityId));
      const contents = all.flatMap(({ stripe }) => stripe ?? []);
      return readSubscribed(contents, {
        product: async (id) => readRows(sql, "products", "id = ?", id)[0]?.stripe,
        price: async (id) => readRows(sql, "prices", "id = ?", id)[0]?.stripe,
        schedule: async (id) => readRows(sql, "subscription_schedules", "id = ?", id)[0]?.stripe,
        invoices: async (id) =>
          readRows(
            sql,
            "invoices",
            "stripe ->> '$.parent.subscription_details.subscription' = ?",
            id,
          ).map(({ stripe }) => stripe),
        lapse: async (id) => readRecord(sql, "lapse", id),
      });
    },
    activeSubscriptionsOf: async (entityId) =>
      readRows(
        sql,
        "subscriptions",
        "fields ->> 'customerId' = ?",
        claimedCustomer(entityId),
      ).filter(({ stripe }) => activeStatuses.has(stripe?.status ?? "")),
  };
}
