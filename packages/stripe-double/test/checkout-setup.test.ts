/** Checkout sessions in `setup` mode (docs: payments/checkout/save-and-reuse). */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { card, open, openShop, refusal, type Shop, submit, URLS } from "./checkout-kit.js";
import { expanded } from "./kit.js";

let shop: Shop;
let customer: string;
beforeEach(async () => {
  shop = await openShop();
  customer = (await shop.stripe.customers.create({ email: "ada@example.com" })).id;
});
afterEach(() => shop.double.close());

const create = (params: object = {}) =>
  shop.stripe.checkout.sessions.create({
    mode: "setup",
    currency: "usd",
    customer,
    ...URLS,
    ...params,
  });
const read = (id: string) =>
  shop.stripe.checkout.sessions.retrieve(id, { expand: ["setup_intent"] });

describe("a session in setup mode", () => {
  it("sells nothing, and has its setup intent from the start", async () => {
    const session = await create({ setup_intent_data: { metadata: { order: "7" } } });
    expect(session).toMatchObject({
      mode: "setup",
      amount_total: null,
      currency: "usd",
      payment_status: "no_payment_required",
      payment_intent: null,
    });
    const intent = expanded((await read(session.id)).setup_intent);
    expect(intent).toMatchObject({
      customer,
      metadata: { order: "7" },
      status: "requires_payment_method",
    });
    // API reference: setup_intents/cancel: expire the session instead.
    expect((await refusal(shop.stripe.setupIntents.cancel(intent.id))).status).toBe(400);
  });

  it("saves the card on its page, not as the customer's default", async () => {
    const { id, url } = await create();
    const page = await open(url);
    expect(page.text).toContain("Save card");
    expect(page.text).not.toContain("due today");
    const answer = await submit(url, card());
    expect(answer.location).toBe(`https://site.example/thanks?session=${id}`);
    const done = await read(id);
    expect(done).toMatchObject({ status: "complete", setup_intent: { status: "succeeded" } });
    const { data } = await shop.stripe.paymentMethods.list({ customer });
    expect(data.map((each) => each.id)).toEqual([expanded(done.setup_intent).payment_method]);
    expect(await shop.stripe.customers.retrieve(customer)).toMatchObject({
      invoice_settings: { default_payment_method: null },
    });
    expect((await shop.types()).slice(-3)).toEqual([
      "payment_method.attached",
      "setup_intent.succeeded",
      "checkout.session.completed",
    ]);
  });

  it("stays open after a declined card, and asks the bank where it has to", async () => {
    const { id, url } = await create();
    expect((await submit(url, card("4000000000000002"))).status).toBe(402);
    const asked = await submit(url, card("4000002500003155"));
    expect(asked.location).toBe(`/c/pay/${id}/authenticate`);
    const question = await open(`${url}/authenticate`);
    expect(question.text).toContain("saved for later payments");
    await submit(`${url}/authenticate`, { result: "succeed" });
    expect(await read(id)).toMatchObject({
      status: "complete",
      setup_intent: { status: "succeeded" },
    });
  });

  it("is completed and authenticated without a browser", async () => {
    const { dashboard } = shop.double;
    const plain = await create();
    expect(dashboard.payCheckout(plain.id)).toBe("paid");
    const asking = await create();
    expect(dashboard.payCheckout(asking.id, { card: "4000002760003184" })).toBe("requires_action");
    dashboard.authenticate(String(asking.setup_intent), "succeed");
    expect((await read(asking.id)).status).toBe("complete");
  });

  it("cancels its setup intent when it expires", async () => {
    const { id } = await create();
    await shop.stripe.checkout.sessions.expire(id);
    expect(await read(id)).toMatchObject({
      status: "expired",
      setup_intent: { status: "canceled" },
    });
  });

  it("makes a customer only if asked to (API reference: customer_creation)", async () => {
    const guest = { customer: undefined, customer_email: "grace@example.com" };
    const without = await create(guest);
    const with_ = await create({ ...guest, customer_creation: "always" });
    for (const { id } of [without, with_]) shop.double.dashboard.payCheckout(id);
    expect((await read(without.id)).customer).toBeNull();
    const done = await read(with_.id);
    expect(done.customer).toMatch(/^cus_/);
    expect(expanded(done.setup_intent).customer).toBe(done.customer);
  });

  it.each([
    ["line items", { line_items: [{ price: "price_1", quantity: 1 }] }, "line_items"],
    ["no currency", { currency: undefined }, "currency"],
  ])("is refused with %s (API reference: checkout/sessions/create)", async (_, params, param) => {
    expect(await refusal(create(params))).toMatchObject({ status: 400, param });
  });
});
