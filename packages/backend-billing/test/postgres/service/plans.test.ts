// Selling by the catalogue in code: a key sells all that its plan consists of, on the plan's terms.
import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { defineCatalogue, usd } from "../../../src/catalogue/index.js";
import { records } from "../../../src/core/runtime/records/records.js";
import { pricesNamed } from "../../../src/core/sync/portal/plans.js";
import { type App, applications, billingError, NOW } from "./kit.js";
import { entityId, sessionsOf, urlsOf } from "./links-kit.js";

const prices = { monthly: usd("20").monthly(), yearly: usd("200").yearly() };
const calls = { included: 1000, overage: usd("0.01") };
const catalogue = defineCatalogue({
  app: "acme",
  features: { calls: { meter: "api_calls" } },
  plans: {
    solo: { name: "Solo", prices },
    pro: { name: "Pro", prices, trialDays: 14, features: { calls } },
    team: { name: "Team", prices: { monthly: usd("10").perSeat().monthly() } },
    old: { name: "Old", prices, retired: true },
    extra: { name: "Extra", group: "extras", prices },
  },
  packs: { small: { name: "Small", price: usd("5") } },
});

const open = applications();
const shop = async () => {
  const app = await open({
    endpoint: false,
    stripe: { now: NOW },
    config: { catalogue, seats: async () => 7 },
  });
  return { app, ids: await filled(app) };
};

/** What a push of the catalogue would make, by hand. */
async function filled({ stripe }: App): Promise<{ [key: string]: string }> {
  const { id: meter } = await stripe.billing.meters.create({
    display_name: "Calls",
    event_name: "api_calls",
    default_aggregation: { formula: "sum" },
  });
  const ids: { [key: string]: string } = {};
  const make = async (key: string, more: Omit<Stripe.PriceCreateParams, "currency">) => {
    const made = await stripe.prices.create({
      currency: "usd",
      lookup_key: `acme:${key}`,
      ...more,
    });
    ids[key] = made.id;
  };
  for (const [name, plan] of Object.entries(catalogue.plans)) {
    const { id: product } = await stripe.products.create({
      id: `acme_${name}`,
      name: plan.name,
      metadata: { billing_group: "group" in plan ? plan.group : "" },
    });
    for (const [key, { amount, interval, isPerSeat }] of Object.entries(plan.prices)) {
      const metadata = isPerSeat ? { billing_per_seat: "true" } : {};
      await make(`${name}:${key}`, {
        product,
        unit_amount: amount,
        recurring: { interval },
        metadata,
      });
      if (name !== "pro") continue;
      const recurring = { interval, usage_type: "metered" as const, meter };
      await make(`${name}:${key}:calls`, { product, unit_amount: 1, recurring });
    }
  }
  const { id: pack } = await stripe.products.create({ id: "acme_pack_small", name: "Small" });
  await make("small", { product: pack, unit_amount: 500 });
  return ids;
}

const linesOf = async (app: App) => {
  const last = sessionsOf(app).at(-1);
  const { data } = await app.stripe.checkout.sessions.listLineItems(last?.id ?? "");
  return data.map((line) => [line.price?.id, line.quantity]);
};

const args = (app: App) => {
  const { success_url: successUrl, cancel_url: cancelUrl } = urlsOf(app);
  return { entityId, successUrl, cancelUrl };
};

/** Buys a plan on its page, as a person does. */
async function bought(app: App, lookupKey: string): Promise<Stripe.Subscription> {
  await app.b.checkout({ ...args(app), lookupKey });
  app.double.dashboard.payCheckout(sessionsOf(app).at(-1)?.id ?? "", { email: "ada@example.com" });
  await app.b.sync();
  const { data } = await app.stripe.subscriptions.list({ limit: 1 });
  return data[0] as Stripe.Subscription;
}

const itemsOf = async ({ stripe }: App, id: string) =>
  (await stripe.subscriptions.retrieve(id)).items.data.map(({ price }) => price.id).sort();

describe("a key of the catalogue", () => {
  it("sells all lines of its plan, in both variants, with the plan's trial", async () => {
    const { app, ids } = await shop();
    const lines = [
      [ids["pro:yearly"], 1],
      [ids["pro:yearly:calls"], null],
    ];
    await app.b.checkout({ ...args(app), lookupKey: catalogue.keys.pro.yearly });
    expect(await linesOf(app)).toEqual(lines);
    await app.a.stripe.subscribe(
      {},
      { entityId: "user_2", mode: "subscription", lookupKey: "pro:yearly", ...urlsOf(app) },
    );
    expect(await linesOf(app)).toEqual(lines);
    app.double.dashboard.payCheckout(sessionsOf(app).at(-1)?.id ?? "", { email: "b@example.com" });
    expect(app.double.objects("subscription")).toMatchObject([{ status: "trialing" }]);
  });

  it("asks Stripe once for all of its prices", async () => {
    const { app } = await shop();
    app.double.requests.clear();
    await app.b.checkout({ ...args(app), lookupKey: "pro:monthly" });
    expect(app.double.requests.count("GET /v1/prices")).toBe(1);
  });

  it("gives the trial that the call says instead", async () => {
    const { app } = await shop();
    await app.b.checkout({ ...args(app), lookupKey: "pro:monthly", trialDays: 3 });
    app.double.dashboard.payCheckout(sessionsOf(app).at(-1)?.id ?? "", { email: "a@example.com" });
    const [subscription] = app.double.objects("subscription");
    const { trial_end: end, trial_start: start } = subscription as unknown as Stripe.Subscription;
    expect((end ?? 0) - (start ?? 0)).toBe(3 * 86_400);
  });

  it("is sold times the seats where its price is", async () => {
    const { app, ids } = await shop();
    await app.b.checkout({ ...args(app), lookupKey: "team:monthly" });
    expect(await linesOf(app)).toEqual([[ids["team:monthly"], 7]]);
  });

  it("sells a pack once, in both variants", async () => {
    const { app, ids } = await shop();
    await app.b.billing.pay({ ...args(app), lookupKey: "small", quantity: 3 });
    expect(await linesOf(app)).toEqual([[ids.small, 3]]);
    const { success_url, cancel_url } = urlsOf(app);
    await app.a.stripe.pay(
      {},
      { entityId, mode: "payment", lookupKey: "small", success_url, cancel_url },
    );
    expect(await linesOf(app)).toEqual([[ids.small, 1]]);
  });

  it("is refused where its plan is retired, or was not pushed", async () => {
    const { app, ids } = await shop();
    const old = await billingError(app.b.checkout({ ...args(app), lookupKey: "old:monthly" }));
    expect(old).toMatchObject({ code: "invalid_argument", message: /The plan old is retired/ });
    await app.stripe.prices.update(ids["pro:monthly:calls"] ?? "", { active: false });
    const half = await billingError(app.b.checkout({ ...args(app), lookupKey: "pro:monthly" }));
    expect(half.message).toMatch(
      /acme:pro:monthly:calls .* Run `npx backend-billing push --apply`/,
    );
    expect(sessionsOf(app)).toEqual([]);
  });

  it("changes a plan with all of its lines: they come, follow the interval, and go", async () => {
    const { app, ids } = await shop();
    const { id } = await bought(app, "solo:monthly");
    const become = async (lookupKey: string) => {
      await app.b.billing.change({ entityId, lookupKey });
      return itemsOf(app, id);
    };
    expect(await itemsOf(app, id)).toEqual([ids["solo:monthly"]]);
    expect(await become("pro:monthly")).toEqual(
      [ids["pro:monthly"], ids["pro:monthly:calls"]].sort(),
    );
    expect(await become("pro:yearly")).toEqual([ids["pro:yearly"], ids["pro:yearly:calls"]].sort());
    expect(await become("solo:yearly")).toEqual([ids["solo:yearly"]]);
  });

  it("changes it at the end of the period, too", async () => {
    const { app, ids } = await shop();
    const { id } = await bought(app, "solo:monthly");
    const { state } = await app.b.billing.change({
      entityId,
      lookupKey: "pro:monthly",
      at: "period_end",
    });
    expect(state).toBe("scheduled");
    await app.double.clock.advance({ days: 32 });
    expect(await itemsOf(app, id)).toEqual([ids["pro:monthly"], ids["pro:monthly:calls"]].sort());
  });

  it("is what the portal offers, of the main group", async () => {
    const { app, ids } = await shop();
    await app.stripe.prices.create({
      currency: "usd",
      unit_amount: 1,
      recurring: { interval: "week" },
      product_data: { name: "By hand" },
    });
    await app.b.sync({ portal: true });
    const stored = await records.portal.read(app.core);
    const offered = pricesNamed(stored.data?.offered ?? "");
    const keys = ["solo:monthly", "solo:yearly", "pro:monthly", "pro:yearly", "team:monthly"];
    expect(offered.sort()).toEqual(keys.map((key) => ids[key]).sort());
  });
});
