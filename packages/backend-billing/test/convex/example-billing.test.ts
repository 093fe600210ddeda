// @module-tag slow
// The small example of variant B, from the first push to a paid subscription and to the portal.
import Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createPatientDouble } from "../../../../support/patient-double.js";
import type { StripeDouble } from "../../src/testing/index.js";
import { type Backend, install, leadToDouble, payAt, push, SITE } from "./example-kit.js";

const billing = import.meta.glob("../../../../examples/convex-billing/convex/**/*.*s");

let double: StripeDouble;
let stripe: Stripe;
let backend: Backend;

beforeEach(async () => {
  double = await createPatientDouble({ seed: "example" });
  stripe = new Stripe(double.secretKey, double.stripeConfig);
  leadToDouble(double);
});
afterEach(async () => {
  await backend.close();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  await double.close();
});

async function sell(unit_amount: number, recurring?: { interval: "month" }): Promise<string> {
  const product = await stripe.products.create({ name: recurring ? "Pro" : "Mug" });
  const terms = { product: product.id, currency: "usd", unit_amount };
  return (await stripe.prices.create({ ...terms, ...(recurring && { recurring }) })).id;
}

/** What a page that is subscribed to a query shows in the end. */
const shown = <Result>(query: () => Promise<Result>) => expect.poll(query, { interval: 100 });

describe("examples/convex-billing", () => {
  const ada = { email: "ada@example.com", subject: "ada" };

  beforeEach(async () => {
    backend = await push(billing, double);
  });

  it("takes a newcomer from the first push to a paid subscription and the portal", async () => {
    const monthly = await sell(2000, { interval: "month" });
    await install(backend, double, "billing");
    await backend.settle();

    const visitor = backend.as(ada);
    const userId = await visitor.mutation("users:signIn");
    expect(await visitor.mutation("users:signIn")).toBe(userId);
    await backend.settle();
    expect(double.objects("customer")).toMatchObject([
      { email: "ada@example.com", metadata: { entityId: userId } },
    ]);

    const pro = { priceId: monthly, name: "Pro", amount: 2000, currency: "usd", interval: "month" };
    expect(await visitor.query("plans:list")).toEqual([pro]);
    expect(await visitor.query("plans:mine")).toBeNull();

    const url = await visitor.action<string>("shop:buy", { priceId: monthly });
    expect(await backend.comeBack(await payAt(url))).toBe(`${SITE}/welcome`);
    const mine = () => visitor.query("plans:mine");
    await shown(mine).toEqual({ status: "active", priceIds: [monthly], ending: false });
    expect(await backend.as({ subject: "bob" }).query("plans:mine")).toBeNull();

    const portal = await visitor.action<string>("shop:manage");
    expect((await fetch(portal)).status).toBe(200);
    const [subscription] = double.objects("subscription");
    await stripe.subscriptions.update(subscription?.id ?? "", { cancel_at_period_end: true });
    await shown(mine).toMatchObject({ status: "active", ending: true });
    expect(double.objects("customer")).toHaveLength(1);
  });

  it("shows a change of price to whoever looks next", async () => {
    const monthly = await sell(2000, { interval: "month" });
    await install(backend, double, "billing");
    await backend.settle();
    expect(await backend.query("plans:list")).toHaveLength(1);
    await stripe.prices.update(monthly, { active: false });
    await sell(900);
    await shown(() => backend.query("plans:list")).toEqual([]);
  });

  it("lets nobody act who is not signed in", async () => {
    await install(backend, double, "billing");
    const strangers = [
      backend.action("shop:buy", { priceId: "price_1" }),
      backend.action("shop:manage"),
      backend.mutation("users:signIn"),
      backend.as({ subject: "bob" }).action("shop:buy", { priceId: "price_1" }),
    ];
    for (const call of strangers) await expect(call).rejects.toThrow("Sign in first");
    expect(double.objects("customer")).toEqual([]);
  });
});
