/** What is known of one-time purchases, read in one statement: one moment, one round trip. */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import type { Purchased, PurchaseFacts } from "../../core/mirror/store.js";
import { pathExpression } from "../schema/tables.js";
import type { Names } from "./names.js";

/** The row of one purchase: what there is none of is null. */
export type RawPurchase = Pick<PurchaseFacts, "session" | "intent" | "data"> & {
  readonly entity: string;
  readonly charges: PurchaseFacts["charges"] | null;
};

/** How many pages of one reference are read, the newest. */
const OF_REFERENCE = 100;

export function selectPurchased(
  names: Names,
  chosen: readonly ResourceName[],
  by: Purchased,
): { readonly text: string; readonly values: readonly unknown[] } {
  const { condition, values, owner = "c.entity_id" } = wanted(by);
  const intent = "s.stripe ->> 'payment_intent'";
  const of = (resource: ResourceName, what: string, where: string) =>
    chosen.includes(resource)
      ? `(SELECT ${what} FROM ${names.table(resource)} t WHERE ${where} = ${intent})`
      : "NULL";
  const text = `WITH s AS MATERIALIZED (
      SELECT t.stripe, ${owner} AS entity_id, (t.stripe ->> 'created')::bigint AS created, t.stripe ->> 'id' AS id
      FROM ${names.table("checkout_sessions")} t
      LEFT JOIN ${names.table("customers")} c ON c.customer_id = t.customer_id
      WHERE ${condition} AND ${owner} IS NOT NULL AND t.stripe ->> 'mode' = 'payment'
      ORDER BY created DESC, id DESC LIMIT $2)
    SELECT s.entity_id AS entity, s.stripe AS session,
      ${of("payment_intents", "t.stripe", "t.payment_intent_id")} AS intent,
      ${of("charges", "json_agg(t.stripe)", pathExpression("stripe.payment_intent", "t"))} AS charges,
      (SELECT r.data FROM ${names.records} r WHERE r.kind = 'purchase' AND r.id = s.id) AS data
    FROM s ORDER BY s.created DESC, s.id DESC`;
  return { text, values };
}

interface Wanted {
  readonly condition: string;
  /** What is looked for, and how many at most. */
  readonly values: readonly [string, number, string?];
  /** Whose they are, if not their customer's. */
  readonly owner?: string;
}

function wanted(by: Purchased): Wanted {
  if ("entityId" in by) return { condition: "c.entity_id = $1", values: [by.entityId, by.limit] };
  if ("sessionId" in by)
    return { condition: "t.checkout_session_id = $1", values: [by.sessionId, 1] };
  if ("customerId" in by) {
    const values = [by.customerId, by.limit, by.owner] as const;
    return { condition: "t.customer_id = $1", values, owner: "$3::text" };
  }
  const condition = `${pathExpression("stripe.client_reference_id", "t")} = $1`;
  return { condition, values: [by.referenceId, OF_REFERENCE] };
}

export const purchaseFactsFrom = ({ entity, charges, ...raw }: RawPurchase): PurchaseFacts => ({
  ...raw,
  entityId: entity,
  charges: charges ?? [],
});
