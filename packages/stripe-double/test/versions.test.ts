import { readFileSync } from "node:fs";
import type Stripe from "stripe";
import { beforeEach, describe, expect, it } from "vitest";
import { isReleased } from "../src/api/versions.js";
import {
  ask,
  client,
  errorOf,
  expanded,
  type Json,
  openShop,
  payer,
  type Rig,
  receiver,
  rig,
} from "./kit.js";

const BEFORE_PERIODS_MOVED = "2025-02-24.acacia";
const BEFORE_COUPONS_MOVED = "2025-08-27.basil";

let it_: Rig;
let subscription: Stripe.Subscription;

beforeEach(async () => {
  it_ = await rig();
  const { stripe } = it_;
  const { monthly } = await openShop(stripe);
  const customer = await payer(stripe);
  await stripe.coupons.create({ id: "TEN", percent_off: 10, duration: "forever" });
  subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: monthly.id }],
    discounts: [{ coupon: "TEN" }],
  });
});

async function at(version: string, path: string): Promise<Json> {
  const headers = { "Stripe-Version": version };
  return (await ask(it_.double, path, { headers })).body;
}

describe("a version", () => {
  it.each(["2024-01-01", "2025-09-30.acacia", "2026-11-25.endive", "2024-6-20", "next"])(
    "that was not released is refused: %s (github.com/pay-rails/pay/issues/680)",
    async (version) => {
      const answer = await ask(it_.double, "/v1/customers", {
        headers: { "Stripe-Version": version },
      });
      expect(answer.status).toBe(400);
      expect(answer.body.error).toMatchObject({
        type: "invalid_request_error",
        message: `Invalid Stripe API version: ${version}`,
      });
      await expect(rig({ apiVersion: version })).rejects.toThrow("no API version of Stripe");
    },
  );

  it("that the SDK has ever pinned is known", () => {
    const file = new URL("../../../node_modules/stripe/CHANGELOG.md", import.meta.url);
    const pinned = readFileSync(file, "utf8").matchAll(/pinned API version to `([^`]+)`/g);
    const versions = [...pinned].map(([, version = ""]) => version);
    expect(versions).toContain("2026-10-28.endive");
    expect(versions.filter((version) => !isReleased(version))).toEqual([]);
  });
});

describe("before 2026-03-25", () => {
  it("a hosted checkout page is called so without the page", async () => {
    const { id } = await it_.stripe.checkout.sessions.create({
      mode: "subscription",
      line_items: [{ price: subscription.items.data[0]?.price.id ?? "", quantity: 1 }],
      success_url: "https://app.example/welcome",
    });
    expect(await at("2026-02-25.clover", `/v1/checkout/sessions/${id}`)).toMatchObject({
      ui_mode: "hosted",
    });
    expect(await at("2026-03-25.dahlia", `/v1/checkout/sessions/${id}`)).toMatchObject({
      ui_mode: "hosted_page",
    });
  });
});

describe("before 2025-03-31", () => {
  it("periods are on the subscription, not on its items", async () => {
    const path = `/v1/subscriptions/${subscription.id}`;
    const [item] = subscription.items.data;
    const old = await at(BEFORE_PERIODS_MOVED, path);
    expect(old).toMatchObject({
      current_period_start: item?.current_period_start,
      current_period_end: item?.current_period_end,
    });
    const [shown] = (old.items as { data: Json[] }).data;
    expect(shown).toHaveProperty("price");
    expect(shown).not.toHaveProperty("current_period_end");
    const now = await at(BEFORE_COUPONS_MOVED, path);
    expect(now).not.toHaveProperty("current_period_end");
    expect((now.items as { data: Json[] }).data[0]).toHaveProperty("current_period_end");
  });

  it("an invoice shows its subscription, payment intent, charge, and whether it is paid", async () => {
    const id = String(subscription.latest_invoice);
    const invoice = await it_.stripe.invoices.retrieve(id, {
      expand: ["payments.data.payment.payment_intent"],
    });
    const intent = expanded<Stripe.PaymentIntent>(
      invoice.payments?.data[0]?.payment.payment_intent,
    );
    const old = await at(BEFORE_PERIODS_MOVED, `/v1/invoices/${id}`);
    expect(old).toMatchObject({
      subscription: subscription.id,
      payment_intent: intent.id,
      charge: intent.latest_charge,
      paid: true,
    });
    expect(old).not.toHaveProperty("parent");
    expect(invoice).not.toHaveProperty("subscription");
    expect(invoice.parent?.subscription_details?.subscription).toBe(subscription.id);
  });

  it("an object inside another one is old too", async () => {
    const list = await at(BEFORE_PERIODS_MOVED, "/v1/subscriptions?expand[]=data.latest_invoice");
    expect((list.data as Json[])[0]).toMatchObject({
      current_period_end: expect.any(Number),
      latest_invoice: { paid: true, subscription: subscription.id },
    });
  });
});

describe("before 2025-09-30", () => {
  it("promotion codes and discounts hold their coupon whole", async () => {
    const code = await it_.stripe.promotionCodes.create({
      promotion: { type: "coupon", coupon: "TEN" },
    });
    const path = `/v1/promotion_codes/${code.id}`;
    const old = await at(BEFORE_COUPONS_MOVED, path);
    expect(old).toMatchObject({ coupon: { id: "TEN", object: "coupon", percent_off: 10 } });
    expect(old).not.toHaveProperty("promotion");
    expect(code.promotion).toEqual({ type: "coupon", coupon: "TEN" });
    const discounts = `/v1/subscriptions/${subscription.id}?expand[]=discounts`;
    expect((await at(BEFORE_COUPONS_MOVED, discounts)).discounts).toMatchObject([
      { object: "discount", coupon: { id: "TEN" } },
    ]);
    const now = (await at("2025-09-30.clover", discounts)).discounts as Json[];
    expect(now[0]).toMatchObject({ source: { coupon: "TEN", type: "coupon" } });
    expect(now[0]).not.toHaveProperty("coupon");
  });
});

it("the SDK's version is its own unless it is told another, and the account's without one", async () => {
  const { double } = await rig({ apiVersion: "2024-06-20" });
  const stripe = client(double);
  const { lastResponse } = await stripe.customers.list();
  expect(lastResponse.apiVersion).toBe("2026-10-28.endive");
  const apiVersion = BEFORE_PERIODS_MOVED as Stripe.LatestApiVersion;
  const older = client(double, double.secretKey, { apiVersion });
  expect((await older.customers.list()).lastResponse.apiVersion).toBe(BEFORE_PERIODS_MOVED);
  const bare = await ask(double, "/v1/customers");
  expect(bare.headers.get("stripe-version")).toBe("2024-06-20");
  await stripe.customers.create();
  const [event] = (await stripe.events.list()).data;
  expect(event?.api_version).toBe("2024-06-20");
});

it("a version that is no version is refused", async () => {
  const { double } = await rig();
  const wrong = client(double, double.secretKey, {
    apiVersion: "yesterday" as Stripe.LatestApiVersion,
  });
  expect((await errorOf(wrong.customers.list())).message).toContain("Invalid Stripe API version");
});

it("an endpoint gets events at its own version, previous attributes included", async () => {
  const { stripe } = it_;
  const newer = await receiver(it_, {}, "https://new.example");
  const older = await receiver(
    it_,
    { api_version: BEFORE_PERIODS_MOVED as Stripe.WebhookEndpointCreateParams.ApiVersion },
    "https://old.example",
  );
  await it_.double.clock.advance({ days: 32 }); // past the first renewal
  const renewal = ({ received }: typeof newer) =>
    received.find(({ event }) => event.type === "customer.subscription.updated")?.event;
  const [now, then] = [renewal(newer), renewal(older)];
  expect(now?.api_version).toBe("2026-10-28.endive");
  expect(now?.data.object).not.toHaveProperty("current_period_end");
  expect(now?.data.previous_attributes).toHaveProperty("items");
  expect(then?.api_version).toBe(BEFORE_PERIODS_MOVED);
  expect(then?.id).toBe(now?.id);
  expect(then?.data.object).toHaveProperty("current_period_end");
  expect(then?.data.previous_attributes).toMatchObject({
    current_period_end: subscription.items.data[0]?.current_period_end,
  });
  // Only what moved: the items themselves did not change in the eyes of the old version.
  expect(then?.data.previous_attributes).not.toHaveProperty("items");
  const [paid] = older.received.filter(({ event }) => event.type === "invoice.paid");
  expect(paid?.event.data.object).toMatchObject({ subscription: subscription.id, paid: true });
  expect(
    (await stripe.events.list({ type: "invoice.paid" })).data[0]?.data.object,
  ).not.toHaveProperty("paid");
});

it("an event of the past shows the price as it was then, and the subscription as it is now", async () => {
  const { stripe } = it_;
  const price = subscription.items.data[0]?.price.id ?? "";
  await stripe.prices.update(price, { nickname: "Plus" });
  const now = await stripe.subscriptions.retrieve(subscription.id);
  expect(now.items.data[0]).toMatchObject({
    price: { nickname: "Plus" },
    plan: { nickname: "Plus" },
  });
  const [event] = (await stripe.events.list({ type: "customer.subscription.created" })).data;
  expect(event?.data.object).toMatchObject({ items: { data: [{ price: { nickname: null } }] } });
  expect((await stripe.events.list({ type: "customer.subscription.updated" })).data).toEqual([]);
});
