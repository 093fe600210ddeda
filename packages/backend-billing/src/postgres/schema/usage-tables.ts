/** The tables of usage, as data: balances, what they add up, and what was counted. */
import { column, type Table } from "./table.js";

const place = [column("entityId", "text"), column("feature", "text")];

export const usageTables: readonly Table[] = [
  {
    // Written and read by every taking: one row for an entity and a feature.
    name: "backend_billing_usage_balances",
    columns: [
      ...place,
      column("granted", "bigint"),
      column("used", "bigint"),
      column("held", "bigint"),
      column("overUsed", "bigint"),
      column("overHeld", "bigint"),
      column("overMost", "bigint"),
      column("overFor", "text"),
      column("billed", "boolean"),
      column("validUntil", "bigint"),
      column("basis", "text"),
    ],
    primaryKey: ["entity_id", "feature"],
    indexes: [],
  },
  {
    // Written when a balance is settled, and by grants; read when it is settled.
    name: "backend_billing_usage_grants",
    columns: [
      ...place,
      column("key", "text"),
      column("source", "text"),
      column("original", "bigint"),
      column("amount", "bigint"),
      column("used", "bigint"),
      column("held", "bigint"),
      column("createdAt", "bigint"),
      column("expiresAt", "bigint", { nullable: true }), // null: it does not end
      column("live", "boolean"),
      column("closed", "boolean"),
    ],
    primaryKey: ["entity_id", "feature", "key"],
    indexes: [
      {
        name: "backend_billing_usage_grants_open",
        on: ["entity_id", "feature"],
        unique: false,
        where: "(NOT closed)",
      },
      {
        name: "backend_billing_usage_grants_ended",
        on: ["expires_at"],
        unique: false,
        where: "(closed AND (source = 'plan'::text))",
      },
    ],
  },
  {
    // Written and read by reservations.
    name: "backend_billing_usage_holds",
    columns: [
      ...place,
      column("key", "text"),
      column("amount", "bigint"),
      column("over", "bigint"),
      column("parts", "jsonb"),
      column("state", "text"),
      column("expiresAt", "bigint"),
    ],
    primaryKey: ["entity_id", "feature", "key"],
    indexes: [
      {
        name: "backend_billing_usage_holds_held",
        on: ["entity_id", "feature"],
        unique: false,
        where: "(state = 'held'::text)",
      },
      {
        name: "backend_billing_usage_holds_ended",
        on: ["expires_at"],
        unique: false,
        where: "(state <> 'held'::text)",
      },
    ],
  },
  {
    // Written by every taking; read by a repetition of it, and by what is sent to Stripe.
    name: "backend_billing_usage_records",
    columns: [
      ...place,
      column("key", "text"),
      column("amount", "bigint"),
      column("over", "bigint"),
      column("billed", "boolean"),
      column("at", "bigint"),
      column("batch", "text", { nullable: true }), // null: Stripe has not been sent it
    ],
    primaryKey: ["entity_id", "feature", "key"],
    indexes: [
      {
        name: "backend_billing_usage_records_unsent",
        on: ["entity_id", "feature", "at"],
        unique: false,
        where: "(billed AND (batch IS NULL))",
      },
      {
        name: "backend_billing_usage_records_sent",
        on: ["entity_id", "feature", "at"],
        unique: false,
        where: "(billed AND (batch IS NOT NULL))",
      },
      {
        name: "backend_billing_usage_records_settled",
        on: ["at"],
        unique: false,
        where: "((NOT billed) OR (batch IS NOT NULL))",
      },
    ],
  },
  {
    // What became of records and grants that are kept no longer, by the day.
    name: "backend_billing_usage_days",
    columns: [
      ...place,
      column("day", "bigint"), // milliseconds: its beginning in UTC
      column("amount", "bigint"),
      column("over", "bigint"),
      column("billed", "bigint"), // of `over`
      column("booked", "bigint"), // what was taken of grants that ended on this day
    ],
    primaryKey: ["entity_id", "feature", "day"],
    indexes: [],
  },
];
