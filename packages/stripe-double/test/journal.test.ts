// A double that is started again from its journal is the same one: the same objects, ids, keys and
// times, nothing delivered twice, and new objects get new ids.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Stripe from "stripe";
import { describe, expect, it, onTestFinished } from "vitest";
import { startDouble } from "../src/double.js";
import { isLoopbackHost } from "../src/http/host.js";
import type { JournalEntry } from "../src/state/journal.js";

async function started(entries: JournalEntry[], seed = "a") {
  const journal = {
    entries: [...entries],
    append: (entry: JournalEntry) => entries.push(entry),
    clear: () => entries.splice(0),
  };
  const double = await startDouble({ seed }, journal);
  onTestFinished(() => double.close());
  const stripe = new Stripe(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 0 });
  return { double, stripe };
}

const accountsOf = (dump: string): unknown => (JSON.parse(dump) as { accounts: unknown }).accounts;

describe("a double with a journal", () => {
  it("is the same after it was started again", async () => {
    const entries: JournalEntry[] = [];
    const { double, stripe } = await started(entries);
    const product = await stripe.products.create({ name: "Plan" });
    const price = await stripe.prices.create({
      product: product.id,
      currency: "usd",
      unit_amount: 2000,
      recurring: { interval: "day" },
    });
    const customer = await stripe.customers.create({ email: "ada@example.com" });
    await stripe.customers.list(); // reads are not kept, and have an id of a request all the same
    const session = await stripe.checkout.sessions.create({
      mode: "subscription",
      customer: customer.id,
      line_items: [{ price: price.id, quantity: 1 }],
      success_url: "https://app.example/",
    });
    const form = { number: "4242424242424242", expiry: "12/40", cvc: "123", name: "Ada" };
    const paid = await fetch(session.url ?? "", {
      method: "POST",
      body: new URLSearchParams({ ...form, email: "ada@example.com" }),
      redirect: "manual",
    });
    expect(paid.status).toBe(303);
    await stripe.customers.update(customer.id, { name: "Ada" });
    await stripe.customers.del("cus_none").catch(() => {}); // a refusal is a part of it
    const before = accountsOf(double.dump());
    await double.close();

    const again = await started(entries);
    expect(accountsOf(again.double.dump())).toEqual(before);
    expect(again.double.secretKey).toBe(double.secretKey);
    expect(again.double.objects("subscription")).toMatchObject([{ status: "active" }]);
    const next = await again.stripe.customers.create({});
    expect(next.id).not.toBe(customer.id);
  });

  it("lets happen afterwards what fell due while it was off", async () => {
    const entries: JournalEntry[] = [];
    const { double, stripe } = await started(entries);
    const card = "pm_card_visa";
    const customer = await stripe.customers.create({
      payment_method: card,
      invoice_settings: { default_payment_method: card },
    });
    const product = await stripe.products.create({ name: "Plan" });
    const recurring = { interval: "day" } as const;
    const price = { product: product.id, currency: "usd", unit_amount: 2000, recurring };
    await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: (await stripe.prices.create(price)).id }],
    });
    expect(double.objects("invoice")).toHaveLength(1);
    await double.close();
    const days = 2 * 86_400_000 + 7_200_000;
    const older = entries.map((entry) => ({ ...entry, at: entry.at - days }));
    const again = await started(older);
    expect(again.double.objects("invoice")).toHaveLength(3);
  });

  it("delivers nothing again", async () => {
    const received: string[] = [];
    const server = createServer(async (request, response) => {
      received.push(Buffer.concat(await request.toArray()).toString());
      response.end();
    });
    onTestFinished(() => void server.close());
    const entries: JournalEntry[] = [];
    const { double, stripe } = await started(entries);
    await once(server.listen(0, "127.0.0.1"), "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    const endpoint = await stripe.webhookEndpoints.create({ url, enabled_events: ["*"] });
    await stripe.customers.create({});
    await expect.poll(() => received.length).toBe(1);
    await double.close();
    const again = await started(entries);
    expect(again.double.objects("webhook_endpoint")).toMatchObject([{ id: endpoint.id }]);
    await again.stripe.customers.create({});
    await expect.poll(() => received.length).toBe(2);
    expect(new Set(received).size).toBe(2);
  });

  it("refuses a journal that leads elsewhere", async () => {
    const entries: JournalEntry[] = [];
    const { double, stripe } = await started(entries);
    await stripe.customers.create({});
    await double.close();
    await expect(started(entries, "b")).rejects.toThrow("answered in another way");
  });
});

describe("the hosts that a double answers to", () => {
  it.each([
    ["127.0.0.1:12111", true],
    ["localhost", true],
    ["LOCALHOST:1", true],
    ["stripe.localhost:12111", true],
    ["[::1]:12111", true],
    ["127.9.8.7", true],
    ["evil.example:12111", false],
    ["127.0.0.1.evil.example", false],
    ["localhost.evil.example", false],
    ["10.0.0.1", false],
    ["", false],
    [undefined, false],
  ])("%s: %s", (host, expected) => {
    expect(isLoopbackHost(host)).toBe(expected);
  });
});
