/** What an application asks of the mirror inside its own queries and mutations. */
import type {
  GenericDatabaseReader,
  GenericDatabaseWriter,
  GenericDataModel,
  Scheduler,
} from "convex/server";
import {
  ownerFieldOf,
  type ResourceName,
  type StripeObject,
} from "../../core/catalogue/catalogue.js";
import { resources } from "../../core/catalogue/resources.js";
import { activeStatuses, plansFrom } from "../../core/mirror/reads/reads.js";
import type { Plan } from "../../core/mirror/store.js";
import { BillingError } from "../../core/runtime/errors.js";
import { decode } from "../calls/encode.js";
import {
  indexOn,
  type MirrorDocument,
  type MirrorReader,
  rowOf,
  rowsBy,
  rowsSince,
} from "../tables/database.js";
import type { Documents } from "../tables/tables.js";

/** The context of any query or mutation, whatever the application's data model. */
export interface ReadContext<DataModel extends GenericDataModel = GenericDataModel> {
  readonly db: GenericDatabaseReader<DataModel>;
}

/** The context of any mutation, whatever the application's data model. */
export interface WriteContext<DataModel extends GenericDataModel = GenericDataModel> {
  readonly db: GenericDatabaseWriter<DataModel>;
  readonly scheduler: Scheduler;
}

/** The most that these reads take in; a larger catalogue is read page by page from its tables. */
const MOST = 1_000;
/** The most rows of one owner that are gone through: they are small. */
const MOST_OWNED = 4_000;

const mirror = (context: { readonly db: unknown }): MirrorReader => context.db as MirrorReader;

/** Active products and prices as they are stored. */
export async function storedPlans(db: MirrorReader): Promise<Plan[]> {
  const [products, prices] = await Promise.all([active(db, "products"), active(db, "prices")]);
  return plansFrom(products, prices);
}

async function active<N extends "products" | "prices">(
  db: MirrorReader,
  resource: N,
): Promise<StripeObject<N>[]> {
  const found = await rowsBy(db, resource, "byActive", true).take(MOST + 1);
  if (found.length > MOST) {
    throw new BillingError(
      "invalid_argument",
      `There are more than ${MOST} active ${resource}, too many for one answer. Read backend_billing_${resource} with the index byActive and .paginate().`,
    );
  }
  return found.map(({ stripe }) => stripe as unknown as StripeObject<N>);
}

/** Prices with their products as they are stored; null for a product that is not. */
export async function storedOffers(
  db: MirrorReader,
  priceIds: readonly string[],
): Promise<{ price: object; product: object | null }[]> {
  const found = await Promise.all(
    priceIds.map(async (id) => {
      const price = (await rowOf(db, "prices", id))?.stripe;
      if (!price) return [];
      const { product } = price as { readonly product: string };
      return [{ price, product: (await rowOf(db, "products", product))?.stripe ?? null }];
    }),
  );
  return found.flat();
}

/** The ids of an owner's rows, in their order, after one of them. */
export async function ownedIds(
  db: MirrorReader,
  asked: { resource: string; owner: string; after: string; limit: number },
): Promise<string[]> {
  const resource = asked.resource as ResourceName;
  const index = indexOn(resource, ownerFieldOf(resource) ?? "");
  const rows = await rowsBy(db, resource, index, asked.owner).take(MOST_OWNED);
  const ids = rows.map((row) => String(row[resources[resource].idField]));
  return ids
    .filter((id) => id > asked.after)
    .sort()
    .slice(0, asked.limit);
}

/** Rows that are gone through at once: a transaction reads 16 MiB, and a row may have one. */
const MOST_RELATED = 10;

export async function relatedIds(
  db: MirrorReader,
  asked: { resource: string; field: string; value: string; after: string; limit: number },
): Promise<{ ids: string[]; next: string | null }> {
  const resource = asked.resource as ResourceName;
  const limit = Math.min(MOST_RELATED, asked.limit);
  const index = indexOn(resource, asked.field);
  const rows = await rowsSince(db, resource, index, asked.value, Number(asked.after), limit);
  const ids = rows.map((row) => row[resources[resource].idField]);
  const last = rows.at(-1);
  return {
    ids: ids.filter((id) => typeof id === "string"),
    next: last === undefined || rows.length < limit ? null : String(last._creationTime),
  };
}

/** The row of an entity's customer as it is stored. */
export function storedCustomer(db: MirrorReader, entityId: string): Promise<MirrorDocument | null> {
  return rowsBy(db, "customers", "byEntityId", entityId).first();
}

/** The rows of an entity's active subscriptions as they are stored. */
export async function storedSubscriptions(
  db: MirrorReader,
  entityId: string,
): Promise<MirrorDocument[]> {
  const customer = await storedCustomer(db, entityId);
  if (customer === null) return [];
  const all = await rowsBy(db, "subscriptions", "byCustomerId", customer.customerId).take(MOST);
  return all.filter(({ stripe }) =>
    activeStatuses.has((stripe as { status?: string } | null)?.status ?? ""),
  );
}

/** A document with Stripe's own names. */
export function decoded<N extends ResourceName>(document: MirrorDocument): Documents[N] {
  return { ...document, stripe: decode(document.stripe) } as unknown as Documents[N];
}

/**
 * Active products with their active prices, products by name, prices by amount.
 *
 * @example
 * ```ts
 * import { plans } from "backend-billing/convex";
 * import { queryGeneric } from "convex/server";
 *
 * export const list = queryGeneric({ args: {}, handler: async (ctx) => plans(ctx) });
 * ```
 */
export async function plans<DataModel extends GenericDataModel>(
  context: ReadContext<DataModel>,
): Promise<Plan[]> {
  return decode(await storedPlans(mirror(context)));
}

/**
 * The customer that belongs to an entity.
 *
 * @example
 * ```ts
 * import { customerOf } from "backend-billing/convex";
 * import { queryGeneric } from "convex/server";
 * import { v } from "convex/values";
 *
 * export const customerId = queryGeneric({
 *   args: { userId: v.string() },
 *   handler: async (ctx, args) => (await customerOf(ctx, args.userId))?.customerId ?? null,
 * });
 * ```
 */
export async function customerOf<DataModel extends GenericDataModel>(
  context: ReadContext<DataModel>,
  entityId: string,
): Promise<Documents["customers"] | undefined> {
  const found = await storedCustomer(mirror(context), entityId);
  return found === null ? undefined : decoded<"customers">(found);
}

/**
 * The subscriptions of an entity that are active or on trial.
 *
 * @example
 * ```ts
 * import { activeSubscriptionsOf } from "backend-billing/convex";
 * import { queryGeneric } from "convex/server";
 * import { v } from "convex/values";
 *
 * export const isPaying = queryGeneric({
 *   args: { userId: v.string() },
 *   handler: async (ctx, args) => (await activeSubscriptionsOf(ctx, args.userId)).length > 0,
 * });
 * ```
 */
export async function activeSubscriptionsOf<DataModel extends GenericDataModel>(
  context: ReadContext<DataModel>,
  entityId: string,
): Promise<Documents["subscriptions"][]> {
  const found = await storedSubscriptions(mirror(context), entityId);
  return found.map((row) => decoded<"subscriptions">(row));
}
