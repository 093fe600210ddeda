/** What applications read, on whatever runs a statement: the pool, or a transaction of their own. */
import {
  namesOf,
  type ResourceChoice,
  type ResourceName,
  type Row,
} from "../../core/catalogue/catalogue.js";
import { activeStatuses, plansFrom } from "../../core/mirror/reads/reads.js";
import type { LocalReads } from "../../core/mirror/store.js";
import { foreignCursor } from "../../core/runtime/arguments.js";
import { checkLimit } from "../../core/subscriptions/reads.js";
import type { Queryable } from "../database.js";
import { schemaOf } from "../schema/schema.js";
import { pathExpression, resourceTable } from "../schema/tables.js";
import { heldOn } from "./held.js";
import { type Names, namesIn } from "./names.js";
import { purchaseFactsFrom, type RawPurchase, selectPurchased } from "./purchased.js";
import { type RawRow, rowFrom } from "./raw.js";
import { churnedSince, type RawRevenue, revenueFrom, selectRevenue } from "./revenue.js";
import {
  type RawPage,
  type RawSubscribed,
  selectSubscribed,
  selectSubscribedBy,
  subscribedFrom,
} from "./subscribed.js";

/** Runs a statement and answers its rows. */
type Select = <T>(text: string, values?: unknown[]) => Promise<T[]>;

/** What a page ends with. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The order of what is selected as `o`, of which `$2` are answered. */
const NEWEST_FIRST =
  "ORDER BY (o.stripe ->> 'created')::bigint DESC, o.stripe ->> 'id' DESC LIMIT $2";

export function localReads(
  select: Select,
  names: Names,
  chosen: readonly ResourceName[],
  isInTransaction: boolean,
): LocalReads {
  const ofEntity = selectSubscribed(names, chosen);
  const byStatus = selectSubscribedBy(names, chosen);
  const rows = selectRows(names);
  /** What belongs to the entity's customer, newest first. */
  async function owned<N extends "invoices" | "payment_methods">(
    resource: N,
    entityId: string,
    { limit = 50 }: { readonly limit?: number | undefined } = {},
  ): Promise<Row<N>[]> {
    checkLimit(limit);
    const found = await select<RawRow>(
      `${rows(resource, "o")} JOIN ${names.table("customers")} c ON c.customer_id = o.customer_id
       WHERE c.entity_id = $1 ${NEWEST_FIRST}`,
      [entityId, limit],
    );
    return found.map((each) => rowFrom<N>(each));
  }
  return {
    plans: async () => {
      const contents = (resource: "products" | "prices") =>
        select<{ stripe: never }>(
          `SELECT stripe FROM ${names.table(resource)} WHERE ${pathExpression("stripe.active")} = 'true'`,
        );
      const [products, prices] = await Promise.all([contents("products"), contents("prices")]);
      return plansFrom(
        products.map(({ stripe }) => stripe),
        prices.map(({ stripe }) => stripe),
      );
    },
    priceBy: async ({ lookupKey }) => {
      const [found] = await select<RawRow>(
        `${rows("prices")} WHERE ${pathExpression("stripe.lookup_key")} = $1
         ORDER BY ${pathExpression("stripe.active")} DESC LIMIT 1`,
        [lookupKey],
      );
      return found && rowFrom<"prices">(found);
    },
    customerOf: async (entityId) => {
      const [found] = await select<RawRow>(`${rows("customers")} WHERE entity_id = $1`, [entityId]);
      return found && rowFrom<"customers">(found);
    },
    invoicesOf: (entityId, options) => owned("invoices", entityId, options),
    paymentMethodsOf: (entityId, options) => owned("payment_methods", entityId, options),
    refundsOf: async (entityId, { limit = 50 } = {}) => {
      checkLimit(limit);
      // A refund names no customer: its charge does.
      const found = await select<RawRow>(
        `${rows("refunds", "o")}
         JOIN ${names.table("charges")} p ON p.charge_id = ${pathExpression("stripe.charge", "o")}
         JOIN ${names.table("customers")} c ON c.customer_id = p.customer_id
         WHERE c.entity_id = $1 ${NEWEST_FIRST}`,
        [entityId, limit],
      );
      return found.map((each) => rowFrom<"refunds">(each));
    },
    purchased: async (by) => {
      const { text, values } = selectPurchased(names, chosen, by);
      return (await select<RawPurchase>(text, [...values])).map(purchaseFactsFrom);
    },
    revenue: async (now = Date.now()) =>
      (await select<RawRevenue>(selectRevenue(names), [churnedSince(now)])).map(revenueFrom),
    held: heldOn(select, names, chosen, isInTransaction),
    subscribed: async (entityId) =>
      subscribedFrom((await select<RawSubscribed>(ofEntity, [entityId]))[0]),
    subscribedBy: async (status, after, limit) => {
      if (after !== "" && !UUID.test(after)) throw foreignCursor();
      const [found] = await select<RawPage>(byStatus, [
        status,
        after || "00000000-0000-0000-0000-000000000000",
        limit,
      ]);
      const listed = found?.listed ?? [];
      return {
        facts: subscribedFrom(found),
        owners: new Map(listed.map(({ customer, entity }) => [customer, entity])),
        next: listed.length < limit ? null : (listed.at(-1)?._id ?? null),
      };
    },
    activeSubscriptionsOf: async (entityId) =>
      (
        await select<RawRow>(
          `${rows("subscriptions", "s")}
           JOIN ${names.table("customers")} c ON c.customer_id = s.customer_id
           WHERE c.entity_id = $1 AND s.stripe ->> 'status' IN (SELECT json_array_elements_text($2::text::json))`,
          [entityId, JSON.stringify([...activeStatuses])],
        )
      ).map((each) => rowFrom<"subscriptions">(each)),
  };
}

/** The reads on one connection, such as one with an open transaction. */
export function createPostgresReads(
  connection: Queryable,
  { resources, ...place }: { schema?: string; resources?: ResourceChoice },
): LocalReads {
  const select: Select = async <T>(text: string, values: unknown[] = []) =>
    (await connection.query(text, values)).rows as T[];
  return localReads(select, namesIn(schemaOf(place)), namesOf(resources), true);
}

/** Selects rows by the specification's field names. */
export const selectRows =
  (names: Names) =>
  (resource: ResourceName, alias = "t"): string =>
    `SELECT ${fieldsOf(resource, alias)} FROM ${names.table(resource)} ${alias}`;

export function fieldsOf(resource: ResourceName, alias: string): string {
  const { columns } = resourceTable(resource);
  return columns.map(({ field, name }) => `${alias}.${name} AS "${field}"`).join(", ");
}
