import { expect, it } from "vitest";
import { client, errorOf, idsOf, openShop, payer, receiver, rig } from "./kit.js";

it("live and test data of one account are apart", async () => {
  const { double, stripe } = await rig();
  const live = client(double, double.liveSecretKey);
  expect(double.secretKey).toMatch(/^sk_test_/);
  expect(double.liveSecretKey).toMatch(/^sk_live_/);
  const test = await stripe.customers.create({ name: "test" });
  const real = await live.customers.create({ name: "real" });
  expect([test.livemode, real.livemode]).toEqual([false, true]);
  expect(idsOf(await stripe.customers.list())).toEqual([test.id]);
  expect(idsOf(await live.customers.list())).toEqual([real.id]);
  // Source: Dolibarr's stripe.class.php quotes the message.
  for (const [key, id, hint] of [
    [live, test.id, "exists in test mode, but a live mode key"],
    [stripe, real.id, "exists in live mode, but a test mode key"],
  ] as const) {
    const error = await errorOf(key.customers.retrieve(id));
    expect([error.statusCode, error.code]).toEqual([404, "resource_missing"]);
    expect(error.message).toContain(`No such customer: '${id}'; a similar object ${hint}`);
  }
  expect((await live.events.list()).data.map(({ livemode }) => livemode)).toEqual([true]);
  expect((await live.accounts.retrieveCurrent()).id).toBe(double.account);
});

it("webhooks of one mode tell nothing of the other", async () => {
  const { double, stripe } = await rig();
  const live = { double, stripe: client(double, double.liveSecretKey) };
  const testHook = await receiver({ double, stripe }, {}, "https://test.example");
  const liveHook = await receiver(live, {}, "https://live.example");
  await stripe.customers.create();
  await live.stripe.products.create({ name: "Engine" });
  await double.settle();
  expect(testHook.types()).toEqual(["customer.created"]);
  expect(liveHook.types()).toEqual(["product.created"]);
});

it("a connected account is reached with its id, and has data of its own", async () => {
  const { double, stripe } = await rig();
  const account = double.connectAccount();
  const options = { stripeAccount: account };
  const { monthly } = await openShop(stripe);
  const theirs = await stripe.customers.create({ name: "theirs" }, options);
  await payer(stripe);
  expect(idsOf(await stripe.customers.list({}, options))).toEqual([theirs.id]);
  expect(idsOf(await stripe.customers.list())).not.toContain(theirs.id);
  expect((await stripe.prices.list({}, options)).data).toEqual([]);
  expect((await errorOf(stripe.prices.retrieve(monthly.id, {}, options))).statusCode).toBe(404);
  expect((await stripe.accounts.retrieveCurrent({}, options)).id).toBe(account);
  const [event] = (await stripe.events.list({}, options)).data;
  expect(event).toMatchObject({ type: "customer.created", data: { object: { id: theirs.id } } });
});

it("an account that is not connected is out of reach", async () => {
  const { stripe } = await rig();
  const call = stripe.customers.list({}, { stripeAccount: "acct_stranger" });
  expect(await errorOf(call)).toMatchObject({
    statusCode: 403,
    code: "account_invalid",
    type: "StripePermissionError",
  });
});

it("a connected account may have webhooks of its own", async () => {
  const { double, stripe } = await rig();
  const account = double.connectAccount();
  const theirs = client(double, double.secretKey, { stripeAccount: account });
  const hook = await receiver({ double, stripe: theirs });
  await theirs.customers.create();
  await stripe.customers.create();
  await double.settle();
  expect(hook.types()).toEqual(["customer.created"]);
  expect(hook.received[0]?.event).not.toHaveProperty("account");
});
