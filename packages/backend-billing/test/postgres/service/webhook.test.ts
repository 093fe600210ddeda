// The webhook route, over real HTTP with real signatures: what it answers, and what it refuses.
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createBilling } from "../../../src/postgres/index.js";
import { type AppOptions, applications, NOW } from "./kit.js";
import { attempts, event, post, receipts, send } from "./webhook-kit.js";

const open = applications();
const still = (options: AppOptions = {}) =>
  open({ ...options, stripe: { now: NOW, ...options.stripe } });

describe("what cannot be stored", () => {
  it("is answered with 500, delivered again by Stripe, and ends stored", async () => {
    const app = await still();
    const table = `${app.schema}.backend_billing_receipts`;
    await app.sql(`ALTER TABLE ${table} RENAME TO away`);
    const { id } = await app.stripe.products.create({ name: "Engine" });
    await app.double.settle();
    expect(attempts(app)).toEqual([[500]]);
    expect(await app.b.store.row("products", id)).toBeUndefined();
    await app.sql(`ALTER TABLE ${app.schema}.away RENAME TO backend_billing_receipts`);
    await app.double.clock.advance({ minutes: 10 });
    expect(attempts(app)).toEqual([[500, 200]]);
    expect(await app.b.store.row("products", id)).toMatchObject({ productId: id });
    expect(await receipts(app)).toMatchObject([{ type: "product.created", object_id: id }]);
  });

  it("because there is no database at all is answered with 500 as well", async () => {
    let down = false;
    const app = await open({
      stripe: { now: NOW },
      handler: (request, response, next) => void next(request, response),
    });
    const db = {
      query: (text: string, values?: unknown[]) =>
        down ? Promise.reject(new Error("ECONNREFUSED")) : app.pool.query(text, values),
      connect: () => (down ? Promise.reject(new Error("ECONNREFUSED")) : app.pool.connect()),
    };
    const { billing } = createBilling({ ...app.config, db });
    app.double.answer(app.url, billing.fetch);
    down = true;
    const { id } = await app.stripe.customers.create({ metadata: { entityId: "user_1" } });
    await app.double.settle();
    down = false;
    await app.double.clock.advance({ minutes: 10 });
    expect(attempts(app)).toEqual([[500, 200]]);
    expect(await app.b.store.customerOf("user_1")).toMatchObject({ customerId: id });
  });

  it("in its second half, the link, is made up for by the next delivery", async () => {
    const app = await still();
    const failing = { now: false };
    const db = {
      query: async (text: string, values?: unknown[]) => {
        if (failing.now && text.includes("ref = $2")) throw new Error("The connection is gone");
        return app.pool.query(text, values);
      },
      connect: () => app.pool.connect(),
    };
    const { billing, setup } = createBilling({ ...app.config, db });
    app.double.answer(app.url, billing.fetch);
    const { customerId } = await setup({ entityId: "user_1" });
    await app.double.settle();
    failing.now = true;
    await app.stripe.customers.del(customerId);
    await app.double.settle();
    expect(await app.claim("user_1")).toMatchObject({ state: "linked" });
    failing.now = false;
    await app.double.clock.advance({ minutes: 10 });
    expect(attempts(app).at(-1)).toEqual([500, 200]);
    expect(await app.claim("user_1")).toMatchObject({ state: "free" });
  });

  it("is not explained to the sender, only to the log", async () => {
    const app = await still();
    await app.sql(`ALTER TABLE ${app.schema}.backend_billing_receipts RENAME TO away`);
    const { status, body } = await send(app);
    expect(status).toBe(500);
    expect(body.error).toEqual({
      code: "store_error",
      message: "The event was not stored. It will be when it is delivered again.",
    });
    expect(app.log).toContain("An event was not stored; Stripe will send it again: cus_1");
  });
});

describe("the signature", () => {
  it("of the endpoint's secret is accepted", async () => {
    const app = await still();
    expect(await send(app)).toMatchObject({ status: 200, text: "" });
  });

  it.each([
    ["is missing", { header: null }],
    ["is empty", { header: "" }],
    ["is no signature", { header: "t=1,v1=zz" }],
    ["is of another secret", { secret: "whsec_other" }],
    ["is older than five minutes", { age: 301 }],
  ] as const)("that %s is refused with 400, and nothing is stored", async (_, posting) => {
    const app = await still();
    const { status, body } = await send(app, {}, posting);
    expect(status).toBe(400);
    expect(body.error?.code).toBe("invalid_signature");
    expect(await receipts(app)).toEqual([]);
  });

  it("that is too old by this machine's clock says so, and how far it is off", async () => {
    const app = await still();
    const { body } = await send(app, {}, { age: 86_400 });
    expect(body.error?.message).toMatch(/8640\d seconds before this machine's time.*clock/);
    expect(app.log).toContain("A webhook was refused: its time is not this machine's time");
  });

  it("from the future is accepted, and the log says that this machine's clock is behind", async () => {
    const app = await still();
    expect(await send(app, {}, { age: -86_400 })).toMatchObject({ status: 200 });
    expect(app.log).toContain("This machine's clock is behind that of Stripe");
  });

  it("does not fit a body that was altered on the way", async () => {
    const app = await still();
    const body = JSON.stringify(event());
    const header = await app.stripe.webhooks.generateTestHeaderStringAsync({
      payload: body,
      secret: app.secret,
    });
    const { status } = await post(app, body.replace("cus_1", "cus_2"), { header });
    expect(status).toBe(400);
  });

  it.each([
    ["a list", ["whsec_first", "whsec_second"]],
    ["a variable, by commas", "whsec_first, whsec_second"],
  ])("may be of any of several secrets, given as %s", async (_, webhook_secret) => {
    const app = await still();
    const secrets = ["whsec_first", "whsec_second"];
    const { billing } = createBilling({ ...app.config, webhook_secret });
    const statuses: number[] = [];
    for (const secret of [...secrets, "whsec_third"]) {
      const payload = JSON.stringify(event({ id: `evt_${secret}` }));
      const header = await app.stripe.webhooks.generateTestHeaderStringAsync({ payload, secret });
      const request = new Request("https://app.example/stripe/webhook", {
        method: "POST",
        headers: { "Stripe-Signature": header },
        body: payload,
      });
      statuses.push((await billing.fetch(request)).status);
    }
    expect(statuses).toEqual([200, 200, 400]);
  });

  it("of a rolled secret fits the old one and the new one, until the old one ends", async () => {
    const app = await still();
    const rolled = app.double.dashboard.rollWebhookSecret(app.endpoint, {
      keepOldFor: { hours: 1 },
    });
    const statusWith = async (webhook_secret: string) => {
      const { billing } = createBilling({ ...app.config, webhook_secret });
      app.double.answer(app.url, billing.fetch);
      await app.stripe.products.create({ name: "Engine" });
      await app.double.settle();
      return attempts(app).at(-1)?.[0];
    };
    expect(await statusWith(app.secret)).toBe(200);
    expect(await statusWith(rolled)).toBe(200);
    await app.double.clock.advance({ hours: 1, seconds: 1 });
    expect(await statusWith(app.secret)).toBe(400);
    expect(await statusWith(rolled)).toBe(200);
  });

  it("cannot be checked without a secret, which is our fault and not the sender's", async () => {
    const app = await still();
    const { billing } = createBilling({ ...app.config, webhook_secret: undefined });
    const request = new Request("https://app.example/stripe/webhook", {
      method: "POST",
      headers: { "Stripe-Signature": "t=1,v1=00" },
      body: "{}",
    });
    const answer = await billing.fetch(request);
    expect(answer.status).toBe(500);
    const { error } = (await answer.json()) as { error: { code: string; message: string } };
    expect(error).toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining("STRIPE_WEBHOOK_SECRET"),
    });
    expect(app.log).toEqual([
      expect.stringMatching(/^A webhook was not handled: a setting is missing or wrong/),
    ]);
  });

  it.each([
    ["the secret", { webhook_secret: undefined }, "STRIPE_WEBHOOK_SECRET"],
    ["the key", { secret_key: undefined }, "STRIPE_SECRET_KEY"],
    ["a path that is one", { path: "not a path" }, "`path`"],
  ])("without %s and without a logger is told on the console, once", async (_, setting, named) => {
    const app = await still();
    const printed = vi.spyOn(console, "error").mockImplementation(() => {});
    onTestFinished(() => printed.mockRestore());
    const { logger: _logger, ...config } = app.config;
    const { billing } = createBilling({ ...config, ...setting });
    for (let n = 0; n < 3; n++) {
      const payload = JSON.stringify(event());
      const header = await app.stripe.webhooks.generateTestHeaderStringAsync({
        payload,
        secret: app.secret,
      });
      const answer = await billing.fetch(
        new Request("https://app.example/stripe/webhook", {
          method: "POST",
          headers: { "Stripe-Signature": header },
          body: payload,
        }),
      );
      expect(answer.status).toBe(500);
      expect(await answer.text()).toContain(named);
    }
    expect(printed).toHaveBeenCalledTimes(1);
    expect(printed.mock.calls[0]?.[0]).toContain(named);
  });
});

describe("what is not for us", () => {
  it.each([
    ["no JSON", "hello"],
    ["a list", "[]"],
    ["no event", '{"id":"cus_1","object":"customer"}'],
    ["an event without an object", JSON.stringify(event({ data: {} }))],
    ["a thin event without a time", '{"id":"evt_1","object":"v2.core.event","type":"v1.x"}'],
    ["an event without a time", JSON.stringify(event({ created: "now" }))],
  ])("a body that is %s is refused with 400", async (_, body) => {
    const app = await still();
    const answer = await post(app, body);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: "invalid_argument" } } });
  });

  it("an empty body is refused with 400", async () => {
    const app = await still();
    expect((await post(app, "")).status).toBe(400);
  });

  it.each(["GET", "PUT", "DELETE", "PATCH"])("%s is refused with 405", async (method) => {
    const app = await still();
    const { status, headers } = await post(app, "{}", { method });
    expect([status, headers.get("allow")]).toEqual([405, "POST"]);
  });

  it("an event of a type that nothing depends on is answered with 200 and leaves nothing", async () => {
    const app = await still();
    const answer = await send(app, { type: "balance.available" });
    expect(answer).toMatchObject({ status: 200, body: { received: "ignored" } });
    expect(await send(app, { type: "of.the.future" })).toMatchObject({ status: 200 });
    expect(await receipts(app)).toEqual([]);
  });

  it("an event of the other mode is refused, and nothing is stored", async () => {
    const app = await still();
    const { status, body } = await send(app, { livemode: true });
    expect([status, body.error?.code]).toEqual([400, "livemode_mismatch"]);
    expect(await receipts(app)).toEqual([]);
  });

  it("an event of a connected account is answered with 200 and ignored, in either mode", async () => {
    const app = await still();
    const { secret } = await app.stripe.webhookEndpoints.create({
      url: `${app.url}/stripe/webhook`,
      enabled_events: ["*"],
      connect: true,
    });
    app.double.answer(
      app.url,
      createBilling({ ...app.config, webhook_secret: [app.secret, secret ?? ""] }).billing.fetch,
    );
    const stripeAccount = app.double.connectAccount();
    await app.stripe.customers.create({ metadata: { entityId: "user_1" } }, { stripeAccount });
    app.double.faults.add({ fault: "thin" });
    await app.stripe.customers.create({ metadata: { entityId: "user_1" } }, { stripeAccount });
    await app.double.settle();
    expect(attempts(app)).toEqual([[200], [200]]);
    expect(await receipts(app)).toEqual([]);
    expect(await app.claim("user_1")).toBeUndefined();
    // A live endpoint for Connect is sent the test events of its accounts as well.
    const other = await send(app, { account: stripeAccount, livemode: true });
    expect(other).toMatchObject({ status: 200, body: { received: "ignored" } });
  });
});
