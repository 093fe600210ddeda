import { describe, expect, it } from "vitest";
import { STRIPE_LIMITS } from "../src/index.js";
import { ask, client, errorOf, NOW, openShop, rig } from "./kit.js";

describe("errors", () => {
  it("have Stripe's shape: type, code, param, message and the request's id", async () => {
    const { double } = await rig();
    const { status, headers, body } = await ask(double, "/v1/customers/cus_never");
    expect(status).toBe(404);
    expect(body).toMatchObject({
      error: {
        type: "invalid_request_error",
        code: "resource_missing",
        message: "No such customer: 'cus_never'",
        param: "id",
      },
    });
    expect(headers.get("request-id")).toMatch(/^req_[A-Za-z0-9]{14}$/);
    expect(headers.get("content-type")).toBe("application/json");
  });

  it("are 404 for what a path names, and 400 for what a parameter names", async () => {
    const { stripe } = await rig();
    const { monthly } = await openShop(stripe);
    for (const call of [
      () => stripe.customers.retrieve("cus_never"),
      () => stripe.subscriptions.retrieve("sub_never"),
      () => stripe.invoices.retrieve("in_never"),
      () => stripe.products.retrieve("prod_never"),
      () => stripe.prices.retrieve("price_never"),
      () => stripe.subscriptionItems.retrieve("si_never"),
    ]) {
      expect(await errorOf(call())).toMatchObject({
        statusCode: 404,
        code: "resource_missing",
        type: "StripeInvalidRequestError",
      });
    }
    const items = [{ price: monthly.id }];
    expect(
      await errorOf(stripe.subscriptions.create({ customer: "cus_never", items })),
    ).toMatchObject({ statusCode: 400, code: "resource_missing", param: "customer" });
    const { id: customer } = await stripe.customers.create();
    const never = [{ price: "price_never" }];
    expect(await errorOf(stripe.subscriptions.create({ customer, items: never }))).toMatchObject({
      statusCode: 400,
      param: "items[0][price]",
    });
    const priceless = { product: "prod_never", currency: "usd", unit_amount: 1 };
    expect(await errorOf(stripe.prices.create(priceless))).toMatchObject({
      statusCode: 400,
      param: "product",
    });
  });

  it("name a missing parameter, a wrong one, and an empty one that cannot be unset", async () => {
    const { double, stripe } = await rig();
    const product = { currency: "usd" };
    expect(
      await errorOf(stripe.prices.create({ ...product, product_data: { name: "" } })),
    ).toMatchObject({
      statusCode: 400,
      param: "product_data[name]",
      code: "parameter_invalid_empty",
    });
    const nameless = await ask(double, "/v1/products", { method: "POST", body: "" });
    expect(nameless.body).toMatchObject({ error: { code: "parameter_missing", param: "name" } });
    const balance = await ask(double, "/v1/customers", { method: "POST", body: "balance=much" });
    expect(balance.body).toMatchObject({
      error: { code: "parameter_invalid_integer", param: "balance" },
    });
    expect((await errorOf(stripe.customers.create({ email: "nobody" }))).code).toBe(
      "email_invalid",
    );
  });

  it("keep metadata within its bounds", async () => {
    const { stripe } = await rig();
    const create = (metadata: Record<string, string>) => stripe.customers.create({ metadata });
    const fifty = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`key${i}`, "v"]));
    expect(Object.keys((await create(fifty)).metadata)).toHaveLength(50);
    expect(await create({ ["k".repeat(40)]: "v".repeat(500) })).toBeTruthy();
    for (const metadata of [
      { ...fifty, more: "v" },
      { ["k".repeat(41)]: "v" },
      { k: "v".repeat(501) },
      { "a[b]": "v" },
    ]) {
      expect((await errorOf(create(metadata))).statusCode).toBe(400);
    }
  });
});

describe("what is not modelled", () => {
  it("answers 501 with a clear message: a route, a parameter, a value", async () => {
    const { double, stripe } = await rig();
    for (const call of [
      () => stripe.topups.list(),
      () => stripe.customers.create({ source: "tok_visa" }),
      () => stripe.payouts.create({ amount: 100, currency: "usd", method: "instant" }),
    ]) {
      const error = await errorOf(call());
      expect(error).toMatchObject({ statusCode: 501, code: "not_modelled" });
      expect(error.message).toContain("does not model");
    }
    const method = await ask(double, "/v1/coupons/c", { method: "PUT" });
    expect(method.status).toBe(404);
    expect(double.objects("customer")).toEqual([]);
  });

  it("is not retried by the SDK", async () => {
    const { double } = await rig();
    const retrying = client(double, double.secretKey, { maxNetworkRetries: 2 });
    await errorOf(retrying.topups.list());
    expect(double.requests.count()).toBe(1);
  });
});

describe("keys", () => {
  it("are needed, must be known, and can be revoked", async () => {
    const { double, stripe } = await rig();
    const none = await ask(double, "/v1/customers", { key: null });
    expect(none.status).toBe(401);
    expect(none.headers.get("date")).toBe(new Date(NOW).toUTCString());
    const wrong = await errorOf(client(double, "sk_test_wrong").customers.list());
    expect(wrong).toMatchObject({ statusCode: 401, type: "StripeAuthenticationError" });
    expect(wrong.message).not.toContain("sk_test_wrong");
    await stripe.customers.list();
    double.revokeKey(double.secretKey);
    expect((await errorOf(stripe.customers.list())).statusCode).toBe(401);
  });

  it("can be sent as a user name", async () => {
    const { double } = await rig();
    const basic = `Basic ${Buffer.from(`${double.secretKey}:`).toString("base64")}`;
    const { status } = await ask(double, "/v1/customers", {
      key: null,
      headers: { Authorization: basic },
    });
    expect(status).toBe(200);
  });

  it("may be restricted to some resources, to read or to write", async () => {
    const { double, stripe } = await rig();
    const { monthly } = await openShop(stripe);
    const { id } = await stripe.customers.create();
    const secret = double.restrictedKey({
      customers: "write",
      prices: "read",
      subscriptions: "read",
    });
    expect(secret).toMatch(/^rk_test_/);
    const limited = client(double, secret);
    expect((await limited.customers.create()).id).toMatch(/^cus_/);
    expect((await limited.customers.list()).data).toHaveLength(2);
    expect((await limited.prices.retrieve(monthly.id)).id).toBe(monthly.id);
    expect((await limited.subscriptions.list({ customer: id })).data).toEqual([]);
    for (const call of [
      () => limited.prices.update(monthly.id, { nickname: "x" }),
      () => limited.products.list(),
      () => limited.subscriptions.cancel("sub_any"),
      () => limited.subscriptionItems.del("si_any"),
      () => limited.checkout.sessions.list(),
    ]) {
      const error = await errorOf(call());
      expect(error).toMatchObject({ statusCode: 403, type: "StripePermissionError" });
      expect(error.message).toContain("rak_");
    }
    // Source: the names in PostHog's Stripe source; that of prices is the one of plans.
    const edit = limited.prices.update(monthly.id, { nickname: "x" });
    expect((await errorOf(edit)).message).toContain("'rak_plan_write'");
    // What a subscription consists of is covered by the permission for subscriptions.
    const items = limited.subscriptionItems.list({ subscription: "sub_never" });
    expect((await errorOf(items)).statusCode).toBe(400);
    double.revokeKey(secret);
    expect((await errorOf(limited.customers.list())).statusCode).toBe(401);
  });
});

describe("rate limits", () => {
  it("are off unless they are switched on", async () => {
    const { double, stripe } = await rig();
    await Promise.all(Array.from({ length: 60 }, () => stripe.customers.list()));
    expect(double.requests.countStatus(429)).toBe(0);
  });

  it("of one endpoint answer 429 with the reason, and pass with time", async () => {
    const { double, stripe } = await rig({ rateLimits: { global: 100, endpoint: 3, search: 2 } });
    for (let i = 0; i < 3; i++) await stripe.customers.list();
    const error = await errorOf(stripe.customers.list());
    expect(error).toMatchObject({
      statusCode: 429,
      code: "rate_limit",
      type: "StripeRateLimitError",
    });
    expect(error.headers?.["stripe-rate-limited-reason"]).toBe("endpoint-rate");
    expect(error.headers).not.toHaveProperty("retry-after");
    await stripe.products.list(); // another endpoint
    await double.clock.advance({ milliseconds: 334 });
    await stripe.customers.list();
    expect((await errorOf(stripe.customers.list())).statusCode).toBe(429);
    expect(double.requests.count("GET /v1/customers")).toBe(6);
    expect(double.requests.countStatus(429)).toBe(2);
  });

  it("of all endpoints together have a reason of their own", async () => {
    const { stripe } = await rig({ rateLimits: { global: 4, endpoint: 3, search: 2 } });
    for (const list of [stripe.customers, stripe.products, stripe.prices, stripe.coupons]) {
      await list.list();
    }
    const error = await errorOf(stripe.invoices.list());
    expect(error.headers?.["stripe-rate-limited-reason"]).toBe("global-rate");
  });

  it("are tighter for search", async () => {
    const { stripe } = await rig({ rateLimits: { global: 100, endpoint: 5, search: 2 } });
    const search = () => stripe.customers.search({ query: "name:'Ada'" });
    await search();
    await search();
    expect((await errorOf(search())).headers?.["stripe-rate-limited-reason"]).toBe("endpoint-rate");
  });

  it("are counted for each account and mode by itself", async () => {
    const { double, stripe } = await rig({ rateLimits: { global: 1, endpoint: 1, search: 1 } });
    await stripe.customers.list();
    await client(double, double.liveSecretKey).customers.list();
    await stripe.customers.list({}, { stripeAccount: double.connectAccount() });
    expect((await errorOf(stripe.customers.list())).statusCode).toBe(429);
  });

  it("are Stripe's own when nothing else is said: 25 in a sandbox, 100 live, 25 an endpoint", async () => {
    const { double, stripe } = await rig({ rateLimits: true });
    const live = client(double, double.liveSecretKey);
    const limited = async (call: () => Promise<unknown>, times: number) => {
      const answers = await Promise.allSettled(Array.from({ length: times }, call));
      return answers.filter(({ status }) => status === "rejected").length;
    };
    expect(await limited(() => stripe.customers.list(), 30)).toBe(5);
    expect(await limited(() => live.customers.list(), 30)).toBe(5);
    expect(await limited(() => live.products.list(), 25)).toBe(0);
    expect(await limited(() => live.prices.list(), 25)).toBe(0);
    expect(await limited(() => live.coupons.list(), 25)).toBe(0);
    const over = await errorOf(live.invoices.list());
    expect(over.headers?.["stripe-rate-limited-reason"]).toBe("global-rate");
    expect(STRIPE_LIMITS.live.search).toBe(20);
  });
});

describe("answers", () => {
  it("carry the time of the double's clock in their Date header, errors too", async () => {
    const { double, stripe } = await rig();
    const { lastResponse } = await stripe.customers.list();
    expect(lastResponse.headers.date).toBe("Thu, 15 Jan 2026 10:00:00 GMT");
    await double.clock.advance({ days: 1, seconds: 5 });
    const error = await errorOf(stripe.customers.retrieve("cus_never"));
    expect(error.headers?.date).toBe("Fri, 16 Jan 2026 10:00:05 GMT");
  });

  it("name the request and the API version", async () => {
    const { stripe } = await rig();
    const { lastResponse } = await stripe.customers.list();
    expect(lastResponse.requestId).toMatch(/^req_/);
    expect(lastResponse.apiVersion).toBe("2026-10-28.endive");
  });

  it("are logged with their id, route, status and time", async () => {
    const { double, stripe } = await rig();
    const { lastResponse } = await stripe.customers.create();
    await double.clock.advance({ seconds: 3 });
    await errorOf(stripe.customers.retrieve("cus_never"));
    const { requestId: id } = lastResponse;
    expect(double.requests.recent()).toMatchObject([
      { id, method: "POST", signature: "POST /v1/customers", status: 200 },
      { url: "/v1/customers/cus_never", signature: "GET /v1/customers/:customer", status: 404 },
    ]);
    const [first, second] = double.requests.recent();
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBe(3000);
    const [created] = (await stripe.events.list({ type: "customer.created" })).data;
    expect(created?.request?.id).toBe(id);
    double.requests.clear();
    expect(double.requests.count()).toBe(0);
  });
});
