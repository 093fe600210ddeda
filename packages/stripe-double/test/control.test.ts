// The control API over real HTTP: what a test in another language does to the double.
import { readFileSync } from "node:fs";
import { get } from "node:http";
import Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { LATEST_VERSION } from "../src/api/versions.js";
import { type Json, openShop, payer, receiver, rig } from "./kit.js";

const CHALLENGED = "4000002500003155";

/** A double, with a way to ask its control API and nothing else. */
async function controlled(options: Parameters<typeof rig>[0] = {}) {
  const made = await rig(options);
  const ask = async (signature: string, body?: unknown, headers: Record<string, string> = {}) => {
    const [method = "", path = ""] = signature.split(" ");
    const answer = await fetch(`${made.double.url}/_double${path}`, {
      method,
      headers,
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Json };
  };
  return { ...made, ask };
}

async function session(stripe: Stripe, email?: string): Promise<Stripe.Checkout.Session> {
  const { monthly } = await openShop(stripe);
  return stripe.checkout.sessions.create({
    mode: "subscription",
    line_items: [{ price: monthly.id, quantity: 1 }],
    success_url: "https://app.example/back?session={CHECKOUT_SESSION_ID}",
    ...(email === undefined ? {} : { customer_email: email }),
  });
}

describe("the control API", () => {
  it("says that it is healthy, and how to reach it", async () => {
    const { double, ask } = await controlled({ webhook: "http://127.0.0.1:9/hook" });
    expect(await ask("GET /health")).toEqual({
      status: 200,
      body: {
        status: "ok",
        url: double.url,
        account: double.account,
        secret_key: double.secretKey,
        live_secret_key: double.liveSecretKey,
        api_version: LATEST_VERSION,
        seed: 5,
        webhook: {
          id: expect.stringMatching(/^we_/),
          url: "http://127.0.0.1:9/hook",
          secret: expect.stringMatching(/^whsec_/),
        },
        now: "2026-01-15T10:00:00.000Z",
        milliseconds: Date.parse("2026-01-15T10:00:00Z"),
      },
    });
  });

  it("knows the newest API version as the newest stripe package pins it", () => {
    expect(LATEST_VERSION).toBe(Stripe.API_VERSION);
  });

  it("lists its routes as the documentation does, every one with what it is for", async () => {
    const { ask } = await controlled();
    const { body } = await ask("GET ");
    const routes = body.routes as { method: string; path: string; about: string }[];
    const docs = readFileSync(new URL("../../../docs/stripe-double.md", import.meta.url), "utf8");
    const table = [...docs.matchAll(/^\| `((?:GET|POST|DELETE) \/_double\/[^`]+)` \|/gm)];
    expect(table.map(([, route]) => route)).toEqual(
      routes.map(({ method, path }) => `${method} ${path}`),
    );
    expect(routes.every(({ about }) => about.length > 10)).toBe(true);
  });

  it("moves the clock, and answers once what fell due has happened", async () => {
    const { stripe, double, ask } = await controlled();
    const { monthly } = await openShop(stripe);
    const { id } = await payer(stripe);
    await stripe.subscriptions.create({ customer: id, items: [{ price: monthly.id }] });
    const moved = await ask("POST /clock", { advance: { days: 31, hours: 2 } });
    expect(moved.body).toMatchObject({ now: "2026-02-15T12:00:00.000Z" });
    expect(double.objects("invoice").map(({ status }) => status)).toEqual(["paid", "paid"]);
    await ask("POST /clock", { to: "2026-02-16T00:00:00Z" });
    expect((await ask("GET /clock")).body).toMatchObject({ now: "2026-02-16T00:00:00.000Z" });
  });

  it("pays a checkout, by its address or its id", async () => {
    const { stripe, ask } = await controlled();
    const { id, url } = await session(stripe, "ada@example.com");
    const declined = await ask("POST /pay", { session: id, card: "4000000000000002" });
    expect(declined.body).toMatchObject({ outcome: "declined", status: "open" });
    expect(await ask("POST /pay", { session: url })).toEqual({
      status: 200,
      body: {
        outcome: "paid",
        session: id,
        status: "complete",
        return_url: `https://app.example/back?session=${id}`,
      },
    });
    const again = await ask("POST /pay", { session: id });
    expect(again.status).toBe(409);
    expect(again.body).toMatchObject({
      error: { message: expect.stringContaining("is complete") },
    });
  });

  it("says why a checkout cannot be paid", async () => {
    const { stripe, ask } = await controlled();
    const { id } = await session(stripe);
    const { status, body } = await ask("POST /pay", { session: id });
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { message: expect.stringContaining("email") } });
    expect((await ask("POST /pay", { session: "cs_test_none" })).status).toBe(404);
    expect((await ask("POST /pay", { session: id, email: "ada@example.com" })).status).toBe(200);
  });

  it.each([
    ["succeed", "complete"],
    ["fail", "open"],
  ])("answers the bank's question about a checkout: %s", async (outcome, status) => {
    const { stripe, ask } = await controlled();
    const { id } = await session(stripe, "ada@example.com");
    const paid = await ask("POST /pay", { session: id, card: CHALLENGED });
    expect(paid.body).toMatchObject({ outcome: "requires_action" });
    const answered = await ask("POST /authenticate", { payment: id, outcome });
    expect(answered.body).toMatchObject({ session: id, status });
  });

  it("answers the bank's question about a payment intent", async () => {
    const { stripe, ask } = await controlled();
    const intent = await stripe.paymentIntents.create({
      amount: 500,
      currency: "usd",
      payment_method: "pm_card_authenticationRequired",
      confirm: true,
      automatic_payment_methods: { enabled: true, allow_redirects: "never" },
    });
    expect(intent.status).toBe("requires_action");
    expect((await ask("POST /authenticate", { payment: intent.id })).body).toEqual({
      payment_intent: intent.id,
      status: "succeeded",
    });
    const again = await ask("POST /authenticate", { payment: intent.id });
    expect(again.body).toMatchObject({
      error: { message: expect.stringContaining("waits for no") },
    });
  });

  it("adds faults, lists those that can still strike, and takes them away", async () => {
    const { stripe, ask } = await controlled();
    const fault = { fault: "error_before", on: "POST /v1/customers", times: 1, kept: false };
    expect((await ask("POST /faults", fault)).body).toEqual({ id: "fault_1", fault, left: 1 });
    await expect(stripe.customers.create({})).rejects.toThrow("fault that the double was told");
    await stripe.customers.create({});
    expect((await ask("GET /faults")).body).toEqual({ faults: [] });
    const { body } = await ask("POST /faults", { fault: "lock_timeout" });
    expect(await ask(`DELETE /faults/${body.id}`)).toMatchObject({ status: 200 });
    expect(await ask(`DELETE /faults/${body.id}`)).toMatchObject({ status: 404 });
    await ask("POST /faults", { fault: "lock_timeout" });
    await ask("DELETE /faults");
    await stripe.customers.create({});
  });

  it("shows deliveries and their attempts, and sends an event again", async () => {
    const made = await controlled();
    const { stripe, ask } = made;
    const hook = await receiver(made, { enabled_events: ["customer.created"] });
    hook.answer(500);
    const { id } = await stripe.customers.create({});
    await ask("POST /settle");
    const { body } = await ask("GET /deliveries?state=waiting");
    expect(body.deliveries).toMatchObject([
      { type: "customer.created", endpoint: hook.endpoint.id, attempts: [{ status: 500 }] },
    ]);
    expect((await ask("GET /deliveries?type=customer.deleted")).body).toEqual({ deliveries: [] });
    hook.answer(200);
    const [{ event }] = body.deliveries as [{ event: string }];
    await ask("POST /deliveries/resend", { event });
    await ask("POST /settle");
    expect((await ask("GET /deliveries?state=delivered")).body.deliveries).toHaveLength(1);
    expect(hook.received.at(-1)?.event.data.object).toMatchObject({ id });
  });

  it("releases held deliveries in the order asked for", async () => {
    const made = await controlled({ delivery: "held" });
    const { stripe, ask } = made;
    const hook = await receiver(made);
    for (const name of ["a", "b", "c"]) await stripe.customers.create({ name });
    const { body } = await ask("GET /deliveries");
    const [first, , third] = (body.deliveries as { id: string }[]).map(({ id }) => id);
    await ask("POST /deliveries/release", { ids: [third, first] });
    await ask("POST /deliveries/release");
    const names = hook.received.map(({ event }) => (event.data.object as Stripe.Customer).name);
    expect(names).toEqual(["c", "a", "b"]);
  });

  it("begins anew, with the same keys, ids and webhook endpoint", async () => {
    const { double, stripe, ask } = await controlled({ webhook: "http://127.0.0.1:9/hook" });
    const { webhook, secretKey } = double;
    const customer = await stripe.customers.create({});
    await ask("POST /clock", { advance: { days: 1 } });
    await ask("POST /faults", { fault: "lock_timeout" });
    const { body } = await ask("POST /reset");
    expect(body).toMatchObject({ secret_key: secretKey, webhook, now: "2026-01-15T10:00:00.000Z" });
    expect((await stripe.customers.list()).data).toEqual([]);
    expect((await stripe.webhookEndpoints.list()).data).toHaveLength(1);
    expect((await stripe.customers.create({})).id).toBe(customer.id);
    const other = await ask("POST /reset", { seed: "another", now: "2027-01-01T00:00:00Z" });
    expect(other.body).toMatchObject({ now: "2027-01-01T00:00:00.000Z" });
    expect(other.body.secret_key).not.toBe(secretKey);
    await expect(stripe.customers.list()).rejects.toThrow("Invalid API Key");
  });

  it.each([
    ["POST /clock", "{", "The body is not JSON"],
    ["POST /clock", "[]", "not a JSON object"],
    ["POST /clock", {}, 'Send either {"advance"'],
    ["POST /clock", { advance: { weeks: 1 } }, "It takes days, hours"],
    ["POST /clock", { advance: { days: "1" } }, "'days' must be a number"],
    ["POST /clock", { to: "2020-01-01T00:00:00Z" }, "cannot be moved back"],
    ["POST /clock", { to: "soon" }, "Not a moment"],
    ["POST /pay", {}, "'session' must be a text"],
    ["POST /pay", { session: "https://app.example/" }, "not the address of a checkout page"],
    ["POST /authenticate", { payment: "pi_1", outcome: "maybe" }, "succeed or fail"],
    ["POST /faults", { fault: "flood" }, "rate_limited, lock_timeout"],
    ["POST /faults", { fault: "latency" }, "'milliseconds' must be a number"],
    ["POST /faults", { fault: "lost", milliseconds: 1 }, "no field 'milliseconds'"],
    ["POST /deliveries/resend", { event: "evt_none" }, "No event evt_none"],
    ["POST /reset", { port: 1 }, "It takes seed, now"],
  ])("says what is wrong with %s %j", async (signature, body, message) => {
    const { ask } = await controlled();
    expect(await ask(signature, body)).toEqual({
      status: 400,
      body: { error: { message: expect.stringContaining(message) } },
    });
  });

  it("says which paths and methods there are", async () => {
    const { ask } = await controlled();
    expect(await ask("GET /nothing")).toMatchObject({
      status: 404,
      body: { error: { message: expect.stringContaining("GET /_double lists") } },
    });
    expect(await ask("DELETE /clock")).toMatchObject({
      status: 405,
      body: { error: { message: expect.stringContaining("GET or POST") } },
    });
  });

  it("takes nothing from a page of another site, nor under another name", async () => {
    const { double, ask } = await controlled();
    expect((await ask("POST /reset", {}, { origin: "https://evil.example" })).status).toBe(403);
    expect((await ask("POST /reset", {}, { origin: "null" })).status).toBe(403);
    expect((await ask("POST /reset", {}, { origin: "http://localhost:3000" })).status).toBe(200);
    const named = new Promise<number | undefined>((resolve, reject) => {
      get(`${double.url}/_double/health`, { headers: { host: "evil.example" } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      }).on("error", reject);
    });
    expect(await named).toBe(403);
  });
});
