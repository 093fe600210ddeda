/**
 * What a checkout may be asked for beyond what it sells. Sources: API reference checkout/sessions/create
 * (ui_mode, return_url, invoice_creation, consent_collection, after_expiration, subscription_data),
 * docs payments/checkout/abandoned-carts (30 days), receipts (invoices of one-time payments).
 */
import type Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { card, errorOf, open, openShop, refusal, type Shop, submit, URLS } from "./checkout-kit.js";

let shop: Shop;
let sessions: Stripe.Checkout.SessionResource;

beforeEach(async () => {
  shop = await openShop();
  sessions = shop.stripe.checkout.sessions;
});
afterEach(() => shop.double.close());

type Params = Partial<Stripe.Checkout.SessionCreateParams>;
const subscribe = (params: Params = {}) =>
  sessions.create({
    mode: "subscription",
    line_items: [{ price: shop.basic, quantity: 1 }],
    ...URLS,
    ...params,
  });
const buy = (params: Params = {}) =>
  sessions.create({
    mode: "payment",
    line_items: [{ price: shop.once, quantity: 2 }],
    ...URLS,
    ...params,
  });
const pay = (id: string) => shop.double.dashboard.payCheckout(id, { email: "ada@example.com" });
const WITHIN = { success_url: undefined, cancel_url: undefined } as unknown as Params;
const BACK = "https://site.example/back?session={CHECKOUT_SESSION_ID}";

describe("a session within the application's page", () => {
  it.each(["embedded_page", "elements"] as const)(
    "%s has a secret, and no page",
    async (ui_mode) => {
      const session = await subscribe({ ...WITHIN, ui_mode, return_url: BACK });
      expect(session).toMatchObject({
        client_secret: expect.stringMatching(new RegExp(`^${session.id}_secret_`)),
        return_url: BACK,
        success_url: null,
        ui_mode,
        url: null,
      });
      expect(pay(session.id)).toBe("paid");
      expect(await sessions.retrieve(session.id)).toMatchObject({ status: "complete" });
    },
  );

  it("leads to its return_url, and has the names of its API version", async () => {
    const session = await sessions.create(
      {
        mode: "subscription",
        line_items: [{ price: shop.basic, quantity: 1 }],
        ui_mode: "embedded" as never,
        return_url: BACK,
      },
      { apiVersion: "2025-08-27.basil" },
    );
    expect(session.ui_mode).toBe("embedded");
    expect((await sessions.retrieve(session.id)).ui_mode).toBe("embedded_page");
    const page = `${shop.double.url}/c/pay/${session.id}`;
    const answer = await submit(page, { ...card(), email: "ada@example.com" });
    expect(answer.location).toBe(`https://site.example/back?session=${session.id}`);
  });

  it("needs a return_url unless it stays, and takes no success_url", async () => {
    const ui_mode = "embedded_page";
    expect(await refusal(subscribe({ ...WITHIN, ui_mode }))).toMatchObject({
      code: "parameter_missing",
      param: "return_url",
    });
    expect(await refusal(subscribe({ ui_mode, return_url: BACK }))).toMatchObject({
      param: "success_url",
    });
    expect(await refusal(subscribe({ return_url: BACK }))).toMatchObject({ param: "return_url" });
    const stays = await subscribe({ ...WITHIN, ui_mode, redirect_on_completion: "never" });
    expect(stays.redirect_on_completion).toBe("never");
  });
});

it("a payment gets an invoice if it is asked to, paid by the payment", async () => {
  const rate = await shop.stripe.taxRates.create({
    display_name: "VAT",
    percentage: 10,
    inclusive: false,
  });
  const session = await buy({
    line_items: [{ price: shop.once, quantity: 2, tax_rates: [rate.id] }],
    invoice_creation: {
      enabled: true,
      invoice_data: { description: "Thanks", metadata: { order: "7" } },
    },
  });
  expect(session.invoice_creation).toMatchObject({
    enabled: true,
    invoice_data: { description: "Thanks", metadata: { order: "7" } },
  });
  pay(session.id);
  const paid = await sessions.retrieve(session.id, { expand: ["invoice", "payment_intent"] });
  const invoice = paid.invoice as Stripe.Invoice;
  expect(invoice).toMatchObject({
    status: "paid",
    total: 4400,
    amount_paid: 4400,
    customer: paid.customer,
    description: "Thanks",
    metadata: { order: "7" },
    billing_reason: "manual",
    lines: { data: [{ amount: 4000, quantity: 2 }] },
  });
  expect((paid.payment_intent as Stripe.PaymentIntent).amount).toBe(4400);
  const { data } = await shop.stripe.paymentIntents.list();
  expect(data).toHaveLength(1);
  const refused = subscribe({ invoice_creation: { enabled: true } });
  expect(await refusal(refused)).toMatchObject({ status: 400, param: "invoice_creation" });
});

it("terms of service must be agreed to, which the session shows", async () => {
  const session = await subscribe({ consent_collection: { terms_of_service: "required" } });
  const form = { ...card(), email: "ada@example.com" };
  expect(errorOf(await submit(session.url, form))).toBe("Agree to the terms of service.");
  await submit(session.url, { ...form, terms: "yes" });
  expect(await sessions.retrieve(session.id)).toMatchObject({
    status: "complete",
    consent: { terms_of_service: "accepted" },
    consent_collection: { terms_of_service: "required" },
  });
});

it("an expired session can lead to another one for thirty days", async () => {
  const session = await subscribe({
    after_expiration: { recovery: { enabled: true, allow_promotion_codes: true } },
  });
  expect(session.after_expiration?.recovery).toEqual({
    allow_promotion_codes: true,
    enabled: true,
    expires_at: null,
    url: null,
  });
  await shop.double.clock.advance({ hours: 25 });
  const expired = await sessions.retrieve(session.id);
  const recovery = expired.after_expiration?.recovery;
  expect([expired.status, recovery?.expires_at]).toEqual([
    "expired",
    expired.expires_at + 30 * 86_400,
  ]);
  const next = (await open(recovery?.url ?? "")).location ?? "";
  const id = next.split("/").at(-1) ?? "";
  expect(await sessions.retrieve(id)).toMatchObject({ status: "open", recovered_from: session.id });
  await shop.double.clock.advance({ days: 31 });
  expect((await open(recovery?.url ?? "")).text).toContain("has expired");
});

it("a session that takes no cards is made, but cannot be paid here", async () => {
  const session = await subscribe({ allowed_payment_method_types: ["sepa_debit"] });
  expect(session.payment_method_types).toEqual(["sepa_debit"]);
  expect(() => pay(session.id)).toThrow("takes no cards");
});

describe("the first cycle of what is subscribed to", () => {
  // The double stands at 1 March 2026, noon.
  const day_of_month = 16;

  it("begins on another day, and the time until then is billed in part", async () => {
    const session = await subscribe({
      subscription_data: { billing_cycle_anchor_config: { day_of_month } },
    });
    // 15 of the 28 days since 16 February.
    expect(session.amount_total).toBe(Math.round((1200 * 15) / 28));
    await shop.double.clock.advance({ hours: 12 });
    pay(session.id);
    const paid = await sessions.retrieve(session.id, { expand: ["invoice", "subscription"] });
    const invoice = paid.invoice as Stripe.Invoice;
    // Paid on 2 March, it is for 14 days.
    expect([paid.amount_total, invoice.total, invoice.amount_paid]).toEqual([600, 600, 600]);
    expect((paid.subscription as Stripe.Subscription).billing_cycle_anchor_config).toMatchObject({
      day_of_month,
    });
  });

  it("can be free until then", async () => {
    const anchor = shop.double.clock.seconds() + 10 * 86_400;
    const session = await subscribe({
      subscription_data: { billing_cycle_anchor: anchor, proration_behavior: "none" },
    });
    expect(session.amount_total).toBe(0);
    pay(session.id);
    const paid = await sessions.retrieve(session.id, { expand: ["subscription"] });
    expect(paid).toMatchObject({
      payment_status: "no_payment_required",
      subscription: { status: "active", billing_cycle_anchor: anchor },
    });
  });
});
