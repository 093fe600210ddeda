// What an application writes under `on`: told from the rows, whatever brought them, each once.
import { expect, it } from "vitest";
import { createBilling, type PostgresConfig } from "../../../src/postgres/index.js";
import { applications, billingError, eventually } from "../service/kit.js";
import {
  namesIn,
  opened,
  payingCustomer,
  priceOf,
  settled,
  subscribe,
  toldIn,
  writing,
} from "./kit.js";

const openApp = applications();

const OF_SUBSCRIPTIONS = [
  "access.granted",
  "access.lost",
  "subscription.started",
  "subscription.ended",
  "subscription.canceling",
  "subscription.kept",
  "customer.linked",
  "invoice.paid",
] as const;

it("a subscription's life is told once, in order, with its entity", async () => {
  const app = await opened(openApp, { on: writing(...OF_SUBSCRIPTIONS) });
  const { id } = await subscribe(app, "user_1");
  await settled(app);
  const begun = await toldIn(app);
  expect(begun.map(({ name }) => name).sort()).toEqual([
    "access.granted",
    "customer.linked",
    "invoice.paid",
    "subscription.started",
  ]);
  expect(new Set(begun.map(({ entity }) => entity))).toEqual(new Set(["user_1"]));
  expect(new Set(begun.map(({ key }) => key)).size).toBe(begun.length);
  await app.b.billing.cancel({ entityId: "user_1" });
  await app.b.billing.resume({ entityId: "user_1" });
  await settled(app);
  await app.stripe.subscriptions.cancel(id);
  await settled(app);
  expect((await namesIn(app)).slice(begun.length)).toEqual([
    "subscription.canceling",
    "subscription.kept",
    "subscription.ended",
    "access.lost",
  ]);
  await app.b.sync();
  await app.b.billing.reconcile();
  await settled(app);
  expect(await namesIn(app)).toHaveLength(begun.length + 4);
});

it.each([
  ["its record", "data"],
  ["a record of an earlier version", "data - 'key'"],
])("access is given under one key by %s, though more becomes of the entity", async (_, data) => {
  const keys: string[] = [];
  let isFailing = false;
  const granted = async ({ key }: { key: string }) => {
    keys.push(key);
    if (isFailing) throw new Error("The mail was sent before.");
  };
  const app = await opened(openApp, { on: { "access.granted": granted } });
  // It has had access before, so that there is a record of it.
  const former = await subscribe(app, "user_1");
  await settled(app);
  await app.stripe.subscriptions.cancel(former.id);
  await settled(app);
  const stored = await app.sql(`UPDATE ${app.schema}.backend_billing_records SET data = ${data}
    WHERE kind = 'access' AND id = 'user_1' RETURNING 1`);
  expect(stored).toHaveLength(1);
  expect(keys.splice(0)).toHaveLength(1);
  isFailing = true;
  const { id } = await subscribe(app, "user_1");
  const changed = async (name: string) => {
    const tried = keys.length;
    await app.stripe.subscriptions.update(id, { metadata: { name } });
    await eventually(
      () => keys.length,
      (now) => now > tried,
    );
  };
  await eventually(
    () => keys.length,
    (tried) => tried > 0,
  );
  await changed("Ada");
  isFailing = false;
  await changed("Ada Lovelace");
  await settled(app);
  expect(new Set(keys).size).toBe(1);
});

it("what a first listing finds is silent, and told with `initial_events`", async () => {
  for (const initial of [false, true]) {
    const app = await opened(openApp, {}, { endpoint: false });
    const customer = await payingCustomer(app, "team_1");
    await app.stripe.subscriptions.create({ customer, items: [{ price: await priceOf(app) }] });
    const on = writing(...OF_SUBSCRIPTIONS);
    const b = createBilling({ ...app.config, on, initial_events: initial });
    await b.sync();
    await b.billing.tick();
    await settled(app);
    expect((await namesIn(app)).sort()).toEqual(
      initial ? ["access.granted", "customer.linked", "invoice.paid", "subscription.started"] : [],
    );
    await b.billing.close();
  }
});

it("names that could never be told are refused", async () => {
  const app = await openApp({ endpoint: false });
  const wrong = (on: object, config: Partial<PostgresConfig> = {}) =>
    billingError((async () => createBilling({ ...app.config, ...config, on } as PostgresConfig))());
  const handler = async () => {};
  expect(await wrong({ "subscription.begun": handler })).toMatchObject({ code: "invalid_config" });
  expect((await wrong({ change: { radar: handler } })).message).toContain("not in the catalogue");
  expect(
    (await wrong({ "refund.created": handler }, { resources: ["customers"] })).message,
  ).toContain("refunds and charges");
  expect((await wrong({ stripe: { "invoice.paid": handler } })).message).toContain("on.change");
});
