// What an application on PostgreSQL is told by metrics, spans and lines: of webhooks, of setup and
// links, of runs, over real HTTP, with the real OpenTelemetry SDK.
import { beforeAll, describe, expect, it } from "vitest";
import {
  attributesOf,
  type Recorded,
  recorded,
  rememberContexts,
} from "../../../../support/telemetry.js";
import { answerAsks } from "../../src/core/events/refetch.js";
import { handleRequest } from "../../src/core/http.js";
import type { LogDetails } from "../../src/core/runtime/config.js";
import { createStripe } from "../../src/postgres/billing.js";
import { type App, type AppOptions, applications, billingError, NOW } from "./service/kit.js";
import { paying, price, subscribing } from "./service/links-kit.js";
import { event, post, send } from "./service/webhook-kit.js";
import { fillShop } from "./sync/kit.js";

type Line = LogDetails & { readonly level: string; readonly message: string };

interface Observed {
  readonly app: App;
  readonly told: Recorded;
  readonly lines: readonly Line[];
  said(message: string): Line[];
}

const open = applications();
beforeAll(rememberContexts);

async function observedApp(options: AppOptions = {}): Promise<Observed> {
  const told = recorded();
  const lines: Line[] = [];
  const write = (level: string) => (details: LogDetails, message: string) =>
    void lines.push({ ...details, level, message });
  const logger = { info: write("info"), warn: write("warn"), error: write("error") };
  const app = await open({
    ...options,
    stripe: { now: NOW, ...options.stripe },
    config: {
      telemetry: told.telemetry,
      logger,
      timing: { verifyDelay: 20, pageLease: 5_000 },
      ...options.config,
    },
  });
  const said = (message: string) => lines.filter((line) => line.message === message);
  return { app, told, lines, said };
}

describe("of a webhook", () => {
  const ids = { event: "evt_1", object: "cus_1" };
  const type = "customer.created";

  it("its type, outcome, duration and lag, and ids in the span and the line", async () => {
    const { app, told, said } = await observedApp();
    await send(app);
    const stored = { source: "webhook", type, outcome: "asked" };
    expect(await told.count("events", stored)).toBe(1);
    expect(await told.count("webhook.duration", { type, outcome: "asked" })).toBe(1);
    const [lag] = await told.points("event.lag");
    expect(lag).toMatchObject({ unit: "s", value: 1, attributes: { source: "webhook", type } });
    expect(lag?.sum).toBeCloseTo(Date.now() / 1000 - Date.parse(NOW) / 1000, -2);
    const [span] = told.spans("webhook");
    expect(span && attributesOf(span)).toEqual({ type, ...ids, outcome: "asked" });
    const commit = told.spans("commit").find((each) => attributesOf(each).event === "evt_1");
    expect(commit?.parentSpanContext?.spanId).toBe(span?.spanContext().spanId);
    expect(said("An event was noted, and Stripe is asked about it")).toEqual([
      { ...ids, ...stored, level: "info", message: expect.any(String) },
    ]);
  });

  it("that it was stored, and, when it comes again, that it was known", async () => {
    const { app, told, said } = await observedApp();
    const { id } = await app.stripe.products.create({ name: "Engine" });
    await app.double.settle();
    const [body] = app.double.objects("product");
    const again = { type: "product.created", data: { object: body } };
    await send(app, again);
    await send(app, again);
    const created = { type: "product.created" };
    expect(await told.count("events", { ...created, outcome: "stored" })).toBeGreaterThan(0);
    expect(await told.count("events", { ...created, outcome: "duplicate" })).toBe(1);
    expect(await told.count("webhook.duration", { ...created, outcome: "duplicate" })).toBe(1);
    expect(said("An event was known already")).toMatchObject([{ event: "evt_1", object: id }]);
  });

  it("that its signature was refused, and nothing that a stranger wrote", async () => {
    const { app, told, lines, said } = await observedApp();
    await send(app, { id: "evt_stranger" }, { secret: "whsec_wrong" });
    const refused = { outcome: "refused_signature", "error.type": "invalid_signature" };
    expect(await told.points("webhook.duration")).toMatchObject([
      { value: 1, attributes: refused },
    ]);
    expect(told.spans("webhook").map(attributesOf)).toEqual([refused]);
    expect(said("A webhook was refused: its signature fits no secret")).toMatchObject([
      { level: "warn", error: "invalid_signature" },
    ]);
    expect(JSON.stringify(lines)).not.toContain("evt_stranger");
  });

  it("that it was turned away, was of nobody's interest or of another account", async () => {
    const { app, told } = await observedApp();
    await post(app, "[]");
    await send(app, { type: "radar.early_fraud_warning.created" });
    await send(app, { account: "acct_other" });
    expect(await told.count("webhook.duration", { outcome: "refused" })).toBe(1);
    expect(await told.count("webhook.duration", { outcome: "ignored" })).toBe(2);
  });

  it("that it failed, with its ids and the database's code", async () => {
    const { app, told, said } = await observedApp();
    await app.sql(`ALTER TABLE ${app.schema}.backend_billing_receipts RENAME TO away`);
    await send(app);
    const failed = { type, outcome: "failed", "error.type": "store_error" };
    expect(await told.count("webhook.duration", failed)).toBe(1);
    expect(said("An event was not stored; Stripe will send it again")).toMatchObject([
      { level: "error", ...ids, type, error: "store_error", reason: "error 42P01" },
    ]);
    const [span] = told.spans("webhook");
    expect(span?.events).toEqual([]);
  });
});

describe("of a refetch", () => {
  it("its outcome and the requests, also when Stripe limits the rate", async () => {
    const { app, told, said } = await observedApp({ config: { rate: { total: 50 } } });
    // In the double's time, so that what is asked falls due when the test says so.
    app.double.answer(app.url, (request) => handleRequest(app.core, request));
    const { id } = await app.stripe.products.create({ name: "Engine" });
    await app.double.settle();
    app.double.faults.add({ fault: "thin" });
    await app.stripe.products.update(id, { name: "Difference Engine" });
    await app.double.settle();
    const on = "GET /v1/products/:product";
    app.double.faults.add({ fault: "rate_limited", on, times: 1, reason: "endpoint-rate" });
    await app.double.clock.advance({ minutes: 1 });
    await answerAsks(app.core);
    await app.double.clock.advance({ minutes: 1 });
    await answerAsks(app.core);
    const resource = "products";
    expect(await told.count("refetch.duration", { resource, outcome: "failed" })).toBe(1);
    expect(await told.count("refetch.duration", { resource, outcome: "stored" })).toBe(1);
    const endpoint = "GET products/{id}";
    expect(await told.count("stripe.requests", { endpoint, outcome: "limited" })).toBe(1);
    expect(await told.count("stripe.requests", { endpoint, outcome: "answered" })).toBe(1);
    expect(await told.points("stripe.rate")).toMatchObject([{ attributes: { endpoint } }]);
    expect(said("Stripe limits the rate; asking more slowly")).toHaveLength(1);
    expect(said("Stripe could not be asked; trying again later")).toMatchObject([
      { object: id, error: "provider_error", reason: expect.stringContaining(" 429") },
    ]);
    expect(said("An object was read from Stripe")).toMatchObject([{ object: id, resource }]);
  });
});

describe("of customers and links", () => {
  it("how setup ended, that a customer was linked, and which link was made", async () => {
    const { app, told, said } = await observedApp({ endpoint: false });
    const { customerId: object } = await app.b.setup({ entityId: "user_1" });
    await app.b.setup({ entityId: "user_1" });
    expect(await told.count("setup.duration", { outcome: "claimed" })).toBe(1);
    expect(await told.count("setup.duration", { outcome: "found" })).toBe(1);
    expect(await told.count("customers.linked")).toBe(1);
    expect(said("A customer was linked to its entity")).toMatchObject([{ level: "info", object }]);
    const { stripe } = app.a;
    await stripe.subscribe({}, subscribing(app, await price(app)));
    await stripe.pay({}, paying(app, await price(app, {}, false)));
    await app.b.sync({ data: false, portal: true });
    await stripe.portal({}, { entityId: "user_1", returnUrl: `${app.url}/` });
    for (const link of ["checkout", "payment", "portal"]) {
      expect(await told.count("link.duration", { link, outcome: "ok" }), link).toBe(1);
    }
    expect(said("A link was made")).toMatchObject([{ object }, { object }, { object }]);
    const nobody = stripe.portal({}, { entityId: "user_2", returnUrl: `${app.url}/` });
    await billingError(nobody);
    const failed = { link: "portal", outcome: "failed", "error.type": "customer_not_found" };
    expect(await told.count("link.duration", failed)).toBe(1);
    expect(said("A link was not made")).toMatchObject([{ error: "customer_not_found" }]);
    const setups = told.spans("setup");
    const links = told.spans("link").map((span) => span.spanContext().spanId);
    expect(links).toContain(setups.at(-1)?.parentSpanContext?.spanId);
  });
});

describe("of a run", () => {
  it("its pages, objects, commits and end", async () => {
    const { app, told, said } = await observedApp({ endpoint: false, config: { rate: false } });
    await fillShop(app);
    const { runId } = await app.b.sync();
    const kind = "backfill";
    expect(await told.count("runs", { kind, state: "running" })).toBe(1);
    expect(await told.count("runs", { kind, state: "done" })).toBe(1);
    expect(await told.count("run.duration", { kind, state: "done" })).toBe(1);
    expect(await told.count("run.objects", { kind, resource: "customers" })).toBe(1);
    expect(await told.count("run.objects", { kind, resource: "subscriptions" })).toBe(2);
    expect(await told.count("commit.objects")).toBeGreaterThan(5);
    expect(await told.count("commit.duration", { outcome: "committed" })).toBeGreaterThan(5);
    expect(said("A run began")).toMatchObject([{ run: runId, kind }]);
    expect(said("A run ended")).toMatchObject([{ level: "info", run: runId, state: "done" }]);
    const steps = told.spans("step").map(attributesOf);
    expect(steps).toContainEqual(
      expect.objectContaining({ run: runId, kind, task: "list", resource: "customers" }),
    );
  });

  it("what a verification found, by what it is", async () => {
    const { app, told, said } = await observedApp({ endpoint: false, config: { rate: false } });
    await fillShop(app);
    await app.b.sync();
    await app.sql(
      `UPDATE ${app.schema}.backend_billing_products SET stripe = stripe || '{"name":"Mill"}'`,
    );
    const report = await app.b.billing.verify();
    expect(report.resources.products?.drift?.different).toBe(2);
    expect(await told.points("drift")).toMatchObject([
      { value: 2, attributes: { kind: "verify", resource: "products", drift: "different" } },
    ]);
    expect(said("A run ended, and found what differed from Stripe")).toMatchObject([
      { level: "warn", run: report.runId, kind: "verify", differing: 2 },
    ]);
  });

  it("that events were found which no webhook had brought, and none of the others", async () => {
    const { app, told, lines } = await observedApp({ endpoint: false, config: { rate: false } });
    await app.b.sync();
    const { id } = await app.stripe.products.create({ name: "Engine" });
    await app.b.sync(); // lists, and then reads the events since
    await app.b.sync();
    const listed = lines.filter(({ source }) => source === "list");
    expect(listed.filter(({ object }) => object === id)).toHaveLength(1);
    expect(listed.some(({ outcome }) => outcome === "duplicate")).toBe(false);
    expect(await told.count("events", { source: "list", outcome: "duplicate" })).toBeGreaterThan(0);
  });

  it("that it failed, at the level of what needs a person", async () => {
    const { app, told, said } = await observedApp({ endpoint: false, config: { rate: false } });
    const key = app.double.restrictedKey({ customers: "none", events: "read" });
    const { createBilling } = await import("../../src/postgres/index.js");
    const { sync } = createBilling({ ...app.config, secret_key: key, resources: ["customers"] });
    const error = await billingError(sync());
    const { runId } = error.report ?? {};
    expect(error).toMatchObject({ code: "run_failed", report: { state: "failed" } });
    expect(await told.count("runs", { kind: "backfill", state: "failed" })).toBe(1);
    expect(said("A page failed for good; `runs()` says what to do")[0]).toMatchObject({
      level: "error",
      run: runId,
      error: "provider_error",
      reason: expect.stringContaining("403"),
    });
    expect(said("A run failed; `runs()` says why")).toMatchObject([{ level: "error", run: runId }]);
    const failed = told.spans("step").map(attributesOf);
    expect(failed).toContainEqual(expect.objectContaining({ "error.type": "provider_error" }));
  });
});

it("commits that lose a race are counted", async () => {
  const { app, told } = await observedApp();
  const body = { id: "prod_1", object: "product", name: "Engine", metadata: {} };
  const versions = Array.from({ length: 60 }, (_, index) =>
    event({
      id: `evt_${index}`,
      type: "product.updated",
      created: Date.parse(NOW) / 1000 + index,
      data: { object: { ...body, name: `Engine ${index}` } },
    }),
  );
  // Clients of their own, as in several processes: within one nobody overtakes another.
  const clients = Array.from({ length: 4 }, () => createStripe(app.config).stripe);
  const sendTo = async ({ fetch }: (typeof clients)[number], body: string) => {
    const sign = { payload: body, secret: app.secret };
    const header = await app.stripe.webhooks.generateTestHeaderStringAsync(sign);
    const headers = { "stripe-signature": header };
    return fetch(new Request(`${app.url}/stripe/webhook`, { method: "POST", headers, body }));
  };
  const answers = await Promise.all(
    clients.flatMap((client, place) =>
      versions
        .filter((_, index) => index % clients.length === place)
        .map((each) => sendTo(client, JSON.stringify(each))),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(versions.map(() => 200));
  expect(await told.count("commit.retries")).toBeGreaterThan(0);
  expect(await told.count("webhook.duration", { type: "product.updated" })).toBe(60);
});
