// @module-tag slow
// The small example of variant B, from the first push to a paid subscription and to the portal.
import Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { catalogue } from "../../../../examples/convex-billing/convex/catalogue.js";
import { createPatientDouble } from "../../../../support/patient-double.js";
import type { StripeDouble } from "../../src/testing/index.js";
import { type Backend, install, leadToDouble, payAt, push, SITE } from "./example-kit.js";

const billing = import.meta.glob("../../../../examples/convex-billing/convex/**/*.*s");

let double: StripeDouble;
let backend: Backend;

beforeEach(async () => {
  double = await createPatientDouble({ seed: "example", catalogue });
  leadToDouble(double);
});
afterEach(async () => {
  await backend.close();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  await double.close();
});

/** What a page that is subscribed to a query shows in the end. */
const shown = <Result>(query: () => Promise<Result>) => expect.poll(query, { interval: 100 });

describe("examples/convex-billing", () => {
  const ada = { email: "ada@example.com", subject: "ada" };

  beforeEach(async () => {
    backend = await push(billing, double);
  });

  it("takes a newcomer from the first push to a paid subscription and the portal", async () => {
    await install(backend, double, "billing");
    await backend.settle();

    const visitor = backend.as(ada);
    const userId = await visitor.mutation("users:signIn");
    expect(await visitor.mutation("users:signIn")).toBe(userId);
    await backend.settle();
    expect(double.objects("customer")).toMatchObject([
      { email: "ada@example.com", metadata: { entityId: userId } },
    ]);

    const free = { plan: "free", projects: 1, endsAt: null };
    expect(await visitor.query("plans:mine")).toEqual(free);
    await visitor.mutation("projects:create", { name: "First" });
    const second = () => visitor.mutation("projects:create", { name: "Second" });
    await expect(second()).rejects.toThrow("Your plan has 1");

    const key = catalogue.keys.pro.monthly;
    const url = await visitor.action<string>("shop:buy", { key });
    expect(await backend.comeBack(await payAt(url))).toBe(`${SITE}/welcome`);
    const mine = () => visitor.query("plans:mine");
    await shown(mine).toEqual({ plan: "pro", projects: 100, endsAt: null });
    await second();
    expect(await backend.as({ subject: "bob" }).query("plans:mine")).toBeNull();

    const portal = await visitor.action<string>("shop:manage");
    expect((await fetch(portal)).status).toBe(200);
    const [subscription] = double.objects("subscription");
    expect(subscription?.items.data[0]?.price).toMatchObject({ unit_amount: 2000 });
    const stripe = new Stripe(double.secretKey, double.stripeConfig);
    await stripe.subscriptions.update(subscription?.id ?? "", { cancel_at_period_end: true });
    await shown(mine).toMatchObject({ plan: "pro", endsAt: expect.any(Number) });
    await stripe.subscriptions.cancel(subscription?.id ?? "");
    await shown(mine).toEqual(free);
    expect(double.objects("customer")).toHaveLength(1);
  });

  it("sells what is in the catalogue, and nothing else", async () => {
    await install(backend, double, "billing");
    const visitor = backend.as(ada);
    await visitor.mutation("users:signIn");
    for (const key of ["free:monthly", "acme:pro:monthly", "price_1"]) {
      await expect(visitor.action("shop:buy", { key })).rejects.toThrow("not for sale");
    }
  });

  it("lets nobody act who is not signed in", async () => {
    await install(backend, double, "billing");
    const strangers = [
      backend.action("shop:buy", { key: "pro:monthly" }),
      backend.action("shop:manage"),
      backend.mutation("users:signIn"),
      backend.mutation("projects:create", { name: "First" }),
      backend.as({ subject: "bob" }).action("shop:buy", { key: "pro:monthly" }),
    ];
    for (const call of strangers) await expect(call).rejects.toThrow("Sign in first");
    expect(double.objects("customer")).toEqual([]);
  });
});
