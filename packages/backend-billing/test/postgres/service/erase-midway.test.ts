// An entity leaves in the middle of something: a customer that is being made, a page that is open,
// usage that was not sent, events that no handler took.
import Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { ada, live, personal } from "../../../../../support/erase/life.js";
import { defineCatalogue, usd } from "../../../src/catalogue/index.js";
import { finishClaims, setup } from "../../../src/core/customers/setup.js";
import { erase, eraseDue } from "../../../src/core/erase/erase.js";
import { erasureFacts } from "../../../src/core/erase/report.js";
import { createRuntime } from "../../../src/core/runtime/runtime.js";
import type { Queryable, Reactions } from "../../../src/postgres/index.js";
import { outboxOn } from "../../../src/postgres/usage/outbox.js";
import { caughtUp, entityId, leftBehind, params } from "./claims-kit.js";
import { driftIn, erased, found, known, waiting } from "./erase-kit.js";
import { type App, applications, eventually, NOW } from "./kit.js";
import { send } from "./webhook-kit.js";

const open = applications();
const all = [...personal(ada), ada.entityId];

async function priceOf({ stripe }: App, product = "prod_engine"): Promise<string> {
  await stripe.products.create({ id: product, name: "Engine" });
  const recurring = { interval: "month" } as const;
  const price = { product, currency: "usd", unit_amount: 1_000, recurring };
  return (await stripe.prices.create(price)).id;
}

/** Nothing of the person is stored, and what is stored is what Stripe has. */
async function expectGone(app: App): Promise<void> {
  await known(app);
  await app.b.billing.reconcile(); // finds what Stripe sends no event of
  expect(driftIn(await app.b.billing.verify())).toEqual([]);
  expect(await found(app, all)).toEqual([]);
}

describe("an entity that is erased while its customer is being made", () => {
  it.each([
    ["and was", true],
    ["and was not", false],
  ])("%s, by a process that is gone", async (_, reached) => {
    const app = await open({ endpoint: false, stripe: { now: NOW } });
    await app.b.sync();
    await caughtUp(app);
    await leftBehind(app, reached);
    await erase(app.core, { entityId });
    await app.double.clock.advance({ seconds: 2 });
    await eraseDue(app.core);
    expect(await app.claim(entityId)).toMatchObject({ state: "open" });
    for (let minute = 0; minute < 20 && (await waiting(app)).length > 0; minute++) {
      await app.double.clock.advance({ minutes: 1 });
      await finishClaims(app.core);
      await eraseDue(app.core);
    }
    expect(app.double.objects("customer")).toEqual([]);
    expect(await found(app, [params.email, entityId])).toEqual([]);
    expect(driftIn(await app.b.billing.verify())).toEqual([]);
  });
});

it("a customer that is linked to another entity is left alone, whatever its metadata says", async () => {
  const app = await open({ stripe: { now: NOW } });
  await app.b.sync();
  const own = (await app.b.setup({ entityId })).customerId;
  const other = (await app.b.setup({ entityId: "user_2" })).customerId;
  await app.stripe.customers.update(other, { metadata: { entityId } });
  await app.double.settle({ store: app.b.store, resources: ["customers"] });
  await app.sql(`UPDATE ${app.schema}.backend_billing_records
    SET data = jsonb_set(data::jsonb, '{others}', '["${other}"]')
    WHERE kind = 'claim' AND data ->> 'customerId' = '${own}'`);
  await erase(app.core, { entityId });
  await erased(app);
  expect(app.double.objects("customer").map(({ id }) => id)).toEqual([other]);
  expect(await app.b.setup({ entityId: "user_2" })).toEqual({ customerId: other });
});

describe("a record of an erasure that another role has written", () => {
  const some = ["null", "1e21", '{"customer":"delete"}', '{"customer":"all","since":1}'];
  it.each([...some, '{"tries":"x"}'])(
    "is not carried out if it is %s, until it is asked for",
    async (data) => {
      const app = await open({ endpoint: false, stripe: { now: NOW } });
      await app.b.sync();
      const { customerId } = await app.b.setup({ entityId });
      await app.sql(`INSERT INTO ${app.schema}.backend_billing_records (kind, id, revision, due, data)
      VALUES ('erased', 'entity ${entityId}', 1, 1, '${data}')`);
      await eraseDue(app.core);
      expect(app.double.objects("customer")).toMatchObject([{ id: customerId }]);
      expect(await erasureFacts(app.b.store)).toMatchObject({ number: 1, failing: 1 });
      await erase(app.core, { entityId });
      await app.double.clock.advance({ seconds: 2 });
      await eraseDue(app.core);
      expect(app.double.objects("customer")).toEqual([]);
    },
  );
});

describe("an entity that is erased while a checkout page is open", { tags: ["slow"] }, () => {
  it.each(["delete", "keep"] as const)("of a customer to %s", async (customer) => {
    const app = await open();
    await app.b.sync();
    const [priceId, { email, secret }] = [await priceOf(app), ada];
    await app.double.settle();
    await app.b.setup({ entityId: ada.entityId, email, metadata: { secret } });
    const wanted = { entityId: ada.entityId, priceId };
    const urls = { successUrl: `${app.url}/thanks`, cancelUrl: `${app.url}/${secret}` };
    await app.b.checkout({ ...wanted, ...urls, trialDays: 3, params: { metadata: { secret } } });
    const pen = { currency: "usd", unit_amount: 5, product_data: { name: "Pen" } };
    const { id: once } = await app.stripe.prices.create(pen);
    await app.b.billing.pay({ ...wanted, ...urls, priceId: once, referenceId: secret });
    await known(app);
    expect(await found(app, all)).not.toEqual([]);
    await app.b.store.erase({ entityId: ada.entityId, customer });
    await erased(app);
    const pages = app.double.objects("checkout.session");
    expect(pages.map(({ status }) => status)).toEqual(["expired", "expired"]);
    for (const { id } of pages) app.double.dashboard.payCheckout(id, { email }); // in vain
    expect(app.double.objects("subscription")).toEqual([]);
    await expectGone(app);
  });
});

it("a page that is made before a customer to keep is let go of can be paid no more", async () => {
  const app = await open({ endpoint: false, stripe: { now: NOW } });
  await app.b.sync();
  await setup(app.core, { entityId });
  const back = { successUrl: app.url, cancelUrl: app.url };
  const args = { entityId, priceId: await priceOf(app), ...back };
  let made = 0;
  const httpClient = Stripe.createFetchHttpClient(async (url, init) => {
    const isLettingGo = init?.method === "POST" && /\/customers\/cus_\w+$/.test(`${url}`);
    if (isLettingGo && made++ === 0) await app.b.checkout(args);
    return fetch(url, init);
  });
  const config = { ...app.config, stripe_options: { ...app.double.stripeConfig, httpClient } };
  const { clock } = app.double;
  const platform = { store: app.b.store, baseUrl: () => app.url, wake: () => {}, now: clock.now };
  await erase(app.core, { entityId, customer: "keep" });
  await clock.advance({ seconds: 2 });
  await eraseDue(createRuntime(config, platform));
  expect(made).toBe(1);
  expect(app.double.objects("checkout.session")).toMatchObject([{ status: "expired" }]);
});

const credits = defineCatalogue({ features: { letters: "credits" } });

/** An entity with credits; a change of it waits to be told, and with it the end of its erasure. */
async function openTelling() {
  const config = { catalogue: credits, rate: false as const };
  const app = await open({ endpoint: false, stripe: { now: NOW }, config });
  await app.b.sync();
  const { customerId } = await setup(app.core, { entityId });
  await app.b.store.grant({ entityId, feature: "letters", amount: 5, key: "earlier" });
  await app.sql(`INSERT INTO ${app.schema}.backend_billing_records (kind, id, revision, due, data)
    VALUES ('change', 'access ${entityId}', 1, ${app.core.now() + 3_600_000},
      '{"resource":"access","id":"${entityId}","before":null,"after":null}')`);
  const outbox = outboxOn(app.pool, { schema: app.schema });
  /** A round of its erasure. */
  const round = async (forget = outbox.forget) => {
    await app.double.clock.advance({ minutes: 6 });
    await eraseDue({ ...app.core, outbox: { ...outbox, forget } });
  };
  return { app, customerId, round };
}

describe("an entity that comes back before its erasure is over", () => {
  it.each(["delete", "keep"] as const)(
    "keeps its credits, and a customer to %s what was sold meanwhile",
    async (become) => {
      const { app, customerId, round } = await openTelling();
      const { store } = app.b;
      await erase(app.core, { entityId, customer: become });
      await round();
      expect(await found(app, ["earlier"])).toEqual([]);
      // Given at once, before there is a customer.
      await store.grant({ entityId, feature: "letters", amount: 2, key: "back" });
      await round();
      expect((await setup(app.core, { entityId })).customerId).not.toBe(customerId);
      await store.grant({ entityId, feature: "letters", amount: 3, key: "bought" });
      if (become === "keep") await subscribe(app, customerId);
      await round();
      expect(await waiting(app)).toHaveLength(1);
      await app.sql(`DELETE FROM ${app.schema}.backend_billing_records WHERE kind = 'change'`);
      await round();
      expect(await waiting(app)).toEqual([]);
      const left = await store.consume({ entityId, feature: "letters", amount: 5, key: "used" });
      expect(left).toEqual({ allowed: true, balance: 0 });
      const sold = app.double.objects("subscription").map(({ status }) => status);
      expect(sold).toEqual(become === "keep" ? ["active"] : []);
      expect(app.double.objects("customer")).toHaveLength(become === "keep" ? 2 : 1);
    },
  );

  it("keeps them though what it had could not be removed in time", async () => {
    const { app, customerId, round } = await openTelling();
    await erase(app.core, { entityId, customer: "keep" });
    await round(() => Promise.reject(new Error("Not now")));
    await setup(app.core, { entityId });
    await app.b.store.grant({ entityId, feature: "letters", amount: 3, key: "bought" });
    await subscribe(app, customerId);
    await round();
    await round();
    expect(await found(app, ["bought"])).not.toEqual([]);
    expect(app.double.objects("subscription")).toMatchObject([{ status: "active" }]);
  });
});

async function subscribe(app: App, customer: string): Promise<void> {
  const { id: card } = await app.stripe.paymentMethods.attach("pm_card_visa", { customer });
  const items = [{ price: await priceOf(app) }];
  await app.stripe.subscriptions.create({ customer, default_payment_method: card, items });
}

const metered = defineCatalogue({
  app: "acme",
  features: { calls: { meter: "api_calls" } },
  plans: {
    team: {
      name: "Team",
      prices: { monthly: usd("50").monthly() },
      features: { calls: { included: 2, overage: usd("0.01") } },
    },
  },
});

/** Three units are to be sent to a meter that is never reached until `heal`. */
async function openUnsent() {
  const app = await open({ config: { catalogue: metered } });
  await app.stripe.billing.meters.create({
    display_name: "Calls",
    event_name: "api_calls",
    default_aggregation: { formula: "sum" },
  });
  const { email, secret } = ada;
  const made = { entityId: ada.entityId, email, metadata: { secret } };
  const { customerId: customer } = await app.b.setup(made);
  const card = await app.stripe.paymentMethods.attach("pm_card_visa", { customer });
  await app.stripe.subscriptions.create({
    customer,
    default_payment_method: card.id,
    items: [{ price: await priceOf(app, "acme_team") }],
  });
  await eventually(
    () => app.b.store.held(ada.entityId),
    (held) => held.length === 1,
  );
  app.double.faults.add({ fault: "error_before", status: 500, on: SEND, times: 1_000 });
  for (const key of ["a", "b", secret, email, "e"]) {
    await app.b.store.consume({ entityId: ada.entityId, feature: "calls", key });
  }
  await app.b.store.erase({ entityId: ada.entityId });
  await eventually(
    () => app.double.requests.count(SEND),
    (count) => count > 0,
  );
  return { app, customer };
}

const SEND = "POST /v1/billing/meter_events";
const REMOVE = "DELETE /v1/customers/:customer";

describe("an entity that is erased with usage that was not sent", { tags: ["slow"] }, () => {
  it("is billed for it first", async () => {
    const { app } = await openUnsent();
    expect(app.double.requests.count(REMOVE)).toBe(0);
    app.double.faults.clear();
    await erased(app);
    const asked = app.double.requests
      .recent()
      .filter(({ signature }) => signature === SEND || signature === REMOVE);
    expect(asked.slice(-2).map(({ signature, status }) => [signature, status])).toEqual([
      [SEND, 200],
      [REMOVE, 200],
    ]);
    await expectGone(app);
    expect((await app.b.billing.verify()).usage).toMatchObject({ differing: 0 });
  });

  it("is erased without it where Stripe takes none for ten minutes", async () => {
    const { app } = await openUnsent();
    await app.sql(`UPDATE ${app.schema}.backend_billing_records
      SET data = data || '{"since": 0}' WHERE kind = 'erased' AND id LIKE 'entity %'`);
    await erased(app);
    app.double.faults.clear();
    expect(app.log).toContain("Usage of an entity that is erased was not sent in time");
    await expectGone(app);
    expect(await app.b.store.records("batch", "", 10)).toEqual([]);
  });
});

const WARNED = "radar.early_fraud_warning.created";
const OPENED = "review.opened";
const DETACHED = "payment_method.detached";
const EVENTS = [WARNED, OPENED, DETACHED] as const;

/** Handlers that take Stripe's events as they come, and fail. */
const failing: Reactions<Queryable> = {
  stripe: Object.fromEntries(
    EVENTS.map((type) => [type, () => Promise.reject(new Error("Not now"))]),
  ),
};

/** Neither reviews nor warnings nor cards are mirrored: their events are the application's to take. */
const RESOURCES = ["customers", "subscriptions", "invoices", "charges", "payment_intents"] as const;

/** Events of a charge: one names the customer, the others the charge alone. And a card that is the customer's no more. */
async function sendRaw(app: App, customer: string, round: string): Promise<void> {
  const [charge = ""] = (await app.b.store.related("charges", "customerId", customer, "", 1)).ids;
  const [metadata, place] = [{ secret: ada.secret }, { city: ada.street }];
  const objects = [
    { object: "radar.early_fraud_warning", id: "issfr_1", charge, metadata },
    { object: "review", id: "prv_1", charge, ip_address_location: place, note: ada.email },
    { object: "review", id: "prv_2", charge: { id: charge }, ip_address_location: place },
    { object: "review", id: "prv_3", charge: null, customer, ip_address_location: place },
    { object: "payment_method", id: "pm_1", customer: null, billing_details: { email: ada.email } },
  ];
  const types = [WARNED, OPENED, OPENED, OPENED, DETACHED];
  for (const [index, object] of objects.entries()) {
    const type = types[index] ?? OPENED;
    const data = { object, previous_attributes: type === DETACHED ? { customer } : null };
    const answer = await send(app, { id: `evt_${round}_${index}`, type, data });
    expect(answer.status).toBe(200);
  }
}

describe("an entity that is erased with events that no handler took", { tags: ["slow"] }, () => {
  it("leaves nothing of them, whether they wait or are set aside, nor of what comes later", async () => {
    const app = await open({ config: { resources: RESOURCES, on: failing as never } });
    await app.b.sync();
    const { entityId, email, secret } = ada;
    const { customerId } = await app.b.setup({ entityId, email, metadata: { secret } });
    await live(app, customerId, await priceOf(app), ada);
    await known(app);
    await sendRaw(app, customerId, "before");
    const change = `${app.schema}.backend_billing_records SET`;
    await app.sql(
      `UPDATE ${change} due = NULL, data = data || '{"parked": true}' WHERE id LIKE 'event evt_before_1%'`,
    );
    expect((await found(app, [email])).join()).toContain("evt_before_1");
    await app.b.store.erase({ entityId });
    await eventually(
      () => found(app, personal(ada)),
      (left) => left.length === 0,
    );
    await sendRaw(app, customerId, "after");
    expect(await found(app, personal(ada))).toEqual([]);
    const left = await app.b.store.records("change", "event ", 20);
    expect(left.filter(({ id }) => /^event evt_(before|after)_/.test(id))).toHaveLength(10);
  });
});
