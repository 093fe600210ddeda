/** Every fault, by its name. */
import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import type { FaultName } from "../src/index.js";
import { ask, client, errorOf, NOW, rig as open, type Rig, receiver, START } from "./kit.js";

/** The SDK tries once more after a closed connection, whatever `maxNetworkRetries` says. */
const CUTS = 2;
const CREATE = "POST /v1/customers";
const key = { idempotencyKey: "k" };

/** A rig with a receiver of all events. */
async function hooked(options = {}): Promise<Rig & { hook: Awaited<ReturnType<typeof receiver>> }> {
  const it = await open(options);
  return { ...it, hook: await receiver(it) };
}

const names = (hook: { received: { event: Stripe.Event }[] }) =>
  hook.received.map(({ event }) => (event.data.object as Stripe.Customer).name);

const FAULTS: { readonly [N in FaultName]: () => Promise<void> } = {
  async rate_limited() {
    const { double, stripe } = await open();
    double.faults.add({ fault: "rate_limited", reason: "resource-specific", times: 1 });
    const error = await errorOf(stripe.customers.create());
    expect(error).toMatchObject({ statusCode: 429, type: "StripeRateLimitError" });
    expect(error.headers?.["stripe-rate-limited-reason"]).toBe("resource-specific");
    expect(double.objects("customer")).toEqual([]);
    await stripe.customers.create();
  },

  async lock_timeout() {
    const { double, stripe } = await open();
    double.faults.add({ fault: "lock_timeout", times: 1 });
    const error = await errorOf(stripe.customers.create());
    expect(error).toMatchObject({ statusCode: 429, code: "lock_timeout" });
    expect(error.headers).not.toHaveProperty("stripe-rate-limited-reason");
  },

  async error_before() {
    const { double, stripe } = await open();
    double.faults.add({ fault: "error_before", status: 503, times: 1 });
    expect((await errorOf(stripe.customers.create({}, key))).statusCode).toBe(503);
    // It is kept: the same key is told the same.
    expect((await errorOf(stripe.customers.create({}, key))).statusCode).toBe(503);
    expect(double.objects("customer")).toEqual([]);
    double.faults.add({ fault: "error_before", kept: false, times: 1 });
    const other = { idempotencyKey: "other" };
    expect((await errorOf(stripe.customers.create({}, other))).statusCode).toBe(500);
    await stripe.customers.create({}, other);
    expect(double.objects("customer")).toHaveLength(1);
  },

  async error_after() {
    const { double, stripe } = await open();
    double.faults.add({ fault: "error_after", times: 1 });
    expect((await errorOf(stripe.customers.create({}, key))).statusCode).toBe(500);
    expect(double.objects("customer")).toHaveLength(1);
    expect((await errorOf(stripe.customers.create({}, key))).statusCode).toBe(500);
    expect(double.objects("customer")).toHaveLength(1);
    // Not kept, the same key has a second effect.
    double.faults.add({ fault: "error_after", kept: false, times: 1 });
    const other = { idempotencyKey: "other" };
    await errorOf(stripe.customers.create({}, other));
    await stripe.customers.create({}, other);
    expect(double.objects("customer")).toHaveLength(3);
  },

  async error_late() {
    const { double, stripe } = await open();
    double.faults.add({ fault: "error_late", milliseconds: 5000, times: 1 });
    expect((await errorOf(stripe.customers.create({ name: "late" }))).statusCode).toBe(500);
    expect(double.objects("customer")).toEqual([]);
    await double.clock.advance({ seconds: 5 });
    expect(double.objects("customer")).toMatchObject([{ name: "late", created: START + 5 }]);
    // A late effect that is refused harms nobody.
    double.faults.add({ fault: "error_late", milliseconds: 1000, times: 1 });
    await errorOf(stripe.customers.del("cus_never"));
    await double.clock.advance({ seconds: 1 });
  },

  async latency() {
    const { double, stripe } = await open();
    double.faults.add({ fault: "latency", milliseconds: 80, times: 1 });
    const start = performance.now();
    await stripe.customers.list();
    expect(performance.now() - start).toBeGreaterThanOrEqual(75);
    const patience = client(double, double.secretKey, { timeout: 40 });
    double.faults.add({ fault: "latency", milliseconds: 200, times: 1 });
    expect((await errorOf(patience.customers.list())).type).toBe("StripeConnectionError");
  },

  async cut_before() {
    const { double, stripe } = await open();
    double.faults.add({ fault: "cut_before", times: CUTS });
    expect((await errorOf(stripe.customers.create({}, key))).type).toBe("StripeConnectionError");
    expect(double.objects("customer")).toEqual([]);
    await stripe.customers.create({}, key); // the key is free: nothing was run
    expect(double.objects("customer")).toHaveLength(1);
  },

  async cut_after() {
    const { double, stripe } = await open();
    double.faults.add({ fault: "cut_after", times: 1 });
    // The SDK's own retry finds the answer that was lost.
    const { id, lastResponse } = await stripe.customers.create({}, key);
    expect(lastResponse.headers["idempotent-replayed"]).toBe("true");
    expect(double.objects("customer").map((made) => made.id)).toEqual([id]);
    // A replay can be lost as well.
    double.faults.add({ fault: "cut_after", times: CUTS });
    const lost = await errorOf(stripe.customers.create({}, key));
    expect(lost.type).toBe("StripeConnectionError");
    expect(double.objects("customer")).toHaveLength(1);
    // Without a key, a caller who tries again has two effects.
    double.faults.add({ fault: "cut_after", times: 1 });
    const create = () => ask(double, "/v1/customers", { method: "POST", body: "name=Ada" });
    await expect(create()).rejects.toThrow();
    await create();
    expect(double.objects("customer")).toHaveLength(3);
  },

  async half_answer() {
    const { double, stripe } = await open();
    double.faults.add({ fault: "half_answer", times: 1 });
    const raw = fetch(`${double.url}/v1/customers`, {
      headers: { Authorization: `Bearer ${double.secretKey}` },
    });
    expect((await raw).status).toBe(200);
    await expect((await raw).text()).rejects.toThrow();
    double.faults.add({ fault: "half_answer", times: 1 });
    const patient = client(double, double.secretKey, { timeout: 300 });
    await expect(patient.customers.create({}, key)).rejects.toThrow();
    const [made] = double.objects("customer");
    expect((await stripe.customers.create({}, key)).id).toBe(made?.id);
  },

  async list_lag() {
    const { double, stripe } = await open();
    const { id } = await stripe.customers.create({ name: "old" });
    await double.clock.advance({ seconds: 60 });
    await stripe.customers.update(id, { name: "new" });
    await stripe.customers.create({ name: "later" });
    await double.clock.advance({ seconds: 5 });
    const remove = double.faults.add({ fault: "list_lag", milliseconds: 10_000 });
    const listed = async () => (await stripe.customers.list()).data.map(({ name }) => name);
    expect(await listed()).toEqual(["old"]);
    expect((await stripe.customers.retrieve(id)).lastResponse.statusCode).toBe(200);
    await double.clock.advance({ seconds: 5 });
    expect(await listed()).toEqual(["later", "new"]);
    await stripe.customers.del(id);
    expect(await listed()).toEqual(["later", "new"]);
    remove();
    expect(await listed()).toEqual(["later"]);
    // An object that changed often is still known as it was.
    double.faults.add({ fault: "list_lag", milliseconds: 3_000_000 });
    const [{ id: busy } = { id: "" }] = double.objects("customer");
    for (let i = 0; i < 5; i++) {
      await double.clock.advance({ minutes: 11 });
      await stripe.customers.update(busy, { name: `name ${i}` });
    }
    expect(await listed()).toEqual(["later"]);
    const hour = { fault: "list_lag", milliseconds: 3_600_001 } as const;
    expect(() => double.faults.add(hour)).toThrow(RangeError);
  },

  async skewed_date() {
    const { double, stripe } = await open();
    double.faults.add({ fault: "skewed_date", milliseconds: 60_000 });
    const offsets: number[] = [];
    for (let i = 0; i < 20; i++) {
      const { lastResponse } = await stripe.customers.list();
      offsets.push(Date.parse(lastResponse.headers.date ?? "") - Date.parse(NOW));
    }
    expect(Math.max(...offsets.map(Math.abs))).toBeLessThanOrEqual(61_000);
    expect(Math.min(...offsets)).toBeLessThan(0);
    expect(Math.max(...offsets)).toBeGreaterThan(0);
  },

  async lost() {
    const { double, stripe, hook } = await hooked();
    double.faults.add({ fault: "lost", times: 1 });
    await stripe.customers.create({ name: "lost" });
    await stripe.customers.create({ name: "kept" });
    await double.clock.advance({ days: 4 });
    expect(names(hook)).toEqual(["kept"]);
    expect(double.deliveries.all()[0]?.state).toBe("lost");
    // The list of events still has it, and says that it was not delivered.
    const missed = await stripe.events.list({ delivery_success: false });
    expect(missed.data.map(({ data }) => (data.object as Stripe.Customer).name)).toEqual(["lost"]);
  },

  async doubled() {
    const { double, stripe, hook } = await hooked();
    double.faults.add({ fault: "doubled", times: 1 });
    await stripe.customers.create();
    await double.settle();
    expect(hook.received).toHaveLength(2);
    expect(hook.received[0]?.event.id).toBe(hook.received[1]?.event.id);
  },

  async late() {
    const { double, stripe, hook } = await hooked();
    double.faults.add({ fault: "late", milliseconds: 60_000, times: 1 });
    await stripe.customers.create({ name: "late" });
    await stripe.customers.create({ name: "prompt" });
    await double.settle();
    expect(names(hook)).toEqual(["prompt"]);
    await double.clock.advance({ seconds: 60 });
    expect(names(hook)).toEqual(["prompt", "late"]);
  },

  async shuffled() {
    const { double, stripe, hook } = await hooked();
    double.faults.add({ fault: "shuffled", within: 5 });
    const made: string[] = [];
    for (let i = 0; i < 30; i++) {
      made.push(`c${i}`);
      await stripe.customers.create({ name: `c${i}` });
    }
    await double.clock.advance({ seconds: 2 });
    const got = names(hook).map(String);
    expect(got).not.toEqual(made);
    expect([...got].sort()).toEqual([...made].sort());
    // Nobody is overtaken by more than five.
    const overtaken = made.map((name, i) => {
      const before = got.slice(0, got.indexOf(name));
      return before.filter((other) => made.indexOf(other) > i).length;
    });
    expect(Math.max(...overtaken)).toBeLessThanOrEqual(5);
    expect(Math.max(...overtaken)).toBeGreaterThan(0);
  },

  async old_version() {
    const { double, stripe, hook } = await hooked();
    double.faults.add({ fault: "old_version", version: "2024-06-20", times: 1 });
    await stripe.coupons.create({ id: "TEN", percent_off: 10 });
    double.faults.add({
      fault: "old_version",
      version: "2024-06-20",
      on: "promotion_code.created",
    });
    await stripe.promotionCodes.create({ promotion: { type: "coupon", coupon: "TEN" } });
    await double.settle();
    const [, code] = hook.received;
    expect(code?.event.api_version).toBe("2024-06-20");
    expect(code?.event.data.object).toMatchObject({ coupon: { id: "TEN" } });
    expect(code?.event.data.object).not.toHaveProperty("promotion");
  },

  async thin() {
    const { double, stripe } = await open();
    const bodies: { body: string; signature: string }[] = [];
    double.answer("https://app.example", async (request) => {
      const signature = request.headers.get("stripe-signature") ?? "";
      bodies.push({ body: await request.text(), signature });
      return new Response();
    });
    const { secret } = await stripe.webhookEndpoints.create({
      url: "https://app.example",
      enabled_events: ["*"],
    });
    double.faults.add({ fault: "thin", times: 1 });
    const customer = await stripe.customers.create();
    await double.settle();
    const [{ body, signature } = { body: "", signature: "" }] = bodies;
    const [event] = (await stripe.events.list()).data;
    expect(JSON.parse(body)).toMatchObject({
      object: "v2.core.event",
      type: "v1.customer.created",
      livemode: false,
      created: new Date(NOW).toISOString(),
      related_object: { id: customer.id, type: "customer", url: `/v1/customers/${customer.id}` },
      reason: { type: "request", request: { id: customer.lastResponse.requestId } },
      snapshot_event: event?.id,
    });
    expect(JSON.parse(body)).not.toHaveProperty("data");
    // The SDK tells the two kinds apart.
    const asSnapshot = stripe.webhooks.constructEventAsync(body, signature, secret ?? "");
    await expect(asSnapshot).rejects.toThrow();
    const thin = await stripe.parseEventNotificationAsync(body, signature, secret ?? "");
    expect(thin.type).toBe("v1.customer.created");
    const related = "fetchRelatedObject" in thin ? await thin.fetchRelatedObject() : undefined;
    expect(related).toMatchObject({ id: customer.id });
  },

  async skewed_created() {
    const { double, stripe } = await open();
    double.faults.add({ fault: "skewed_created" });
    for (let i = 0; i < 40; i++) {
      await stripe.customers.create({ name: `c${i}` });
      await double.clock.advance({ milliseconds: 250 });
    }
    const events = (await stripe.events.list({ limit: 100 })).data.reverse();
    // The list keeps the true order; what each event shows does not.
    expect(events.map(({ data }) => (data.object as Stripe.Customer).name)).toEqual(
      Array.from({ length: 40 }, (_, i) => `c${i}`),
    );
    const shown = events.map(({ created }) => created);
    expect(shown).not.toEqual([...shown].sort((a, b) => a - b));
    const off = events.map(({ created }, i) => created - Math.floor(START + i / 4));
    expect(Math.max(...off.map(Math.abs))).toBe(1);
    // The objects themselves are not touched.
    const customers = (await stripe.customers.list({ limit: 100 })).data.reverse();
    expect(customers.map(({ created }) => created)).toEqual(
      customers.map((_, i) => Math.floor(START + i / 4)),
    );
  },
};

describe("the fault", () => {
  for (const [name, check] of Object.entries(FAULTS)) it(name, check);
});

describe("faults", () => {
  it("strike only where they are told to", async () => {
    const { double, stripe } = await open();
    double.faults.add({ fault: "error_before", on: CREATE });
    await stripe.customers.list();
    await stripe.products.create({ name: "Engine" });
    expect((await errorOf(stripe.customers.create())).statusCode).toBe(500);
    const it = await hooked();
    it.double.faults.add({ fault: "lost", on: "product.created" });
    await it.stripe.products.create({ name: "Engine" });
    await it.stripe.customers.create();
    await it.double.settle();
    expect(it.hook.types()).toEqual(["customer.created"]);
  });

  it("strike so many times, and can be taken away", async () => {
    const { double, stripe } = await open();
    double.faults.add({ fault: "rate_limited", times: 2 });
    const status = async () => (await ask(double, "/v1/customers")).status;
    expect([await status(), await status(), await status()]).toEqual([429, 429, 200]);
    const remove = double.faults.add({ fault: "rate_limited" });
    expect(await status()).toBe(429);
    remove();
    expect(await status()).toBe(200);
    double.faults.add({ fault: "error_before" });
    double.faults.clear();
    await stripe.customers.create();
  });

  it("strike with a chance that comes from the seed", async () => {
    const run = async (seed: number) => {
      const { double } = await open({ seed });
      double.faults.add({ fault: "rate_limited", rate: 0.3 });
      const statuses: number[] = [];
      for (let i = 0; i < 60; i++) statuses.push((await ask(double, "/v1/customers")).status);
      return statuses;
    };
    const first = await run(1);
    expect(await run(1)).toEqual(first);
    expect(await run(2)).not.toEqual(first);
    const struck = first.filter((status) => status === 429).length;
    expect(struck).toBeGreaterThan(6);
    expect(struck).toBeLessThan(36);
  });
});
