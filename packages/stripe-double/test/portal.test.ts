import type Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  card,
  errorOf,
  noticeOf,
  open,
  openShop,
  refusal,
  type Shop,
  submit,
  URLS,
} from "./checkout-kit.js";

let shop: Shop;
let customer: string;
let subscription: string;

beforeEach(async () => {
  shop = await openShop();
  customer = (await shop.stripe.customers.create({ email: "ada@example.com" })).id;
  const session = await shop.stripe.checkout.sessions.create({
    mode: "subscription",
    customer,
    line_items: [{ price: shop.basic, quantity: 1 }],
    ...URLS,
  });
  await submit(session.url, card());
  const done = await shop.stripe.checkout.sessions.retrieve(session.id);
  subscription = String(done.subscription);
});
afterEach(() => shop.double.close());

const features = (extra: object = {}) => ({
  invoice_history: { enabled: true },
  payment_method_update: { enabled: true },
  subscription_cancel: { enabled: true },
  subscription_update: {
    enabled: true,
    default_allowed_updates: ["price" as const],
    proration_behavior: "create_prorations" as const,
    products: [{ product: shop.product, prices: [shop.basic, shop.pro] }],
  },
  ...extra,
});
const configure = (extra: object = {}) =>
  shop.stripe.billingPortal.configurations.create({ features: features(extra) });
async function openPortal(configuration: { id: string }, extra: object = {}): Promise<string> {
  const session = await shop.stripe.billingPortal.sessions.create({
    customer,
    configuration: configuration.id,
    return_url: "https://site.example/account",
    ...extra,
  });
  return session.url;
}
const current = () => shop.stripe.subscriptions.retrieve(subscription);

describe("portal configurations", () => {
  it("are created, retrieved, updated and listed, and are never the default", async () => {
    const made = await configure({ subscription_cancel: { enabled: true, mode: "immediately" } });
    expect(made).toMatchObject({
      active: true,
      is_default: false,
      features: {
        customer_update: { enabled: false, allowed_updates: [] },
        invoice_history: { enabled: true },
        subscription_cancel: { enabled: true, mode: "immediately", proration_behavior: "none" },
        subscription_update: { enabled: true, default_allowed_updates: ["price"] },
      },
    });
    expect(made.features.subscription_update.products).toBeUndefined();
    const changed = await shop.stripe.billingPortal.configurations.update(made.id, {
      active: false,
      business_profile: { headline: "Engines" },
      default_return_url: "https://site.example",
      features: { subscription_cancel: { mode: "at_period_end" } },
      metadata: { a: "b" },
    });
    expect(changed).toMatchObject({
      active: false,
      business_profile: { headline: "Engines", privacy_policy_url: null },
      default_return_url: "https://site.example",
      features: {
        subscription_cancel: { enabled: true, mode: "at_period_end" },
        invoice_history: { enabled: true },
      },
      metadata: { a: "b" },
    });
    expect(await shop.stripe.billingPortal.configurations.retrieve(made.id)).toMatchObject({
      active: false,
    });
    const list = async (params: object) =>
      (await shop.stripe.billingPortal.configurations.list(params)).data.map(({ id }) => id);
    const second = await configure();
    expect(await list({})).toEqual([second.id, made.id]);
    expect(await list({ active: true })).toEqual([second.id]);
    expect(await list({ is_default: true })).toEqual([]);
    const types = await shop.types();
    expect(types.filter((type) => type.startsWith("billing_portal."))).toEqual([
      "billing_portal.configuration.created",
      "billing_portal.configuration.updated",
      "billing_portal.configuration.created",
    ]);
  });

  it("refuse what does not fit, and say what is not modelled", async () => {
    const { configurations } = shop.stripe.billingPortal;
    const update = (products: { product: string; prices: string[] }[]) =>
      configure({
        subscription_update: { enabled: true, default_allowed_updates: ["price"], products },
      });
    expect(await refusal(update([{ product: "prod_x", prices: [shop.pro] }]))).toMatchObject({
      code: "resource_missing",
    });
    expect(await refusal(update([{ product: shop.product, prices: [shop.once] }]))).toMatchObject({
      status: 400,
    });
    expect(await refusal(configure({ subscription_pause: { enabled: true } }))).toMatchObject({
      status: 501,
    });
    expect(
      await refusal(configurations.create({ features: {}, login_page: { enabled: true } })),
    ).toMatchObject({ status: 501 });
  });
});

describe("portal sessions", () => {
  it("need a configuration until the settings are saved in the dashboard", async () => {
    expect(await refusal(shop.stripe.billingPortal.sessions.create({ customer }))).toMatchObject({
      status: 400,
      message: expect.stringContaining("until you save your customer portal settings in test mode"),
    });
    const saved = shop.double.dashboard.savePortalSettings();
    const session = await shop.stripe.billingPortal.sessions.create({ customer });
    expect(session.configuration).toBe(saved);
    const { data } = await shop.stripe.billingPortal.configurations.list({ is_default: true });
    expect(data.map(({ id }) => id)).toEqual([saved]);
    expect(data[0]?.features).toMatchObject({
      subscription_cancel: { enabled: true, mode: "at_period_end" },
      subscription_update: { enabled: false },
    });
  });

  it("lead to a page, and tell of it", async () => {
    const configuration = await configure();
    const session = await shop.stripe.billingPortal.sessions.create({
      customer,
      configuration: configuration.id,
    });
    expect(session).toMatchObject({
      configuration: configuration.id,
      customer,
      flow: null,
      return_url: null,
      url: expect.stringMatching(/\/p\/session\/test_/),
    });
    expect((await shop.types()).at(-1)).toBe("billing_portal.session.created");
  });

  it("refuse unknown customers, inactive configurations and switched-off features", async () => {
    const off = await configure({ subscription_update: { enabled: false } });
    const create = (params: object) =>
      shop.stripe.billingPortal.sessions.create({ configuration: off.id, customer, ...params });
    expect(await refusal(create({ customer: "cus_x" }))).toMatchObject({
      code: "resource_missing",
    });
    const flow_data = { type: "subscription_update", subscription_update: { subscription } };
    expect(await refusal(create({ flow_data }))).toMatchObject({
      message:
        "This subscription cannot be updated because the subscription update feature in the portal configuration is disabled.",
    });
    expect(await refusal(create({ flow_data: { type: "subscription_pause" } }))).toMatchObject({
      status: 501,
    });
    await shop.stripe.billingPortal.configurations.update(off.id, { active: false });
    expect(await refusal(create({}))).toMatchObject({ status: 400, param: "configuration" });
  });

  it("expire after five minutes unopened, or an hour without a step", async () => {
    const url = await openPortal(await configure());
    await shop.double.clock.advance({ minutes: 4 });
    expect((await open(url)).text).toContain("Your billing");
    await shop.double.clock.advance({ minutes: 59 });
    expect((await open(url)).text).toContain("Your billing");
    await shop.double.clock.advance({ minutes: 61 });
    expect((await open(url)).text).toContain("This link has expired");
    const late = await openPortal(await configure());
    await shop.double.clock.advance({ minutes: 6 });
    expect((await open(late)).text).toContain("This link has expired");
  });
});

describe("in the portal", () => {
  it("a cancellation at the period's end sets cancel_at and leaves cancel_at_period_end false", async () => {
    const reason = { enabled: true, options: ["too_expensive", "other"] };
    const url = await openPortal(
      await configure({ subscription_cancel: { enabled: true, cancellation_reason: reason } }),
    );
    const path = `${url}/subscriptions/${subscription}/cancel`;
    expect((await open(path)).text).toContain("It’s too expensive");
    const answer = await submit(path, { feedback: "too_expensive", comment: "Sorry" });
    expect(answer).toMatchObject({
      status: 303,
      location: expect.stringMatching(/\?notice=ends$/),
    });
    const after = await current();
    expect(after).toMatchObject({
      cancel_at: after.items.data[0]?.current_period_end,
      cancel_at_period_end: false,
      cancellation_details: {
        reason: "cancellation_requested",
        feedback: "too_expensive",
        comment: "Sorry",
      },
      status: "active",
    });
    expect((await open(url)).text).toContain("Don’t cancel");
    await submit(`${url}/subscriptions/${subscription}/resume`, {});
    expect(await current()).toMatchObject({ cancel_at: null, status: "active" });
    await submit(path, {});
    await shop.double.clock.advance({ days: 32 });
    expect(await current()).toMatchObject({ status: "canceled" });
  });

  it("a cancellation can be immediate", async () => {
    const url = await openPortal(
      await configure({ subscription_cancel: { enabled: true, mode: "immediately" } }),
    );
    await submit(`${url}/subscriptions/${subscription}/cancel`, {});
    expect(await current()).toMatchObject({ status: "canceled" });
    expect((await shop.types()).at(-1)).toBe("customer.subscription.deleted");
    expect((await open(url)).text).toContain("There is no subscription.");
  });

  it("plans are changed within what the configuration names", async () => {
    const other = await shop.stripe.prices.create({
      product: shop.product,
      currency: "usd",
      unit_amount: 9900,
      recurring: { interval: "month" },
    });
    const url = await openPortal(await configure());
    const path = `${url}/subscriptions/${subscription}/update`;
    const page = await open(path);
    expect(page.text).toContain("$49.00 per month");
    expect(page.text).not.toContain("$99.00");
    expect(errorOf(await submit(path, { price: other.id }))).toBe("Choose one of the plans.");
    expect(errorOf(await submit(path, { price: shop.basic }))).toBe(
      "This is the plan that you have now.",
    );
    const answer = await submit(path, { price: shop.pro });
    expect(noticeOf(await open(new URL(answer.location ?? "", url).href))).toBe(
      "Your plan was changed.",
    );
    expect((await current()).items.data[0]?.price.id).toBe(shop.pro);
  });

  it("a new card is saved and charged from then on; a refused one changes nothing", async () => {
    const url = await openPortal(await configure());
    const before = await current();
    expect(errorOf(await submit(`${url}/card`, card("4000000000000002")))).toBe(
      "Your card was declined.",
    );
    expect(await current()).toMatchObject({
      default_payment_method: before.default_payment_method,
    });
    await submit(`${url}/card`, card("5555555555554444"));
    const method = String((await current()).default_payment_method);
    expect(await shop.stripe.paymentMethods.retrieve(method)).toMatchObject({
      customer,
      card: { brand: "mastercard" },
    });
    expect(await shop.stripe.customers.retrieve(customer)).toMatchObject({
      invoice_settings: { default_payment_method: method },
    });
  });

  it("what is switched off is not there", async () => {
    const configuration = await shop.stripe.billingPortal.configurations.create({
      features: { invoice_history: { enabled: false } },
    });
    const url = await openPortal(configuration);
    const { text } = await open(url);
    expect(text).not.toMatch(/Cancel plan|Change plan|Payment method|Invoices/);
    for (const path of [
      "/card",
      `/subscriptions/${subscription}/cancel`,
      `/subscriptions/${subscription}/update`,
    ]) {
      expect((await open(url + path)).status).toBe(404);
    }
  });

  it("a session for one purpose begins with its page and leads where it is told", async () => {
    const url = await openPortal(await configure(), {
      flow_data: {
        type: "subscription_cancel",
        subscription_cancel: { subscription },
        after_completion: {
          type: "redirect",
          redirect: { return_url: "https://site.example/bye" },
        },
      },
    });
    const start = await open(url);
    expect(start.location).toMatch(/\/cancel$/);
    const answer = await submit(new URL(start.location ?? "", url).href, {});
    expect(answer.location).toBe("https://site.example/bye");
  });

  describe("a change that the application proposes", () => {
    // Source: docs customer-management/portal-deep-links, API reference portal sessions create.
    const propose = async (
      update: Partial<Stripe.BillingPortal.SessionCreateParams.FlowData.SubscriptionUpdateConfirm>,
      features: object = {},
    ) => {
      const item = (await current()).items.data[0]?.id ?? "";
      return openPortal(await configure(features), {
        flow_data: {
          type: "subscription_update_confirm",
          subscription_update_confirm: {
            subscription,
            items: [{ id: item, price: shop.pro, quantity: 1 }],
            ...update,
          },
          after_completion: {
            type: "redirect",
            redirect: { return_url: "https://site.example/done" },
          },
        },
      });
    };

    it("is shown, confirmed and leads back", async () => {
      const url = await propose({});
      const start = await open(url);
      expect(start.location).toMatch(/\/confirm$/);
      const path = new URL(start.location ?? "", url).href;
      expect((await open(path)).text).toContain("$49.00 per month");
      expect((await submit(path, {})).location).toBe("https://site.example/done");
      expect((await current()).items.data[0]?.price.id).toBe(shop.pro);
    });

    it("can be confirmed without a browser, with a discount", async () => {
      const coupon = await shop.stripe.coupons.create({ percent_off: 50, duration: "forever" });
      const url = await propose({ discounts: [{ coupon: coupon.id }] });
      expect(shop.double.dashboard.completePortal(url)).toBe("https://site.example/done");
      const { discounts, items } = await current();
      expect([discounts.length, items.data[0]?.price.id]).toEqual([1, shop.pro]);
      expect(() => shop.double.dashboard.completePortal(url)).toThrow("the plan that you have now");
    });

    it("must be one that the portal allows", async () => {
      const item = (await current()).items.data[0]?.id ?? "";
      for (const items of [
        [{ id: item, price: shop.once }],
        [{ id: item, price: shop.pro, quantity: 7 }],
        [{ id: item }],
        [{ id: item, price: shop.pro }, { id: item }],
        [{ id: "si_x", price: shop.pro }],
      ]) {
        expect(await refusal(propose({ items }))).toMatchObject({ status: 400 });
      }
      const products = [
        {
          product: shop.product,
          prices: [shop.basic, shop.pro],
          adjustable_quantity: { enabled: true, minimum: 2, maximum: 9 },
        },
      ];
      const subscription_update = {
        enabled: true,
        default_allowed_updates: ["price", "quantity"],
        products,
      };
      const url = await propose({ items: [{ id: item, quantity: 7 }] }, { subscription_update });
      shop.double.dashboard.completePortal(url);
      expect((await current()).items.data[0]?.quantity).toBe(7);
      const many = propose({ items: [{ id: item, quantity: 10 }] }, { subscription_update });
      expect(await refusal(many)).toMatchObject({ status: 400 });
    });
  });

  describe("a change that the configuration puts off", () => {
    // Source: API reference, `features.subscription_update.schedule_at_period_end`.
    const LATER = {
      conditions: [
        { type: "decreasing_item_amount" as const },
        { type: "shortening_interval" as const },
      ],
    };
    const choose = async (price: string, extra: object = {}) => {
      const { subscription_update: update } = features();
      const { product, prices } = { product: shop.product, prices: [shop.basic, shop.pro, price] };
      const configuration = await configure({
        subscription_update: {
          ...update,
          default_allowed_updates: ["price", "quantity"],
          products: [
            {
              product,
              prices: [...new Set(prices)],
              adjustable_quantity: { enabled: true },
            },
          ],
          schedule_at_period_end: LATER,
        },
      });
      expect(configuration.features.subscription_update.schedule_at_period_end).toEqual(LATER);
      const subscription_update = { subscription };
      const flow_data = { type: "subscription_update", subscription_update };
      const url = await openPortal(configuration, { flow_data });
      return shop.double.dashboard.completePortal(url, { price, ...extra });
    };
    const priced = (interval: "month" | "year", unit_amount: number) =>
      shop.stripe.prices.create({
        product: shop.product,
        currency: "usd",
        unit_amount,
        recurring: { interval },
      });
    const phases = async () => {
      const { schedule } = await current();
      if (schedule === null) return [];
      const found = await shop.stripe.subscriptionSchedules.retrieve(String(schedule));
      expect(found).toMatchObject({ status: "active", end_behavior: "release" });
      return found.phases.map(({ items }) => [items[0]?.price, items[0]?.quantity]);
    };

    it("waits in a schedule when it costs less, and is made when the period ends", async () => {
      const { id: cheap } = await priced("month", 500);
      expect(await choose(cheap)).toContain("?notice=later");
      expect((await current()).items.data[0]?.price.id).toBe(shop.basic);
      expect(await phases()).toEqual([
        [shop.basic, 1],
        [cheap, 1],
      ]);
      await shop.double.clock.advance({ days: 32 });
      expect((await current()).items.data[0]?.price.id).toBe(cheap);
    });

    it("waits when fewer are wanted", async () => {
      expect(await choose(shop.basic, { quantity: 3 })).toContain("?notice=changed");
      expect(await choose(shop.basic, { quantity: 2 })).toContain("?notice=later");
      expect(await phases()).toEqual([
        [shop.basic, 3],
        [shop.basic, 2],
      ]);
    });

    it("waits for a shorter interval, and another choice takes its place", async () => {
      const { id: year } = await priced("year", 90_000);
      const { id: dear } = await priced("month", 95_000);
      expect(await choose(year)).toContain("?notice=changed");
      expect(await choose(dear)).toContain("?notice=later");
      expect(await choose(shop.basic)).toContain("?notice=later");
      expect(await phases()).toEqual([
        [year, 1],
        [shop.basic, 1],
      ]);
    });

    it("is made at once when it costs more", async () => {
      expect(await choose(shop.pro)).toContain("?notice=changed");
      expect((await current()).items.data[0]?.price.id).toBe(shop.pro);
      expect(await phases()).toEqual([]);
    });
  });

  it("every flow can be completed without a browser", async () => {
    const configuration = await configure();
    const flow = async (flow_data: object) =>
      openPortal(configuration, { flow_data: flow_data as never });
    const { dashboard } = shop.double;
    const subscription_update = { subscription };
    const update = await flow({ type: "subscription_update", subscription_update });
    expect(dashboard.completePortal(update, { price: shop.pro })).toContain("?notice=changed");
    const card_ = await flow({ type: "payment_method_update" });
    dashboard.completePortal(card_, { card: "5555555555554444" });
    const subscription_cancel = { subscription };
    const cancel = await flow({ type: "subscription_cancel", subscription_cancel });
    dashboard.completePortal(cancel, { feedback: "unused" });
    expect(await current()).toMatchObject({
      cancel_at: expect.any(Number),
      cancellation_details: { feedback: "unused" },
      items: { data: [{ price: { id: shop.pro } }] },
    });
    const plain = await openPortal(configuration);
    expect(() => dashboard.completePortal(plain)).toThrow("flow_data");
  });

  it("customers change what they may of themselves", async () => {
    const customer_update = { enabled: true, allowed_updates: ["email", "name"] };
    const url = await openPortal(await configure({ customer_update }), {
      flow_data: { type: "customer_update" },
    });
    const start = await open(url);
    const path = new URL(start.location ?? "", url).href;
    expect((await open(path)).text).not.toContain("Phone");
    await submit(path, { email: "new@example.com", name: "Ada L.", phone: "1" });
    expect(await shop.stripe.customers.retrieve(customer)).toMatchObject({
      email: "new@example.com",
      name: "Ada L.",
      phone: null,
    });
  });

  it("nobody sees another customer's subscription", async () => {
    const stranger = await shop.stripe.customers.create({});
    const configuration = await configure();
    const session = await shop.stripe.billingPortal.sessions.create({
      customer: stranger.id,
      configuration: configuration.id,
    });
    expect((await submit(`${session.url}/subscriptions/${subscription}/cancel`, {})).status).toBe(
      404,
    );
    expect(await current()).toMatchObject({ status: "active", cancel_at: null });
  });
});
