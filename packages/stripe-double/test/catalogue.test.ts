import type Stripe from "stripe";
import { beforeEach, describe, expect, it } from "vitest";
import { DAY, errorOf, eventsOf, openShop, payer, type Rig, raisedBy, rig, START } from "./kit.js";

let it_: Rig;
let stripe: Stripe;

beforeEach(async () => {
  it_ = await rig();
  stripe = it_.stripe;
});

describe("customers", () => {
  it("keep what they are given, and are changed field by field", async () => {
    const made = await stripe.customers.create({
      name: "Ada",
      email: "ada@example.com",
      phone: "123",
      description: "First",
      address: { line1: "1 Engine Way", country: "GB" },
      shipping: { name: "Ada", address: { line1: "2 Engine Way" } },
      preferred_locales: ["en"],
      tax_exempt: "none",
      metadata: { entityId: "e1", team: "7" },
    });
    expect(made).toMatchObject({
      object: "customer",
      created: START,
      livemode: false,
      balance: 0,
      address: { line1: "1 Engine Way", city: null, country: "GB" },
      shipping: { name: "Ada", phone: null, address: { line1: "2 Engine Way", state: null } },
    });
    await it_.double.clock.advance({ seconds: 10 });
    const raised = await raisedBy(stripe, () =>
      stripe.customers.update(made.id, { name: "", metadata: { team: "", room: "1" } }),
    );
    expect(raised).toEqual(["customer.updated"]);
    const now = (await stripe.customers.retrieve(made.id)) as Stripe.Customer;
    expect(now).toMatchObject({ name: null, email: "ada@example.com", created: START });
    expect(now.metadata).toEqual({ entityId: "e1", room: "1" });
    const [event] = (await stripe.events.list({ limit: 1 })).data;
    expect(event?.data.previous_attributes).toEqual({
      name: "Ada",
      metadata: { team: "7", room: null },
    });
    await stripe.customers.update(made.id, { metadata: "" });
    expect(await stripe.customers.retrieve(made.id)).toMatchObject({ metadata: {} });
    expect(await raisedBy(stripe, () => stripe.customers.update(made.id, { name: "" }))).toEqual(
      [],
    );
  });

  it("take a payment method when they are made, and only their own as the default", async () => {
    const raised = await raisedBy(stripe, () => payer(stripe));
    expect(raised).toEqual(["customer.created", "payment_method.attached"]);
    const [customer] = (await stripe.customers.list()).data;
    const method = String(customer?.invoice_settings.default_payment_method);
    expect((await stripe.paymentMethods.retrieve(method)).customer).toBe(customer?.id);
    const other = await stripe.customers.create();
    const settings = { invoice_settings: { default_payment_method: method } };
    expect(await errorOf(stripe.customers.update(other.id, settings))).toMatchObject({
      statusCode: 400,
      code: "resource_missing",
      param: "invoice_settings[default_payment_method]",
    });
    expect((await errorOf(stripe.customers.create(settings))).statusCode).toBe(400);
    const declined = stripe.customers.create({ payment_method: "pm_card_chargeDeclined" });
    expect((await errorOf(declined)).statusCode).toBe(402);
    expect((await stripe.customers.list()).data).toHaveLength(2);
  });

  it("raise an event with all that they were when they are deleted", async () => {
    const made = await stripe.customers.create({ name: "Ada" });
    await stripe.customers.del(made.id);
    const last = (await eventsOf(stripe)).at(-1);
    expect(last).toMatchObject({
      type: "customer.deleted",
      data: { object: { id: made.id, name: "Ada", object: "customer" } },
    });
  });
});

describe("products", () => {
  it("are made, changed and archived, and know when they were changed", async () => {
    const made = await stripe.products.create({
      name: "Engine",
      marketing_features: [{ name: "Fast" }],
      metadata: { tier: "1" },
    });
    expect(made).toMatchObject({ active: true, default_price: null, type: "service" });
    await it_.double.clock.advance({ days: 1 });
    const changed = await stripe.products.update(made.id, { active: false });
    expect(changed).toMatchObject({ active: false, updated: START + DAY, created: START });
    await it_.double.clock.advance({ days: 1 });
    expect(
      await raisedBy(stripe, () => stripe.products.update(made.id, { active: false })),
    ).toEqual([]);
    expect((await stripe.products.retrieve(made.id)).updated).toBe(START + DAY);
  });

  it("may have an id of one's own, which can come back after a deletion", async () => {
    const params = { id: "engine", name: "Engine" };
    expect((await stripe.products.create(params)).id).toBe("engine");
    expect(await errorOf(stripe.products.create(params))).toMatchObject({
      statusCode: 400,
      code: "resource_already_exists",
    });
    expect(await stripe.products.del("engine")).toMatchObject({ deleted: true });
    expect((await errorOf(stripe.products.retrieve("engine"))).statusCode).toBe(404);
    await it_.double.clock.advance({ days: 1 });
    expect(await stripe.products.create(params)).toMatchObject({ created: START + DAY });
    expect((await stripe.products.list()).data).toHaveLength(1);
  });

  it("can be made with a price, and not be deleted while they have one", async () => {
    const made = await stripe.products.create({
      name: "Engine",
      default_price_data: { currency: "usd", unit_amount: 900, recurring: { interval: "month" } },
    });
    const price = await stripe.prices.retrieve(String(made.default_price));
    expect(price).toMatchObject({ product: made.id, unit_amount: 900 });
    expect((await errorOf(stripe.products.del(made.id))).statusCode).toBe(400);
    // thread: stripe/stripe-python#658, "unset default_price first"
    const archive = () => stripe.prices.update(price.id, { active: false });
    expect((await errorOf(archive())).statusCode).toBe(400);
    const cleared = await stripe.products.update(made.id, { default_price: "" });
    expect(cleared.default_price).toBeNull();
    expect((await archive()).active).toBe(false);
  });
});

describe("prices", () => {
  it("of a subscription are shown as plans too, with events of their own", async () => {
    const { product, monthly } = await openShop(stripe);
    const raised = await raisedBy(stripe, () =>
      stripe.prices.update(monthly.id, { nickname: "Basic" }),
    );
    expect(raised).toEqual(["plan.updated", "price.updated"]);
    expect(
      await raisedBy(stripe, () => stripe.prices.update(monthly.id, { nickname: "Basic" })),
    ).toEqual([]);
    const once = await raisedBy(stripe, () =>
      stripe.prices.create({ product: product.id, currency: "EUR", unit_amount: 5 }),
    );
    expect(once).toEqual(["price.created"]);
    // What a plan does not show raises no event of the plan.
    const tax = await raisedBy(stripe, () =>
      stripe.prices.update(monthly.id, { tax_behavior: "exclusive" }),
    );
    expect(tax).toEqual(["price.updated"]);
  });

  it("keep fractions of a cent, as the SDK's decimals", async () => {
    const { product } = await openShop(stripe);
    const made = await stripe.prices.create({
      product: product.id,
      currency: "usd",
      unit_amount_decimal: "0.5" as unknown as Stripe.Decimal,
      recurring: { interval: "month" },
    });
    expect(made.unit_amount).toBeNull();
    expect(String(made.unit_amount_decimal)).toBe("0.5");
    const customer = await payer(stripe);
    const subscription = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: made.id, quantity: 101 }],
    });
    const invoice = await stripe.invoices.retrieve(String(subscription.latest_invoice));
    expect(invoice.total).toBe(51);
  });

  it("have lookup keys, one price each, which can be handed over", async () => {
    const { product, monthly } = await openShop(stripe);
    const params = { product: product.id, currency: "usd", unit_amount: 1, lookup_key: "basic" };
    const first = await stripe.prices.create(params);
    expect((await errorOf(stripe.prices.create(params))).param).toBe("lookup_key");
    const second = await stripe.prices.create({ ...params, transfer_lookup_key: true });
    expect((await stripe.prices.retrieve(first.id)).lookup_key).toBeNull();
    const found = await stripe.prices.list({ lookup_keys: ["basic"] });
    // API reference: prices/list#lookup_keys, "up to 10"
    const keys = Array.from({ length: 11 }, (_, index) => `key_${index}`);
    expect((await errorOf(stripe.prices.list({ lookup_keys: keys }))).param).toBe("lookup_keys");
    expect(found.data.map(({ id }) => id)).toEqual([second.id]);
    expect(monthly.lookup_key).toBeNull();
  });

  it("take over a lookup key when they are updated, if that is asked for", async () => {
    // API reference: prices/update#transfer_lookup_key
    const { product, monthly } = await openShop(stripe);
    const once = { product: product.id, currency: "usd", unit_amount: 1 };
    const first = await stripe.prices.create({ ...once, lookup_key: "basic" });
    const take = (more: Stripe.PriceUpdateParams) =>
      stripe.prices.update(monthly.id, { lookup_key: "basic", ...more });
    expect((await errorOf(take({}))).param).toBe("lookup_key");
    expect((await stripe.prices.retrieve(first.id)).lookup_key).toBe("basic");
    expect((await take({ transfer_lookup_key: true })).lookup_key).toBe("basic");
    expect((await stripe.prices.retrieve(first.id)).lookup_key).toBeNull();
    expect((await take({})).lookup_key).toBe("basic");
    expect((await stripe.prices.update(monthly.id, { lookup_key: "" })).lookup_key).toBeNull();
  });

  it("include tax or not for ever, once that is said", async () => {
    // API reference: prices/object#tax_behavior, "it cannot be changed"
    const { monthly } = await openShop(stripe);
    const say = (behavior: "inclusive" | "exclusive") =>
      stripe.prices.update(monthly.id, { tax_behavior: behavior });
    expect((await say("exclusive")).tax_behavior).toBe("exclusive");
    expect((await say("exclusive")).tax_behavior).toBe("exclusive");
    expect((await errorOf(say("inclusive"))).param).toBe("tax_behavior");
  });

  it("of another product are no product's default", async () => {
    const { monthly } = await openShop(stripe);
    const other = await stripe.products.create({ name: "Other" });
    const choose = stripe.products.update(other.id, { default_price: monthly.id });
    expect((await errorOf(choose)).param).toBe("default_price");
  });

  it("of an archived product stay active", async () => {
    const { product, monthly } = await openShop(stripe);
    await stripe.products.update(product.id, { active: false });
    expect((await stripe.prices.retrieve(monthly.id)).active).toBe(true);
    expect((await stripe.prices.list()).data).toHaveLength(2);
  });

  it("need a product, a currency and an amount", async () => {
    const { product } = await openShop(stripe);
    const wrong: Stripe.PriceCreateParams[] = [
      { product: product.id, currency: "usd" },
      { currency: "usd", unit_amount: 1 },
      { product: product.id, product_data: { name: "x" }, currency: "usd", unit_amount: 1 },
      { product: product.id, currency: "usd", unit_amount: -1 },
    ];
    for (const params of wrong) {
      expect((await errorOf(stripe.prices.create(params))).statusCode).toBe(400);
    }
    const made = await stripe.prices.create({
      currency: "usd",
      unit_amount: 1,
      product_data: { name: "Spares" },
    });
    expect(await stripe.products.retrieve(String(made.product))).toMatchObject({ name: "Spares" });
  });

  it("can be deleted in the dashboard only", async () => {
    const { monthly } = await openShop(stripe);
    it_.double.dashboard.deletePrice(monthly.id);
    expect((await errorOf(stripe.prices.retrieve(monthly.id))).statusCode).toBe(404);
    expect((await eventsOf(stripe)).slice(-2).map(({ type }) => type)).toEqual([
      "plan.deleted",
      "price.deleted",
    ]);
  });
});

it("a product's default price is not archived until it is unset", async () => {
  // Source: stripe/stripe-python#658, remi-stripe: unset default_price first.
  const { stripe } = await rig();
  const { product, monthly } = await openShop(stripe);
  await stripe.products.update(product.id, { default_price: monthly.id });
  const archive = () => stripe.prices.update(monthly.id, { active: false });
  expect((await errorOf(archive())).statusCode).toBe(400);
  await stripe.products.update(product.id, { default_price: "" });
  expect((await archive()).active).toBe(false);
});

it("prices are listed by ten lookup keys at most", async () => {
  // Source: API reference prices/list#lookup_keys.
  const { stripe } = await rig();
  const keys = (count: number) => Array.from({ length: count }, (_, index) => `key_${index}`);
  expect((await stripe.prices.list({ lookup_keys: keys(10) })).data).toEqual([]);
  const many = stripe.prices.list({ lookup_keys: keys(11) });
  expect((await errorOf(many)).statusCode).toBe(400);
});
