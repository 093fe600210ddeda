import Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  card,
  errorOf,
  noticeOf,
  open,
  openShop,
  type Shop,
  submit,
  URLS,
} from "./checkout-kit.js";

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.double.close());

const subscribe = (extra: object = {}) =>
  shop.stripe.checkout.sessions.create({
    mode: "subscription",
    line_items: [{ price: shop.basic, quantity: 3 }],
    ...URLS,
    ...extra,
  });
const guest = { email: "ada@example.com", ...card() };

/** Every control of a page, with whether a label names it. */
function unlabelled(text: string): string[] {
  const controls = [...text.matchAll(/<(?:input|textarea)\b[^>]*\bid="([^"]+)"/g)].map(
    ([, id]) => id ?? "",
  );
  return controls.filter((id) => !text.includes(`<label for="${id}"`));
}

describe("the pages", () => {
  it("say what they are, in a document with landmarks and a heading", async () => {
    const { status, text } = await open((await subscribe()).url);
    expect(status).toBe(200);
    expect(text).toContain("Stripe double — test page.");
    expect(text).toMatch(/<html lang="en">/);
    expect(text.match(/<h1>/g)).toHaveLength(1);
    expect(text).toMatch(/<header [^>]*>[\s\S]*<main id="main"[^>]*>[\s\S]*<footer>/);
    expect(text).toContain('name="viewport"');
    expect(text).not.toContain("<script");
    expect(unlabelled(text)).toEqual([]);
  });

  it("escape what others wrote", async () => {
    const product = await shop.stripe.products.create({ name: `<script>alert("x")</script>` });
    const session = await shop.stripe.checkout.sessions.create({
      mode: "payment",
      line_items: [
        { price_data: { currency: "usd", unit_amount: 100, product: product.id }, quantity: 1 },
      ],
      ...URLS,
      cancel_url: `https://site.example/?a=1&b="><b>`,
    });
    const { text } = await open(session.url);
    expect(text).not.toContain("<script");
    expect(text).toContain("&lt;script&gt;");
    expect(text).toContain('href="https://site.example/?a=1&amp;b=&quot;&gt;&lt;b&gt;"');
    const back = await submit(session.url, { ...guest, email: `"><script>`, number: `"><script>` });
    expect(back.text).not.toContain("<script");
  });

  it("belong to live mode and to connected accounts too", async () => {
    const live = new Stripe(shop.double.liveSecretKey, shop.double.stripeConfig);
    const connected = { stripeAccount: shop.double.connectAccount() };
    const price_data = { currency: "usd", unit_amount: 100, product_data: { name: "Box" } };
    const params = { mode: "payment" as const, line_items: [{ price_data, quantity: 1 }], ...URLS };
    const real = await live.checkout.sessions.create(params);
    expect(real.id).toMatch(/^cs_live_/);
    expect((await open(real.url)).text).toContain("live-mode data");
    const theirs = await shop.stripe.checkout.sessions.create(params, connected);
    await submit(theirs.url, guest);
    const after = await shop.stripe.checkout.sessions.retrieve(theirs.id, {}, connected);
    expect(after).toMatchObject({ status: "complete", payment_status: "paid" });
    expect(shop.double.objects("charge")).toHaveLength(0);
  });

  it("are not found for sessions that nobody made, and refuse other methods", async () => {
    expect((await open(`${shop.double.url}/c/pay/cs_test_x`)).status).toBe(404);
    expect((await open(`${shop.double.url}/p/session/test_x`)).status).toBe(404);
    const session = await subscribe();
    expect((await open(`${session.url}/elsewhere`)).status).toBe(404);
    expect((await fetch(session.url ?? "", { method: "PUT" })).status).toBe(405);
  });
});

describe("the checkout page", () => {
  it("shows what is bought, the total, and the way back", async () => {
    const { text } = await open((await subscribe()).url);
    expect(text).toContain("Analytical Engine");
    expect(text).toContain("$36.00 per month");
    expect(text).toContain("Total due today");
    expect(text).toContain('<a href="https://site.example/pricing">');
    expect(text).toContain(">Subscribe</button>");
  });

  it("shows a trial and when it is over", async () => {
    const { text } = await open(
      (await subscribe({ subscription_data: { trial_period_days: 14 } })).url,
    );
    expect(text).toContain("Free trial until March 15, 2026. Then $36.00 per month.");
    expect(text).toContain(">Start trial</button>");
  });

  it("knows currencies without smaller units", async () => {
    const session = await shop.stripe.checkout.sessions.create({
      mode: "payment",
      submit_type: "donate",
      line_items: [
        {
          price_data: { currency: "jpy", unit_amount: 500, product_data: { name: "Box" } },
          quantity: 1,
        },
      ],
      ...URLS,
    });
    expect((await open(session.url)).text).toContain(">Donate ¥500</button>");
  });

  it("fills in the email that is known, and does not let it be changed", async () => {
    const session = await subscribe({ customer_email: "grace@example.com" });
    expect((await open(session.url)).text).toMatch(
      /name="email"[^>]*value="grace@example.com"[^>]*readonly/,
    );
    await submit(session.url, guest);
    const done = await shop.stripe.checkout.sessions.retrieve(session.id);
    expect(done.customer_details?.email).toBe("grace@example.com");
  });

  it.each([
    ["email", "", "Enter your email address."],
    ["number", "", "Enter your card number."],
    ["number", "4242424242424241", "Your card number is invalid."],
    ["expiry", "13 / 34", "Your card’s expiry date is incomplete."],
    ["expiry", "02 / 26", "Your card’s expiry date is in the past."],
    ["cvc", "1", "Your card’s security code is incomplete."],
    ["name", "", "Enter the name on the card."],
  ])(
    "says what is wrong with the %s '%s', keeps the rest, and never the security code",
    async (name, value, message) => {
      const session = await subscribe();
      const page = await submit(session.url, { ...guest, [name]: value });
      expect(page.status).toBe(400);
      expect(errorOf(page)).toBe(message);
      expect(page.text).toMatch(/<title>Error: /);
      expect(page.text).toMatch(/name="cvc"[^>]*value=""/);
      if (name !== "email") expect(page.text).toContain('value="ada@example.com"');
      expect(shop.double.objects("customer")).toHaveLength(0);
    },
  );

  it("says so when the double does not know a card", async () => {
    const page = await submit((await subscribe()).url, { ...guest, number: "4111 1111 1111 1111" });
    expect(page.status).toBe(400);
    expect(errorOf(page)).toContain("does not model the card number that ends in 1111");
  });

  it("applies a promotion code before it pays", async () => {
    const coupon = await shop.stripe.coupons.create({
      amount_off: 600,
      currency: "usd",
      duration: "once",
    });
    await shop.stripe.promotionCodes.create({
      promotion: { type: "coupon", coupon: coupon.id },
      code: "SPRING",
    });
    const session = await subscribe({ allow_promotion_codes: true });
    expect((await open(session.url)).text).toContain("Promotion code");
    const page = await submit(session.url, {
      action: "apply",
      promotion_code: "SPRING",
      email: "ada@example.com",
    });
    expect(noticeOf(page)).toBe("The promotion code SPRING was applied.");
    expect(page.text).toContain("−$6.00");
    expect(page.text).toContain("$30.00");
    expect(errorOf(await submit(session.url, { action: "apply", promotion_code: "" }))).toBe(
      "Enter a promotion code.",
    );
    expect((await open((await subscribe()).url)).text).not.toContain("Promotion code");
  });

  it("asks for an address and a phone number where the session collects them", async () => {
    const session = await subscribe({
      billing_address_collection: "required",
      phone_number_collection: { enabled: true },
    });
    const { text } = await open(session.url);
    expect(unlabelled(text)).toEqual([]);
    expect(text).toContain("Billing address");
    const address = {
      line1: "12 St James's Square",
      city: "London",
      postal_code: "SW1Y",
      country: "gb",
    };
    await submit(session.url, { ...guest, ...address, phone: "+44 20 7946 0000" });
    const done = await shop.stripe.checkout.sessions.retrieve(session.id);
    expect(done.customer_details).toMatchObject({
      address: { city: "London", country: "GB", line1: "12 St James's Square" },
      phone: "+44 20 7946 0000",
    });
  });

  it("asks the bank, and says so when it is not answered", async () => {
    const session = await subscribe();
    await submit(session.url, { ...guest, ...card("4000002500003155") });
    const question = await open(`${session.url}/authenticate`);
    expect(question.text).toContain("Complete authentication");
    expect(question.text).toContain("Fail authentication");
    const page = await submit(`${session.url}/authenticate`, { result: "fail" });
    expect(page.status).toBe(402);
    expect(errorOf(page)).toContain("We are unable to authenticate your payment method.");
    const answer = await submit(session.url, guest);
    expect(answer.location).toBe(`https://site.example/thanks?session=${session.id}`);
  });

  it("asks the bank about a card that is saved for after a trial", async () => {
    const session = await subscribe({ subscription_data: { trial_period_days: 7 } });
    const page = await submit(session.url, { ...guest, ...card("4000002500003155") });
    expect(page.location).toBe(`/c/pay/${session.id}/authenticate`);
    expect(shop.double.objects("subscription")).toHaveLength(0);
    await submit(`${session.url}/authenticate`, { result: "succeed" });
    await shop.double.clock.advance({ days: 8 });
    expect(shop.double.objects("subscription")).toMatchObject([{ status: "active" }]);
    expect(shop.double.objects("charge")).toMatchObject([{ paid: true }]);
  });
});

describe("the portal page", () => {
  it("shows plan, status, price, period, card and invoices, and the way back", async () => {
    const customer = await shop.stripe.customers.create({ email: "ada@example.com" });
    const session = await subscribe({ customer: customer.id });
    await submit(session.url, card());
    const configuration = await shop.stripe.billingPortal.configurations.create({
      features: {
        invoice_history: { enabled: true },
        payment_method_update: { enabled: true },
        subscription_cancel: { enabled: true },
      },
    });
    const portal = await shop.stripe.billingPortal.sessions.create({
      customer: customer.id,
      configuration: configuration.id,
      return_url: "https://site.example/account",
    });
    const { text } = await open(portal.url);
    for (const words of [
      "Analytical Engine",
      ">Active<",
      "$36.00 per month",
      "Renews on April 1, 2026.",
      "Visa",
      "ending in 4242",
      "paid",
      'href="https://site.example/account"',
      "ada@example.com",
    ]) {
      expect(text).toContain(words);
    }
    const form = await open(`${portal.url}/card`);
    expect(unlabelled(form.text)).toEqual([]);
  });
});
