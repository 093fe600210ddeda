/**
 * What gates go by, in one statement and one round trip. Of subscriptions it selects ids and a status,
 * never a whole content: gates are asked all the time.
 */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import { heldStatuses } from "../../core/mirror/reads/reads.js";
import { INVOICES_READ } from "../../core/mirror/reads/subscribed.js";
import type { Held, HeldOptions } from "../../core/mirror/store.js";
import { pathExpression } from "../schema/tables.js";
import type { Names } from "./names.js";

/** A row as it is selected: of products that are not described there is the id alone. */
export type RawHeld = Omit<Held, "products"> & {
  readonly products: Held["products"] | readonly string[];
};

/** Runs a statement and answers its rows. */
type Select = <T>(text: string, values?: unknown[]) => Promise<T[]>;

const STATUSES = [...heldStatuses].map((status) => `'${status}'`).join(", ");

/** The ids of the products of a subscription's items. */
const PRODUCT_IDS = "jsonb_path_query_array(s.items, '$.data[*].price.product')";

/**
 * `mayLock` where the statements run in a transaction of the application: a lock lasts until its end.
 * It is an advisory one, so that an entity without a customer has it too.
 */
export function heldOn(
  select: Select,
  names: Names,
  chosen: readonly ResourceName[],
  mayLock: boolean,
): (entityId: string, options?: HeldOptions) => Promise<readonly Held[]> {
  const bare = selectHeld(names, chosen, PRODUCT_IDS);
  const described = selectHeld(names, chosen, describedProducts(names, chosen));
  const whole = selectWhole(names, chosen);
  return async (entityId, options = {}) => {
    const text = options.described ? described : options.whole ? whole : bare;
    if (!mayLock || !options.locked) return heldFrom(await select<RawHeld>(text, [entityId]));
    const [found] = await select<{ held: readonly RawHeld[] | null }>(locked(text), [entityId]);
    return heldFrom(found?.held ?? []);
  };
}

/** The lock and the rows, each in its own part of the list, so that both are carried out. */
const locked = (text: string): string =>
  `SELECT (SELECT json_agg(h) FROM (${text}) AS h) AS held,
     pg_advisory_xact_lock(hashtextextended('backend_billing limit ' || $1::text, 0)) IS NULL AS locked`;

/** The same with the contents. */
export const selectWhole = (names: Names, chosen: readonly ResourceName[]): string =>
  selectHeld(names, chosen, PRODUCT_IDS, "t.stripe AS whole,");

/** `$1` is the entity. A content is unpacked once, by `jsonb_to_record`. */
const selectHeld = (
  names: Names,
  chosen: readonly ResourceName[],
  products: string,
  more = "",
): string =>
  `SELECT ${more} s.id, s.status, s.created, ${products} AS products,
     CASE WHEN s.status = 'past_due' THEN ${isOver(names, chosen)} ELSE false END AS "isLapsed"
   FROM ${names.table("customers")} c
   JOIN ${names.table("subscriptions")} t ON t.customer_id = c.customer_id
   CROSS JOIN LATERAL jsonb_to_record(t.stripe)
     AS s(id text, status text, created float8, items jsonb)
   WHERE c.entity_id = $1 AND s.status IN (${STATUSES})`;

/** The record says since when the subscription was past due when its grace was over. */
const isOver = (names: Names, chosen: readonly ResourceName[]): string =>
  `EXISTS (SELECT FROM ${names.records} r WHERE r.kind = 'lapse' AND r.id = s.id
     AND r.data ->> 'over' = 'true' AND (r.data ->> 'since')::numeric = 1000 * coalesce(
       ${chosen.includes("invoices") ? oldestInvoice(names) : "NULL"},
       (SELECT min((i ->> 'current_period_start')::numeric)
          FROM jsonb_array_elements(s.items -> 'data') AS i)))`;

const oldestInvoice = (names: Names): string =>
  `(SELECT min(coalesce((n.stripe -> 'status_transitions' ->> 'finalized_at')::numeric, n.created))
     FROM (SELECT stripe, (stripe ->> 'created')::numeric AS created
       FROM ${names.table("invoices")}
       WHERE ${pathExpression("stripe.parent.subscription_details.subscription")} = s.id
         AND stripe ->> 'status' = 'open'
       ORDER BY created, stripe ->> 'id' LIMIT ${INVOICES_READ}) AS n)`;

function describedProducts(names: Names, chosen: readonly ResourceName[]): string {
  const mirrored = chosen.includes("products");
  const features = chosen.includes("product_features")
    ? `(SELECT json_agg(f.stripe -> 'entitlement_feature' ->> 'lookup_key')
         FROM ${names.table("product_features")} f WHERE f.product_id = p.id)`
    : "NULL";
  return `(SELECT json_agg(json_build_object('id', p.id,
       'metadata', coalesce(${mirrored ? "o.stripe -> 'metadata'" : "NULL"}, '{}'::jsonb),
       'features', coalesce(${features}, '[]'::json)) ORDER BY p.place)
     FROM jsonb_array_elements_text(${PRODUCT_IDS}) WITH ORDINALITY AS p(id, place)
     ${mirrored ? `LEFT JOIN ${names.table("products")} o ON o.product_id = p.id` : ""})`;
}

export const heldFrom = (found: readonly RawHeld[]): readonly Held[] =>
  found.map((each) => ({
    ...each,
    products: (each.products ?? []).map((product) =>
      typeof product === "string" ? { id: product, metadata: {}, features: [] } : product,
    ),
  }));
