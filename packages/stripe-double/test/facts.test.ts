/**
 * The facts about Stripe that we rely on, as far as the double models them: each test is named
 * after one. What is tested at length elsewhere is shown here once.
 */
import Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { renderEvent } from "../src/api/render.js";
import { blankCustomer } from "../src/resources/customers.js";
import {
  ask,
  changeCard,
  client,
  DAY,
  errorOf,
  eventsOf,
  idsOf,
  type Json,
  objectOf,
  openShop,
  payer,
  type Rig,
  receiver,
  rig,
  START,
} from "./kit.js";
import { bareWorld } from "./money-kit.js";

const file = (path: string) => new URL(`../../../node_modules/${path}`, import.meta.url).href;

/** A double with a shop and one active subscription. */
async function subscribed(options = {}) {
  const it = await rig(options);
  const shop = await openShop(it.stripe);
  const customer = await payer(it.stripe);
  const items = [{ price: shop.monthly.id }];
  const subscription = await it.stripe.subscriptions.create({ customer: customer.id, items });
  return { ...it, shop, customer, subscription };
}

/** The status of a call: 200 when it succeeds. */
async function statusOf(call: Promise<unknown>): Promise<number | undefined> {
  try {
    await call;
    return 200;
  } catch (error) {
    return (error as Stripe.errors.StripeError).statusCode;
  }
}

async function signed(it: Rig) {
  const bodies: { body: string; signature: string }[] = [];
  it.double.answer("https://app.example", async (request) => {
    const signature = request.headers.get("stripe-signature") ?? "";
    bodies.push({ body: await request.text(), signature });
    return new Response();
  });
  const endpoint = await it.stripe.webhookEndpoints.create({
    url: "https://app.example",
    enabled_events: ["*"],
  });
  await it.stripe.customers.create();
  await it.double.settle();
  const [{ body, signature } = { body: "", signature: "" }] = bodies;
  return { body, signature, secret: endpoint.secret ?? "", endpoint: endpoint.id };
}

describe("webhooks", () => {
  it("no order is guaranteed, and duplicates happen", async () => {
    const it = await rig();
    const { received } = await receiver(it);
    it.double.faults.add({ fault: "doubled", rate: 0.5 });
    it.double.faults.add({ fault: "shuffled", rate: 0.5 });
    for (let i = 0; i < 20; i++) await it.stripe.customers.create({ name: String(i) });
    await it.double.clock.advance({ seconds: 5 });
    const order = received.map(({ event }) => Number(objectOf<Stripe.Customer>(event).name));
    expect(new Set(order).size).toBe(20);
    expect(order.length).toBeGreaterThan(20);
    expect(order).not.toEqual([...order].sort((a, b) => a - b));
  });

  it("two separate events may describe one change", async () => {
    const { stripe } = await subscribed();
    const events = (await eventsOf(stripe)).filter(({ type }) =>
      ["invoice.paid", "invoice.payment_succeeded"].includes(type),
    );
    const [a, b] = events;
    expect(a?.id).not.toBe(b?.id);
    expect(a?.data.object).toEqual(b?.data.object);
  });

  it("created has whole seconds, so it does not tell the order", async () => {
    const it = await rig();
    for (let i = 0; i < 3; i++) {
      await it.stripe.customers.create();
      await it.double.clock.advance({ milliseconds: 100 });
    }
    const seconds = (await eventsOf(it.stripe)).map(({ created }) => created);
    expect(seconds).toEqual([START, START, START]);
  });

  it("retries go on for three days live, and come three times over a few hours in a sandbox", async () => {
    const spans: number[] = [];
    for (const mode of ["secretKey", "liveSecretKey"] as const) {
      const { double } = await rig();
      const it = { double, stripe: client(double, double[mode]) };
      const hook = await receiver(it);
      hook.answer(500);
      await it.stripe.customers.create();
      await double.clock.advance({ days: 7 });
      const at = double.deliveries.all()[0]?.attempts.map((attempt) => attempt.at / 1000 - START);
      if (mode === "secretKey") expect(at).toHaveLength(1 + 3);
      spans.push(at?.at(-1) ?? 0);
    }
    const [sandbox = 0, live = 0] = spans;
    expect(sandbox).toBeLessThan(12 * 3600);
    expect(live).toBeGreaterThan(2 * DAY);
    expect(live).toBeLessThanOrEqual(3 * DAY);
  });

  it("a 3xx answer counts as a failure", async () => {
    const it = await rig();
    const hook = await receiver(it);
    hook.answer(301);
    await it.stripe.customers.create();
    await it.double.clock.advance({ hours: 12 });
    expect(hook.received).toHaveLength(4);
    expect(it.double.deliveries.all()[0]?.state).toBe("failed");
  });

  it("failing invoice.created delays automatic finalisation by up to 72 hours", async () => {
    const { double } = await rig();
    const it = { double, stripe: client(double, double.liveSecretKey) };
    const { monthly } = await openShop(it.stripe);
    const customer = await payer(it.stripe);
    const items = [{ price: monthly.id }];
    await it.stripe.subscriptions.create({ customer: customer.id, items });
    const hook = await receiver(it, { enabled_events: ["invoice.created"] });
    hook.answer(500);
    const renewal = START + 31 * DAY;
    await double.clock.advanceTo((renewal + 60 * 3600) * 1000);
    const latest = async () => (await it.stripe.invoices.list({ limit: 1 })).data[0];
    expect((await latest())?.status).toBe("draft");
    await double.clock.advanceTo((renewal + 73 * 3600) * 1000);
    expect((await latest())?.status).toBe("paid");
  });

  it("the signature is t and v1, an HMAC of t and the body, with a new t for each attempt", async () => {
    const it = await rig();
    const { body, signature, secret } = await signed(it);
    expect(signature).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
    const [t = ""] = signature.match(/\d+/) ?? [];
    const own = await it.stripe.webhooks.generateTestHeaderStringAsync({
      payload: body,
      secret,
      timestamp: Number(t),
    });
    expect(own).toBe(signature);
  });

  it("while a secret is rolled there is one v1 for each, and the SDK takes any that matches", async () => {
    const it = await rig();
    const first = await signed(it);
    const bodies: string[] = [];
    it.double.answer("https://app.example", async (request) => {
      bodies.push(request.headers.get("stripe-signature") ?? "", await request.text());
      return new Response();
    });
    const fresh = it.double.dashboard.rollWebhookSecret(first.endpoint, {
      keepOldFor: { hours: 24 },
    });
    await it.stripe.customers.create();
    await it.double.settle();
    const [signature = "", body = ""] = bodies;
    expect(signature.split(",")).toHaveLength(3);
    for (const secret of [first.secret, fresh]) {
      const event = await it.stripe.webhooks.constructEventAsync(body, signature, secret);
      expect(event.type).toBe("customer.created");
    }
  });

  it("the tolerance is 300 seconds into the past, and the future is accepted", async () => {
    const past = await rig({ signatureClock: "double", now: Date.now() - 301_000 });
    const old = await signed(past);
    const verify = ({ body, signature, secret }: typeof old) =>
      past.stripe.webhooks.constructEventAsync(body, signature, secret);
    await expect(verify(old)).rejects.toThrow("tolerance");
    const soon = await rig({ signatureClock: "double", now: Date.now() - 280_000 });
    expect((await verify(await signed(soon))).type).toBe("customer.created");
    const future = await rig({ signatureClock: "double", now: Date.now() + 86_400_000 });
    expect((await verify(await signed(future))).type).toBe("customer.created");
  });

  it("snapshots are rendered at the endpoint's API version, not the SDK's", async () => {
    const it = await rig();
    const { received } = await receiver(it, { api_version: "2025-02-24.acacia" });
    await it.stripe.customers.create();
    await it.double.settle();
    expect(received[0]?.event.api_version).toBe("2025-02-24.acacia");
  });

  it("previous_attributes are only on events that tell of an update", async () => {
    const { double, stripe, customer } = await subscribed();
    await changeCard(stripe, customer.id, "pm_card_chargeCustomerFail");
    await double.clock.advance({ days: 29 });
    const held = await stripe.paymentIntents.create({
      amount: 500,
      currency: "usd",
      payment_method: "pm_card_visa",
      capture_method: "manual",
      confirm: true,
      return_url: "https://app.example",
    });
    await stripe.paymentIntents.capture(held.id);
    await double.clock.advance({ days: 25 });
    const events = await eventsOf(stripe);
    const told = events.filter(({ data }) => data.previous_attributes !== undefined);
    expect(told.length).toBeGreaterThan(3);
    expect(told.filter(({ type }) => !type.endsWith(".updated"))).toEqual([]);
    const types = events.map(({ type }) => type);
    for (const type of [
      "charge.captured",
      "customer.subscription.deleted",
      "invoice.payment_failed",
    ]) {
      expect(types).toContain(type);
    }
  });

  it("previous_attributes are left out of other events, even if what was before is known", () => {
    const { world } = bareWorld();
    const before = blankCustomer("cus_1", START, false);
    const after = { ...before, name: "Ada" };
    const shown = (type: "customer.created" | "customer.updated") =>
      renderEvent(world, world.raise(type, after, before), Stripe.API_VERSION);
    expect(shown("customer.updated")).toMatchObject({
      data: { previous_attributes: { name: null } },
    });
    expect(shown("customer.created")).not.toHaveProperty("data.previous_attributes");
  });

  it("an account has at most 16 destinations", async () => {
    const { stripe } = await rig();
    const params = { url: "https://app.example", enabled_events: ["*" as const] };
    for (let i = 0; i < 16; i++) await stripe.webhookEndpoints.create(params);
    expect(await statusOf(stripe.webhookEndpoints.create(params))).toBe(400);
  });

  it("thin events exist for v1 objects, and constructEvent throws on them", async () => {
    const it = await rig();
    it.double.faults.add({ fault: "thin" });
    const { body, signature, secret } = await signed(it);
    expect(JSON.parse(body)).toMatchObject({
      object: "v2.core.event",
      type: "v1.customer.created",
    });
    const construct = it.stripe.webhooks.constructEventAsync(body, signature, secret);
    await expect(construct).rejects.toThrow();
  });

  it("decimals are objects in answers and strings in webhooks, and both serialise alike", async () => {
    const it = await rig();
    const { received } = await receiver(it);
    const { monthly } = await openShop(it.stripe);
    await it.double.settle();
    const event = received.find(({ event: { type } }) => type === "price.created")?.event;
    const told = objectOf<Stripe.Price>(event).unit_amount_decimal;
    expect(typeof monthly.unit_amount_decimal).toBe("object");
    expect(typeof told).toBe("string");
    expect(JSON.stringify(monthly.unit_amount_decimal)).toBe(JSON.stringify(told));
  });
});

describe("the events list", () => {
  it("reaches back 30 days, newest first, or oldest first with ending_before", async () => {
    const { double, stripe } = await rig();
    for (let i = 0; i < 4; i++) await stripe.customers.create({ name: String(i) });
    const names = (events: Stripe.Event[]) =>
      events.map((event) => objectOf<Stripe.Customer>(event).name);
    const { data } = await stripe.events.list();
    expect(names(data)).toEqual(["3", "2", "1", "0"]);
    const up: Stripe.Event[] = [];
    const cursor = data.at(-1)?.id ?? "";
    for await (const event of stripe.events.list({ ending_before: cursor, limit: 2 })) {
      up.push(event);
    }
    expect(names(up)).toEqual(["1", "2", "3"]);
    await double.clock.advance({ days: 30 });
    expect((await stripe.events.list()).data).toEqual([]);
  });

  it("takes up to 20 types, or one with a star, and filters by created and delivery_success", async () => {
    const it = await rig();
    const hook = await receiver(it);
    await it.stripe.customers.create();
    await it.double.settle();
    hook.answer(500);
    await it.double.clock.advance({ seconds: 10 });
    await it.stripe.products.create({ name: "Engine" });
    await it.double.settle();
    const types = async (params: Stripe.EventListParams) =>
      (await it.stripe.events.list(params)).data.map(({ type }) => type);
    expect(await types({ types: ["product.created"] })).toEqual(["product.created"]);
    expect(await types({ type: "customer.*" })).toEqual(["customer.created"]);
    expect(await types({ created: { gt: START } })).toEqual(["product.created"]);
    expect(await types({ delivery_success: true })).toEqual(["customer.created"]);
    expect(await types({ delivery_success: false })).toEqual(["product.created"]);
    const many = Array<string>(21).fill("customer.created");
    expect(await statusOf(it.stripe.events.list({ types: many }))).toBe(400);
  });
});

describe("limits", () => {
  it("a sandbox takes 25 requests a second, live mode 100, one endpoint 25, search 20", async () => {
    const { double } = await rig({ rateLimits: true });
    const test = client(double);
    const live = client(double, double.liveSecretKey);
    const passed = async (call: () => Promise<unknown>) => {
      const all = await Promise.allSettled(Array.from({ length: 40 }, call));
      return all.filter(({ status }) => status === "fulfilled").length;
    };
    const query = "name:'Ada'";
    expect(await passed(() => live.customers.search({ query }))).toBe(20);
    expect(await passed(() => live.customers.list())).toBe(25);
    await double.clock.advance({ seconds: 1 });
    const lists = [test.customers, test.products];
    expect(await passed(() => lists[0]?.list() ?? Promise.reject())).toBe(25);
    expect(await statusOf(lists[1]?.list() ?? Promise.reject())).toBe(429);
  });

  it("a 429 tells its reason, a lock time-out does not, and none says when to try again", async () => {
    const { double, stripe } = await rig();
    double.faults.add({ fault: "rate_limited", reason: "endpoint-concurrency", times: 1 });
    const limited = await errorOf(stripe.customers.list());
    expect(limited.headers?.["stripe-rate-limited-reason"]).toBe("endpoint-concurrency");
    double.faults.add({ fault: "lock_timeout", times: 1 });
    const locked = await errorOf(stripe.customers.list());
    expect(locked).toMatchObject({ statusCode: 429, code: "lock_timeout" });
    for (const { headers } of [limited, locked]) expect(headers).not.toHaveProperty("retry-after");
    expect(locked.headers).not.toHaveProperty("stripe-rate-limited-reason");
  });

  it("the SDK does not retry a 429", async () => {
    const { double } = await rig();
    const retrying = client(double, double.secretKey, { maxNetworkRetries: 2 });
    double.faults.add({ fault: "rate_limited" });
    expect(await statusOf(retrying.customers.list())).toBe(429);
    expect(double.requests.count()).toBe(1);
  });

  it("pages have 1 to 100 objects, 10 by default", async () => {
    const { double, stripe } = await rig();
    double.populate({ object: "customer", count: 150 });
    expect((await stripe.customers.list()).data).toHaveLength(10);
    expect((await stripe.customers.list({ limit: 1 })).data).toHaveLength(1);
    expect((await stripe.customers.list({ limit: 100 })).data).toHaveLength(100);
    expect(await statusOf(stripe.customers.list({ limit: 101 }))).toBe(400);
  });

  it.each([
    "charges",
    "checkout/sessions",
    "coupons",
    "customers",
    "events",
    "invoiceitems",
    "invoices",
    "payment_intents",
    "payouts",
    "prices",
    "products",
    "promotion_codes",
    "refunds",
    "subscriptions",
  ])("%s can be filtered by created", async (resource) => {
    const { double } = await rig();
    const { status, body } = await ask(double, `/v1/${resource}?created[gte]=1&created[lt]=2`);
    expect([status, body.data]).toEqual([200, []]);
  });

  it.each([
    "billing_portal/configurations",
    "payment_methods",
    "subscription_items",
    "webhook_endpoints",
  ])("%s cannot be filtered by created", async (resource) => {
    const { double } = await rig();
    const { status, body } = await ask(double, `/v1/${resource}?created[gte]=1`);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(body)).toContain("created");
  });

  it("no list can be asked for what was updated since", async () => {
    const { double } = await rig();
    for (const resource of ["customers", "products", "subscriptions", "invoices"]) {
      const { status } = await ask(double, `/v1/${resource}?updated[gte]=1`);
      expect(status).toBeGreaterThanOrEqual(400);
    }
  });
});

describe("lists that hide things", () => {
  it("subscriptions leave canceled ones out unless status is all", async () => {
    const { stripe, subscription } = await subscribed();
    await stripe.subscriptions.cancel(subscription.id);
    expect((await stripe.subscriptions.list()).data).toEqual([]);
    expect(idsOf(await stripe.subscriptions.list({ status: "all" }))).toEqual([subscription.id]);
  });

  it("prices are asked for twice, active and not, and inline ones are in no list", async () => {
    const { stripe, shop, customer } = await subscribed();
    await stripe.prices.update(shop.yearly.id, { active: false });
    const inline = await stripe.subscriptions.create({
      customer: customer.id,
      items: [
        {
          price_data: {
            currency: "usd",
            product: shop.product.id,
            unit_amount: 100,
            recurring: { interval: "month" },
          },
        },
      ],
    });
    const listed = [
      ...idsOf(await stripe.prices.list({ active: true })),
      ...idsOf(await stripe.prices.list({ active: false })),
    ];
    expect(listed).toEqual([shop.monthly.id, shop.yearly.id]);
    const id = inline.items.data[0]?.price.id ?? "";
    expect(listed).not.toContain(id);
    expect((await stripe.prices.retrieve(id)).id).toBe(id);
  });

  it("an archived product's prices stay active", async () => {
    const { stripe, shop } = await subscribed();
    await stripe.products.update(shop.product.id, { active: false });
    expect((await stripe.prices.retrieve(shop.monthly.id)).active).toBe(true);
  });

  it("a deleted customer answers deleted: true", async () => {
    const { stripe } = await rig();
    const { id } = await stripe.customers.create();
    await stripe.customers.del(id);
    expect(await stripe.customers.retrieve(id)).toMatchObject({ id, deleted: true });
  });
});

describe("idempotency", () => {
  it("a key is pruned once 24 hours old, and the request runs again", async () => {
    const { double, stripe } = await rig();
    const create = async () => (await stripe.customers.create({}, { idempotencyKey: "k" })).id;
    const first = await create();
    await double.clock.advance({ hours: 24 });
    expect(await create()).not.toBe(first);
  });

  it("the stored answer includes 500s, and a replay says so", async () => {
    const { double, stripe } = await rig();
    double.faults.add({ fault: "error_after", times: 1 });
    const create = () => errorOf(stripe.customers.create({}, { idempotencyKey: "k" }));
    expect((await create()).statusCode).toBe(500);
    const again = await create();
    expect(again.statusCode).toBe(500);
    expect(again.headers?.["idempotent-replayed"]).toBe("true");
  });

  it("the same key at the same time is 409, with other parameters 400", async () => {
    const { double, stripe } = await rig();
    double.faults.add({ fault: "latency", milliseconds: 2_000, times: 1 });
    const create = (name: string) => stripe.customers.create({ name }, { idempotencyKey: "k" });
    const calls = [create("Ada"), create("Ada")];
    const clash = await errorOf(Promise.race(calls)); // the one that came second
    expect(clash).toMatchObject({ statusCode: 409, code: "idempotency_key_in_use" });
    expect(clash.type).toBe("StripeAPIError"); // this is what the SDK makes of it
    await Promise.any(calls);
    const other = await errorOf(create("Grace"));
    expect([other.statusCode, other.rawType]).toEqual([400, "idempotency_error"]);
  });

  it("429, 401 and validation 400s are not stored", async () => {
    const { double, stripe } = await rig();
    const options = { idempotencyKey: "k" };
    double.faults.add({ fault: "rate_limited", times: 1 });
    expect(await statusOf(stripe.customers.create({}, options))).toBe(429);
    const stranger = client(double, "sk_test_none");
    expect(await statusOf(stranger.customers.create({}, options))).toBe(401);
    expect(await statusOf(stripe.customers.create({ email: "?" }, options))).toBe(400);
    expect(await statusOf(stripe.customers.create({}, options))).toBe(200);
  });

  it("the SDK gives every v1 POST a key, and tries twice more on 5xx and closed connections", async () => {
    const { double } = await rig();
    const stripe = new Stripe(double.secretKey, double.stripeConfig);
    double.faults.add({ fault: "error_before", kept: false, times: 2 });
    await stripe.customers.create();
    expect(double.requests.count("POST /v1/customers")).toBe(3);
    const [event] = (await stripe.events.list()).data;
    expect(event?.request?.idempotency_key).toBeTruthy();
  });

  it("customer search is behind by less than a minute, or up to an hour", async () => {
    const { double, stripe } = await rig();
    await stripe.customers.create({ name: "Ada" });
    const found = async () => (await stripe.customers.search({ query: "name:'Ada'" })).data.length;
    expect(await found()).toBe(0);
    await double.clock.advance({ seconds: 59 });
    expect(await found()).toBe(1);
    double.faults.add({ fault: "list_lag", milliseconds: 3_600_000 });
    expect(await found()).toBe(0);
  });
});

describe("runtimes", () => {
  it("in the worker build the sync constructEvent throws, and the Async one works", async () => {
    const it = await rig();
    const { body, signature, secret } = await signed(it);
    const Worker = (await import(file("stripe/esm/stripe.esm.worker.js"))).default as typeof Stripe;
    const stripe = new Worker(it.double.secretKey, it.double.stripeConfig);
    expect(() => stripe.webhooks.constructEvent(body, signature, secret)).toThrow();
    const event = await stripe.webhooks.constructEventAsync(body, signature, secret);
    expect(event.type).toBe("customer.created");
  });

  it("host, port and protocol point the SDK at a local server, with telemetry off", async () => {
    const { double } = await rig();
    expect(double.stripeConfig).toEqual({
      host: "127.0.0.1",
      port: double.port,
      protocol: "http",
      telemetry: false,
    });
  });
});

describe("fields that moved", () => {
  it("current periods are on the items, not on the subscription", async () => {
    const { subscription } = await subscribed();
    expect(subscription).not.toHaveProperty("current_period_end");
    expect(subscription.items.data[0]?.current_period_end).toBe(START + 31 * DAY);
  });

  it("an invoice has its subscription in parent and its payment in payments", async () => {
    const { stripe, subscription } = await subscribed();
    const invoice = await stripe.invoices.retrieve(String(subscription.latest_invoice), {
      expand: ["payments"],
    });
    for (const field of ["subscription", "payment_intent", "charge", "paid"]) {
      expect(invoice).not.toHaveProperty(field);
    }
    expect(invoice.parent?.subscription_details?.subscription).toBe(subscription.id);
    expect(invoice.payments?.data[0]?.payment.payment_intent).toMatch(/^pi_/);
  });

  it("coupons are in promotion.coupon, source.coupon and discounts", async () => {
    const { stripe, shop, customer } = await subscribed();
    await stripe.coupons.create({ id: "TEN", percent_off: 10, duration: "forever" });
    const promotion = { type: "coupon", coupon: "TEN" } as const;
    const code = await stripe.promotionCodes.create({ promotion });
    expect(code.promotion.coupon).toBe("TEN");
    expect(code).not.toHaveProperty("coupon");
    const made = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: shop.yearly.id }],
      discounts: [{ promotion_code: code.id }],
      expand: ["discounts", "latest_invoice"],
    });
    const [discount] = made.discounts as Stripe.Discount[];
    expect(discount).toMatchObject({ source: { coupon: "TEN" }, promotion_code: code.id });
    expect(discount).not.toHaveProperty("coupon");
    expect(made).not.toHaveProperty("discount");
    expect((made.latest_invoice as Stripe.Invoice).discounts).toHaveLength(1);
  });

  it("some fields are absent unless expanded", async () => {
    const { stripe, customer, shop } = await subscribed();
    await stripe.coupons.create({
      id: "TEN",
      percent_off: 10,
      applies_to: { products: [shop.product.id] },
    });
    const [charge] = (await stripe.charges.list()).data;
    const session = await stripe.checkout.sessions.create({
      mode: "subscription",
      line_items: [{ price: shop.monthly.id, quantity: 1 }],
      success_url: "https://app.example",
    });
    const cases: [string, (expand: string[]) => Promise<object>][] = [
      ["refunds", (expand) => stripe.charges.retrieve(charge?.id ?? "", { expand })],
      ["sources", (expand) => stripe.customers.retrieve(customer.id, { expand })],
      ["subscriptions", (expand) => stripe.customers.retrieve(customer.id, { expand })],
      ["tax_ids", (expand) => stripe.customers.retrieve(customer.id, { expand })],
      ["line_items", (expand) => stripe.checkout.sessions.retrieve(session.id, { expand })],
      ["currency_options", (expand) => stripe.prices.retrieve(shop.monthly.id, { expand })],
      ["applies_to", (expand) => stripe.coupons.retrieve("TEN", { expand })],
    ];
    for (const [field, read] of cases) {
      expect(await read([])).not.toHaveProperty(field);
      expect(await read([field])).toHaveProperty(field);
    }
    // A price without tiers has none to show.
    const flat = await stripe.prices.retrieve(shop.monthly.id, { expand: ["tiers"] });
    expect(flat).not.toHaveProperty("tiers");
  });

  it("embedded lists are cut at ten, and has_more tells", async () => {
    const { double, stripe, customer } = await subscribed();
    for (let i = 0; i < 11; i++) {
      await stripe.invoiceItems.create({ customer: customer.id, amount: 100, currency: "usd" });
    }
    const invoice = await stripe.invoices.create({
      customer: customer.id,
      pending_invoice_items_behavior: "include",
    });
    expect(invoice.lines).toMatchObject({ has_more: true });
    expect(invoice.lines.data).toHaveLength(10);
    const [{ id: charge } = { id: "" }] = (await stripe.charges.list()).data;
    for (let i = 0; i < 11; i++) await stripe.refunds.create({ charge, amount: 10 });
    const { refunds } = await stripe.charges.retrieve(charge, { expand: ["refunds"] });
    expect(refunds).toMatchObject({ has_more: true });
    expect(refunds?.data).toHaveLength(10);
    expect(double.objects("refund")).toHaveLength(11);
  });
});

describe("portal and checkout", () => {
  it("a cancellation in the portal may set cancel_at and leave cancel_at_period_end false", async () => {
    const { stripe, customer, subscription } = await subscribed();
    const configuration = await stripe.billingPortal.configurations.create({
      features: { subscription_cancel: { enabled: true } },
    });
    const { url } = await stripe.billingPortal.sessions.create({
      customer: customer.id,
      configuration: configuration.id,
    });
    await fetch(`${url}/subscriptions/${subscription.id}/cancel`, {
      method: "POST",
      body: new URLSearchParams(),
      redirect: "manual",
    });
    expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({
      cancel_at: START + 31 * DAY,
      cancel_at_period_end: false,
    });
  });

  it("without a default saved in the dashboard, a portal session needs a configuration", async () => {
    const { double, stripe, customer } = await subscribed();
    const open = () => stripe.billingPortal.sessions.create({ customer: customer.id });
    expect((await errorOf(open())).message).toContain("default configuration");
    const saved = double.dashboard.savePortalSettings();
    expect((await open()).configuration).toBe(saved);
  });

  it("is_default of a portal configuration cannot be set, but can be asked for", async () => {
    const { double, stripe } = await rig();
    const features = { invoice_history: { enabled: true } };
    const made = await stripe.billingPortal.configurations.create({ features });
    expect(made.is_default).toBe(false);
    const wrong = { features, is_default: true } as object;
    expect(
      await statusOf(
        stripe.billingPortal.configurations.create(
          wrong as Stripe.BillingPortal.ConfigurationCreateParams,
        ),
      ),
    ).not.toBe(200);
    const usual = double.dashboard.savePortalSettings();
    const list = await stripe.billingPortal.configurations.list({ is_default: true });
    expect(idsOf(list)).toEqual([usual]);
  });

  it("a checkout expires between 30 minutes and 24 hours after it was made", async () => {
    const { stripe, shop } = await subscribed();
    const create = (seconds: number) =>
      stripe.checkout.sessions.create({
        mode: "subscription",
        line_items: [{ price: shop.monthly.id, quantity: 1 }],
        success_url: "https://app.example",
        expires_at: START + seconds,
      });
    const statuses = [1799, 1800, 86_400, 86_401].map((seconds) => statusOf(create(seconds)));
    expect(await Promise.all(statuses)).toEqual([400, 200, 200, 400]);
  });

  it("a subscription checkout without a customer makes a new one", async () => {
    const { double, stripe, shop, customer } = await subscribed();
    const session = await stripe.checkout.sessions.create({
      mode: "subscription",
      line_items: [{ price: shop.monthly.id, quantity: 1 }],
      success_url: "https://app.example",
    });
    double.dashboard.payCheckout(session.id, { email: customer.email ?? "" });
    const [newest] = (await stripe.customers.list()).data;
    expect(newest?.id).not.toBe(customer.id);
    expect(newest?.email).toBe(customer.email);
  });

  it("a checkout has 100 line items, or 20 recurring and 20 one-time ones", async () => {
    const { stripe, shop } = await subscribed();
    const price = (recurring: boolean) => ({
      price_data: {
        currency: "usd",
        product: shop.product.id,
        unit_amount: 100,
        ...(recurring ? { recurring: { interval: "month" as const } } : {}),
      },
      quantity: 1,
    });
    const create = (mode: "payment" | "subscription", once: number, recurring: number) =>
      statusOf(
        stripe.checkout.sessions.create({
          mode,
          line_items: [
            ...Array.from({ length: once }, () => price(false)),
            ...Array.from({ length: recurring }, () => price(true)),
          ],
          success_url: "https://app.example",
        }),
      );
    expect(await create("payment", 100, 0)).toBe(200);
    expect(await create("payment", 101, 0)).toBe(400);
    expect(await create("subscription", 20, 20)).toBe(200);
    expect(await create("subscription", 21, 1)).toBe(400);
    expect(await create("subscription", 0, 21)).toBe(400);
  });

  it("a webhook endpoint's secret is answered once, and its version set only at creation", async () => {
    const it = await rig();
    const { endpoint, secret } = await receiver(it, { api_version: "2025-02-24.acacia" });
    expect(secret).toMatch(/^whsec_/);
    const read = await it.stripe.webhookEndpoints.retrieve(endpoint.id);
    expect(read).not.toHaveProperty("secret");
    expect(read.api_version).toBe("2025-02-24.acacia");
    const change = { api_version: "2026-10-28.endive" } as object;
    expect(await statusOf(it.stripe.webhookEndpoints.update(endpoint.id, change))).not.toBe(200);
  });

  it("metadata has 50 keys, names of 40 and values of 500 characters, and no brackets in names", async () => {
    const { stripe } = await rig();
    const keys = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, "v"]));
    const create = (metadata: Record<string, string>) =>
      statusOf(stripe.customers.create({ metadata }));
    expect(await create(keys(50))).toBe(200);
    expect(await create({ ["n".repeat(40)]: "v".repeat(500) })).toBe(200);
    expect(await create({ "ä/b.c d": "any other character" })).toBe(200);
    expect(await create(keys(51))).toBe(400);
    expect(await create({ ["n".repeat(41)]: "v" })).toBe(400);
    expect(await create({ n: "v".repeat(501) })).toBe(400);
    expect(await create({ "n[0]": "v" })).toBe(400);
  });
});

describe("event types", () => {
  it("invoice.upcoming carries an invoice without an id", async () => {
    const { double, stripe } = await subscribed();
    await double.clock.advance({ days: 25 });
    const [event] = (await stripe.events.list({ type: "invoice.upcoming" })).data;
    expect(objectOf<Json>(event)).not.toHaveProperty("id");
    expect(objectOf<Json>(event)).toMatchObject({ object: "invoice" });
  });

  it("there is no promotion_code.deleted: a code is only made inactive", async () => {
    const { double, stripe } = await rig();
    await stripe.coupons.create({ id: "TEN", percent_off: 10 });
    const promotion = { type: "coupon", coupon: "TEN" } as const;
    const code = await stripe.promotionCodes.create({ promotion });
    const gone = await ask(double, `/v1/promotion_codes/${code.id}`, { method: "DELETE" });
    expect(gone.status).toBe(404);
    await stripe.promotionCodes.update(code.id, { active: false });
    const types = (await eventsOf(stripe)).map(({ type }) => type);
    expect(types.filter((type) => type.startsWith("promotion_code"))).toEqual([
      "promotion_code.created",
      "promotion_code.updated",
    ]);
  });
});
