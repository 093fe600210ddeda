import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { card, errorOf, open, openShop, refusal, type Shop, submit, URLS } from "./checkout-kit.js";

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.double.close());

const subscribe = (extra: object = {}) =>
  shop.stripe.checkout.sessions.create({
    mode: "subscription",
    line_items: [{ price: shop.basic, quantity: 1 }],
    ...URLS,
    ...extra,
  });
const pay = (extra: object = {}) =>
  shop.stripe.checkout.sessions.create({
    mode: "payment",
    line_items: [{ price: shop.once, quantity: 2 }],
    ...URLS,
    ...extra,
  });
const guest = { email: "ada@example.com", ...card() };
const retrieve = (id: string) => shop.stripe.checkout.sessions.retrieve(id);

/** The events since, without those of what was there before. */
async function eventsOf(act: () => Promise<unknown>): Promise<string[]> {
  const before = (await shop.types()).length;
  await act();
  return (await shop.types()).slice(before);
}

/** The events without those that only tell of what follows for the customer and the invoice. */
const main = (events: string[]) =>
  events.filter((type) => !/^(customer|invoice)\.updated$|^invoice_payment\./.test(type));

describe("paying without a browser", () => {
  it("takes the address of the page as well as the id", async () => {
    const { url } = await subscribe();
    expect(shop.double.dashboard.payCheckout(url ?? "", { email: "ada@example.com" })).toBe("paid");
  });

  it("throws with the reason if it cannot be sent", async () => {
    const { dashboard } = shop.double;
    const { id } = await subscribe();
    expect(() => dashboard.payCheckout(id)).toThrow(
      `The checkout session ${id} cannot be paid: An email address is required.`,
    );
    expect((await retrieve(id)).status).toBe("open");
    expect(() => dashboard.payCheckout("https://app.example/pricing")).toThrow(
      "is not the address of a checkout page",
    );
  });
});

describe("a checkout session", () => {
  it("is open, unpaid, and has a page for a day", async () => {
    const session = await subscribe({ client_reference_id: "team_1", metadata: { a: "b" } });
    expect(session).toMatchObject({
      amount_subtotal: 1200,
      amount_total: 1200,
      client_reference_id: "team_1",
      currency: "usd",
      customer: null,
      expires_at: session.created + 86_400,
      metadata: { a: "b" },
      mode: "subscription",
      payment_status: "unpaid",
      status: "open",
      ui_mode: "hosted_page",
      url: `${shop.double.url}/c/pay/${session.id}`,
    });
    expect(session.id).toMatch(/^cs_test_a1/);
  });

  it("shows its line items only when expanded, or in their own list", async () => {
    const session = await pay({
      line_items: [
        { price: shop.once, quantity: 2 },
        {
          price_data: { currency: "usd", unit_amount: 300, product_data: { name: "Box" } },
          quantity: 1,
        },
      ],
    });
    expect(session.line_items).toBeUndefined();
    const expanded = await shop.stripe.checkout.sessions.retrieve(session.id, {
      expand: ["line_items"],
    });
    expect(
      expanded.line_items?.data.map(({ amount_total, description }) => [description, amount_total]),
    ).toEqual([
      ["Analytical Engine", 4000],
      ["Box", 300],
    ]);
    const page = await shop.stripe.checkout.sessions.listLineItems(session.id, { limit: 1 });
    expect(page).toMatchObject({
      has_more: true,
      data: [{ quantity: 2, price: { id: shop.once } }],
    });
  });

  it("is listed by customer, payment intent, subscription, status and email", async () => {
    const customer = await shop.stripe.customers.create({ email: "ada@example.com" });
    const first = await subscribe({ customer: customer.id });
    const second = await subscribe();
    await submit(first.url, card());
    await submit(second.url, { ...guest, email: "grace@example.com" });
    const done = await retrieve(second.id);
    const list = async (params: object) =>
      (await shop.stripe.checkout.sessions.list(params)).data.map(({ id }) => id);
    expect(await list({})).toEqual([second.id, first.id]);
    expect(await list({ customer: customer.id })).toEqual([first.id]);
    expect(await list({ customer: String(done.customer) })).toEqual([second.id]);
    expect(await list({ subscription: String(done.subscription) })).toEqual([second.id]);
    expect(await list({ customer_details: { email: "grace@example.com" } })).toEqual([second.id]);
    expect(await list({ status: "open" })).toEqual([]);
  });

  it("expires after its time, or when asked to, and only while it is open", async () => {
    const short = await subscribe({
      expires_at: Math.floor(shop.double.clock.now() / 1000) + 1800,
    });
    const asked = await subscribe();
    expect(await shop.stripe.checkout.sessions.expire(asked.id)).toMatchObject({
      status: "expired",
      url: null,
    });
    expect(await refusal(shop.stripe.checkout.sessions.expire(asked.id))).toMatchObject({
      status: 400,
      message: expect.stringContaining('status in ["open"]'),
    });
    const events = await eventsOf(() => shop.double.clock.advance({ minutes: 30 }));
    expect(events).toEqual(["checkout.session.expired"]);
    expect(await retrieve(short.id)).toMatchObject({ status: "expired", url: null });
  });

  it("changes its metadata", async () => {
    const session = await subscribe({ metadata: { a: "1", b: "2" } });
    const after = await shop.stripe.checkout.sessions.update(session.id, {
      metadata: { a: "", c: "3" },
    });
    expect(after.metadata).toEqual({ b: "2", c: "3" });
  });
});

describe("what Stripe refuses", () => {
  it.each([
    [
      "a recurring price in payment mode",
      () => pay({ line_items: [{ price: shop.basic, quantity: 1 }] }),
      {
        message: expect.stringContaining(
          "You specified `payment` mode but passed a recurring price.",
        ),
      },
    ],
    [
      "no recurring price in subscription mode",
      () => subscribe({ line_items: [{ price: shop.once, quantity: 1 }] }),
      {
        message:
          "You must provide at least one recurring price in `subscription` mode when using prices.",
      },
    ],
    [
      "an unknown price",
      () => subscribe({ line_items: [{ price: "price_x", quantity: 1 }] }),
      {
        code: "resource_missing",
        param: "line_items[0][price]",
        message: "No such price: 'price_x'",
      },
    ],
    [
      "a customer and an email",
      () => subscribe({ customer: "cus_x", customer_email: "a@b.example" }),
      {
        message: "You may only specify one of these parameters: customer, customer_email.",
      },
    ],
    [
      "promotion codes and discounts",
      () => subscribe({ allow_promotion_codes: true, discounts: [{ coupon: "x" }] }),
      {
        message: "You may only specify one of these parameters: allow_promotion_codes, discounts.",
      },
    ],
    [
      "no success_url",
      () => subscribe({ success_url: undefined }),
      {
        code: "parameter_missing",
        param: "success_url",
      },
    ],
    [
      "a success_url that is none",
      () => subscribe({ success_url: "/thanks" }),
      { code: "url_invalid" },
    ],
    ["no line items", () => subscribe({ line_items: [] }), { param: "line_items" }],
    [
      "too early an expiry",
      () => subscribe({ expires_at: Math.floor(shop.double.clock.now() / 1000) + 1799 }),
      {
        message:
          "The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.",
      },
    ],
    [
      "too late an expiry",
      () => subscribe({ expires_at: Math.floor(shop.double.clock.now() / 1000) + 86_401 }),
      {
        message:
          "The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.",
      },
    ],
    [
      "101 lines in payment mode",
      () => pay({ line_items: Array(101).fill({ price: shop.once, quantity: 1 }) }),
      {
        param: "line_items",
      },
    ],
    [
      "21 recurring lines",
      () => subscribe({ line_items: Array(21).fill({ price: shop.basic, quantity: 1 }) }),
      {
        param: "line_items",
      },
    ],
    [
      "customer_creation in subscription mode",
      () => subscribe({ customer_creation: "always" }),
      {
        param: "customer_creation",
      },
    ],
  ])("refuses %s", async (_, create, wanted) => {
    expect(await refusal(create())).toMatchObject({ status: 400, ...wanted });
  });

  it("allows 20 recurring and 20 one-time lines in subscription mode", async () => {
    const price = async () =>
      (
        await shop.stripe.prices.create({
          product: shop.product,
          currency: "usd",
          unit_amount: 100,
          recurring: { interval: "month" },
        })
      ).id;
    const recurring = await Promise.all(Array.from({ length: 20 }, price));
    const lines = [...recurring, ...Array(20).fill(shop.once)].map((id) => ({
      price: id,
      quantity: 1,
    }));
    expect(await subscribe({ line_items: lines })).toMatchObject({
      amount_total: 20 * 100 + 20 * 2000,
    });
  });

  it("refuses payment_method_types from the version on that lists none, and takes it before", async () => {
    const old = { payment_method_types: ["card"] };
    expect(await refusal(subscribe(old))).toMatchObject({ status: 400, code: "parameter_unknown" });
    const session = await shop.stripe.checkout.sessions.create(
      { mode: "payment", line_items: [{ price: shop.once, quantity: 1 }], ...URLS, ...old },
      { apiVersion: "2026-08-26.dahlia" },
    );
    expect(session.payment_method_types).toEqual(["card"]);
  });

  it("leaves nothing behind when it refuses", async () => {
    const inline = {
      price_data: { currency: "usd", unit_amount: 300, product_data: { name: "Box" } },
      quantity: 1,
    };
    const events = await eventsOf(() =>
      refusal(pay({ line_items: [inline, { price: "price_x", quantity: 1 }] })),
    );
    expect(events).toEqual([]);
  });
});

describe("completing in subscription mode", () => {
  it("makes a new customer when none is given, and raises the events in their logical order", async () => {
    const session = await subscribe({ subscription_data: { metadata: { team: "1" } } });
    const events = await eventsOf(() => submit(session.url, guest));
    expect(main(events)).toEqual([
      "customer.created",
      "payment_method.attached",
      "customer.subscription.created",
      "invoice.created",
      "payment_intent.created",
      "invoice.finalized",
      "charge.succeeded",
      "payment_intent.succeeded",
      "customer.subscription.updated",
      "invoice.paid",
      "invoice.payment_succeeded",
      "checkout.session.completed",
    ]);
    const done = await retrieve(session.id);
    expect(done).toMatchObject({
      status: "complete",
      payment_status: "paid",
      url: null,
      customer_details: { email: "ada@example.com", name: "Ada Lovelace" },
    });
    const subscription = await shop.stripe.subscriptions.retrieve(String(done.subscription));
    expect(subscription).toMatchObject({
      status: "active",
      customer: done.customer,
      latest_invoice: done.invoice,
      metadata: { team: "1" },
      default_payment_method: expect.stringMatching(/^pm_/),
    });
    expect(await shop.stripe.customers.retrieve(String(done.customer))).toMatchObject({
      email: "ada@example.com",
      name: "Ada Lovelace",
    });
  });

  it("shows the subscription incomplete first, and what was before in the update", async () => {
    const session = await subscribe();
    await submit(session.url, guest);
    const [created] = (await shop.stripe.events.list({ type: "customer.subscription.created" }))
      .data;
    const [updated] = (await shop.stripe.events.list({ type: "customer.subscription.updated" }))
      .data;
    expect(created?.data.object).toMatchObject({
      status: "incomplete",
      default_payment_method: null,
    });
    expect(updated?.data).toMatchObject({
      object: { status: "active" },
      previous_attributes: { status: "incomplete", default_payment_method: null },
    });
  });

  it("keeps an existing customer, and gives it the email it did not have", async () => {
    const customer = await shop.stripe.customers.create({ name: "Ada" });
    const session = await subscribe({ customer: customer.id, customer_update: { name: "auto" } });
    await submit(session.url, guest);
    expect(await retrieve(session.id)).toMatchObject({ customer: customer.id, status: "complete" });
    expect(await shop.stripe.customers.retrieve(customer.id)).toMatchObject({
      email: "ada@example.com",
      name: "Ada Lovelace",
    });
  });

  it("stays open when the card is declined, and the next card pays the same invoice", async () => {
    const session = await subscribe();
    const events = await eventsOf(async () => {
      const page = await submit(session.url, { ...guest, ...card("4000000000000002") });
      expect(page.status).toBe(402);
      expect(errorOf(page)).toBe("Your card was declined.");
    });
    expect(main(events)).toEqual([
      "customer.created",
      "customer.subscription.created",
      "invoice.created",
      "payment_intent.created",
      "invoice.finalized",
      "charge.failed",
      "payment_intent.payment_failed",
      "invoice.payment_failed",
    ]);
    expect(await retrieve(session.id)).toMatchObject({
      status: "open",
      payment_status: "unpaid",
      customer: null,
      subscription: null,
    });
    await submit(session.url, guest);
    expect(await retrieve(session.id)).toMatchObject({
      status: "complete",
      payment_status: "paid",
    });
    expect(shop.double.objects("subscription")).toHaveLength(1);
    expect(shop.double.objects("customer")).toHaveLength(1);
    expect(shop.double.objects("invoice")).toMatchObject([{ status: "paid", attempt_count: 1 }]);
    expect(shop.double.objects("charge").map(({ paid }) => paid)).toEqual([false, true]);
  });

  it("makes another subscription when the one of an earlier attempt has lapsed", async () => {
    const session = await subscribe();
    await submit(session.url, { ...guest, ...card("4000000000000002") });
    await shop.double.clock.advance({ hours: 23, minutes: 30 });
    await submit(session.url, guest);
    const statuses = shop.double.objects("subscription").map(({ status }) => status);
    expect(statuses).toEqual(["incomplete_expired", "active"]);
    expect(await retrieve(session.id)).toMatchObject({
      status: "complete",
      payment_status: "paid",
    });
  });

  it("waits for the bank, and completes once it is answered", async () => {
    const session = await subscribe();
    const page = await submit(session.url, { ...guest, ...card("4000002500003155") });
    expect(page).toMatchObject({ status: 303, location: `/c/pay/${session.id}/authenticate` });
    expect(await retrieve(session.id)).toMatchObject({ status: "open" });
    const done = await submit(`${session.url}/authenticate`, { result: "succeed" });
    expect(done.location).toBe(`https://site.example/thanks?session=${session.id}`);
    const { subscription } = await retrieve(session.id);
    expect(await shop.stripe.subscriptions.retrieve(String(subscription))).toMatchObject({
      status: "active",
    });
    await shop.double.clock.advance({ days: 32 });
    expect(shop.double.objects("charge").map(({ paid }) => paid)).toEqual([true, true]);
  });

  it("bills one-time prices on the first invoice only", async () => {
    const session = await subscribe({
      line_items: [
        { price: shop.basic, quantity: 1 },
        { price: shop.once, quantity: 1 },
      ],
    });
    expect(session.amount_total).toBe(3200);
    await submit(session.url, guest);
    await shop.double.clock.advance({ days: 32 });
    expect(shop.double.objects("invoice").map(({ total }) => total)).toEqual([3200, 1200]);
  });

  it("starts a trial with a card for later and nothing due", async () => {
    const session = await subscribe({ subscription_data: { trial_period_days: 14 } });
    expect(session.amount_total).toBe(0);
    const events = await eventsOf(() => submit(session.url, guest));
    expect(events).not.toContain("payment_intent.created");
    const done = await retrieve(session.id);
    expect(done).toMatchObject({ status: "complete", payment_status: "no_payment_required" });
    const subscription = await shop.stripe.subscriptions.retrieve(String(done.subscription));
    expect(subscription).toMatchObject({
      status: "trialing",
      trial_end: done.created + 14 * 86_400,
      default_payment_method: expect.stringMatching(/^pm_/),
    });
    await shop.double.clock.advance({ days: 15 });
    expect(await shop.stripe.subscriptions.retrieve(subscription.id)).toMatchObject({
      status: "active",
    });
  });

  it("starts a trial without a card where none is required", async () => {
    const session = await subscribe({
      payment_method_collection: "if_required",
      subscription_data: {
        trial_period_days: 7,
        trial_settings: { end_behavior: { missing_payment_method: "cancel" } },
      },
    });
    await submit(session.url, { email: "ada@example.com" });
    const { subscription } = await retrieve(session.id);
    await shop.double.clock.advance({ days: 8 });
    expect(await shop.stripe.subscriptions.retrieve(String(subscription))).toMatchObject({
      status: "canceled",
    });
  });

  it("needs no payment where the customer's balance pays for the first invoice", async () => {
    const rich = await shop.stripe.customers.create({ email: "ada@example.com", balance: -90_000 });
    const session = await subscribe({ customer: rich.id });
    await submit(session.url, guest);
    expect(await retrieve(session.id)).toMatchObject({ status: "complete" });
    const [invoice] = (await shop.stripe.invoices.list({ customer: rich.id })).data;
    expect(invoice).toMatchObject({ status: "paid", amount_due: 0 });
    expect(shop.double.objects("charge")).toEqual([]);
  });

  it("applies a coupon that it was made with, and one that the customer types", async () => {
    const coupon = await shop.stripe.coupons.create({ percent_off: 25, duration: "forever" });
    const given = await subscribe({ discounts: [{ coupon: coupon.id }] });
    expect(given).toMatchObject({
      amount_subtotal: 1200,
      amount_total: 900,
      discounts: [{ coupon: coupon.id }],
      total_details: { amount_discount: 300 },
    });
    await shop.stripe.promotionCodes.create({
      promotion: { type: "coupon", coupon: coupon.id },
      code: "SPRING",
      max_redemptions: 1,
    });
    const typed = await subscribe({ allow_promotion_codes: true });
    expect(errorOf(await submit(typed.url, { ...guest, promotion_code: "WINTER" }))).toBe(
      "This code is invalid.",
    );
    await submit(typed.url, { ...guest, ...card("4000000000000002"), promotion_code: "spring" });
    await submit(typed.url, { ...guest, promotion_code: "spring" });
    expect(await retrieve(typed.id)).toMatchObject({
      status: "complete",
      amount_total: 900,
      total_details: { amount_discount: 300 },
    });
    expect(shop.double.objects("charge").map(({ amount }) => amount)).toEqual([900, 900]);
  });
});

describe("completing in payment mode", () => {
  it("charges a guest, without a customer", async () => {
    const session = await pay({ payment_intent_data: { metadata: { order: "7" } } });
    const events = await eventsOf(() => submit(session.url, guest));
    expect(events).toEqual([
      "payment_intent.created",
      "charge.succeeded",
      "payment_intent.succeeded",
      "checkout.session.completed",
    ]);
    const done = await retrieve(session.id);
    expect(done).toMatchObject({ customer: null, payment_status: "paid", status: "complete" });
    const intent = await shop.stripe.paymentIntents.retrieve(String(done.payment_intent));
    expect(intent).toMatchObject({ amount: 4000, metadata: { order: "7" }, status: "succeeded" });
    expect(done.customer_details?.email).toBe("ada@example.com");
  });

  it("makes a customer when told to always, and saves the card when told to", async () => {
    const session = await pay({
      customer_creation: "always",
      payment_intent_data: { setup_future_usage: "off_session" },
    });
    const events = await eventsOf(() => submit(session.url, guest));
    expect(events[0]).toBe("customer.created");
    expect(events).toContain("payment_method.attached");
    const { customer } = await retrieve(session.id);
    const cards = await shop.stripe.paymentMethods.list({ customer: String(customer) });
    expect(cards.data).toHaveLength(1);
  });

  it("tries again with the same payment intent, which an expiry cancels", async () => {
    const session = await pay();
    await submit(session.url, { ...guest, ...card("4000000000009995") });
    await submit(session.url, { ...guest, ...card("4000000000000002") });
    expect(shop.double.objects("payment_intent")).toHaveLength(1);
    const events = await eventsOf(() => shop.stripe.checkout.sessions.expire(session.id));
    expect(events).toEqual(["payment_intent.canceled", "checkout.session.expired"]);
  });

  it("completes an order that costs nothing without a card", async () => {
    const coupon = await shop.stripe.coupons.create({ percent_off: 100, duration: "once" });
    const session = await pay({ discounts: [{ coupon: coupon.id }] });
    await submit(session.url, { email: "ada@example.com" });
    expect(await retrieve(session.id)).toMatchObject({
      amount_total: 0,
      customer: expect.stringMatching(/^cus_/),
      payment_intent: null,
      payment_status: "no_payment_required",
    });
    expect(await shop.stripe.coupons.retrieve(coupon.id)).toMatchObject({ times_redeemed: 1 });
  });

  it("keeps what was changed while it was open", async () => {
    const session = await pay();
    await submit(session.url, { ...guest, ...card("4000000000000002") });
    await shop.stripe.checkout.sessions.update(session.id, { metadata: { a: "b" } });
    await submit(session.url, guest);
    expect(await retrieve(session.id)).toMatchObject({ metadata: { a: "b" }, status: "complete" });
  });

  it("takes no quantity of a metered price, and bills nothing at first", async () => {
    const meter = await shop.stripe.billing.meters.create({
      display_name: "Calls",
      event_name: "calls",
      default_aggregation: { formula: "sum" },
    });
    const metered = await shop.stripe.prices.create({
      product: shop.product,
      currency: "usd",
      unit_amount: 5,
      recurring: { interval: "month", usage_type: "metered", meter: meter.id },
    });
    const create = (line: { price: string; quantity?: number }) =>
      shop.stripe.checkout.sessions.create({ mode: "subscription", line_items: [line], ...URLS });
    await expect(create({ price: metered.id, quantity: 1 })).rejects.toThrow(
      "Quantity should not be specified where usage_type is `metered`",
    );
    await expect(create({ price: shop.basic })).rejects.toThrow("Quantity is required");
    const session = await create({ price: metered.id });
    expect(session.amount_total).toBe(0);
    await submit(session.url, guest);
    const [subscription] = (await shop.stripe.subscriptions.list()).data;
    expect(subscription).toMatchObject({ status: "active" });
    expect(subscription?.items.data[0]).not.toHaveProperty("quantity");
    await expect(
      shop.stripe.prices.create({
        product: shop.product,
        currency: "usd",
        unit_amount: 5,
        recurring: { interval: "month", usage_type: "metered" },
      }),
    ).rejects.toThrow("recurring[meter]");
  });

  it("never pays twice", async () => {
    const session = await pay();
    await Promise.all([submit(session.url, guest), submit(session.url, guest)]);
    const again = await submit(`${shop.double.url}/c/pay/${session.id}`, guest);
    expect(again.text).toContain("You’re all done here");
    const late = await pay();
    await shop.stripe.checkout.sessions.expire(late.id);
    expect((await submit(`${shop.double.url}/c/pay/${late.id}`, guest)).text).toContain(
      "has expired",
    );
    expect((await open(`${shop.double.url}/c/pay/${late.id}/authenticate`)).text).toContain(
      "has expired",
    );
    expect(shop.double.objects("charge")).toHaveLength(1);
  });
});
