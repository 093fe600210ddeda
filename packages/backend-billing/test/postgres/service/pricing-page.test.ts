// The routes that `generate pricing-page` writes for Node, as they are written: over real HTTP, with
// real tables and a double of Stripe.
import { describe, expect, it, vi } from "vitest";
import { applications } from "./kit.js";
import { sessionsOf } from "./links-kit.js";
import { openShop, type Shop } from "./pricing-kit.js";

const open = applications();

/** Chooses a plan, pays on Stripe's page, and comes back. */
async function buy({ app, post }: Shop, key: string): Promise<void> {
  const { said } = await post("choose", { key });
  expect(said.url).toContain(app.double.url);
  app.double.dashboard.payCheckout(sessionsOf(app).at(-1)?.id ?? "", { email: "ada@example.com" });
  await app.b.sync();
}

const keysOf = ({ app }: Shop) =>
  app.double
    .objects("subscription")
    .flatMap(({ items }) => items.data.map(({ price }) => price.lookup_key));

describe("a person without a plan", () => {
  it.each(["A", "B"] as const)("chooses one, pays, and has it, in variant %s", async (variant) => {
    const shop = await openShop(open, variant);
    const nothing = { status: "none", productId: null, lookupKey: null, next: null, payUrl: null };
    expect(await shop.state()).toMatchObject(nothing);
    await buy(shop, "solo:monthly");
    expect(keysOf(shop)).toEqual(["acme:solo:monthly"]);
    expect(await shop.state()).toMatchObject({
      status: "active",
      productId: "acme_solo",
      lookupKey: expect.stringMatching(/solo:monthly$/),
      renewsAt: expect.any(Number),
      endsAt: null,
    });
    const [session] = sessionsOf(shop.app);
    expect(session?.success_url).toContain(`${shop.app.url}/`);
  });

  it("gets the plan's trial", async () => {
    const shop = await openShop(open);
    await buy(shop, "pro:monthly");
    expect(await shop.state()).toMatchObject({
      status: "trialing",
      trialEndsAt: expect.any(Number),
    });
  });
});

describe("a person with a plan", () => {
  it.each(["A", "B"] as const)("sees what another costs, and changes, in variant %s", async (v) => {
    const shop = await openShop(open, v);
    await buy(shop, "solo:monthly");
    const { status, said } = await shop.post("choose", { key: "solo:yearly" });
    expect(status).toBe(200);
    expect(said.offer).toMatchObject({
      currency: "usd",
      dueNow: 18_000,
      quote: expect.any(String),
    });
    expect(keysOf(shop)).toEqual(["acme:solo:monthly"]);
    const quote = said.offer?.quote;
    const changed = await shop.post("choose", { key: "solo:yearly", quote });
    expect(changed).toEqual({ status: 200, said: { done: true } });
    expect(keysOf(shop)).toEqual(["acme:solo:yearly"]);
    const again = await shop.post("choose", { key: "solo:monthly", quote });
    expect(again).toMatchObject({ status: 409, said: { error: { code: "quote_expired" } } });
  });

  it.each(["A", "B"] as const)(
    "cancels, resumes and opens the portal, in variant %s",
    async (v) => {
      const shop = await openShop(open, v);
      await shop.app.b.sync({ portal: true });
      await buy(shop, "solo:monthly");
      expect(await shop.post("cancel")).toEqual({ status: 200, said: { done: true } });
      expect(await shop.state()).toMatchObject({ status: "active", endsAt: expect.any(Number) });
      expect(await shop.post("resume")).toEqual({ status: 200, said: { done: true } });
      expect(await shop.state()).toMatchObject({ status: "active", endsAt: null });
      const portal = await shop.post("portal");
      expect(portal).toMatchObject({ status: 200, said: { url: expect.stringContaining("http") } });
    },
  );

  it("who owes something is told where to pay", async () => {
    const shop = await openShop(open);
    await buy(shop, "solo:monthly");
    const { stripe, double, b } = shop.app;
    const [subscription] = double.objects("subscription");
    const customer = String(subscription?.customer);
    const card = await stripe.paymentMethods.attach("pm_card_chargeCustomerFail", { customer });
    await stripe.subscriptions.update(subscription?.id ?? "", { default_payment_method: card.id });
    await double.clock.advance({ days: 33 });
    await b.sync();
    const [owed] = double.objects("invoice").filter(({ status }) => status === "open");
    const payUrl = owed?.hosted_invoice_url;
    expect(payUrl).toEqual(expect.any(String));
    expect(await shop.state()).toMatchObject({ status: "past_due", payUrl });
    // And a plan that is chosen nevertheless leads there, too.
    const { said } = await shop.post("choose", { key: "pro:monthly" });
    expect(said.url).toBe(payUrl);
  });
});

describe("is refused", () => {
  it("what is not for sale", async () => {
    const shop = await openShop(open);
    for (const key of ["gold:monthly", "toString", "solo", "", 7, null, { $ne: "" }]) {
      expect(await shop.post("choose", { key })).toMatchObject({ status: 400 });
    }
    // At Stripe it is for sale, but not on this page.
    const recurring = { interval: "month" } as const;
    const terms = { product: "acme_solo", currency: "usd", unit_amount: 1, recurring };
    await shop.app.stripe.prices.create({ ...terms, lookup_key: "staff" });
    expect(await shop.post("choose", { key: "staff" })).toMatchObject({ status: 400 });
    const old = await shop.post("choose", { key: "old:monthly" });
    expect(old).toMatchObject({ status: 400, said: { error: { code: "invalid_argument" } } });
    expect(sessionsOf(shop.app)).toEqual([]);
  });

  it("one who is not signed in", async () => {
    const shop = await openShop(open);
    const answers = [
      await shop.ask("/api/pricing/state"),
      await shop.post("choose", { key: "solo:monthly" }, { origin: shop.app.url }),
      await shop.post("portal", {}, { origin: shop.app.url }),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 401, said: { error: { code: "sign_in" } } });
    }
    expect(shop.app.double.objects("customer")).toEqual([]);
  });

  it("what a page of another site makes a browser send", async () => {
    const shop = await openShop(open);
    const person = { "x-person": "user_1" };
    const own = { origin: shop.app.url, ...person };
    const sends: [headers: object, status: number][] = [
      [{ ...person, origin: "https://evil.example" }, 403],
      [{ ...person, origin: "null" }, 403],
      [person, 403],
      [{ ...own, "sec-fetch-site": "cross-site" }, 403],
      [{ ...own, "sec-fetch-site": "same-site" }, 403],
      [{ ...own, "content-type": "text/plain" }, 415],
      [{ ...own, "content-type": "application/x-www-form-urlencoded" }, 415],
      [{ ...own, "content-type": "multipart/form-data" }, 415],
    ];
    for (const [headers, status] of sends) {
      const sent = await shop.post("choose", { key: "solo:monthly" }, headers);
      expect({ headers, status: sent.status }).toEqual({ headers, status });
    }
    expect(sessionsOf(shop.app)).toEqual([]);
    const fine = { ...person, "sec-fetch-site": "same-origin" };
    expect(await shop.post("choose", { key: "solo:monthly" }, fine)).toMatchObject({ status: 200 });
  });

  it("what there is no route for", async () => {
    const shop = await openShop(open);
    const headers = { "x-person": "user_1" };
    for (const path of ["constructor", "choose", "state/more", ""]) {
      const { status, said } = await shop.ask(`/api/pricing/${path}`, { headers });
      expect({ path, status, said }).toMatchObject({ status: 404, said: { error: {} } });
    }
    expect((await shop.ask("/pricing")).said).toEqual({ text: "Not ours" });
  });

  it("to say what failed at Stripe", async () => {
    const shop = await openShop(open);
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    await shop.app.double.close();
    const { status, said } = await shop.post("choose", { key: "solo:monthly" });
    expect(status).toBe(500);
    expect(said.error).toEqual({
      code: "failed",
      message: "Something went wrong. Try again in a moment.",
    });
    expect(logged).toHaveBeenCalledOnce();
    logged.mockRestore();
  });
});
