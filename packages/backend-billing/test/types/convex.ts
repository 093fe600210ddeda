// Compiled by `npm run typecheck` against both ends of the stripe range; never run. An application's
// `internal` keeps the types of what the creators return, and every context of its own fits.
import type {
  ApiFromModules,
  DataModelFromSchemaDefinition,
  DocumentByName,
  FunctionArgs,
  FunctionReturnType,
  GenericActionCtx,
  GenericMutationCtx,
  GenericQueryCtx,
} from "convex/server";
import { defineSchema, defineTable } from "convex/server";
import { type GenericId, v } from "convex/values";
import { expectTypeOf } from "vitest";
import {
  activeSubscriptionsOf,
  billingTables,
  createBilling,
  createStripe,
  customerOf,
  type Documents,
  plans,
} from "../../src/convex/index.js";
import type { CheckoutArgs, Page, Row } from "../../src/index.js";

const config = { secret_key: "sk_test_1", webhook_secret: "whsec_1" };
export const { billing, store, sync, portal, checkout, setup } = createBilling(config);
const variantA = createStripe({ ...config, module: "lib/stripe", base_url: "https://a.b" });
const { stripe } = variantA;

const schema = defineSchema({ ...billingTables, users: defineTable({ name: v.string() }) });
type DataModel = DataModelFromSchemaDefinition<typeof schema>;
declare const action: GenericActionCtx<DataModel>;
declare const mutation: GenericMutationCtx<DataModel>;
declare const query: GenericQueryCtx<DataModel>;

type Internal = ApiFromModules<{
  billing: ReturnType<typeof createBilling>;
  stripe: typeof variantA;
}>;
type Billing = Internal["billing"];
type Args<F extends "setup" | "checkout" | "portal" | "sync" | "store"> = FunctionArgs<Billing[F]>;
type Result<F extends "setup" | "checkout" | "portal" | "sync"> = FunctionReturnType<Billing[F]>;

expectTypeOf<Args<"setup">>().toEqualTypeOf<{
  entityId: string;
  email?: string;
  metadata?: Record<string, string>;
}>();
expectTypeOf<Args<"portal">>().toEqualTypeOf<{ entityId: string; returnUrl: string }>();
expectTypeOf<Omit<Args<"checkout">, "params">>().toEqualTypeOf<{
  entityId: string;
  priceId?: string;
  lookupKey?: string;
  quantity?: number;
  successUrl: string;
  cancelUrl: string;
  ifSubscribed?: "portal" | "refuse" | "allow";
  trialDays?: number;
  trial?: "once" | "always";
  allowPromotionCodes?: boolean;
  email?: string;
  createStripeCustomerIfMissing?: boolean;
}>();
expectTypeOf<Args<"checkout">["params"]>().toEqualTypeOf<CheckoutArgs["params"]>();
expectTypeOf<keyof Args<"sync">>().toEqualTypeOf<"data" | "webhook" | "portal" | "replace">();
expectTypeOf<Args<"store">["operation"]>().not.toBeAny();
expectTypeOf<Result<"setup">>().toEqualTypeOf<{ customerId: string }>();
expectTypeOf<Result<"checkout">["kind"]>().toEqualTypeOf<Page["kind"]>();
expectTypeOf<Result<"checkout">>().toExtend<Page>();
expectTypeOf<Result<"portal">>().toEqualTypeOf<{ url: string }>();
expectTypeOf<Result<"sync">["state"]>().toEqualTypeOf<"running" | "done" | "failed">();
expectTypeOf<FunctionReturnType<Internal["stripe"]["setup"]>>().toEqualTypeOf<{
  customerId: string;
}>();

const args = { entityId: "user_1", priceId: "price_1" };
const urls = { successUrl: "https://a.b/c", cancelUrl: "https://a.b/d" };
expectTypeOf(billing.checkout(action, { ...args, ...urls })).resolves.toExtend<{ url: string }>();
expectTypeOf(billing.setup(action, { entityId: "user_1" })).resolves.toEqualTypeOf<{
  customerId: string;
}>();
// @ts-expect-error Stripe cannot be asked inside a transaction
billing.setup(mutation, { entityId: "user_1" });
// @ts-expect-error `cancelUrl` is required
billing.checkout(action, { ...args, successUrl: "https://a.b/c" });
// @ts-expect-error variant B passes nothing on
billing.portal(action, { entityId: "user_1", returnUrl: "https://a.b", locale: "de" });

const plan = { ...args, success_url: "https://a.b/c", cancel_url: "https://a.b/d" };
stripe.subscribe(action, { ...plan, mode: "subscription", locale: "de" }, { idempotencyKey: "1" });
// @ts-expect-error the customer follows from the entity
stripe.subscribe(action, { ...plan, mode: "subscription", customer: "cus_1" });
// @ts-expect-error the context comes first
stripe.subscribe({ ...plan, mode: "subscription" });
// @ts-expect-error there is no such module
createBilling({ ...config, modul: "billing" });

for (const ctx of [query, mutation]) {
  expectTypeOf(plans(ctx)).resolves.not.toBeAny();
  customerOf(ctx, "user_1");
  activeSubscriptionsOf(ctx, "user_1");
}

// A row that the reads answer is a document of the application's own table.
type Customer = DocumentByName<DataModel, "backend_billing_customers">;
type Subscription = DocumentByName<DataModel, "backend_billing_subscriptions">;
expectTypeOf(customerOf(query, "user_1")).resolves.toEqualTypeOf<
  Documents["customers"] | undefined
>();
expectTypeOf(activeSubscriptionsOf(query, "user_1")).resolves.toEqualTypeOf<
  Documents["subscriptions"][]
>();
expectTypeOf<Documents["customers"]>().toExtend<Customer>();
expectTypeOf<Customer>().toExtend<Documents["customers"]>();
expectTypeOf<Documents["subscriptions"]>().toExtend<Subscription>();
expectTypeOf<Subscription>().toExtend<Documents["subscriptions"]>();
expectTypeOf<Documents["customers"]["_creationTime"]>().toEqualTypeOf<number>();
declare const customer: Documents["customers"];
expectTypeOf(query.db.get(customer._id)).resolves.toEqualTypeOf<Customer | null>();
customer satisfies Row<"customers">;
// @ts-expect-error it is the id of a customer
customer._id satisfies GenericId<"backend_billing_products">;

query.db
  .query("backend_billing_products")
  .withIndex("byActive", (q) => q.eq("stripe.active", true));
// @ts-expect-error there is no such field
query.db.query("backend_billing_products").withIndex("byActive", (q) => q.eq("stripe.actve", true));
