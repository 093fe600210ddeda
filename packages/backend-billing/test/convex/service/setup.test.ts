import { expect, it } from "vitest";
import { customerOf, encode } from "../../../src/convex/index.js";
import { type App, openApp, thrown } from "./kit.js";

/** convex-test runs one transaction at a time, so 200 callers who look again wait for each other. */
const LONG = 1_200_000;

it("makes one customer, and no orphan, for 200 actions at once", {
  timeout: LONG,
  tags: ["slow"],
}, async () => {
  const { call, double, deployment } = await openApp({
    config: { timing: { claimPatience: LONG, claimLease: LONG } },
  });
  const calls = Array.from({ length: 200 }, (_, index) =>
    call<{ customerId: string }>(index % 2 === 0 ? "billing:setup" : "stripe:setup", {
      entityId: "user_1",
      email: "ada@example.com",
    }),
  );
  const ids = new Set((await Promise.all(calls)).map(({ customerId }) => customerId));
  expect(ids.size).toBe(1);
  expect(double.objects("customer").map(({ id }) => id)).toEqual([...ids]);
  const rows = await deployment.backend.query(async (ctx) =>
    ctx.db.query("backend_billing_customers").collect(),
  );
  expect(rows).toMatchObject([{ customerId: [...ids][0], entityId: "user_1" }]);
});

it("knows of when an answer was true, though Stripe's build for workers shows it otherwise", async () => {
  const { call, deployment } = await openApp();
  await call("billing:setup", { entityId: "user_1" });
  const [version] = await deployment.backend.query(async (ctx) =>
    ctx.db.query("backend_billing_versions").collect(),
  );
  const now = Date.now() / 1000;
  expect(version?.lo).toBeGreaterThan(now - 60);
  expect(version?.hi).toBeLessThan(now + 60);
});

const ODD = { $price: "1", _source: "2", clé: "3", "~x": "4", "a b": "5" };

it.each([
  [
    "the client",
    (app: App) =>
      app.within((ctx) =>
        app.deployment.B.billing.setup(ctx, { entityId: "user_1", metadata: ODD }),
      ),
  ],
  [
    "the action, to which Convex brings only what is encoded",
    (app: App) => app.call("billing:setup", { entityId: "user_1", metadata: encode(ODD) }),
  ],
])("takes every key of metadata that Stripe takes, by %s", async (_, setup) => {
  const app = await openApp();
  await setup(app);
  expect(app.double.objects("customer")).toMatchObject([{ metadata: ODD }]);
  const row = await app.deployment.backend.query(async (ctx) => {
    const found = await customerOf(ctx, "user_1");
    return JSON.stringify(found?.stripe.metadata);
  });
  expect(JSON.parse(row ?? "")).toMatchObject(ODD);
});

it("leaves a row that is a document of the application's table, whatever it is read by", async () => {
  const app = await openApp();
  await app.call("billing:setup", { entityId: "user_1" });
  const [row, same] = await app.deployment.backend.query(async (ctx) => {
    const found = await customerOf(ctx, "user_1");
    return [found, found && (await ctx.db.get(found._id))];
  });
  expect(row).toMatchObject({ entityId: "user_1", _creationTime: expect.any(Number) });
  expect(row).toEqual(same);
});

it.each([
  ["an empty key", { "": "1" }],
  ["a key in brackets", { "a[b]": "1" }],
  ["a value that is no text", { k: 1 }],
])("refuses metadata that Stripe would refuse, by client and action: %s", async (_, metadata) => {
  const app = await openApp();
  const args = { entityId: "user_1", metadata: metadata as { [key: string]: string } };
  for (const call of [
    () => app.call("billing:setup", args),
    () => app.within((ctx) => app.deployment.B.billing.setup(ctx, args)),
  ]) {
    expect(await thrown(call())).toMatchObject({ data: { code: "invalid_argument" } });
  }
  expect(app.double.requests.count()).toBe(0);
});

it("refuses arguments that it does not know, inside an action as the action does", async () => {
  const app = await openApp();
  const urls = { successUrl: "https://app.example/", cancelUrl: "https://app.example/" };
  const checkout = { entityId: "user_1", priceId: "price_1", ...urls, nonsense: "1" };
  const portal = { entityId: "user_1", returnUrl: "https://app.example/", nonsense: "1" };
  const { billing } = app.deployment.B;
  for (const call of [
    () => app.within((ctx) => billing.checkout(ctx, checkout)),
    () => app.within((ctx) => billing.portal(ctx, portal)),
  ]) {
    expect(await thrown(call())).toMatchObject({
      data: { code: "invalid_argument", message: expect.stringContaining("nonsense") },
    });
  }
  // Here it is Convex that refuses, before the library is called.
  await expect(app.call("billing:checkout", checkout)).rejects.toThrow("nonsense");
  await expect(app.call("billing:portal", portal)).rejects.toThrow("nonsense");
});

it("is a function of both clients too", async () => {
  const { deployment, within, double } = await openApp();
  const args = { entityId: "user_1" };
  const a = await within((ctx) => deployment.A.stripe.setup(ctx, args));
  const b = await within((ctx) => deployment.B.billing.setup(ctx, args));
  expect(b).toEqual(a);
  expect(double.objects("customer")).toMatchObject([{ id: a.customerId }]);
});

it("takes few function calls: 4 for an entity's first, 3 where all customers are known, then 1", async () => {
  const app = await openApp();
  const costOf = async (entityId: string) => {
    let calls = 0;
    app.double.requests.clear();
    await app.within((ctx) => {
      const counted = (name: "runMutation" | "runQuery" | "runAction") => {
        const call = ctx[name] as (...args: unknown[]) => unknown;
        return (...args: unknown[]) => {
          calls++;
          return call(...args);
        };
      };
      const counting = {
        ...ctx,
        runMutation: counted("runMutation"),
        runQuery: counted("runQuery"),
        runAction: counted("runAction"),
      } as typeof ctx;
      return app.deployment.B.billing.setup(counting, { entityId, email: "ada@example.com" });
    });
    return { calls, requests: app.double.requests.count() };
  };
  expect(await costOf("user_1")).toEqual({ calls: 4, requests: 3 });
  expect(await costOf("user_2")).toEqual({ calls: 4, requests: 2 });
  expect(await costOf("user_1")).toEqual({ calls: 1, requests: 0 });
  await app.deployment.backend.run(async (ctx) => {
    const watermark = { kind: "watermark", revision: 1, ref: null, due: null };
    const data = { at: Math.floor(Date.now() / 1000) };
    for (const recordId of ["customers", "events"]) {
      await ctx.db.insert("backend_billing_records", { ...watermark, recordId, data });
    }
  });
  expect(await costOf("user_3")).toEqual({ calls: 3, requests: 1 });
  expect(app.double.objects("customer")).toHaveLength(3);
});
