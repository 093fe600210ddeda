// An object that PostgreSQL refuses, here by a constraint that forbids its name, among good ones: by
// backfill, by catch-up and by webhook. And texts that PostgreSQL cannot hold, which are stored.
import Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { answerAsks } from "../../../src/core/events/refetch.js";
import { storable } from "../../../src/core/mirror/content/text.js";
import { setAsideNow } from "../../../src/core/runtime/commit/asides.js";
import { commit } from "../../../src/core/runtime/commit/commit.js";
import { runReport } from "../../../src/core/sync/run/report.js";
import { openScheduled } from "../../../src/core/sync/work/scheduled.js";
import { workUntilDone } from "../../../src/core/sync/work/wait.js";
import { event, post } from "../service/webhook-kit.js";
import { type App, quietApplications } from "./kit.js";

const open = quietApplications();

const CHECK = "ADD CONSTRAINT no_poison CHECK (stripe ->> 'name' <> 'poison')";
const alter = (app: App, what: string) =>
  app.sql(`ALTER TABLE ${app.schema}.backend_billing_products ${what}`);

async function opened(): Promise<App> {
  const app = await open();
  await alter(app, CHECK);
  return app;
}

async function makeProducts({ stripe }: App, names: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push((await stripe.products.create({ name })).id);
  return ids;
}

const around = (bad: string): string[] =>
  Array.from({ length: 11 }, (_, n) => (n === 5 ? bad : `Good ${n}`));

const named = async ({ sql, schema }: App): Promise<string[]> =>
  (
    await sql<{ name: string }>(
      `SELECT stripe ->> 'name' AS name FROM ${schema}.backend_billing_products ORDER BY 1`,
    )
  ).map(({ name }) => name);

async function catchUp({ core }: App) {
  const sleep = (milliseconds: number) =>
    new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
  const runtime = { ...core, now: Date.now, sleep };
  const runId = await openScheduled(runtime, "catch-up");
  await workUntilDone(runtime, runId);
  return runReport(runtime, runId);
}

const GOOD = around("poison")
  .filter((name) => name !== "poison")
  .sort();

describe("an object that cannot be stored", () => {
  it("is reported by a backfill that stores the others, and stored when it can be", async () => {
    const app = await opened();
    const ids = await makeProducts(app, around("poison"));
    const report = await app.b.sync();
    expect(report.state).toBe("done");
    expect(report.setAside).toMatchObject({
      count: 1,
      examples: [{ resource: "products", id: ids[5], reason: expect.stringContaining("23514") }],
    });
    expect(await named(app)).toEqual(GOOD);
    expect(app.log).toContain(
      `An object cannot be stored and was set aside; \`doctor\` says what to do: ${ids[5]}`,
    );
    await alter(app, "DROP CONSTRAINT no_poison");
    const mended = await app.b.billing.reconcile();
    expect(mended.setAside).toBeUndefined();
    expect(await named(app)).toEqual(around("poison").sort());
    expect(await app.b.store.records("aside", "", 10)).toEqual([]);
  });

  it("does not hold up a catch-up, whose watermark moves on", async () => {
    const app = await opened();
    await app.b.sync();
    await app.double.clock.advance({ hours: 1 });
    await makeProducts(app, around("poison"));
    await app.double.clock.advance({ minutes: 1 });
    const before = (await app.b.store.record("watermark", "events"))?.data.at as number;
    const report = await catchUp(app);
    expect(report?.state).toBe("done");
    expect(report?.setAside?.count).toBe(1);
    expect(await named(app)).toEqual(GOOD);
    expect((await app.b.store.record("watermark", "events"))?.data.at).toBeGreaterThan(before);
  });

  it("is acknowledged as a webhook, remembered, and overtaken by its next version", async () => {
    const app = await opened();
    const product = (name: string, n: number) => ({
      id: `evt_${n}`,
      type: n === 0 ? "product.created" : "product.updated",
      api_version: Stripe.API_VERSION,
      created: event().created + 10 * n,
      data: { object: { id: "prod_1", object: "product", name, metadata: {} } },
    });
    const answer = await post(app, JSON.stringify(event(product("poison", 0))));
    expect(answer.status).toBe(200);
    const { count, examples } = await setAsideNow(app.core.store);
    expect([count, examples[0]?.id]).toEqual([1, "prod_1"]);
    await post(app, JSON.stringify(event(product("mended", 1))));
    expect(await named(app)).toEqual(["mended"]);
    expect((await setAsideNow(app.core.store)).count).toBe(0);
  });

  it("does not fail the webhooks that are stored together with it", async () => {
    const app = await opened();
    const events = Array.from({ length: 50 }, (_, n) => ({
      id: `evt_${n}`,
      type: "product.created",
      api_version: Stripe.API_VERSION,
      data: {
        object: {
          id: `prod_${n}`,
          object: "product",
          name: n === 7 ? "poison" : "x",
          metadata: {},
        },
      },
    }));
    const answers = await Promise.all(events.map((each) => post(app, JSON.stringify(event(each)))));
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect((await named(app)).length).toBe(49);
  });

  it("is asked about again half an hour later, and not at once", async () => {
    const app = await opened();
    const [id = ""] = await makeProducts(app, ["poison"]);
    const thin = { resource: "products", id, origin: "event", kind: "changed" } as const;
    const unusable = { ...thin, usable: false, lo: 1, hi: 1, content: null } as const;
    await commit(app.core, { source: "event", units: [{ snapshots: [unusable] }] });
    await app.double.clock.advance({ minutes: 1 });
    expect(await answerAsks(app.core)).toBe(0);
    expect((await setAsideNow(app.core.store)).count).toBe(1);
    await app.double.clock.advance({ minutes: 20 });
    expect(await app.core.store.takeAsks({ now: app.core.now(), lease: 1, limit: 10 })).toEqual([]);
    await alter(app, "DROP CONSTRAINT no_poison");
    await app.double.clock.advance({ minutes: 20 });
    expect(await answerAsks(app.core)).toBe(1);
    expect(await named(app)).toEqual(["poison"]);
  });

  it("with an id that no index takes is set aside among good ones", async () => {
    const app = await open();
    const id = Array.from({ length: 3000 }, (_, n) =>
      String.fromCharCode(97 + ((n * n) % 26)),
    ).join("");
    await app.stripe.coupons.create({ id, percent_off: 5, duration: "once" });
    await app.stripe.coupons.create({ id: "GOOD", percent_off: 5, duration: "once" });
    const { state, setAside } = await app.b.sync();
    expect([state, setAside?.count]).toEqual(["done", 1]);
    expect((await app.b.store.row("coupons", "GOOD"))?.couponId).toBe("GOOD");
  });
});

describe("what a text of PostgreSQL cannot hold", () => {
  it("is the same before it is stored and after, in a name as in a text", () => {
    const odd = { "k\u0000": ["a\u0000b", { "l\ud800": "\udc00 \ud83d\ude00" }], n: 1 };
    const kept = { "k\u2400": ["a\u2400b", { "l\ufffd": "\ufffd \ud83d\ude00" }], n: 1 };
    expect(storable(odd)).toEqual(kept);
    expect(storable(kept)).toBe(kept);
  });

  it("is stored by its sign, and is no drift ever after", async () => {
    const app = await open();
    const odd = { name: "a\u0000b", metadata: { "k\u0000": "v" } };
    const { id } = await app.stripe.customers.create(odd);
    await app.stripe.customers.create({ name: "plain" });
    await app.double.clock.advance({ minutes: 1 });
    await app.b.sync();
    const stored = (await app.b.store.row("customers", id))?.stripe;
    expect(stored?.name).toBe("a\u2400b");
    expect(stored?.metadata["k\u2400"]).toBe("v");
    for (const run of [app.b.billing.verify, app.b.billing.reconcile, app.b.billing.verify]) {
      const { resources } = await run();
      expect(resources.customers?.drift).toMatchObject({ missing: 0, different: 0, ghost: 0 });
      await app.double.clock.advance({ minutes: 1 });
    }
  });
});
