// A double that keeps its state in a file goes on from it, with all that was done to it.
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Stripe from "stripe";
import { describe, expect, it, onTestFinished } from "vitest";
import { createStripeDouble, type StripeDoubleOptions } from "../src/index.js";
import { openShop, payer } from "./kit.js";

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), "double-state-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "below", "state.jsonl");
}

async function started(state: string, options: StripeDoubleOptions = {}) {
  const double = await createStripeDouble({ state, ...options });
  onTestFinished(() => double.close());
  const stripe = new Stripe(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 0 });
  return { double, stripe };
}

describe("a double with a state file", () => {
  it("keeps requests, payments, moves of the clock, faults and keys", async () => {
    const state = file();
    const { double, stripe } = await started(state);
    const { monthly } = await openShop(stripe);
    const session = await stripe.checkout.sessions.create({
      mode: "subscription",
      line_items: [{ price: monthly.id, quantity: 1 }],
      success_url: "https://app.example/",
    });
    double.faults.add({ fault: "cut_before", on: "POST /v1/customers", times: 2 });
    // The SDK tries once more by itself when a connection is cut.
    await expect(stripe.customers.create({})).rejects.toThrow();
    expect(() => double.dashboard.payCheckout(session.id)).toThrow("email");
    expect(double.dashboard.payCheckout(session.id, { email: "ada@example.com" })).toBe("paid");
    await double.clock.advance({ days: 32 });
    const key = double.restrictedKey({ customers: "read" });
    const { accounts } = JSON.parse(double.dump());
    const now = double.clock.now();
    expect(double.objects("invoice")).toHaveLength(2);
    await double.close();

    const again = await started(state);
    expect(JSON.parse(again.double.dump()).accounts).toEqual(accounts);
    expect(again.double.secretKey).toBe(double.secretKey);
    expect(again.double.clock.now()).toBeGreaterThanOrEqual(now);
    expect(again.double.clock.now()).toBeLessThan(now + 86_400_000);
    const restricted = new Stripe(key, again.double.stripeConfig);
    expect((await restricted.customers.list()).data).toHaveLength(1);
    await again.stripe.customers.create({});
  });

  it("keeps test clocks, and what happened by their time", async () => {
    const state = file();
    const { double, stripe } = await started(state);
    const { monthly } = await openShop(stripe);
    const { testClocks } = stripe.testHelpers;
    const frozen_time = double.clock.seconds();
    const clock = await testClocks.create({ frozen_time });
    const { id } = await stripe.customers.create({
      payment_method: "pm_card_visa",
      invoice_settings: { default_payment_method: "pm_card_visa" },
      test_clock: clock.id,
    });
    await stripe.subscriptions.create({ customer: id, items: [{ price: monthly.id }] });
    await testClocks.advance(clock.id, { frozen_time: frozen_time + 40 * 86_400 });
    await stripe.customers.create({});
    expect(double.objects("invoice")).toHaveLength(2);
    const { accounts } = JSON.parse(double.dump());
    await double.close();

    const again = await started(state);
    expect(JSON.parse(again.double.dump()).accounts).toEqual(accounts);
    const moved = await again.stripe.testHelpers.testClocks.advance(clock.id, {
      frozen_time: frozen_time + 65 * 86_400,
    });
    expect(moved.status).toBe("advancing");
    await again.double.settle();
    expect(again.double.objects("invoice")).toHaveLength(3);
  });

  it("keeps the sessions that opening a payment link and recovering a checkout made", async () => {
    const state = file();
    const { double, stripe } = await started(state);
    const { monthly } = await openShop(stripe);
    const line_items = [{ price: monthly.id, quantity: 1 }];
    const { url } = await stripe.paymentLinks.create({ line_items });
    await fetch(url, { redirect: "manual" });
    const { id } = await stripe.checkout.sessions.create({
      mode: "subscription",
      success_url: "https://app.example",
      line_items,
      after_expiration: { recovery: { enabled: true } },
    });
    const expired = await stripe.checkout.sessions.expire(id);
    await fetch(expired.after_expiration?.recovery?.url ?? "", { redirect: "manual" });
    await stripe.customers.create({});
    expect(double.objects("checkout.session")).toHaveLength(3);
    const { accounts } = JSON.parse(double.dump());
    await double.close();

    const again = await started(state);
    expect(JSON.parse(again.double.dump()).accounts).toEqual(accounts);
  });

  it("is no further ahead than it was moved when its webhook handler asks it in between", async () => {
    const state = file();
    const { double, stripe } = await started(state, { webhook: "https://app.example/hook" });
    const { monthly } = await openShop(stripe);
    const { id } = await payer(stripe);
    await stripe.subscriptions.create({ customer: id, items: [{ price: monthly.id }] });
    await double.settle();
    double.answer("https://app.example", async (request) => {
      const { type } = (await request.json()) as { type: string };
      if (type === "invoice.paid") await stripe.customers.create({ name: "on the way" });
      return new Response();
    });
    const before = double.clock.now();
    await double.clock.advance({ days: 40 });
    const { accounts } = JSON.parse(double.dump());
    await double.close();
    const again = await started(state);
    expect(JSON.parse(again.double.dump()).accounts).toEqual(accounts);
    expect(again.double.clock.now() - before).toBeGreaterThanOrEqual(40 * 86_400_000);
    expect(again.double.clock.now() - before).toBeLessThan(41 * 86_400_000);
  });

  it("lets time run on from where it was moved to, also after it was started again", async () => {
    const state = file();
    const first = await started(state);
    await first.double.clock.advance({ days: 3 });
    const moved = first.double.clock.now();
    await expect.poll(() => first.double.clock.now()).toBeGreaterThan(moved);
    await first.double.close();
    const second = await started(state);
    const restarted = second.double.clock.now();
    expect(restarted).toBeGreaterThan(moved);
    await expect.poll(() => second.double.clock.now()).toBeGreaterThan(restarted);
  });

  it("forgets on a reset, and with fresh", async () => {
    const state = file();
    const { double, stripe } = await started(state);
    const { id } = await stripe.customers.create({});
    await double.reset();
    expect(double.objects("customer")).toEqual([]);
    await double.close();
    const again = await started(state);
    expect(again.double.objects("customer")).toEqual([]);
    expect((await again.stripe.customers.create({})).id).toBe(id);
    await again.double.close();
    const fresh = await started(state, { fresh: true });
    expect(fresh.double.account).not.toBe(double.account);
  });

  it("drops a line that was cut off", async () => {
    const state = file();
    const { double, stripe } = await started(state);
    await stripe.customers.create({});
    await double.close();
    appendFileSync(state, '{"cut":');
    const again = await started(state);
    expect(again.double.objects("customer")).toHaveLength(1);
    await again.double.close();
    expect(readFileSync(state, "utf8")).not.toContain('{"cut":');
  });

  it("says what to do when the file is taken, of another seed, or something else", async () => {
    const state = file();
    const { double } = await started(state, { seed: "a" });
    await expect(createStripeDouble({ state })).rejects.toThrow("is in use by the double with");
    await double.close();
    await expect(createStripeDouble({ state, seed: "b" })).rejects.toThrow("of the seed a, not b");
    await expect(createStripeDouble({ state, apiVersion: "2024-06-20" })).rejects.toThrow(
      "API version",
    );
    await expect(createStripeDouble({ state, now: 0 })).rejects.toThrow("leave out `now`");
    appendFileSync(state, "no JSON\n");
    await expect(createStripeDouble({ state })).rejects.toThrow("Start anew with `fresh`");
  });
});
