/** What is known of an entity's subscriptions, read in one statement: one moment, one round trip. */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import { endedStatuses, owingStatuses } from "../../core/mirror/reads/reads.js";
import { ENDED_READ, INVOICES_READ } from "../../core/mirror/reads/subscribed.js";
import type { SubscriptionFacts } from "../../core/mirror/store.js";
import { pathExpression } from "../schema/tables.js";
import type { Names } from "./names.js";
import { type RawRecord, recordFrom } from "./raw.js";

/** The only row of the answer: what there is none of is null. */
export type RawSubscribed = {
  readonly [K in Exclude<keyof SubscriptionFacts, "lapses">]: SubscriptionFacts[K] | null;
} & { readonly lapses: readonly RawRecord[] | null };

/** The same of a page, with whose subscriptions they are, in the order of `_id`. */
export type RawPage = RawSubscribed & {
  readonly listed: readonly { _id: string; customer: string; entity: string }[] | null;
};

const list = (statuses: ReadonlySet<string>): string =>
  [...statuses].map((status) => `'${status}'`).join(", ");

/** The subscription that an invoice is of, as its index has it. */
const OF_INVOICE = pathExpression("stripe.parent.subscription_details.subscription");

/** `$1` is the entity. Live subscriptions are all read, and of those that ended the newest. */
export function selectSubscribed(names: Names, chosen: readonly ResourceName[]): string {
  const own = `SELECT t.stripe, (t.stripe ->> 'created')::bigint AS created,
        (t.stripe ->> 'status') IN (${list(endedStatuses)}) AS ended
      FROM ${names.table("subscriptions")} t
      JOIN ${names.table("customers")} c ON c.customer_id = t.customer_id
      WHERE c.entity_id = $1 AND t.subscription_id IS NOT NULL`;
  const kept = `SELECT stripe, created FROM own WHERE NOT ended UNION ALL
        (SELECT stripe, created FROM own WHERE ended
          ORDER BY created DESC, stripe ->> 'id' DESC LIMIT ${ENDED_READ})`;
  return selectFacts(names, chosen, { own, kept, beside: "" });
}

/** A page: `$1` is the status, `$2` the `_id` after which it begins, `$3` how many. */
export function selectSubscribedBy(names: Names, chosen: readonly ResourceName[]): string {
  const own = `SELECT t._id, t.stripe, (t.stripe ->> 'created')::bigint AS created,
        t.customer_id, c.entity_id
      FROM ${names.table("subscriptions")} t
      JOIN ${names.table("customers")} c ON c.customer_id = t.customer_id
      WHERE (t.stripe ->> 'status') = $1 AND t._id > $2::uuid AND c.entity_id IS NOT NULL
      ORDER BY t._id LIMIT $3`;
  const listed = `(SELECT json_agg(json_build_object('_id', _id, 'customer', customer_id,
        'entity', entity_id) ORDER BY _id) FROM own) AS listed,`;
  return selectFacts(names, chosen, {
    own,
    kept: "SELECT stripe, created FROM own",
    beside: listed,
  });
}

interface Whose {
  /** The subscriptions that are looked at, and the `stripe` and `created` of those that are kept. */
  readonly own: string;
  readonly kept: string;
  /** What else is selected of them. */
  readonly beside: string;
}

function selectFacts(
  names: Names,
  chosen: readonly ResourceName[],
  { own, kept, beside }: Whose,
): string {
  const of = (resource: ResourceName, condition: string) =>
    chosen.includes(resource)
      ? `(SELECT json_agg(t.stripe) FROM ${names.table(resource)} t WHERE ${condition})`
      : "NULL";
  const invoices = chosen.includes("invoices")
    ? `(SELECT json_agg(i.stripe ORDER BY i.created, i.id) FROM s CROSS JOIN LATERAL (
         SELECT t.stripe, (t.stripe ->> 'created')::bigint AS created, t.stripe ->> 'id' AS id
         FROM ${names.table("invoices")} t
         WHERE ${OF_INVOICE} = s.id AND t.stripe ->> 'status' = 'open'
         ORDER BY created, id LIMIT ${INVOICES_READ}) AS i
       WHERE s.status IN (${list(owingStatuses)}))`
    : "NULL";
  const schedules = chosen.includes("subscription_schedules")
    ? `${names.table("subscription_schedules")} WHERE subscription_schedule_id IN
        (SELECT schedule FROM s WHERE status NOT IN (${list(endedStatuses)}))`
    : "s WHERE false";
  return `WITH own AS MATERIALIZED (${own}), s AS MATERIALIZED (
      SELECT stripe, created, stripe ->> 'id' AS id, stripe ->> 'status' AS status,
        stripe ->> 'schedule' AS schedule FROM (${kept}) AS kept
    ), h AS MATERIALIZED (SELECT stripe FROM ${schedules})
    SELECT ${beside}
      (SELECT json_agg(stripe ORDER BY created DESC, id DESC) FROM s) AS subscriptions,
      ${of(
        "products",
        `t.product_id IN (SELECT i -> 'price' ->> 'product'
           FROM s CROSS JOIN jsonb_array_elements(s.stripe -> 'items' -> 'data') AS i)`,
      )} AS products,
      ${invoices} AS invoices,
      (SELECT json_agg(stripe) FROM h) AS schedules,
      ${of(
        "prices",
        `t.price_id IN (SELECT i ->> 'price' FROM h
           CROSS JOIN jsonb_array_elements(h.stripe -> 'phases') AS p
           CROSS JOIN jsonb_array_elements(p -> 'items') AS i)`,
      )} AS prices,
      (SELECT json_agg(r) FROM (SELECT kind, id, revision, ref, due, data FROM ${names.records}
        WHERE kind = 'lapse' AND id IN (SELECT id FROM s WHERE status = 'past_due')) AS r) AS lapses`;
}

export const subscribedFrom = (found: RawSubscribed | undefined): SubscriptionFacts => ({
  subscriptions: found?.subscriptions ?? [],
  products: found?.products ?? [],
  invoices: found?.invoices ?? [],
  schedules: found?.schedules ?? [],
  prices: found?.prices ?? [],
  lapses: (found?.lapses ?? []).map(recordFrom),
});
