/**
 * The reads for an application's own queries and mutations: indexed reads of its own database, so that
 * a query runs again when their answer changes.
 */
import type { GenericDataModel } from "convex/server";
import { namesOf, type ResourceChoice, type ResourceName } from "../../core/catalogue/catalogue.js";
import type { LocalReads } from "../../core/mirror/store.js";
import type { AnyCatalogue, Names } from "../../core/plans/catalogue.js";
import type { Purchase } from "../../core/purchases/purchase.js";
import { type PurchaseBy, purchaseReads } from "../../core/purchases/reads.js";
import { gateReads } from "../../core/subscriptions/gates.js";
import {
  type InGroup,
  type SubscribedPage,
  type SubscriptionsBy,
  subscriptionReads,
} from "../../core/subscriptions/reads.js";
import type { Subscribed, SubscriptionState } from "../../core/subscriptions/state.js";
import { decode } from "../calls/encode.js";
import { rethrowingAll } from "../rethrow.js";
import { type Db, latestBy, mirrorOf } from "../tables/database.js";
import type { Documents } from "../tables/tables.js";
import { heldIn } from "./held.js";
import { OWNED_READ, owned, refundsOf as ownRefunds } from "./newest.js";
import { purchasedIn } from "./purchased.js";
import { activeSubscriptionsOf, customerOf, decoded, plans, type ReadContext } from "./reads.js";
import { storedSubscribed, storedSubscribedBy } from "./subscribed.js";

/** The reads for an application's own queries and mutations; the names are those of its catalogue. */
export interface Reads<N extends Names = Names> {
  /** What an entity has of a group: one state, whatever became of it. */
  subscriptionOf<M extends GenericDataModel>(
    context: ReadContext<M>,
    entityId: string,
    options?: InGroup,
  ): Promise<SubscriptionState<N["plan"]>>;
  /** All subscriptions of an entity, of all groups, ended ones too, newest first. */
  subscriptionsOf<M extends GenericDataModel>(
    context: ReadContext<M>,
    entityId: string,
  ): Promise<readonly Subscribed<N["plan"]>[]>;
  /** The entities' subscriptions that have a status, a page at a time. */
  subscriptionsBy<M extends GenericDataModel>(
    context: ReadContext<M>,
    by: SubscriptionsBy,
  ): Promise<SubscribedPage<N["plan"]>>;
  /**
   * The plan whose features apply now, of a group: the default plan where the entity has access to no
   * other. Without plans in code it is what the product's metadata name `billing_plan`.
   */
  planOf<M extends GenericDataModel>(
    context: ReadContext<M>,
    entityId: string,
    options?: InGroup,
  ): Promise<N["plan"]>;
  /** Whether a feature is on, or a unit of its balance is included or sold. */
  can<M extends GenericDataModel>(
    context: ReadContext<M>,
    entityId: string,
    feature: N["gate"],
  ): Promise<boolean>;
  /** The number of a limit, `Infinity` if there is none. In a mutation, count and insert cannot race. */
  limit<M extends GenericDataModel>(
    context: ReadContext<M>,
    entityId: string,
    feature: N["limit"],
  ): Promise<number>;
  /** An entity's invoices, newest first. */
  invoicesOf<M extends GenericDataModel>(
    context: ReadContext<M>,
    entityId: string,
    options?: { readonly limit?: number | undefined },
  ): Promise<readonly Documents["invoices"][]>;
  /** The payment methods that an entity's customer has now, newest first; as many as of invoices. */
  paymentMethodsOf<M extends GenericDataModel>(
    context: ReadContext<M>,
    entityId: string,
    options?: { readonly limit?: number | undefined },
  ): Promise<readonly Documents["payment_methods"][]>;
  /** The refunds of what an entity's customer paid, newest first. */
  refundsOf<M extends GenericDataModel>(
    context: ReadContext<M>,
    entityId: string,
    options?: { readonly limit?: number | undefined },
  ): Promise<readonly Documents["refunds"][]>;
  /** An entity's one-time purchases, newest first. */
  purchasesOf<M extends GenericDataModel>(
    context: ReadContext<M>,
    entityId: string,
    options?: { readonly limit?: number | undefined },
  ): Promise<readonly Purchase[]>;
  /**
   * The purchase of a reference, or of a checkout page. Where several pages were made for one
   * reference, it is the one that was paid, or else the newest.
   */
  purchaseBy<M extends GenericDataModel>(
    context: ReadContext<M>,
    by: PurchaseBy,
  ): Promise<Purchase | undefined>;
  /** The price that has a lookup key. */
  priceBy<M extends GenericDataModel>(
    context: ReadContext<M>,
    by: { readonly lookupKey: string },
  ): Promise<Documents["prices"] | undefined>;
  /** The customer that belongs to an entity. */
  readonly customerOf: typeof customerOf;
  /** The subscriptions of an entity that are active or on trial, as rows. */
  readonly activeSubscriptionsOf: typeof activeSubscriptionsOf;
  /** Active products with their active prices. */
  readonly plans: typeof plans;
}

/** The reads by a catalogue, of what is mirrored. */
export function readsBy(catalogue?: AnyCatalogue, resources?: ResourceChoice): Reads {
  const chosen = namesOf(resources);
  const facts = (context: { readonly db: unknown }) => factsIn(context.db as Db, chosen);
  const reads = (context: { readonly db: unknown }) => subscriptionReads(facts(context), catalogue);
  const gates = (context: { readonly db: unknown }) => gateReads(facts(context), catalogue);
  const purchases = (context: { readonly db: unknown }) => purchaseReads(facts(context));
  return rethrowingAll<Reads>({
    subscriptionOf: (context, entityId, options) =>
      reads(context).subscriptionOf(entityId, options),
    subscriptionsOf: (context, entityId) => reads(context).subscriptionsOf(entityId),
    subscriptionsBy: (context, by) => reads(context).subscriptionsBy(by),
    planOf: (context, entityId, options) => gates(context).planOf(entityId, options),
    can: (context, entityId, feature) => gates(context).can(entityId, feature),
    limit: (context, entityId, feature) => gates(context).limit(entityId, feature),
    invoicesOf: ({ db }, entityId, options) =>
      owned(db as unknown as Db, "invoices", entityId, options),
    paymentMethodsOf: ({ db }, entityId, options) =>
      owned(db as unknown as Db, "payment_methods", entityId, options),
    refundsOf: ({ db }, entityId, options) => ownRefunds(db as unknown as Db, entityId, options),
    purchasesOf: (context, entityId, options) => purchases(context).purchasesOf(entityId, options),
    purchaseBy: (context, by) => purchases(context).purchaseBy(by),
    async priceBy(context, { lookupKey }) {
      const mirror = mirrorOf(context.db as unknown as Db);
      const found = await latestBy(mirror, "prices", "byLookupKey", lookupKey, OWNED_READ);
      const active = found.find(({ stripe }) => (stripe as { active?: boolean } | null)?.active);
      const row = active ?? found[0];
      return row && decoded<"prices">(row);
    },
    customerOf,
    activeSubscriptionsOf,
    plans,
  });
}

const factsIn = (
  db: Db,
  chosen: readonly ResourceName[],
): Pick<LocalReads, "subscribed" | "subscribedBy" | "purchased" | "held"> => ({
  held: (entityId, options) => heldIn(db, chosen, entityId, options),
  purchased: (by) => purchasedIn(db, by),
  subscribed: async (entityId) => decode(await storedSubscribed(db, entityId, chosen)),
  async subscribedBy(status, after, limit) {
    const { facts, ...page } = await storedSubscribedBy(db, status, after, limit);
    return { ...page, facts: decode(facts) };
  },
});

const standard = readsBy();

/**
 * What an entity has of a group of products: one state, whatever became of its subscription. A
 * subscription past due keeps access for 14 days; `createLocal` takes another policy.
 *
 * @example
 * ```ts
 * import { subscriptionOf } from "backend-billing/convex/local";
 * import { queryGeneric } from "convex/server";
 * import { v } from "convex/values";
 *
 * export const access = queryGeneric({
 *   args: { userId: v.string() },
 *   handler: async (ctx, args) => (await subscriptionOf(ctx, args.userId)).access,
 * });
 * ```
 */
export const subscriptionOf: Reads["subscriptionOf"] = standard.subscriptionOf;

/** All subscriptions of an entity, of all groups, ended ones too, newest first. */
export const subscriptionsOf: Reads["subscriptionsOf"] = standard.subscriptionsOf;

/** The entities' subscriptions that have a status, a page at a time. */
export const subscriptionsBy: Reads["subscriptionsBy"] = standard.subscriptionsBy;

/**
 * The plan of an entity, as the metadata `billing_plan` of its product name it. Of a catalogue in code
 * `createLocal` has the same.
 */
export const planOf: Reads["planOf"] = standard.planOf;

/**
 * Whether a feature is on, as the metadata of the entity's products say: `feature_sso` is `true`. Of a
 * catalogue in code `createLocal` has the same.
 *
 * @example
 * ```ts
 * import { can } from "backend-billing/convex/local";
 * import { queryGeneric } from "convex/server";
 * import { v } from "convex/values";
 *
 * export const mayUseSso = queryGeneric({
 *   args: { userId: v.string() },
 *   handler: async (ctx, args) => can(ctx, args.userId, "sso"),
 * });
 * ```
 */
export const can: Reads["can"] = standard.can;

/** The number of a limit, as the metadata of the entity's products say: `feature_projects` is `100`. */
export const limit: Reads["limit"] = standard.limit;

/** An entity's invoices, newest first. */
export const invoicesOf: Reads["invoicesOf"] = standard.invoicesOf;

/** The payment methods that an entity's customer has now, newest first. */
export const paymentMethodsOf: Reads["paymentMethodsOf"] = standard.paymentMethodsOf;

/** The refunds of what an entity's customer paid, newest first. */
export const refundsOf: Reads["refundsOf"] = standard.refundsOf;

/** An entity's one-time purchases, newest first. */
export const purchasesOf: Reads["purchasesOf"] = standard.purchasesOf;

/**
 * The purchase of a reference, or of a checkout page.
 *
 * @example
 * ```ts
 * import { purchaseBy } from "backend-billing/convex/local";
 * import { queryGeneric } from "convex/server";
 * import { v } from "convex/values";
 *
 * export const isPaid = queryGeneric({
 *   args: { orderId: v.string() },
 *   handler: async (ctx, { orderId }) =>
 *     (await purchaseBy(ctx, { referenceId: orderId }))?.state === "paid",
 * });
 * ```
 */
export const purchaseBy: Reads["purchaseBy"] = standard.purchaseBy;

/** The price that has a lookup key; of several that had it, the active one. */
export const priceBy: Reads["priceBy"] = standard.priceBy;
