// Compiled by `npm run check:convex` after codegen, with stripe 23 and with stripe 22; never run.
import type { Plain, Plan, Row } from "backend-billing";
import { activeSubscriptionsOf, customerOf, plans } from "backend-billing/convex/local";
import type { FunctionArgs, FunctionReturnType } from "convex/server";
import type Stripe from "stripe";
import { api, internal } from "../convex/_generated/api";
import type { Doc, Id } from "../convex/_generated/dataModel";
import type { ActionCtx, MutationCtx, QueryCtx } from "../convex/_generated/server";
import { billing } from "../convex/billing";

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type IsAny<T> = 0 extends 1 & T ? true : false;
function holds<_T extends true>(): void {}

declare const query: QueryCtx;
declare const mutation: MutationCtx;
declare const action: ActionCtx;
declare const user: Id<"users">;

// What the creator returns reaches the application's API with its types.
type Exports = typeof internal.billing;
holds<Equal<IsAny<Exports>, false>>();
holds<Equal<keyof Exports, "store" | "sync" | "portal" | "checkout" | "setup">>();
type Functions = Exports[keyof Exports];
holds<Equal<IsAny<Functions>, false>>();
type AnyOf<K extends keyof Exports> =
  | IsAny<Exports[K]>
  | IsAny<FunctionArgs<Exports[K]>>
  | IsAny<FunctionReturnType<Exports[K]>>;
holds<Equal<AnyOf<"store">, false>>();
holds<Equal<AnyOf<"sync">, false>>();
holds<Equal<AnyOf<"portal">, false>>();
holds<Equal<AnyOf<"checkout">, false>>();
holds<Equal<AnyOf<"setup">, false>>();
// @ts-expect-error nothing of the library is public
api.billing.checkout;

// Arguments and results.
const order = {
  entityId: user,
  priceId: "price_1",
  successUrl: "https://a",
  cancelUrl: "https://b",
};
holds<Equal<FunctionReturnType<Exports["checkout"]>["url"], string>>();
holds<Equal<FunctionReturnType<Exports["portal"]>, { url: string }>>();
holds<Equal<FunctionReturnType<Exports["setup"]>, { customerId: string }>>();
holds<Equal<FunctionReturnType<Exports["sync"]>["state"], "running" | "done" | "failed">>();
action.runAction(internal.billing.checkout, order);
action.runAction(internal.billing.checkout, { ...order, createStripeCustomerIfMissing: false });
// A price is needed, by its id or its key; which of them it is, is found out when it runs.
const { priceId: _, ...keyed } = order;
action.runAction(internal.billing.checkout, { ...keyed, lookupKey: "pro" });
// @ts-expect-error the id of a price is a text
action.runAction(internal.billing.checkout, { ...order, priceId: 1 });
action.runAction(internal.billing.portal, { entityId: user, returnUrl: "https://a" });
// @ts-expect-error people must come back somewhere
action.runAction(internal.billing.portal, { entityId: user });
action.runAction(internal.billing.sync, { data: false, webhook: true, portal: true });
// @ts-expect-error there is no such option
action.runAction(internal.billing.sync, { prices: true });
mutation.scheduler.runAfter(0, internal.billing.setup, { entityId: user, email: undefined });
mutation.scheduler.runAfter(0, internal.billing.setup, { entityId: user, metadata: { a: "1" } });
// @ts-expect-error an entity is needed
mutation.scheduler.runAfter(0, internal.billing.setup, { email: "ada@example.com" });
// @ts-expect-error Stripe's metadata are texts
mutation.scheduler.runAfter(0, internal.billing.setup, { entityId: user, metadata: { a: 1 } });
// @ts-expect-error only the library calls it
action.runMutation(internal.billing.store, { operation: { type: "watch" } });

// The client takes an action's context, and not a query's: Stripe cannot be asked in a transaction.
billing.checkout(action, order) satisfies Promise<{ url: string }>;
billing.setup(action, { entityId: user }) satisfies Promise<{ customerId: string }>;
// @ts-expect-error an action is needed
billing.checkout(query, order);
// @ts-expect-error an action is needed
billing.checkout(mutation, order);

// Documents are typed as Stripe types its objects, as they are stored.
holds<Equal<Doc<"backend_billing_products">["stripe"], Plain<Stripe.Product>>>();
holds<Equal<Doc<"backend_billing_prices">["stripe"], Plain<Stripe.Price>>>();
holds<Equal<Doc<"backend_billing_customers">["entityId"], string | null>>();
holds<Equal<Doc<"backend_billing_subscriptions">["stripe"], Plain<Stripe.Subscription> | null>>();
holds<Equal<Doc<"backend_billing_subscriptions">["subscriptionId"], string | null>>();
holds<Equal<Doc<"users">["tokenIdentifier"], string>>();

// So are the indexes.
const products = query.db.query("backend_billing_products");
products.withIndex("byActive", (q) => q.eq("stripe.active", true));
// @ts-expect-error no such index
products.withIndex("byActivity", (q) => q.eq("stripe.active", true));
// @ts-expect-error a boolean
products.withIndex("byActive", (q) => q.eq("stripe.active", "yes"));
// @ts-expect-error not the field of this index
products.withIndex("byActive", (q) => q.eq("stripe.name", "Pro"));
query.db.query("backend_billing_customers").withIndex("byEntityId", (q) => q.eq("entityId", user));
query.db
  .query("backend_billing_prices")
  .withIndex("byRecurringInterval", (q) => q.eq("stripe.recurring.interval", "month"));
query.db
  .query("backend_billing_prices")
  // @ts-expect-error a text
  .withIndex("byRecurringInterval", (q) => q.eq("stripe.recurring.interval", 30));

// The reads fit the application's own contexts.
plans(query) satisfies Promise<Plan[]>;
plans(mutation) satisfies Promise<Plan[]>;
customerOf(query, user) satisfies Promise<Row<"customers"> | undefined>;
activeSubscriptionsOf(query, user) satisfies Promise<Row<"subscriptions">[]>;
// @ts-expect-error an action has no database
plans(action);
