// What a link sells: how many, whether it may, and what is asked of Stripe to know it.
import Stripe from "stripe";
import { describe, expect, it } from "vitest";
import type { StripeObject } from "../../../src/core/catalogue/catalogue.js";
import { createBilling, createStripe } from "../../../src/postgres/index.js";
import { type App, type AppOptions, applications, billingError, eventually, NOW } from "./kit.js";
import { entityId, paying, price, sessionsOf, subscribing, urlsOf } from "./links-kit.js";

const open = applications();
const still = (options: AppOptions = {}) =>
  open({ endpoint: false, ...options, stripe: { now: NOW, ...options.stripe } });

const ASK = "GET /v1/prices/:price";
async function linesOf(app: App): Promise<[string | undefined, number | null][]> {
  const last = sessionsOf(app).at(-1);
  const { data } = await app.stripe.checkout.sessions.listLineItems(last?.id ?? "");
  return data.map((line) => [line.price?.id, line.quantity]);
}

const metered = async ({ stripe }: App): Promise<string> => {
  const { id: meter } = await stripe.billing.meters.create({
    display_name: "Calls",
    event_name: "calls",
    default_aggregation: { formula: "sum" },
  });
  const { id } = await stripe.prices.create({
    currency: "usd",
    unit_amount: 5,
    product_data: { name: "Calls" },
    recurring: { interval: "month", usage_type: "metered", meter },
  });
  return id;
};

const checkingOut = (app: App, priceId: string) => {
  const { success_url: successUrl, cancel_url: cancelUrl } = urlsOf(app);
  return { entityId, priceId, successUrl, cancelUrl };
};

/** Waits until the mirror shows an object as it was changed to. */
const mirrored = <N extends "prices" | "products">(
  app: App,
  resource: N,
  id: string,
  holds: (object: StripeObject<N>) => boolean,
) =>
  eventually(
    () => app.b.store.row(resource, id),
    (row) => row !== undefined && holds(row.stripe as StripeObject<N>),
  );

describe("how many are sold", () => {
  it("is one, or as many as asked for, in both variants", async () => {
    const app = await still();
    const seats = await price(app);
    await app.a.stripe.subscribe({}, subscribing(app, seats));
    expect(await linesOf(app)).toEqual([[seats, 1]]);
    await app.a.stripe.subscribe({}, { ...subscribing(app, seats), quantity: 5 });
    expect(await linesOf(app)).toEqual([[seats, 5]]);
    await app.b.checkout({ ...checkingOut(app, seats), quantity: 7 });
    expect(await linesOf(app)).toEqual([[seats, 7]]);
  });

  it("is what an entry of the same price says: five seats are five", async () => {
    const app = await still();
    const [seats, extra] = [await price(app), await price(app)];
    const line_items = [
      { price: seats, quantity: 5 },
      { price: extra, quantity: 2 },
    ];
    await app.a.stripe.subscribe({}, { ...subscribing(app, seats), line_items });
    expect(await linesOf(app)).toEqual([
      [seats, 5],
      [extra, 2],
    ]);
    const both = { ...subscribing(app, seats), line_items, quantity: 5 };
    expect((await billingError(app.a.stripe.subscribe({}, both))).code).toBe("invalid_argument");
  });

  it("is not said of a metered price, which the mirror knows or Stripe is asked about", async () => {
    const app = await open();
    const calls = await metered(app);
    await app.double.settle(); // the mirror has it now
    app.double.requests.clear();
    await app.b.checkout({ ...checkingOut(app, calls), quantity: 3 });
    expect(app.double.requests.count(ASK)).toBe(0);
    expect(await linesOf(app)).toEqual([[calls, null]]);
    const session = sessionsOf(app).at(-1)?.id ?? "";
    app.double.dashboard.payCheckout(session, { email: "ada@example.com" });
    expect(app.double.objects("subscription")).toMatchObject([{ status: "active" }]);

    const other = await still();
    const unseen = await metered(other);
    await other.a.stripe.subscribe({}, subscribing(other, unseen));
    expect(other.double.requests.count(ASK)).toBe(1);
    expect(await linesOf(other)).toEqual([[unseen, null]]);
  });

  it.each([0, -1, 1.5, "2"])("is refused before anything is made: %j", async (quantity) => {
    const app = await still();
    const wrong = { ...checkingOut(app, "price_1"), quantity: quantity as number };
    expect((await billingError(app.b.checkout(wrong))).code).toBe("invalid_argument");
    expect(app.double.requests.count()).toBe(0);
  });
});

describe("a price that is not for sale", () => {
  /** Tries to sell it in every way there is; answers the messages of the refusals. */
  async function refusals(app: App, priceId: string, config: object = {}): Promise<string[]> {
    const { stripe } = createStripe({ ...app.config, ...config });
    const { checkout } = createBilling({ ...app.config, ...config });
    const beside = { ...subscribing(app, await price(app)), line_items: [{ price: priceId }] };
    const calls = [
      () => stripe.subscribe({}, subscribing(app, priceId)),
      () => stripe.subscribe({}, beside),
      () => stripe.pay({}, paying(app, priceId)),
      () => checkout(checkingOut(app, priceId)),
    ];
    const said: string[] = [];
    for (const call of calls) {
      const { code, message } = await billingError(call());
      expect(code).toBe("invalid_argument");
      said.push(message);
    }
    expect(sessionsOf(app)).toEqual([]);
    expect(app.double.objects("customer")).toEqual([]);
    return said;
  }
  const all = (said: string) =>
    [said, said, said, said].map((each) => expect.stringContaining(each));

  it("because it is not active in the mirror", async () => {
    const app = await open();
    const old = await price(app);
    await app.stripe.prices.update(old, { active: false });
    await mirrored(app, "prices", old, ({ active }) => !active);
    app.double.requests.clear();
    expect(await refusals(app, old)).toEqual(all("is not active"));
    expect(app.double.requests.recent().filter(({ url }) => url.includes(old))).toEqual([]);
  });

  it("because its product is not", async () => {
    const app = await open();
    const old = await price(app);
    const { product } = await app.stripe.prices.retrieve(old);
    await app.stripe.products.update(String(product), { active: false });
    await mirrored(app, "products", String(product), ({ active }) => !active);
    expect(await refusals(app, old)).toEqual(all("product of the price"));
  });

  it("because the application does not sell it, though it is active", async () => {
    const app = await open();
    const staff = await price(app);
    await app.stripe.prices.update(staff, { metadata: { staff: "yes" } });
    await mirrored(app, "prices", staff, ({ metadata }) => metadata.staff === "yes");
    const sells = (one: { readonly metadata: { readonly [key: string]: string } }) =>
      one.metadata.staff !== "yes";
    expect(await refusals(app, staff, { sells })).toEqual(all("`sells` refuses it"));
    expect((await app.b.checkout(checkingOut(app, staff))).url).toMatch(/^http/);
  });

  it("because there is none of that id, which Stripe is asked", async () => {
    const app = await still();
    expect(await refusals(app, "price_none")).toEqual(all("Stripe has no price price_none"));
    const error = await billingError(app.b.checkout(checkingOut(app, "price_none")));
    expect(error.cause).toMatchObject({ code: "resource_missing" });
  });

  it("is not asked about when it is no id at all", async () => {
    const app = await still();
    const ids = ["", "p".repeat(256), 7 as never as string, { id: "price_1" } as never as string];
    for (const id of ids) {
      const error = await billingError(app.b.checkout(checkingOut(app, id)));
      expect(error.code).toBe("invalid_argument");
    }
    expect(app.double.requests.count()).toBe(0);
  });
});

describe("a price that the mirror lacks", () => {
  /** What Stripe answers now, at the version that the SDK pins. */
  async function asAnswered({ double }: App, path: string): Promise<{ [field: string]: unknown }> {
    const headers = {
      Authorization: `Bearer ${double.secretKey}`,
      "Stripe-Version": Stripe.API_VERSION,
    };
    const answer = await fetch(`${double.url}/v1/${path}`, { headers });
    return (await answer.json()) as { [field: string]: unknown };
  }

  it("is asked about once, with its product, and both are stored", async () => {
    const app = await still();
    const unseen = await price(app);
    app.double.requests.clear();
    await app.b.checkout(checkingOut(app, unseen));
    await app.b.checkout(checkingOut(app, unseen));
    expect(app.double.requests.count(ASK)).toBe(1);
    // As any other answer would have brought them, with nothing of each other inside.
    const answered = await asAnswered(app, `prices/${unseen}`);
    expect((await app.b.store.row("prices", unseen))?.stripe).toEqual(answered);
    const product = String(answered.product);
    const row = await app.b.store.row("products", product);
    expect(row?.stripe).toEqual(await asAnswered(app, `products/${product}`));
  });

  it("is refused after Stripe was asked, and told as it is", async () => {
    const app = await still();
    const old = await price(app);
    await app.stripe.prices.update(old, { active: false });
    const { code, message } = await billingError(app.b.checkout(checkingOut(app, old)));
    expect([code, message]).toEqual(["invalid_argument", expect.stringContaining("not active")]);
    expect(app.double.objects("customer")).toEqual([]);
  });

  it("because prices are not mirrored is asked about every time, and stored nowhere", async () => {
    const app = await still({ config: { resources: ["customers", "subscriptions"] } });
    const unseen = await price(app);
    app.double.requests.clear();
    await app.b.checkout(checkingOut(app, unseen));
    await app.b.checkout(checkingOut(app, unseen));
    expect(app.double.requests.count(ASK)).toBe(2);
  });

  it("of a connected account is asked about there, and not stored", async () => {
    const app = await still();
    const options = { stripeAccount: app.double.connectAccount() };
    const theirs = await price(app, options);
    await app.a.stripe.subscribe({}, subscribing(app, theirs), options);
    expect(await app.b.store.row("prices", theirs)).toBeUndefined();
    await app.stripe.prices.update(theirs, { active: false }, options);
    const error = await billingError(app.a.stripe.subscribe({}, subscribing(app, theirs), options));
    expect(error.code).toBe("invalid_argument");
  });

  it("is not stored by a key of the other mode", async () => {
    const app = await still();
    await app.b.setup({ entityId });
    const live = createBilling({ ...app.config, secret_key: app.double.liveSecretKey });
    const error = await billingError(live.checkout(checkingOut(app, await price(app))));
    expect(error.code).toBe("livemode_mismatch");
    expect(await app.b.store.rows("prices", "", 10)).toEqual([]);
  });
});

it("a price that the application makes on the spot passes", async () => {
  const app = await still({ config: { sells: () => false } });
  const price_data = { currency: "usd", unit_amount: 700, product_data: { name: "A painting" } };
  const { url } = await app.a.stripe.pay(
    {},
    { ...paying(app, "price_1"), line_items: [{ price_data, quantity: 1 }] },
  );
  expect(sessionsOf(app)).toMatchObject([{ url, amount_total: 700 }]);
});
