import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Stripe from "stripe";
import { afterEach, describe, expect, it } from "vitest";
import { client, DAY, errorOf, openShop, payer, type Rig, receiver, rig, START } from "./kit.js";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A real server on loopback that answers each path with the status it names. */
async function listen(): Promise<{ url: string; bodies: string[] }> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const status = Number(request.url?.slice(1));
    request.setEncoding("utf8");
    let body = "";
    request.on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => {
      bodies.push(body);
      response.writeHead(status, status === 302 ? { Location: "/200" } : {});
      response.end();
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
}

describe("delivery", () => {
  it("is signed so that the SDK verifies it, and the body is the event", async () => {
    const it = await rig();
    const { received, secret } = await receiver(it);
    const customer = await it.stripe.customers.create({ name: "Ada" });
    await it.double.settle();
    expect(received).toHaveLength(1);
    const [{ event, body, signature } = received[0] as never] = received;
    expect(event).toMatchObject({
      object: "event",
      type: "customer.created",
      created: START,
      livemode: false,
      api_version: Stripe.API_VERSION,
      pending_webhooks: 1,
      data: { object: { id: customer.id, name: "Ada" } },
    });
    expect(event.request?.id).toBe(customer.lastResponse.requestId);
    expect(signature).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
    const forged = it.stripe.webhooks.constructEventAsync(`${body} `, signature, secret);
    await expect(forged).rejects.toThrow(Stripe.errors.StripeSignatureVerificationError);
    const other = it.stripe.webhooks.constructEventAsync(body, signature, "whsec_other");
    await expect(other).rejects.toThrow(Stripe.errors.StripeSignatureVerificationError);
  });

  it("is a real request to loopback", async () => {
    const { double, stripe } = await rig();
    const { url, bodies } = await listen();
    await stripe.webhookEndpoints.create({ url: `${url}/200`, enabled_events: ["*"] });
    await stripe.customers.create();
    await double.settle();
    expect(bodies).toHaveLength(1);
    expect(JSON.parse(bodies[0] ?? "")).toMatchObject({ type: "customer.created" });
    expect(double.deliveries.all()).toMatchObject([
      { type: "customer.created", state: "delivered", attempts: [{ status: 200 }] },
    ]);
    const [event] = (await stripe.events.list()).data;
    expect(event?.pending_webhooks).toBe(0);
  });

  it("never leaves the machine", async () => {
    const { double, stripe } = await rig();
    await stripe.webhookEndpoints.create({
      url: "https://stripe-double.invalid/hook",
      enabled_events: ["*"],
    });
    await stripe.customers.create();
    await double.settle();
    const [delivery] = double.deliveries.all();
    expect(delivery?.attempts[0]?.error).toContain("not on loopback");
  });

  it("goes to the types that an endpoint asks for, and to several endpoints", async () => {
    const it = await rig();
    const all = await receiver(it, {}, "https://all.example");
    const some = await receiver(
      it,
      { enabled_events: ["product.created"] },
      "https://some.example",
    );
    await it.stripe.customers.create();
    await it.stripe.products.create({ name: "Engine" });
    await it.double.settle();
    expect(all.types()).toEqual(["customer.created", "product.created"]);
    expect(some.types()).toEqual(["product.created"]);
    expect(all.secret).not.toBe(some.secret);
  });

  it("stops at a disabled or deleted endpoint, and starts again at an enabled one", async () => {
    const it = await rig();
    const { received, endpoint } = await receiver(it);
    await it.stripe.webhookEndpoints.update(endpoint.id, { disabled: true });
    await it.stripe.customers.create();
    await it.double.settle();
    expect(received).toEqual([]);
    await it.stripe.webhookEndpoints.update(endpoint.id, { disabled: false });
    await it.stripe.customers.create();
    await it.double.settle();
    expect(received).toHaveLength(1);
    await it.stripe.webhookEndpoints.del(endpoint.id);
    await it.stripe.customers.create();
    await it.double.settle();
    expect(received).toHaveLength(1);
  });

  it("tells what changed only in events of a change", async () => {
    const it = await rig();
    const { received } = await receiver(it);
    const { monthly } = await openShop(it.stripe);
    const customer = await payer(it.stripe);
    await it.stripe.customers.update(customer.id, { name: "Ada", metadata: { team: "7" } });
    const items = [{ price: monthly.id }];
    const { id } = await it.stripe.subscriptions.create({ customer: customer.id, items });
    await it.stripe.subscriptions.update(id, { cancel_at_period_end: true });
    await it.double.clock.advance({ days: 40 });
    const told = received.filter(({ event }) => event.data.previous_attributes !== undefined);
    expect(new Set(told.map(({ event }) => event.type))).toEqual(
      new Set(["customer.updated", "customer.subscription.updated", "invoice.updated"]),
    );
    expect(received.some(({ event }) => event.type === "customer.subscription.deleted")).toBe(true);
    const [update] = received.filter(({ event }) => event.type === "customer.updated");
    expect(update?.event.data).toMatchObject({
      object: { name: "Ada", metadata: { team: "7" } },
      previous_attributes: { name: null, metadata: { team: null } },
    });
    expect(Object.keys(update?.event.data.previous_attributes ?? {})).toEqual(["metadata", "name"]);
  });

  it("can be repeated on request, also for an event that no endpoint had wanted", async () => {
    const it = await rig();
    await it.stripe.customers.create();
    const { received } = await receiver(it);
    const [event] = (await it.stripe.events.list()).data;
    it.double.deliveries.resend(event?.id ?? "");
    it.double.deliveries.resend(event?.id ?? "");
    await it.double.settle();
    expect(received.map(({ event: { id } }) => id)).toEqual([event?.id, event?.id]);
    expect(() => it.double.deliveries.resend("evt_never")).toThrow(RangeError);
  });

  it("gives up on an endpoint that does not answer in time", async () => {
    const { double, stripe } = await rig({ deliveryTimeout: 30 });
    double.answer("https://slow.example", () => new Promise(() => {}));
    await stripe.webhookEndpoints.create({
      url: "https://slow.example",
      enabled_events: ["*"],
    });
    await stripe.customers.create();
    await double.settle();
    const [delivery] = double.deliveries.all();
    expect(delivery).toMatchObject({ state: "waiting", attempts: [{ error: expect.any(String) }] });
  });
});

describe("retries", () => {
  const minutes = (it: Rig) =>
    it.double.deliveries.all()[0]?.attempts.map(({ at }) => (at / 1000 - START) / 60);

  it("in a sandbox come three times over a few hours, by the double's clock", async () => {
    const it = await rig();
    const hook = await receiver(it);
    hook.answer(500);
    await it.stripe.customers.create();
    await it.double.settle();
    expect(minutes(it)).toEqual([0]);
    await it.double.clock.advance({ days: 5 });
    expect(minutes(it)).toEqual([0, 10, 70, 250]);
    expect(it.double.deliveries.all()[0]?.state).toBe("failed");
    expect(hook.received.map(({ event }) => event.id)).toEqual(
      Array(4).fill(hook.received[0]?.event.id),
    );
    const [event] = (await it.stripe.events.list({ delivery_success: false })).data;
    expect(event?.pending_webhooks).toBe(1);
  });

  it("end with the first 2xx", async () => {
    const it = await rig();
    const hook = await receiver(it);
    hook.answer(503);
    await it.stripe.customers.create();
    await it.double.clock.advance({ minutes: 5 });
    hook.answer(204);
    await it.double.clock.advance({ days: 1 });
    expect(it.double.deliveries.all()[0]).toMatchObject({
      state: "delivered",
      attempts: [{ status: 503 }, { status: 204 }],
    });
    expect((await it.stripe.events.list({ delivery_success: true })).data).toHaveLength(1);
  });

  it("in live mode go on for three days, further and further apart", async () => {
    const { double } = await rig();
    const it = { double, stripe: client(double, double.liveSecretKey) };
    const hook = await receiver(it);
    hook.answer(500);
    await it.stripe.customers.create();
    await it.double.clock.advance({ days: 10 });
    const at = minutes(it) ?? [];
    expect(at.length).toBeGreaterThan(5);
    const last = (at.at(-1) ?? 0) * 60;
    expect(last).toBeGreaterThan(2 * DAY);
    expect(last).toBeLessThanOrEqual(3 * DAY);
    const gaps = at.slice(1).map((minute, i) => minute - (at[i] ?? 0));
    expect([...gaps].sort((a, b) => a - b)).toEqual(gaps);
    expect(hook.received[0]?.event.livemode).toBe(true);
  });

  it("follow a 3xx answer, which counts as a failure and is not followed", async () => {
    const { double, stripe } = await rig();
    const { url, bodies } = await listen();
    await stripe.webhookEndpoints.create({ url: `${url}/302`, enabled_events: ["*"] });
    await stripe.customers.create();
    await double.clock.advance({ minutes: 11 });
    expect(double.deliveries.all()[0]).toMatchObject({
      state: "waiting",
      attempts: [{ status: 302 }, { status: 302 }],
    });
    expect(bodies).toHaveLength(2);
  });

  it("have a new time in each signature", async () => {
    const it = await rig({ signatureClock: "double" });
    const seen: string[] = [];
    it.double.answer("https://app.example", (request) => {
      seen.push(request.headers.get("stripe-signature") ?? "");
      return new Response(null, { status: 500 });
    });
    await it.stripe.webhookEndpoints.create({
      url: "https://app.example",
      enabled_events: ["*"],
    });
    await it.stripe.customers.create();
    await it.double.clock.advance({ hours: 2 });
    const times = seen.map((header) => Number(/^t=(\d+)/.exec(header)?.[1]) - START);
    expect(times).toEqual([0, 600, 4200]);
    expect(new Set(seen.map((header) => header.split(",")[1])).size).toBe(3);
  });
});

describe("signing secrets", () => {
  it("can be rolled: for a while both sign, and the SDK takes either", async () => {
    const it = await rig();
    const bodies: { body: string; signature: string }[] = [];
    it.double.answer("https://app.example", async (request) => {
      const signature = request.headers.get("stripe-signature") ?? "";
      bodies.push({ body: await request.text(), signature });
      return new Response();
    });
    const endpoint = await it.stripe.webhookEndpoints.create({
      url: "https://app.example",
      enabled_events: ["*"],
    });
    const old = endpoint.secret ?? "";
    const fresh = it.double.dashboard.rollWebhookSecret(endpoint.id, { keepOldFor: { hours: 12 } });
    const send = async () => {
      await it.stripe.customers.create();
      await it.double.settle();
      const last = bodies.at(-1);
      const verified = (secret: string) =>
        it.stripe.webhooks
          .constructEventAsync(last?.body ?? "", last?.signature ?? "", secret)
          .then(
            () => true,
            () => false,
          );
      return {
        signatures: last?.signature.split(",").filter((part) => part.startsWith("v1=")).length,
        old: await verified(old),
        fresh: await verified(fresh),
      };
    };
    expect(await send()).toEqual({ signatures: 2, old: true, fresh: true });
    await it.double.clock.advance({ hours: 12 });
    expect(await send()).toEqual({ signatures: 1, old: false, fresh: true });
    expect(() =>
      it.double.dashboard.rollWebhookSecret(endpoint.id, { keepOldFor: { hours: 25 } }),
    ).toThrow(RangeError);
  });
});

describe("held deliveries", () => {
  it("wait until they are released, in the order that the test chooses", async () => {
    const it = await rig({ delivery: "held" });
    const { received } = await receiver(it);
    for (const name of ["a", "b", "c"]) await it.stripe.customers.create({ name });
    await it.double.settle();
    expect(received).toEqual([]);
    const [a = "", b = "", c = ""] = it.double.deliveries.held().map(({ id }) => id);
    await it.double.deliveries.release([c, a]);
    const names = () => received.map(({ event }) => (event.data.object as Stripe.Customer).name);
    expect(names()).toEqual(["c", "a"]);
    expect(it.double.deliveries.held().map(({ id }) => id)).toEqual([b]);
    await it.double.deliveries.release([b, b]); // the second time, a duplicate
    expect(names()).toEqual(["c", "a", "b", "b"]);
    expect(it.double.deliveries.held()).toEqual([]);
    await expect(it.double.deliveries.release(["none"])).rejects.toThrow(RangeError);
  });

  it("stay held when the endpoint refuses them", async () => {
    const it = await rig({ delivery: "held" });
    const hook = await receiver(it);
    hook.answer(500);
    await it.stripe.customers.create();
    const [{ id } = { id: "" }] = it.double.deliveries.held();
    await it.double.deliveries.release([id]);
    expect(it.double.deliveries.held()).toHaveLength(1);
    hook.answer(200);
    await it.double.deliveries.release([id]);
    expect(it.double.deliveries.held()).toEqual([]);
  });
});

describe("Connect", () => {
  it("endpoints get the events of connected accounts, which say whose they are", async () => {
    const it = await rig();
    const connect = await receiver(it, { connect: true }, "https://connect.example");
    const own = await receiver(it, {}, "https://own.example");
    const account = it.double.connectAccount();
    const theirs = await it.stripe.customers.create({}, { stripeAccount: account });
    await it.stripe.customers.create();
    await it.double.settle();
    expect(connect.received).toHaveLength(1);
    expect(connect.received[0]?.event).toMatchObject({
      account,
      data: { object: { id: theirs.id } },
    });
    expect(own.received).toHaveLength(1);
    expect(own.received[0]?.event).not.toHaveProperty("account");
  });
});

it("an endpoint that refuses invoice.created delays the invoice by up to 72 hours", async () => {
  const it = await rig();
  const { double, stripe } = it;
  const { monthly } = await openShop(stripe);
  const customer = await payer(stripe);
  const items = [{ price: monthly.id }];
  await stripe.subscriptions.create({ customer: customer.id, items });
  const hook = await receiver(it, { enabled_events: ["invoice.created"] });
  await double.clock.advanceTo("2026-02-15T09:59:00Z");
  hook.answer(500);
  await double.clock.advanceTo("2026-02-15T13:00:00Z");
  const status = async () => (await stripe.invoices.list({ limit: 1 })).data[0]?.status;
  expect(await status()).toBe("draft"); // it would have been paid at eleven
  hook.answer(200);
  await double.clock.advance({ hours: 3 });
  expect(await status()).toBe("paid");
});

it("two handlers are not called at once with a still clock, so that order means something", async () => {
  const it = await rig();
  let active = 0;
  let most = 0;
  it.double.answer("https://app.example", async () => {
    most = Math.max(most, ++active);
    await new Promise((resolve) => setTimeout(resolve, 5));
    active--;
    return new Response();
  });
  await it.stripe.webhookEndpoints.create({ url: "https://app.example", enabled_events: ["*"] });
  await Promise.all(Array.from({ length: 5 }, () => it.stripe.customers.create()));
  await it.double.settle();
  expect(most).toBe(1);
  const many = await rig({ deliveryConcurrency: 4 });
  active = 0;
  most = 0;
  let meet = () => {};
  const together = new Promise<void>((resolve) => {
    meet = resolve;
  });
  many.double.answer("https://app.example", async () => {
    most = Math.max(most, ++active);
    if (active === 4) meet();
    await together; // the first ones wait until there are four of them
    active--;
    return new Response();
  });
  await many.stripe.webhookEndpoints.create({ url: "https://app.example", enabled_events: ["*"] });
  await Promise.all(Array.from({ length: 8 }, () => many.stripe.customers.create()));
  await many.double.settle();
  expect(most).toBe(4);
});

it("an endpoint can be asked for only with a secret that it never tells again", async () => {
  const it = await rig();
  const { endpoint, secret } = await receiver(it);
  expect(secret).toMatch(/^whsec_/);
  expect(await it.stripe.webhookEndpoints.retrieve(endpoint.id)).not.toHaveProperty("secret");
  const version = { api_version: "2024-06-20" } as object;
  expect((await errorOf(it.stripe.webhookEndpoints.update(endpoint.id, version))).statusCode).toBe(
    400,
  );
});
