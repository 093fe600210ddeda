// Source of the defaults: an event payment_link.created of 2026-01-28.clover, and sessions with a
// payment link, both in public repositories; the rest is in the types of the SDK.
import type Stripe from "stripe";
import { beforeEach, describe, expect, it } from "vitest";
import { card, open, openShop, type Page, refusal, type Shop, submit } from "./checkout-kit.js";

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
  return () => shop.double.close();
});

const link = (params: Partial<Stripe.PaymentLinkCreateParams> = {}) =>
  shop.stripe.paymentLinks.create({ line_items: [{ price: shop.basic, quantity: 2 }], ...params });

/** Opens the link, and answers the session that the page leads to. */
async function visit(url: string, query = ""): Promise<Stripe.Checkout.Session> {
  const { status, location } = await open(`${url}${query}`);
  expect(status).toBe(303);
  return shop.stripe.checkout.sessions.retrieve(location?.split("/").at(-1) ?? "");
}

const pay = (session: Stripe.Checkout.Session, form: Record<string, string> = {}): Promise<Page> =>
  submit(session.url, { action: "pay", email: "ada@example.com", ...card(), ...form });

describe("a payment link", () => {
  it("has Stripe's defaults, no `created`, and its lines when they are asked for", async () => {
    const made = await link({ metadata: { a: "1" } });
    expect(made).toMatchObject({
      object: "payment_link",
      active: true,
      after_completion: {
        hosted_confirmation: { custom_message: null },
        type: "hosted_confirmation",
      },
      allow_promotion_codes: false,
      automatic_tax: { enabled: false, liability: null },
      billing_address_collection: "auto",
      currency: "usd",
      customer_creation: "if_required",
      invoice_creation: { enabled: false },
      metadata: { a: "1" },
      payment_intent_data: null,
      payment_method_collection: "always",
      payment_method_types: null,
      submit_type: "auto",
      subscription_data: { trial_period_days: null },
      url: expect.stringContaining(shop.double.url),
    });
    expect(made).not.toHaveProperty("created");
    expect(made).not.toHaveProperty("line_items");
    const whole = await shop.stripe.paymentLinks.retrieve(made.id, { expand: ["line_items"] });
    const lines = await shop.stripe.paymentLinks.listLineItems(made.id);
    expect(whole.line_items?.data).toEqual(lines.data);
    expect(lines.data).toMatchObject([
      { amount_total: 2400, quantity: 2, price: { id: shop.basic } },
    ]);
    expect((await shop.types()).at(-1)).toBe("payment_link.created");
  });

  it("is listed by whether it is active, and cannot be deleted", async () => {
    const [first, second] = [await link(), await link()];
    await shop.stripe.paymentLinks.update(first.id, { active: false });
    const list = async (params: Stripe.PaymentLinkListParams) =>
      (await shop.stripe.paymentLinks.list(params)).data.map(({ id }) => id);
    expect(await list({})).toEqual([second.id, first.id]);
    expect(await list({ active: true })).toEqual([second.id]);
    expect(await list({ active: false })).toEqual([first.id]);
    expect(
      await refusal(shop.stripe.rawRequest("GET", "/v1/payment_links?created=1")),
    ).toMatchObject({
      status: 400,
      code: "parameter_unknown",
    });
  });

  it("changes with one event, and with none where nothing changes", async () => {
    const made = await link();
    const [line] = (await shop.stripe.paymentLinks.listLineItems(made.id)).data;
    const before = (await shop.types()).length;
    await shop.stripe.paymentLinks.update(made.id, { active: true });
    await shop.stripe.paymentLinks.update(made.id, { inactive_message: "Gone", active: false });
    await shop.stripe.paymentLinks.update(made.id, {
      line_items: [{ id: line?.id ?? "", quantity: 3 }],
    });
    await shop.stripe.paymentLinks.update(made.id, { custom_text: { submit: { message: "Now" } } });
    expect((await shop.types()).slice(before)).toEqual(Array(3).fill("payment_link.updated"));
    const [event] = (await shop.stripe.events.list({ type: "payment_link.updated" })).data.slice(
      -1,
    );
    expect(event?.data.previous_attributes).toEqual({ active: true, inactive_message: null });
    const lines = await shop.stripe.paymentLinks.listLineItems(made.id);
    expect(lines.data).toMatchObject([{ id: line?.id, amount_total: 3600, quantity: 3 }]);
  });

  it("is refused what does not fit what it sells", async () => {
    for (const [params, param] of [
      [{ customer_creation: "always" }, "customer_creation"],
      [{ payment_intent_data: { description: "x" } }, "payment_intent_data"],
      [{ after_completion: { type: "redirect" } }, "after_completion[redirect]"],
      [{ line_items: [] }, "line_items"],
      [{ line_items: [{ price: "price_none", quantity: 1 }] }, "line_items[0][price]"],
    ] as const) {
      expect(await refusal(link(params as never))).toMatchObject({ param });
    }
    expect(
      await refusal(link({ restrictions: { completed_sessions: { limit: 1 } } })),
    ).toMatchObject({
      status: 501,
    });
    expect(await shop.stripe.paymentLinks.list()).toMatchObject({ data: [] });
  });
});

describe("who opens a payment link", () => {
  it("gets a session of their own, which subscribes them", async () => {
    const { id, url } = await link({
      metadata: { campaign: "spring" },
      subscription_data: { metadata: { plan: "basic" } },
    });
    const [first, second] = [await visit(url, "?client_reference_id=user_1"), await visit(url)];
    expect(first.id).not.toBe(second.id);
    expect(first).toMatchObject({
      amount_total: 2400,
      cancel_url: "https://stripe.com",
      client_reference_id: "user_1",
      customer: null,
      customer_creation: "if_required",
      customer_email: null,
      locale: "auto",
      metadata: { campaign: "spring" },
      mode: "subscription",
      payment_link: id,
      status: "open",
      submit_type: "auto",
      success_url: "https://stripe.com",
    });
    const paid = await pay(first);
    expect(paid.location).toBe(`/c/pay/${first.id}`);
    expect((await open(`${shop.double.url}${paid.location}`)).text).toContain(
      "Thanks for your payment.",
    );
    const done = await shop.stripe.checkout.sessions.retrieve(first.id, {
      expand: ["subscription", "payment_link"],
    });
    expect(done).toMatchObject({
      status: "complete",
      customer: expect.stringMatching(/^cus_/),
      customer_details: { email: "ada@example.com" },
      payment_link: { id, object: "payment_link" },
      subscription: {
        status: "active",
        metadata: { plan: "basic" },
        items: { data: [{ quantity: 2 }] },
      },
    });
    const found = await shop.stripe.checkout.sessions.list({ payment_link: id });
    expect(found.data.map(({ id }) => id)).toEqual([second.id, first.id]);
    expect((await shop.stripe.checkout.sessions.list({ payment_link: "plink_none" })).data).toEqual(
      [],
    );
  });

  it("finds the email address filled in, or fixed, and no reference that Stripe would not take", async () => {
    const { url } = await link({ line_items: [{ price: shop.once, quantity: 1 }] });
    const filled = await visit(url, "?prefilled_email=bob@example.com&client_reference_id=a%20b");
    expect(filled).toMatchObject({ client_reference_id: null, customer_email: null });
    expect((await open(filled.url)).text).toContain('value="bob@example.com"');
    await pay(filled, { email: "carl@example.com" });
    expect((await shop.stripe.checkout.sessions.retrieve(filled.id)).customer_details?.email).toBe(
      "carl@example.com",
    );
    const fixed = await visit(url, "?locked_prefilled_email=bob@example.com");
    expect(fixed).toMatchObject({ customer_email: "bob@example.com", mode: "payment" });
    const kept = await visit(url, "?prefilled_email=dora@example.com");
    expect(shop.double.dashboard.payCheckout(kept.id)).toBe("paid");
    expect((await shop.stripe.checkout.sessions.retrieve(kept.id)).customer_details?.email).toBe(
      "dora@example.com",
    );
  });

  it("is led on after paying, with the session's id, for a price made for the link", async () => {
    const { url } = await link({
      after_completion: {
        type: "redirect",
        redirect: { url: "https://site.example/done?s={CHECKOUT_SESSION_ID}" },
      },
      line_items: [
        {
          price_data: { currency: "usd", unit_amount: 700, product_data: { name: "Card" } },
          quantity: 1,
        },
      ],
      customer_creation: "always",
    });
    const session = await visit(url);
    expect(session.amount_total).toBe(700);
    expect((await pay(session)).location).toBe(`https://site.example/done?s=${session.id}`);
    const done = await shop.stripe.checkout.sessions.retrieve(session.id);
    expect(done).toMatchObject({
      payment_status: "paid",
      customer: expect.stringMatching(/^cus_/),
    });
  });

  it("is told that the link is not active, and no session is made", async () => {
    const { id, url } = await link();
    await shop.stripe.paymentLinks.update(id, { active: false });
    const plain = await open(url);
    expect(plain).toMatchObject({ status: 200, location: null });
    expect(plain.text).toContain("This link is no longer active.");
    await shop.stripe.paymentLinks.update(id, { inactive_message: "Sold <out>" });
    expect((await open(url)).text).toContain("Sold &lt;out&gt;");
    expect((await shop.stripe.checkout.sessions.list()).data).toEqual([]);
    expect((await open(`${shop.double.url}/b/plink_none`)).status).toBe(404);
    expect((await submit(url, {})).status).toBe(405);
  });
});
