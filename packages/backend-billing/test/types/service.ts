// Compiled by `npm run typecheck`; never run. What the library decides itself cannot be passed, and
// what Stripe's calls take can.
import {
  type BillingExports,
  createBilling,
  createStripe,
  type StripeExports,
} from "../../src/postgres/index.js";

declare const pool: import("pg").Pool;
const config = {
  secret_key: process.env.STRIPE_SECRET_KEY,
  webhook_secret: process.env.STRIPE_WEBHOOK_SECRET,
  db: pool,
  base_url: "https://app.example",
};
export const { stripe, store, sync, setup }: StripeExports = createStripe(config);
export const { billing, portal, checkout }: BillingExports = createBilling({
  ...config,
  webhook_secret: ["whsec_old", "whsec_new"],
});

const urls = { success_url: "https://app.example/a", cancel_url: "https://app.example/b" };
const subscription = {
  entityId: "user_1",
  priceId: "price_1",
  mode: "subscription",
  ...urls,
} as const;
const payment = {
  entityId: "user_1",
  referenceId: "order_1",
  mode: "payment" as const,
  line_items: [{ price: "price_1", quantity: 1 }],
  ...urls,
};

stripe.subscribe({}, subscription) satisfies Promise<{ url: string }>;
stripe.subscribe({ db: pool }, { ...subscription, locale: "de" }, { idempotencyKey: "cart_1" });
stripe.subscribe({}, { ...subscription, client_reference_id: "cart_1" });
stripe.pay({}, { ...payment, metadata: { a: "1" } }, { stripeAccount: "acct_1" });
stripe.portal({}, { entityId: "user_1", returnUrl: "https://app.example/", locale: "fr" });

// @ts-expect-error the customer follows from the entity
stripe.subscribe({}, { ...subscription, customer: "cus_1" });
// @ts-expect-error the customer has its own email
stripe.subscribe({}, { ...subscription, customer_email: "ada@example.com" });
// @ts-expect-error the page is always hosted
stripe.subscribe({}, { ...subscription, ui_mode: "elements" });
// @ts-expect-error that is for pages that are not hosted
stripe.subscribe({}, { ...subscription, return_url: "https://app.example/" });
// @ts-expect-error only a subscription
stripe.subscribe({}, { ...subscription, mode: "payment" });
// @ts-expect-error a price is needed
stripe.subscribe({}, { entityId: "user_1", mode: "subscription", ...urls });
// @ts-expect-error both addresses are needed
stripe.subscribe({}, { entityId: "user_1", priceId: "p", mode: "subscription", success_url: "x" });
// @ts-expect-error Stripe has no such parameter
stripe.subscribe({}, { ...subscription, colour: "red" });

// @ts-expect-error the customer follows from the entity
stripe.pay({}, { ...payment, customer: "cus_1" });
// @ts-expect-error it is the reference
stripe.pay({}, { ...payment, client_reference_id: "order_2" });
// @ts-expect-error only a payment
stripe.pay({}, { ...payment, mode: "setup" });
// @ts-expect-error the lines are needed
stripe.pay({}, { entityId: "user_1", mode: "payment", ...urls });
// A reference is not.
stripe.pay({}, { entityId: "user_1", mode: "payment", line_items: [], ...urls });

// @ts-expect-error the customer follows from the entity
stripe.portal({}, { entityId: "user_1", returnUrl: "https://app.example/", customer: "cus_1" });
// @ts-expect-error it is called returnUrl, and goes through our route
stripe.portal({}, { entityId: "user_1", return_url: "https://app.example/" });

const bought = { entityId: "u", priceId: "p", successUrl: "https://a", cancelUrl: "https://b" };
checkout({ ...bought, createStripeCustomerIfMissing: false }) satisfies Promise<{ url: string }>;
// @ts-expect-error variant B passes nothing on
checkout({ ...bought, locale: "de" });
// @ts-expect-error variant B passes nothing on
portal({ entityId: "user_1", returnUrl: "https://app.example/", locale: "de" });

setup({ entityId: "user_1", email: undefined }) satisfies Promise<{ customerId: string }>;
setup({ entityId: "user_1", metadata: { team: "engines" } });
// @ts-expect-error an entity is needed
setup({ email: "ada@example.com" });
// @ts-expect-error Stripe's metadata are texts
setup({ entityId: "user_1", metadata: { seats: 3 } });

sync();
sync({ data: true, webhook: true, portal: true });
store.migrate();
billing.fetch(new Request("https://app.example/stripe/webhook")) satisfies Promise<Response>;
