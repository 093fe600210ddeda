// The same seed and the same steps give the same history, byte for byte.
import Stripe from "stripe";
import { expect, it } from "vitest";
import { createStripeDouble } from "../src/index.js";
import { stream } from "../src/world/random.js";

const STEPS = 300;

/** A random walk over many kinds of objects, through the real SDK; every choice is the seed's. */
async function history(seed: string): Promise<{ dump: string; delivered: string }> {
  const double = await createStripeDouble({ seed, now: "2026-01-31T10:00:00Z" });
  const stripe = new Stripe(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 0 });
  const chance = stream(seed, "walk");
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(chance() * from.length)];
  const delivered: string[] = [];
  double.answer("https://app.example", async (request) => {
    const event = (await request.json()) as Stripe.Event;
    delivered.push(`${event.id} ${event.type} ${event.created}`);
    return new Response(null, { status: chance() < 0.1 ? 500 : 200 });
  });
  await stripe.webhookEndpoints.create({ url: "https://app.example/hook", enabled_events: ["*"] });
  double.faults.add({ fault: "error_before", rate: 0.03 });
  double.faults.add({ fault: "error_after", rate: 0.03, on: "POST /v1/customers" });
  double.faults.add({ fault: "rate_limited", rate: 0.03 });
  double.faults.add({ fault: "doubled", rate: 0.1 });
  double.faults.add({ fault: "late", rate: 0.1, milliseconds: 5000 });
  double.faults.add({ fault: "skewed_created", rate: 0.5 });
  const customer = () => pick(double.objects("customer"))?.id ?? "cus_none";
  const price = () => pick(double.objects("price"))?.id ?? "price_none";
  const actions: (() => Promise<unknown>)[] = [
    () => stripe.products.create({ name: `Product ${Math.floor(chance() * 100)}` }),
    () =>
      stripe.prices.create({
        product: pick(double.objects("product"))?.id ?? "prod_none",
        currency: "usd",
        unit_amount: Math.floor(chance() * 5000),
        recurring: { interval: chance() < 0.5 ? "month" : "year" },
      }),
    () =>
      stripe.customers.create({
        email: `c${Math.floor(chance() * 100)}@example.com`,
        payment_method: "pm_card_visa",
        invoice_settings: { default_payment_method: "pm_card_visa" },
      }),
    () => stripe.customers.update(customer(), { name: `Name ${chance()}` }),
    () => stripe.subscriptions.create({ customer: customer(), items: [{ price: price() }] }),
    () => stripe.subscriptions.cancel(pick(double.objects("subscription"))?.id ?? "sub_none"),
    () => stripe.coupons.create({ percent_off: 10, duration: "once" }),
    () =>
      stripe.subscriptionSchedules.create({
        from_subscription: pick(double.objects("subscription"))?.id ?? "sub_none",
      }),
    () =>
      stripe.subscriptionSchedules.create({
        customer: customer(),
        start_date: double.clock.seconds() + Math.floor(chance() * 10) * 86_400,
        phases: [
          { items: [{ price: price() }], duration: { interval: "week" } },
          { items: [{ price: price() }], duration: { interval: "month" } },
        ],
      }),
    () => stripe.testHelpers.testClocks.create({ frozen_time: double.clock.seconds() }),
    () =>
      stripe.customers.create({
        test_clock: pick(double.objects("test_helpers.test_clock"))?.id ?? "clock_none",
        payment_method: "pm_card_visa",
        invoice_settings: { default_payment_method: "pm_card_visa" },
      }),
    () => {
      const clock = pick(double.objects("test_helpers.test_clock"));
      return stripe.testHelpers.testClocks.advance(clock?.id ?? "clock_none", {
        frozen_time: (clock?.frozen_time ?? 0) + Math.floor(chance() * 30) * 86_400,
      });
    },
    () =>
      stripe.refunds.create({ charge: pick(double.objects("charge"))?.id ?? "ch_none", amount: 1 }),
    () => stripe.payouts.create({ amount: 100 + Math.floor(chance() * 100), currency: "usd" }),
    () => stripe.customers.list({ limit: 5 }),
    () => (chance() < 0.2 ? stripe.customers.del(customer()) : stripe.events.list({ limit: 3 })),
    () => double.clock.advance({ seconds: chance() * 90 }),
    () => double.clock.advance({ days: Math.floor(chance() * 12) }),
  ];
  const answers: string[] = [];
  for (let step = 0; step < STEPS; step++) {
    const act = pick(actions);
    answers.push(
      (await act?.().then(
        () => "ok",
        (error: Error) => error.message,
      )) ?? "",
    );
    await double.settle();
  }
  const dump = double.dump();
  await double.close();
  return { dump, delivered: [...delivered, ...answers].join("\n") };
}

it("the same seed twice gives the same bytes, another seed other ones", async () => {
  const first = await history("a");
  const again = await history("a");
  expect(again.delivered).toBe(first.delivered);
  expect(again.dump === first.dump).toBe(true);
  expect(first.dump.length).toBeGreaterThan(100_000);
  expect(first.delivered).not.toContain("The double itself failed");
  const other = await history("b");
  expect(other.dump === first.dump).toBe(false);
});
