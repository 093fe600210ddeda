// What the mirror costs, in calls of Stripe: counted at the double, with the real SDK over real
// HTTP, on PostgreSQL. Time at Stripe stands still except where it is moved.
import { describe, expect, it } from "vitest";
import { type App, applications, eventually, NOW } from "./service/kit.js";
import { price as monthlyPrice } from "./service/links-kit.js";

const open = applications();
const still = () => open({ stripe: { now: NOW, deliveryConcurrency: 8 } });

/** What was read at Stripe: the merchant in these tests only writes. */
const reads = ({ double }: App) =>
  double.requests.recent().filter(({ method }) => method === "GET");

/** Until nothing is left to ask, nor to refresh. */
async function quiet(app: App): Promise<void> {
  await app.double.settle();
  const left = `SELECT 1 FROM ${app.schema}.backend_billing_versions WHERE ask_at IS NOT NULL
    UNION ALL SELECT 1 FROM ${app.schema}.backend_billing_records WHERE kind = 'refresh'`;
  await eventually(
    () => app.sql(left),
    (rows) => rows.length === 0,
  );
}

describe("the cost of the mirror", () => {
  // Half a minute on a quiet machine.
  it("10,000 events in order on objects that change 4 s apart: no call", {
    timeout: 1_200_000,
    tags: ["long"],
  }, async () => {
    const app = await still();
    const { stripe, double } = app;
    const price = await monthlyPrice(app);
    const payer = await stripe.customers.create({
      payment_method: "pm_card_visa",
      invoice_settings: { default_payment_method: "pm_card_visa" },
    });
    type Update = (value: string) => Promise<unknown>;
    const updates: Update[] = [];
    for (let i = 0; i < 10; i++) {
      const product = await stripe.products.create({ name: `Product ${i}` });
      const customer = await stripe.customers.create({ name: `Customer ${i}` });
      const coupon = await stripe.coupons.create({ percent_off: 10, duration: "once" });
      const { id } = await stripe.prices.create({
        product: product.id,
        currency: "usd",
        unit_amount: i,
      });
      const subscription = await stripe.subscriptions.create({
        customer: payer.id,
        items: [{ price }],
      });
      const set = (value: string) => ({ metadata: { value } });
      updates.push(
        (value) => stripe.products.update(product.id, set(value)),
        (value) => stripe.customers.update(customer.id, set(value)),
        (value) => stripe.coupons.update(coupon.id, set(value)),
        (value) => stripe.prices.update(id, set(value)),
        (value) => stripe.subscriptions.update(subscription.id, set(value)),
      );
    }
    await quiet(app);
    await double.clock.advance({ seconds: 10 });
    let [events, calls] = [0, 0];
    for (let round = 0; events < 10_000; round++) {
      double.requests.clear();
      await double.clock.advance({ seconds: 4 });
      await Promise.all(updates.map((update) => update(String(round))));
      await double.settle();
      events += updates.length;
      calls += reads(app).length;
    }
    await quiet(app);
    const rows = await app.b.store.rows("products", "", 100);
    expect(rows.filter(({ stripe: { metadata } }) => metadata.value === "199")).toHaveLength(10);
    expect({ events, calls }).toEqual({ events: 10_000, calls: 0 });
  });

  describe("a checkout, with all of its events within two seconds: at most 2 calls", () => {
    async function signUp(app: App, price: string): Promise<void> {
      const session = await app.stripe.checkout.sessions.create({
        mode: "subscription",
        line_items: [{ price, quantity: 1 }],
        success_url: "https://app.example/welcome",
      });
      app.double.dashboard.payCheckout(session.id, { email: "ada@example.com" });
    }

    /**
     * The calls for each customer, its subscription and that one's invoice; that there were no others,
     * and all is right.
     */
    async function callsEach(app: App): Promise<number[]> {
      const urls = reads(app).map(({ url }) => url);
      const subscriptions = app.double.objects("subscription");
      const counts = subscriptions.map(
        ({ id, customer, latest_invoice: invoice }) =>
          urls.filter((url) => [id, customer, invoice].some((each) => url.includes(String(each))))
            .length,
      );
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(urls.length);
      for (const { id, status } of subscriptions) {
        expect((await app.b.store.row("subscriptions", id))?.stripe?.status).toBe(status);
      }
      return counts;
    }

    it.each([
      ["in order", []],
      ["out of order", [{ fault: "shuffled", within: 12 }]],
      [
        "doubled, late and out of order",
        [
          { fault: "shuffled", within: 12 },
          { fault: "doubled", rate: 0.5 },
          { fault: "late", milliseconds: 900, rate: 0.3 },
        ],
      ],
      ["with clocks that are off", [{ fault: "skewed_created" }]],
    ] as const)("%s", { tags: ["slow"] }, async (_, faults) => {
      const app = await still();
      const price = await monthlyPrice(app);
      await quiet(app);
      for (const fault of faults) app.double.faults.add(fault);
      app.double.requests.clear();
      for (let i = 0; i < 20; i++) {
        await app.double.clock.advance({ seconds: 30 });
        await signUp(app, price);
        await app.double.clock.advance({ milliseconds: 1_900 });
      }
      await quiet(app);
      const counts = await callsEach(app);
      expect(counts).toHaveLength(20);
      expect(Math.max(...counts)).toBeLessThanOrEqual(2);
    });

    it("as they come, spread over two seconds of real time", { tags: ["slow"] }, async () => {
      const app = await open({ stripe: {} });
      const price = await monthlyPrice(app);
      await quiet(app);
      app.double.faults.add({ fault: "late", milliseconds: 1_800, rate: 0.3 });
      app.double.faults.add({ fault: "late", milliseconds: 700, rate: 0.4 });
      app.double.requests.clear();
      const known = new Set(app.double.deliveries.all().map(({ id }) => id));
      await Promise.all(Array.from({ length: 10 }, () => signUp(app, price)));
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      await quiet(app);
      const counts = await callsEach(app);
      expect(counts).toHaveLength(10);
      // On a machine that is busy they take longer to come.
      const came = app.double.deliveries
        .all()
        .filter(({ id }) => !known.has(id))
        .flatMap(({ attempts }) => attempts.map(({ at }) => at));
      const spread = Math.max(...came) - Math.min(...came);
      expect(Math.max(...counts)).toBeLessThanOrEqual(2 * Math.ceil(spread / 2_000));
    });
  });

  it.each([
    ["within one second", 0],
    ["over three seconds", 60],
  ])("a burst of 50 events on one object, %s: at most 3 calls", async (_, apart) => {
    const app = await still();
    const { id } = await app.stripe.products.create({ name: "0" });
    await quiet(app);
    await app.double.clock.advance({ seconds: 10 });
    app.double.requests.clear();
    for (let i = 1; i <= 50; i++) {
      await app.stripe.products.update(id, { name: String(i) });
      await app.double.clock.advance({ milliseconds: apart });
    }
    await quiet(app);
    const row = await app.b.store.row("products", id);
    expect(row?.stripe.name).toBe("50");
    expect(reads(app).length).toBeLessThanOrEqual(3);
  });
});
