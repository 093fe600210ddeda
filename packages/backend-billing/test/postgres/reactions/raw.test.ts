// Events that nothing in the mirror comes from, under `on.stripe`: told as they came, once, whether
// the webhook brings them or the list of events, and whichever process receives them.
import { describe, expect, it } from "vitest";
import type { PostgresConfig, Queryable, Reactions } from "../../../src/postgres/index.js";
import { createBilling } from "../../../src/postgres/index.js";
import { type App, type AppOptions, applications, eventually, NOW } from "../service/kit.js";
import { post, receipts, send } from "../service/webhook-kit.js";
import { scheduled } from "../sync/kit.js";

const openApp = applications();
const FRAUD = "radar.early_fraud_warning.created";

/** Products are not mirrored, so that their events are the application's to take. */
const CONFIG = { resources: ["customers"], rate: false } as const satisfies Partial<PostgresConfig>;

const write = async (event: object, { tx }: { readonly tx: Queryable }) => {
  await tx.query("INSERT INTO told (event) VALUES ($1)", [JSON.stringify(event)]);
};
const taking = (...types: readonly string[]): Reactions<Queryable> => ({
  stripe: Object.fromEntries(types.map((type) => [type, write])),
});

async function open(on: Reactions<Queryable>, options: AppOptions = {}): Promise<App> {
  const config = { ...CONFIG, on, ...options.config };
  const app = await openApp({ ...options, stripe: { now: NOW }, config });
  await app.pool.query("DROP TABLE IF EXISTS told; CREATE TABLE told (n serial, event jsonb)");
  return app;
}

type Told = { readonly id: string; readonly type: string };

/** What was told, once nothing waits to be. */
async function told(app: App): Promise<readonly Told[]> {
  await app.double.settle();
  await eventually(
    () => app.sql(`SELECT id FROM ${app.schema}.backend_billing_records WHERE kind = 'change'`),
    (left) => left.length === 0,
  );
  return (await app.sql<{ event: Told }>("SELECT event FROM told ORDER BY n")).map(
    ({ event }) => event,
  );
}

/** An instance beside the application's own, of its next or last deployment. */
const beside = (app: App, on: Reactions<Queryable> | undefined) =>
  createBilling({ ...app.config, on } as PostgresConfig);

/** Everything that is stored, with its revisions. */
const stored = async (app: App) => [
  ...(await receipts(app)),
  ...(await app.sql(`SELECT kind, id, revision FROM ${app.schema}.backend_billing_records`)),
];

describe("an event that a handler takes", () => {
  it("is told once, as it came, though Stripe delivers it twice", async () => {
    const app = await open(taking("product.created"));
    const { id } = await app.stripe.products.create({ name: "Engine" });
    const [event] = (await app.stripe.events.list({ type: "product.created" })).data;
    expect(await told(app)).toMatchObject([{ ...event, pending_webhooks: expect.any(Number) }]);
    app.double.deliveries.resend(event?.id ?? "");
    await app.double.settle();
    expect(await told(app)).toHaveLength(1);
    expect(app.double.deliveries.all().flatMap(({ attempts }) => attempts)).toHaveLength(2);
    expect(await receipts(app)).toMatchObject([{ type: "product.created", object_id: id }]);
    expect(app.log.filter((line) => line === `An event was stored: ${id}`)).toHaveLength(1);
  });

  it("is answered as handled, then as a duplicate", async () => {
    const app = await open(taking(FRAUD));
    expect(await send(app, { id: "evt_1", type: FRAUD })).toMatchObject({ status: 200, text: "" });
    const again = await send(app, { id: "evt_1", type: FRAUD });
    expect(again).toMatchObject({ status: 200, body: { received: "duplicate" } });
    expect(await told(app)).toMatchObject([{ id: "evt_1", type: FRAUD }]);
  });

  it("that no webhook brought is told by the catch-up, once", async () => {
    const app = await open(taking("product.created", "product.updated"), { endpoint: false });
    await app.b.sync();
    const { id } = await app.stripe.products.create({ name: "Engine" });
    await app.stripe.products.update(id, { name: "Motor" });
    await app.stripe.products.del(id); // no handler takes it
    await scheduled(app, "catch-up");
    await app.b.billing.tick();
    const types = (await told(app)).map(({ type }) => type);
    expect([...types].sort()).toEqual(["product.created", "product.updated"]);
    await scheduled(app, "catch-up");
    await app.b.sync();
    expect(await told(app)).toHaveLength(2);
    expect(await receipts(app)).toHaveLength(2);
  });

  it("is stored by a process that has no handler, for one that has", async () => {
    const app = await open({});
    const newer = beside(app, taking("product.created"));
    await newer.sync({ data: false, webhook: true });
    await app.stripe.products.create({ name: "Engine" });
    await app.double.settle();
    expect(await receipts(app)).toHaveLength(1);
    await newer.billing.tick();
    expect(await told(app)).toMatchObject([{ type: "product.created" }]);
    await newer.billing.close();
  });

  it("is told by the catch-up where a process ignored it that had not heard of the handler yet", async () => {
    const app = await open({});
    await app.b.sync();
    const extra = { enabled_events: ["*"] as ["*"] };
    await app.stripe.webhookEndpoints.update(app.endpoint, extra);
    await app.stripe.products.create({ name: "Before" });
    await app.double.settle();
    const newer = beside(app, taking("product.updated"));
    await newer.sync({ data: false, webhook: true });
    const { id } = await app.stripe.products.create({ name: "Engine" });
    await app.stripe.products.update(id, { name: "Motor" });
    await app.double.settle();
    expect(await receipts(app)).toEqual([]);
    await scheduled(app, "catch-up");
    await newer.billing.tick();
    expect(await told(app)).toMatchObject([{ type: "product.updated" }]);
    await newer.billing.close();
  });

  it("is told as it can be stored", async () => {
    const app = await open(taking(FRAUD));
    await send(app, { id: "evt_1", type: FRAUD, data: { object: { id: "issfr_1", a: "\u0000" } } });
    expect(await told(app)).toMatchObject([{ data: { object: { a: "\u2400" } } }]);
  });

  it("of the thin kind has a name of its own", async () => {
    const type = "v1.billing.meter.error_report_triggered";
    const app = await open(taking(type, FRAUD));
    const thin = { object: "v2.core.event", livemode: false, created: NOW };
    const body = (id: string, of: string) => JSON.stringify({ ...thin, id, type: of });
    expect(await post(app, body("evt_1", type))).toMatchObject({ status: 200, text: "" });
    // What takes the full event could not read this one.
    expect(await post(app, body("evt_2", `v1.${FRAUD}`))).toMatchObject({
      body: { received: "ignored" },
    });
    expect(await told(app)).toEqual([{ ...thin, id: "evt_1", type }]);
  });
});

it("what no handler takes is ignored, and nothing is written", async () => {
  for (const on of [{}, taking(FRAUD)]) {
    const app = await open(on);
    const before = await stored(app);
    for (const type of ["review.opened", "of.the.future"]) {
      expect(await send(app, { type })).toMatchObject({ body: { received: "ignored" } });
    }
    expect(await stored(app)).toEqual(before);
  }
});
