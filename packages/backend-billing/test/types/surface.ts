// Compiled by `npm run typecheck` against both ends of the stripe range; never run. What the
// specification requires, the compiler requires; what the library decides, it refuses.
import type pg from "pg";
import { expectTypeOf } from "vitest";
import { createBilling, createStripe } from "../../src/postgres/index.js";

declare const db: pg.Pool;
const config = { secret_key: "sk_test_1", webhook_secret: "whsec_1", db, base_url: "https://a.b" };
const { stripe, setup, sync } = createStripe(config);
const { checkout, portal } = createBilling({ ...config, webhook_secret: ["whsec_1", "whsec_2"] });

expectTypeOf(setup({ entityId: "user_1" })).resolves.toEqualTypeOf<{ customerId: string }>();
setup({ entityId: "user_1", email: "ada@example.com", metadata: { plan: "gold" } });
// @ts-expect-error `entityId` is required
setup({ email: "ada@example.com" });

sync();
sync({ data: true, webhook: false, portal: false });
// @ts-expect-error there is no such option
sync({ prices: true });

const urls = { success_url: "https://a.b/c", cancel_url: "https://a.b/d" };
const plan = { entityId: "user_1", priceId: "price_1", mode: "subscription", ...urls } as const;
const { entityId: _1, ...noEntity } = plan;
const { priceId: _2, ...noPrice } = plan;
const { mode: _3, ...noMode } = plan;
const { success_url: _4, ...noSuccess } = plan;
const { cancel_url: _5, ...noCancel } = plan;
expectTypeOf(stripe.subscribe({}, plan)).resolves.toExtend<{ url: string }>();
stripe.subscribe({ db }, { ...plan, locale: "de" }, { idempotencyKey: "order-1" });
// @ts-expect-error `entityId` is required
stripe.subscribe({}, noEntity);
// @ts-expect-error `priceId` is required
stripe.subscribe({}, noPrice);
// @ts-expect-error `mode` is required
stripe.subscribe({}, noMode);
// @ts-expect-error `success_url` is required
stripe.subscribe({}, noSuccess);
// @ts-expect-error `cancel_url` is required
stripe.subscribe({}, noCancel);
// @ts-expect-error `mode` is `subscription`
stripe.subscribe({}, { ...plan, mode: "payment" });
// @ts-expect-error the customer follows from the entity
stripe.subscribe({}, { ...plan, customer: "cus_1" });

const items = [{ price: "price_1", quantity: 1 }];
const order = { entityId: "user_1", referenceId: "order_1", mode: "payment", ...urls } as const;
const { referenceId: _6, ...noReference } = order;
expectTypeOf(stripe.pay({}, { ...order, line_items: items })).resolves.toExtend<{ url: string }>();
// `referenceId` is optional.
stripe.pay({}, { ...noReference, line_items: items });
// @ts-expect-error `line_items` is required
stripe.pay({}, order);
// @ts-expect-error it is the reference
stripe.pay({}, { ...order, line_items: items, client_reference_id: "order_2" });

const purchase = { entityId: "user_1", priceId: "price_1", successUrl: "https://a.b/c" };
const { entityId: _7, ...purchaseOfNobody } = purchase;
const cancelUrl = "https://a.b/d";
expectTypeOf(checkout({ ...purchase, cancelUrl })).resolves.toExtend<{ url: string }>();
checkout({ ...purchase, cancelUrl, createStripeCustomerIfMissing: false });
// @ts-expect-error `cancelUrl` is required
checkout(purchase);
// @ts-expect-error `entityId` is required
checkout({ ...purchaseOfNobody, cancelUrl });

const visit = { entityId: "user_1", returnUrl: "https://a.b/c" };
expectTypeOf(portal(visit)).resolves.toExtend<{ url: string }>();
stripe.portal({}, { ...visit, locale: "de" }, { idempotencyKey: "click-1" });
// @ts-expect-error `returnUrl` is required
portal({ entityId: "user_1" });
// @ts-expect-error variant B takes one argument
portal(visit, {});

expectTypeOf(stripe.adopt({ entityId: "user_1", customerId: "cus_1" })).resolves.toEqualTypeOf<{
  customerId: string;
}>();
// @ts-expect-error a customer is never found by email
stripe.adopt({ entityId: "user_1", email: "ada@example.com" });
