// What `backend-billing/testing` adds to the double of Stripe.
import Stripe from "stripe";
import { describe, expect, it, onTestFinished } from "vitest";
import { defineCatalogue, usd } from "../../src/catalogue/index.js";
import { createStripeDouble } from "../../src/testing/index.js";

async function shop() {
  const double = await createStripeDouble({ seed: 3, now: "2026-01-15T10:00:00Z" });
  onTestFinished(() => double.close());
  const stripe = new Stripe(double.secretKey, double.stripeConfig);
  const { id: product } = await stripe.products.create({ name: "Engine" });
  const price = await stripe.prices.create({
    product,
    currency: "usd",
    unit_amount: 2000,
    recurring: { interval: "month" },
  });
  const session = (email?: string) =>
    stripe.checkout.sessions.create({
      mode: "subscription",
      line_items: [{ price: price.id, quantity: 1 }],
      success_url: "https://app.example/back?session={CHECKOUT_SESSION_ID}",
      cancel_url: "https://app.example/cancelled",
      ...(email === undefined ? {} : { customer_email: email }),
    });
  return { double, stripe, session };
}

describe("payCheckout", () => {
  it("pays, or throws its reason", async () => {
    const { double, session } = await shop();
    const { url } = await session();
    await expect(double.payCheckout(url ?? "")).rejects.toThrow("An email address is required");
    const email = "ada@example.com";
    const declined = double.payCheckout(url ?? "", { email, card: "4000000000000002" });
    await expect(declined).rejects.toThrow("was not paid: the card was declined");
    const asked = double.payCheckout(url ?? "", { email, card: "4000002760003184" });
    await expect(asked).rejects.toThrow("asks for authentication");
    await double.payCheckout(url ?? "", { email });
    expect(double.objects("subscription")).toMatchObject([{ status: "active" }]);
    await expect(double.payCheckout(url ?? "", { email })).rejects.toThrow("completed before");
  });
});

describe("comeBack", () => {
  it("requests the address that Stripe sends the browser to", async () => {
    const { double, stripe, session } = await shop();
    const seen: string[] = [];
    double.answer("https://app.example", async ({ url }) => {
      seen.push(url);
      return Response.redirect("https://app.example/home", 303);
    });
    const { id, url } = await session("ada@example.com");
    await double.comeBack(url ?? "");
    await double.payCheckout(url ?? "");
    expect((await double.comeBack(url ?? "")).status).toBe(303);
    double.dashboard.savePortalSettings();
    const portal = await stripe.billingPortal.sessions.create({
      customer: double.objects("customer")[0]?.id ?? "",
      return_url: "https://app.example/account",
    });
    await double.comeBack(portal.url);
    expect(seen).toEqual([
      "https://app.example/cancelled",
      `https://app.example/back?session=${id}`,
      "https://app.example/account",
    ]);
    await expect(double.comeBack("https://elsewhere.example/")).rejects.toThrow(
      "is not the address",
    );
  });
});

it("gives the account the API version of the installed stripe package", async () => {
  const { double } = await shop();
  expect(double.apiVersion).toBe(Stripe.API_VERSION);
});

it("begins with the plans of a catalogue, each time", async () => {
  const plans = { pro: { name: "Pro", prices: { monthly: usd("20").monthly() } } };
  const catalogue = defineCatalogue({ app: "acme", plans });
  const double = await createStripeDouble({ seed: 3, catalogue });
  onTestFinished(() => double.close());
  expect(double.objects("price")).toMatchObject([{ lookup_key: "acme:pro:monthly" }]);
  expect(double.objects("product")).toMatchObject([{ id: "acme_pro", name: "Pro" }]);
});
