/** The real SDK, in the versions and builds that the package supports, talks to the double. */
import Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { rig } from "./kit.js";

type Sdk = typeof Stripe;

const file = (path: string) => new URL(`../../../node_modules/${path}`, import.meta.url).href;
const load = async (path: string): Promise<Sdk> => (await import(file(path))).default as Sdk;

const BUILDS: readonly (readonly [name: string, version: string, path: string])[] = [
  ["stripe 23, Node build", "23.", "stripe/esm/stripe.esm.node.js"],
  ["stripe 23, worker build", "23.", "stripe/esm/stripe.esm.worker.js"],
  ["stripe 22, Node build", "22.", "stripe-22/esm/stripe.esm.node.js"],
  ["stripe 22, worker build", "22.", "stripe-22/esm/stripe.esm.worker.js"],
];

describe.each(BUILDS)("%s", (name, version, path) => {
  it("creates, lists, changes, fails and verifies", async () => {
    const { double } = await rig();
    const Build = await load(path);
    expect(Build.PACKAGE_VERSION.startsWith(version)).toBe(true);
    const stripe = new Build(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 0 });
    const worker = name.includes("worker");
    // The worker build has no Node client: it uses fetch.
    expect("createNodeHttpClient" in Build).toBe(true);
    if (worker) expect(() => Build.createNodeHttpClient()).toThrow();

    const events: Stripe.Event[] = [];
    const endpoint = await stripe.webhookEndpoints.create({
      url: "https://app.example/hook",
      enabled_events: ["*"],
    });
    double.answer("https://app.example", async (request) => {
      events.push(
        await stripe.webhooks.constructEventAsync(
          await request.text(),
          request.headers.get("stripe-signature") ?? "",
          endpoint.secret ?? "",
        ),
      );
      return new Response();
    });

    const product = await stripe.products.create({ name: "Engine", metadata: { tier: "1" } });
    const price = await stripe.prices.create({
      product: product.id,
      currency: "usd",
      unit_amount: 1500,
      recurring: { interval: "month" },
    });
    // The SDK's decimals, and the strings of a webhook, say the same.
    expect(String(price.unit_amount_decimal)).toBe("1500");
    const customer = await stripe.customers.create({
      email: "ada@example.com",
      payment_method: "pm_card_visa",
      invoice_settings: { default_payment_method: "pm_card_visa" },
    });
    const subscription = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: price.id }],
      expand: ["latest_invoice"],
    });
    expect(subscription).toMatchObject({ status: "active", latest_invoice: { status: "paid" } });

    for (let i = 0; i < 4; i++) await stripe.customers.create();
    const ids: string[] = [];
    for await (const { id } of stripe.customers.list({ limit: 2 })) ids.push(id);
    expect(new Set(ids).size).toBe(5);

    await expect(stripe.customers.retrieve("cus_never")).rejects.toMatchObject({
      statusCode: 404,
      code: "resource_missing",
      type: "StripeInvalidRequestError",
    });
    expect(await stripe.customers.del(customer.id)).toMatchObject({ deleted: true });

    await double.settle();
    const types = events.map(({ type }) => type);
    expect(types[0]).toBe("product.created");
    expect(types.at(-1)).toBe("customer.deleted");
    expect(types).toContain("customer.subscription.created");
    const made = events.find(({ type }) => type === "price.created");
    expect(made?.data.object).toMatchObject({ unit_amount_decimal: "1500" });
  });

  it("retries by itself what Stripe says may be retried", async () => {
    const { double } = await rig();
    const Build = await load(path);
    const stripe = new Build(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 1 });
    double.faults.add({ fault: "error_before", kept: false, times: 1 });
    const { id } = await stripe.customers.create();
    expect(double.objects("customer").map((customer) => customer.id)).toEqual([id]);
    expect(double.requests.count("POST /v1/customers")).toBe(2);
    // A 429 is not among it.
    double.faults.add({ fault: "rate_limited", times: 1 });
    await expect(stripe.customers.list()).rejects.toMatchObject({ statusCode: 429 });
    expect(double.requests.count("GET /v1/customers")).toBe(1);
  });
});

it("the fetch client of the Node build works too", async () => {
  const { double } = await rig();
  const stripe = new Stripe(double.secretKey, {
    ...double.stripeConfig,
    httpClient: Stripe.createFetchHttpClient(),
  });
  const { id } = await stripe.customers.create({ name: "Ada" });
  expect((await stripe.customers.retrieve(id)).lastResponse.statusCode).toBe(200);
});
