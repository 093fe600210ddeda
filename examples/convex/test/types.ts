// Compiled by `npm run check:convex` after codegen, with stripe 23 and with stripe 22; never run.
import type { FunctionArgs, FunctionReturnType } from "convex/server";
import { internal } from "../convex/_generated/api";
import type { ActionCtx, MutationCtx } from "../convex/_generated/server";
import { stripe } from "../convex/stripe";

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type IsAny<T> = 0 extends 1 & T ? true : false;
function holds<_T extends true>(): void {}

declare const action: ActionCtx;
declare const mutation: MutationCtx;

type Exports = typeof internal.stripe;
holds<Equal<IsAny<Exports>, false>>();
holds<Equal<keyof Exports, "store" | "sync" | "setup">>();
type AnyOf<K extends keyof Exports> =
  | IsAny<Exports[K]>
  | IsAny<FunctionArgs<Exports[K]>>
  | IsAny<FunctionReturnType<Exports[K]>>;
holds<Equal<AnyOf<"store">, false>>();
holds<Equal<AnyOf<"sync">, false>>();
holds<Equal<AnyOf<"setup">, false>>();

mutation.scheduler.runAfter(0, internal.stripe.setup, { entityId: "user_1" });
// @ts-expect-error an entity is needed
mutation.scheduler.runAfter(0, internal.stripe.setup, {});
action.runAction(internal.stripe.sync, { portal: true });
// @ts-expect-error there is no such option
action.runAction(internal.stripe.sync, { prices: true });

const urls = { success_url: "https://a", cancel_url: "https://b" };
const plan = { entityId: "user_1", priceId: "price_1", mode: "subscription", ...urls } as const;
stripe.subscribe(action, plan) satisfies Promise<{ url: string }>;
stripe.subscribe(action, { ...plan, locale: "de" }, { idempotencyKey: "cart_1" });
// @ts-expect-error only a subscription
stripe.subscribe(action, { ...plan, mode: "payment" });
// @ts-expect-error the customer follows from the entity
stripe.subscribe(action, { ...plan, customer: "cus_1" });
// @ts-expect-error an action is needed: Stripe cannot be asked in a transaction
stripe.subscribe(mutation, plan);
const payment = {
  entityId: "user_1",
  referenceId: "order_1",
  mode: "payment" as const,
  line_items: [{ price: "price_1", quantity: 1 }],
  ...urls,
};
stripe.pay(action, payment, { stripeAccount: "acct_1" }) satisfies Promise<{ url: string }>;
// @ts-expect-error it is the reference
stripe.pay(action, { ...payment, client_reference_id: "order_2" });
stripe.portal(action, { entityId: "user_1", returnUrl: "https://a", locale: "fr" });
// @ts-expect-error people must come back somewhere
stripe.portal(action, { entityId: "user_1" });
