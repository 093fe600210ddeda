import { expect, it } from "vitest";
import { ask, client, errorOf, rig } from "./kit.js";

const key = "order-7";

it("the same key and parameters have one effect, and the first answer is replayed", async () => {
  const { double, stripe } = await rig();
  const first = await stripe.customers.create({ name: "Ada" }, { idempotencyKey: key });
  const again = await stripe.customers.create({ name: "Ada" }, { idempotencyKey: key });
  expect(again.id).toBe(first.id);
  expect((await stripe.customers.list()).data).toHaveLength(1);
  expect((await stripe.events.list()).data).toHaveLength(1);
  expect(first.lastResponse.headers).not.toHaveProperty("idempotent-replayed");
  expect(again.lastResponse.headers["idempotent-replayed"]).toBe("true");
  expect(again.lastResponse.headers["original-request"]).toBe(first.lastResponse.requestId);
  expect(again.lastResponse.requestId).not.toBe(first.lastResponse.requestId);
  expect(double.requests.count("POST /v1/customers")).toBe(2);
});

it("the replay shows the object as it was then", async () => {
  const { stripe } = await rig();
  const { id } = await stripe.customers.create({ name: "Ada" }, { idempotencyKey: key });
  await stripe.customers.update(id, { name: "Grace" });
  const again = await stripe.customers.create({ name: "Ada" }, { idempotencyKey: key });
  expect(again.name).toBe("Ada");
  await stripe.customers.del(id);
  expect((await stripe.customers.create({ name: "Ada" }, { idempotencyKey: key })).id).toBe(id);
});

it("the same key with other parameters, or for another path, is refused", async () => {
  const { stripe } = await rig();
  const a = await stripe.customers.create({ name: "Ada" }, { idempotencyKey: key });
  const other = stripe.customers.create({ name: "Grace" }, { idempotencyKey: key });
  const error = await errorOf(other);
  expect(error).toMatchObject({ statusCode: 400, type: "StripeIdempotencyError" });
  expect(error.rawType).toBe("idempotency_error");
  const elsewhere = stripe.customers.update(a.id, { name: "Ada" }, { idempotencyKey: key });
  expect((await errorOf(elsewhere)).rawType).toBe("idempotency_error");
  expect((await stripe.customers.list()).data).toHaveLength(1);
});

it("the order of the parameters does not make a request another one", async () => {
  const { double } = await rig();
  const create = (body: string) =>
    ask(double, "/v1/customers", {
      method: "POST",
      body,
      headers: {
        "Idempotency-Key": key,
        "Content-Type": "application/x-www-form-urlencoded",
      },
    });
  const first = await create("name=Ada&metadata[a]=1&metadata[b]=2");
  const again = await create("metadata[b]=2&metadata[a]=1&name=Ada");
  expect(again.status).toBe(200);
  expect(again.body.id).toBe(first.body.id);
});

it("a key in use answers 409, which the SDK retries", async () => {
  const { double, stripe } = await rig();
  double.faults.add({ fault: "latency", milliseconds: 2_000, times: 1 });
  const create = () => stripe.customers.create({ name: "Ada" }, { idempotencyKey: key });
  const calls = [create(), create()];
  const clash = await errorOf(Promise.race(calls)); // the one that came second
  expect(clash).toMatchObject({ statusCode: 409, code: "idempotency_key_in_use" });
  expect(clash.type).toBe("StripeAPIError");
  const retrying = client(double, double.secretKey, { maxNetworkRetries: 10 });
  const patient = retrying.customers.create({ name: "Ada" }, { idempotencyKey: key });
  expect((await patient).id).toBe((await Promise.any(calls)).id);
  expect(double.objects("customer")).toHaveLength(1);
});

it("a stored 500 is replayed, and the request is not run again", async () => {
  const { double, stripe } = await rig();
  double.faults.add({ fault: "error_before", times: 1 });
  const create = () => stripe.customers.create({ name: "Ada" }, { idempotencyKey: key });
  const first = await errorOf(create());
  const again = await errorOf(create());
  expect([first.statusCode, again.statusCode]).toEqual([500, 500]);
  expect(again.headers?.["idempotent-replayed"]).toBe("true");
  expect(double.objects("customer")).toEqual([]);
});

it("a key lives for 24 hours of the double's clock", async () => {
  const { double, stripe } = await rig();
  const create = () => stripe.customers.create({ name: "Ada" }, { idempotencyKey: key });
  const first = await create();
  await double.clock.advance({ hours: 23, minutes: 59, seconds: 59 });
  expect((await create()).id).toBe(first.id);
  await double.clock.advance({ seconds: 1 });
  const second = await create();
  expect(second.id).not.toBe(first.id);
  expect(second.lastResponse.headers).not.toHaveProperty("idempotent-replayed");
});

it("validation errors, 401 and 429 are not stored", async () => {
  const { double, stripe } = await rig();
  const create = (email: string, of = stripe) =>
    of.customers.create({ email }, { idempotencyKey: key });
  expect((await errorOf(create("not an address"))).statusCode).toBe(400);
  expect((await errorOf(create("a@example.com", client(double, "sk_test_wrong")))).statusCode).toBe(
    401,
  );
  double.faults.add({ fault: "rate_limited", times: 1 });
  expect((await errorOf(create("a@example.com"))).statusCode).toBe(429);
  double.faults.add({ fault: "lock_timeout", times: 1 });
  expect((await errorOf(create("a@example.com"))).statusCode).toBe(429);
  const made = await create("a@example.com");
  expect(made.lastResponse.headers).not.toHaveProperty("idempotent-replayed");
});

it("a refusal after the request was understood is stored", async () => {
  const { stripe } = await rig();
  const params = { customer: "cus_late", amount: 100, currency: "usd" };
  const create = () => stripe.invoiceItems.create(params, { idempotencyKey: key });
  await errorOf(create());
  expect((await errorOf(create())).headers?.["idempotent-replayed"]).toBe("true");
});

it("keys belong to an account and a mode, and have up to 255 characters", async () => {
  const { double, stripe } = await rig();
  const live = client(double, double.liveSecretKey);
  const connected = { idempotencyKey: key, stripeAccount: double.connectAccount() };
  const ids = [
    (await stripe.customers.create({}, { idempotencyKey: key })).id,
    (await live.customers.create({}, { idempotencyKey: key })).id,
    (await stripe.customers.create({}, connected)).id,
  ];
  expect(new Set(ids).size).toBe(3);
  await stripe.customers.create({}, { idempotencyKey: "k".repeat(255) });
  const long = stripe.customers.create({}, { idempotencyKey: "k".repeat(256) });
  expect((await errorOf(long)).rawType).toBe("idempotency_error");
});

it("every write of the SDK carries a key of its own, and each event names it", async () => {
  const { stripe } = await rig();
  await stripe.customers.create();
  await stripe.customers.create();
  const keys = (await stripe.events.list()).data.map(({ request }) => request?.idempotency_key);
  expect(keys.every((name) => typeof name === "string" && name.length > 20)).toBe(true);
  expect(new Set(keys).size).toBe(2);
});
