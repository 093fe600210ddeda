// Links to Stripe's pages: what is passed on, what is ours to decide, and what is refused before
// anything is sent.
import { describe, expect, it, vi } from "vitest";
import type { PayParams } from "../../../src/core/links/params.js";
import * as links from "../../../src/core/links/sessions.js";
import { hostOn } from "../../../src/postgres/billing.js";
import { createBilling, createStripe } from "../../../src/postgres/index.js";
import { type App, type AppOptions, applications, billingError, NOW } from "./kit.js";
import { entityId, paying, price, sessionsOf, subscribing, urlsOf } from "./links-kit.js";

const open = applications();
const still = (options: AppOptions = {}) =>
  open({ endpoint: false, ...options, stripe: { now: NOW, ...options.stripe } });

describe("subscribe", () => {
  it("makes the customer if there is none, and a session for it", async () => {
    const app = await still();
    const { url } = await app.a.stripe.subscribe({}, subscribing(app, await price(app)));
    const [customer] = app.double.objects("customer");
    expect(customer?.metadata).toEqual({ entityId });
    expect(sessionsOf(app)).toMatchObject([
      { url, mode: "subscription", customer: customer?.id, cancel_url: `${app.url}/pricing` },
    ]);
    await app.a.stripe.subscribe({}, subscribing(app, await price(app)));
    expect(app.double.objects("customer")).toHaveLength(1);
  });

  it("passes on what Stripe's call takes", async () => {
    const app = await still();
    const [priceId, seats] = [await price(app), await price(app)];
    await app.a.stripe.subscribe(
      {},
      {
        ...subscribing(app, priceId),
        line_items: [{ price: seats, quantity: 3 }],
        allow_promotion_codes: true,
        locale: "de",
        client_reference_id: "cart_1",
        metadata: { campaign: "spring" },
        subscription_data: { trial_period_days: 7, metadata: { team: "engines" } },
      },
    );
    const [session] = sessionsOf(app);
    expect(session).toMatchObject({
      allow_promotion_codes: true,
      locale: "de",
      client_reference_id: "cart_1",
      metadata: { campaign: "spring" },
    });
    const lines = await app.stripe.checkout.sessions.listLineItems(session?.id ?? "");
    expect(lines.data.map((line) => [line.price?.id, line.quantity])).toEqual([
      [priceId, 1],
      [seats, 3],
    ]);
    app.double.dashboard.payCheckout(session?.id ?? "", { email: "ada@example.com" });
    const [subscription] = app.double.objects("subscription");
    expect(subscription).toMatchObject({ status: "trialing", metadata: { team: "engines" } });
  });
});

describe("pay", () => {
  it("carries the reference where Stripe, the session and the payment have it", async () => {
    const app = await still();
    await app.a.stripe.pay(
      {},
      {
        ...paying(app, await price(app, undefined, false)),
        metadata: { gift: "yes" },
        payment_intent_data: { metadata: { shelf: "3" }, description: "An engine" },
      },
    );
    const [session] = sessionsOf(app);
    expect(session).toMatchObject({
      mode: "payment",
      client_reference_id: "order_7",
      metadata: { gift: "yes", referenceId: "order_7" },
      amount_total: 4_000,
    });
    app.double.dashboard.payCheckout(session?.id ?? "", { email: "ada@example.com" });
    expect(app.double.objects("payment_intent")).toMatchObject([
      { metadata: { shelf: "3", referenceId: "order_7" }, description: "An engine" },
    ]);
  });
});

it("pay does without a reference", async () => {
  const app = await still();
  const { referenceId, ...bare } = paying(app, await price(app, undefined, false));
  await app.a.stripe.pay({}, { ...bare, metadata: { gift: "yes" } });
  await app.a.stripe.pay({}, { ...bare, referenceId: undefined });
  expect(referenceId).toBe("order_7");
  expect(sessionsOf(app)).toMatchObject([
    { client_reference_id: null, metadata: { gift: "yes" } },
    { client_reference_id: null, metadata: {} },
  ]);
});

describe("portal", () => {
  it("needs a customer, and asks Stripe nothing without one", async () => {
    const app = await still();
    const returnUrl = `${app.url}/account`;
    for (const call of [
      () => app.a.stripe.portal({}, { entityId, returnUrl }),
      () => app.b.portal({ entityId, returnUrl }),
    ]) {
      const error = await billingError(call());
      expect(error.code).toBe("customer_not_found");
      expect(error.message).toContain("Call `setup`");
    }
    expect(app.double.requests.count()).toBe(0);
  });

  it("uses the configuration that sync made, unless another is given", async () => {
    const app = await still();
    const { customerId } = await app.b.setup({ entityId });
    const { portal } = await app.b.sync({ data: false, portal: true });
    const other = await app.stripe.billingPortal.configurations.create({
      features: { invoice_history: { enabled: true } },
    });
    const returnUrl = `${app.url}/account`;
    const { url } = await app.b.portal({ entityId, returnUrl });
    await app.a.stripe.portal({}, { entityId, returnUrl, configuration: other.id, locale: "fr" });
    const sessions = app.double.objects("billing_portal.session");
    expect(sessions).toMatchObject([
      { url, customer: customerId, configuration: portal?.configurationId },
      { customer: customerId, configuration: other.id, locale: "fr" },
    ]);
    expect(sessions[0]?.return_url).toContain(`${app.url}/stripe/return/portal?`);
  });
});

describe("checkout", () => {
  const args = (app: App, priceId: string) => ({
    entityId,
    priceId,
    successUrl: `${app.url}/welcome`,
    cancelUrl: `${app.url}/pricing`,
  });

  it("is a subscription, and makes the customer unless told not to", async () => {
    const app = await still();
    const priceId = await price(app);
    app.double.requests.clear();
    const refused = app.b.checkout({ ...args(app, priceId), createStripeCustomerIfMissing: false });
    expect((await billingError(refused)).code).toBe("customer_not_found");
    expect(app.double.requests.count()).toBe(0);
    const { url } = await app.b.checkout(args(app, priceId));
    expect(sessionsOf(app)).toMatchObject([{ url, mode: "subscription" }]);
    await app.b.checkout({ ...args(app, priceId), createStripeCustomerIfMissing: false });
    expect(app.double.objects("customer")).toHaveLength(1);
  });
});

describe("what is refused before anything is sent", () => {
  const owned = {
    customer: "cus_1",
    customer_email: "a@b.c",
    ui_mode: "custom",
    return_url: "x",
    expand: ["customer"], // the tables would hold whole objects
  };
  const cases: [string, (app: App) => Promise<unknown>][] = [
    ...Object.entries(owned).flatMap(
      ([name, value]): [string, (app: App) => Promise<unknown>][] => [
        [
          `subscribe with ${name}`,
          (app) => app.a.stripe.subscribe({}, { ...subscribing(app, "price_1"), [name]: value }),
        ],
        [
          `pay with ${name}`,
          (app) => app.a.stripe.pay({}, { ...paying(app, "price_1"), [name]: value }),
        ],
      ],
    ),
    [
      "pay with client_reference_id",
      (app) =>
        app.a.stripe.pay({}, {
          ...paying(app, "price_1"),
          client_reference_id: "x",
        } as PayParams),
    ],
    ...["customer", "return_url"].map((name): [string, (app: App) => Promise<unknown>] => [
      `portal with ${name}`,
      (app) => app.a.stripe.portal({}, { entityId, returnUrl: `${app.url}/`, [name]: "x" }),
    ]),
    ["subscribe that is no subscription", (app) => subscribeWith(app, { mode: "payment" })],
    ["subscribe without a mode", (app) => subscribeWith(app, { mode: undefined })],
    ["pay that is no payment", (app) => payWith(app, { mode: "subscription" })],
    ["pay that only sets up", (app) => payWith(app, { mode: "setup" })],
    ["subscribe without a price", (app) => subscribeWith(app, { priceId: undefined })],
    ["subscribe without success_url", (app) => subscribeWith(app, { success_url: undefined })],
    ["subscribe without cancel_url", (app) => subscribeWith(app, { cancel_url: "" })],
    ["subscribe without an entity", (app) => subscribeWith(app, { entityId: "" })],
    ["pay with an empty reference", (app) => payWith(app, { referenceId: "" })],
    ["pay with a reference that is no string", (app) => payWith(app, { referenceId: 7 })],
    ["pay without line_items", (app) => payWith(app, { line_items: undefined })],
    ["pay without success_url", (app) => payWith(app, { success_url: undefined })],
    ["checkout without successUrl", (app) => checkoutWith(app, { successUrl: undefined })],
    ["checkout without cancelUrl", (app) => checkoutWith(app, { cancelUrl: undefined })],
    ["checkout with what it does not know", (app) => checkoutWith(app, { nonsense: undefined })],
    ["checkout with expand", (app) => checkoutWith(app, { params: { expand: ["customer"] } })],
    [
      "savePaymentMethod with expand",
      (app) => {
        const params = { entityId, mode: "setup", currency: "usd", expand: ["customer"] } as const;
        return app.a.stripe.savePaymentMethod({}, { ...urlsOf(app), ...params });
      },
    ],
    ["checkout with a parameter of Stripe's", (app) => checkoutWith(app, { locale: "de" })],
    [
      "portal of variant B with a parameter of Stripe's",
      (app) => app.b.portal({ entityId, returnUrl: `${app.url}/`, locale: "de" } as never),
    ],
    ["checkout without a price", (app) => checkoutWith(app, { priceId: "" })],
    ["portal without returnUrl", (app) => app.b.portal({ entityId, returnUrl: "" })],
  ];
  const subscribeWith = (app: App, changes: object) =>
    app.a.stripe.subscribe({}, { ...subscribing(app, "price_1"), ...changes });
  const payWith = (app: App, changes: object) =>
    app.a.stripe.pay({}, { ...paying(app, "price_1"), ...changes });
  const checkoutWith = (app: App, changes: object) => {
    const { success_url: successUrl, cancel_url: cancelUrl } = urlsOf(app);
    return app.b.checkout({ entityId, priceId: "price_1", successUrl, cancelUrl, ...changes });
  };

  it.each(cases)("%s", async (_, call) => {
    const app = await still();
    expect((await billingError(call(app))).code).toBe("invalid_argument");
    expect(app.double.requests.count()).toBe(0);
  });
});

describe("what Stripe refuses", () => {
  it("is told with Stripe's own error as the cause", async () => {
    const app = await still();
    const once = await price(app, undefined, false);
    const error = await billingError(app.a.stripe.subscribe({}, subscribing(app, once)));
    expect(error).toMatchObject({ code: "provider_error", cause: { statusCode: 400 } });
  });

  it("a session without a link is an error", async () => {
    const app = await still();
    const { sessions } = app.core.stripe().checkout;
    const lastResponse = { headers: {} };
    vi.spyOn(sessions, "create").mockResolvedValueOnce({
      id: "cs_1",
      url: null,
      lastResponse,
    } as never);
    const call = links.pay(app.core, paying(app, await price(app, undefined, false)));
    const error = await billingError(call);
    expect(error.code).toBe("provider_error");
    expect(error.message).toContain("without a link");
  });
});

describe("the configuration is checked at first use", () => {
  it.each([
    ["base_url", { base_url: undefined as never }, "`base_url` must be the http(s) address"],
    ["base_url", { base_url: "ftp://app.example" }, "`base_url` must be the http(s) address"],
    ["secret_key", { secret_key: undefined }, "STRIPE_SECRET_KEY"],
    ["secret_key", { secret_key: "pk_test_1" }, "not the publishable key"],
  ])("%s: %o", async (_, changes, message) => {
    const app = await still();
    const wrong = createStripe({ ...app.config, ...changes });
    const error = await billingError(
      wrong.stripe.subscribe({}, subscribing(app, await price(app))),
    );
    expect(error.code).toBe("invalid_config");
    expect(error.message).toContain(message);
    expect(app.double.objects("customer")).toEqual([]);
  });
});

it("a call may bring its own pool", async () => {
  const app = await still();
  let queries = 0;
  const db = {
    query: (text: string, values?: unknown[]) => {
      queries++;
      return app.pool.query(text, values);
    },
    connect: () => app.pool.connect(),
  };
  const broken = () => Promise.reject(new Error("Not this one"));
  const { stripe } = createStripe({ ...app.config, db: { query: broken, connect: broken } });
  await stripe.subscribe({ db }, subscribing(app, await price(app)));
  expect(queries).toBeGreaterThan(0);
  await expect(createBilling({ ...app.config, db }).setup({ entityId })).resolves.toBeDefined();
});

it("a pool that calls bring again and again has one store, and remembers", async () => {
  const { config, pool } = await still();
  const another = () => ({
    query: (text: string, values?: unknown[]) => pool.query(text, values),
    connect: () => pool.connect(),
  });
  const db = another();
  const node = hostOn(config);
  expect(node.in({ db })).toBe(node.in({ db }));
  expect(node.in({ db })).not.toBe(node.in({ db: another() }));
  expect(node.in({ db: config.db })).toBe(node.in({}));
});
