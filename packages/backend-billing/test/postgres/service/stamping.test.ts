// Customers that were linked before the application had a name are given it.
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { readMarks } from "../../../src/core/customers/marks.js";
import { stampCustomers } from "../../../src/core/customers/stamp.js";
import type { Runtime } from "../../../src/core/runtime/runtime.js";
import { checkPlace } from "../../../src/core/stripe/account.js";
import { createBilling } from "../../../src/postgres/index.js";
import { type App, applications, billingError, NOW } from "./kit.js";

const open = applications();
const UPDATE = "POST /v1/customers/:customer";

/** An application with so many customers that is given its name afterwards. */
async function beforeTheName(count: number): Promise<{ app: App; runtime: Runtime }> {
  const app = await open({ stripe: { now: NOW }, config: { rate: false }, endpoint: false });
  for (let index = 0; index < count; index++) await app.b.setup({ entityId: `user_${index}` });
  await app.double.clock.advance({ minutes: 1 }); // so that what is written is plainly newer
  const config = { ...app.config, app: "acme" };
  const runtime = { ...app.core, config, app: "acme" };
  await checkPlace(runtime);
  app.double.requests.clear();
  return { app, runtime };
}

const names = ({ double }: App) =>
  double.objects("customer").map(({ metadata }) => metadata.billingApp);

describe("stamping", () => {
  it("gives every linked customer the name once, and a second run asks Stripe nothing", async () => {
    const { app, runtime } = await beforeTheName(3);
    const done = { theirs: [], refused: [] };
    expect(await stampCustomers(runtime)).toEqual({ stamped: 3, ...done });
    expect(app.double.objects("customer")).toMatchObject(
      ["user_0", "user_1", "user_2"].map((entityId) => ({
        metadata: { entityId, billingApp: "acme" },
      })),
    );
    app.double.requests.clear();
    expect(await stampCustomers(runtime)).toEqual({ stamped: 0, ...done });
    expect(app.double.requests.count()).toBe(0);
  });

  it("goes on where a request failed", async () => {
    const { app, runtime } = await beforeTheName(5);
    const failing = stampCustomers(runtime, (stamped) => {
      if (stamped === 2) app.double.faults.add({ fault: "error_before", on: UPDATE });
    });
    expect(await billingError(failing)).toMatchObject({ code: "provider_error" });
    expect(names(app).filter((name) => name === "acme")).toHaveLength(2);
    app.double.faults.clear();
    app.double.requests.clear();
    expect(await stampCustomers(runtime)).toMatchObject({ stamped: 3 });
    expect(app.double.requests.count(UPDATE)).toBe(3);
    expect(names(app)).toEqual(Array(5).fill("acme"));
  });

  it("waits where Stripe limits the rate", async () => {
    const { app, runtime } = await beforeTheName(2);
    app.double.faults.add({ fault: "rate_limited", on: UPDATE, times: 2 });
    expect(await stampCustomers(runtime)).toMatchObject({ stamped: 2, refused: [] });
  });

  it("touches no customer of another name, nor one that is not linked", async () => {
    const { app, runtime } = await beforeTheName(2);
    const [first, second] = app.double.objects("customer");
    // The mirror knows of the one; of the other it has not heard yet.
    await app.stripe.customers.update(first?.id ?? "", { metadata: { billingApp: "other" } });
    await app.b.sync();
    await app.stripe.customers.update(second?.id ?? "", { metadata: { billingApp: "third" } });
    await app.stripe.customers.create({ metadata: { entityId: "user_9" } });
    app.double.requests.clear();
    const { stamped, theirs } = await stampCustomers(runtime);
    expect(stamped).toBe(0);
    expect([...theirs].sort()).toEqual([first?.id, second?.id].sort());
    expect(app.double.requests.count(UPDATE)).toBe(0);
    expect(names(app)).toEqual(["other", "third", undefined]);
  });

  it("reports what Stripe refuses for one customer, and stamps the others", async () => {
    const { app, runtime } = await beforeTheName(2);
    const [first, second] = app.double.objects("customer");
    const full = Object.fromEntries(Array.from({ length: 49 }, (_, key) => [`key_${key}`, "x"]));
    await app.stripe.customers.update(first?.id ?? "", { metadata: full });
    const report = await stampCustomers(runtime);
    expect(report).toMatchObject({ stamped: 1, refused: [{ customer: first?.id }] });
    expect(app.double.objects("customer").at(1)).toMatchObject({
      id: second?.id,
      metadata: { billingApp: "acme" },
    });
  });

  it("passes over a customer that was deleted", async () => {
    const { app, runtime } = await beforeTheName(2);
    await app.stripe.customers.del(app.double.objects("customer")[0]?.id ?? "");
    expect(await stampCustomers(runtime)).toEqual({ stamped: 1, theirs: [], refused: [] });
  });

  it("needs a name", async () => {
    const { app } = await beforeTheName(1);
    expect(await billingError(stampCustomers(app.core))).toMatchObject({ code: "invalid_config" });
  });
});

describe("a customer that two applications share", () => {
  it("is given up by the statements in docs/upgrading.md, and setup makes another", async () => {
    const { app } = await beforeTheName(2);
    const entityId = "user_1";
    const { setup, sync } = createBilling({ ...app.config, app: "acme" });
    const shared = await setup({ entityId });
    await app.stripe.customers.update(shared.customerId, { metadata: { billingApp: "other" } });
    await sync();
    const page = await readFile(
      new URL("../../../../../docs/upgrading.md", import.meta.url),
      "utf8",
    );
    const statements = /```sql\n(BEGIN;\nDELETE [^`]*)```/.exec(page)?.[1] ?? "";
    expect(statements).toContain("COMMIT");
    await app.sql(statements.replaceAll("billing.backend", `${app.schema}.backend`));
    const own = await setup({ entityId });
    expect(own).not.toEqual(shared);
    await sync();
    const links = (await app.customers()).map((row) => [row.customerId, row.entityId]);
    expect(links).toContainEqual([shared.customerId, null]);
    expect(links).toContainEqual([own.customerId, entityId]);
  });
});

describe("what customers carry", () => {
  it("is told by the mirror as it is now, not by what was once seen", async () => {
    const { app } = await beforeTheName(2);
    const planted = await app.stripe.customers.create({ metadata: { entityId: "user_9" } });
    await app.stripe.customers.create({ metadata: { entityId: "user_9", billingApp: "other" } });
    const { sync } = createBilling({ ...app.config, app: "acme" });
    await sync();
    const kinds = async () => (await readMarks(app.core.store, "acme", 100)).strangers;
    expect((await kinds()).map(({ kind }) => kind).sort()).toEqual(["app", "unnamed"]);
    await app.stripe.customers.del(planted.id);
    await sync();
    expect(await kinds()).toMatchObject([{ kind: "app", app: "other" }]);
    expect(await readMarks(app.core.store, "acme", 100)).toMatchObject({ linked: 2, unmarked: 2 });
  });
});
