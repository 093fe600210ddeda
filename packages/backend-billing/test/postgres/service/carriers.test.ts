// Which customers are linked because of their metadata: by what the mirror says after it judged
// what was seen, and only where that can be an entity's id.
import { describe, expect, it } from "vitest";
import { observeCustomer } from "../../../src/core/customers/setup.js";
import type { Store } from "../../../src/core/mirror/store.js";
import { behindGateway } from "../../../src/core/runtime/commit/commit.js";
import { type App, applications, billingError, eventually, NOW } from "./kit.js";
import { send } from "./webhook-kit.js";

const open = applications();
const still = () => open({ stripe: { now: NOW }, config: { rate: false } });
const entityId = "user_1";

const claims = ({ sql, schema }: App) =>
  sql<{ id: string; ref: string | null }>(
    `SELECT id, ref FROM ${schema}.backend_billing_records WHERE kind = 'claim' ORDER BY id`,
  );
const strangers = async ({ core }: App) =>
  (await core.store.record("setting", "strangers"))?.data.seen;

/** Events in the API version that is stored at once. */
const versioned = ({ stripe }: App) => ({ api_version: stripe.getApiField("version") });
const second = Date.parse(NOW) / 1000;

describe("an event that was dropped because more is known", () => {
  it("links nothing, also when it comes twice", async () => {
    const app = await still();
    const customer = { id: "cus_1", object: "customer", created: second };
    const now = { ...customer, metadata: {} };
    const changed = { id: "evt_2", type: "customer.updated", created: second + 60 };
    await send(app, { ...versioned(app), ...changed, data: { object: now } });
    const late = { ...versioned(app), data: { object: { ...customer, metadata: { entityId } } } };
    expect(await send(app, late)).toMatchObject({ status: 200 });
    expect(await send(app, late)).toMatchObject({ body: { received: "duplicate" } });
    expect(await claims(app)).toEqual([]);
    expect((await app.b.setup({ entityId })).customerId).not.toBe("cus_1");
  });

  it("links the customer to the entity that it carries now", async () => {
    const app = await still();
    const customer = { id: "cus_1", object: "customer", created: second };
    const carrying = (id: string) => ({ object: { ...customer, metadata: { entityId: id } } });
    const changed = { id: "evt_2", type: "customer.updated", created: second + 60 };
    await send(app, { ...versioned(app), ...changed, data: carrying("user_2") });
    await send(app, { ...versioned(app), data: carrying("user_1") });
    expect(await claims(app)).toEqual([{ id: "user_2", ref: "cus_1" }]);
  });
});

describe("an event whose handler died after it was stored", () => {
  it("links when it is delivered again", async () => {
    const app = await still();
    const object = { id: "cus_1", object: "customer", created: second, metadata: { entityId } };
    const event = { ...versioned(app), data: { object } };
    await send(app, event);
    await app.sql(`DELETE FROM ${app.schema}.backend_billing_records WHERE kind = 'claim'`);
    expect(await send(app, event)).toMatchObject({ body: { received: "duplicate" } });
    expect(await claims(app)).toEqual([{ id: entityId, ref: "cus_1" }]);
  });
});

describe("an event that says only that something happened", () => {
  it("links when Stripe's answer is there", async () => {
    const app = await still();
    app.double.faults.add({ fault: "thin" });
    const { id } = await app.stripe.customers.create({ metadata: { entityId } });
    await app.double.settle();
    const found = await eventually(
      () => claims(app),
      (all) => all.length > 0,
    );
    expect(found).toEqual([{ id: entityId, ref: id }]);
  });
});

describe("metadata that cannot be an entity's id", () => {
  it.each([
    ["an object", { a: 1 }],
    ["a number", 42],
    ["a list", ["user_1"]],
    ["the separator of claims", "acct_1\u001fuser_1"],
    ["a line break", "user\n1"],
    ["half of a surrogate pair", "user\ud800"],
    ["501 characters", "x".repeat(501)],
  ])("%s is stored, reported and links nothing", async (_, value) => {
    const app = await still();
    const object = { id: "cus_1", object: "customer", metadata: { entityId: value } };
    expect(await send(app, { ...versioned(app), data: { object } })).toMatchObject({ status: 200 });
    expect(await claims(app)).toEqual([]);
    expect(await strangers(app)).toMatchObject([{ kind: "malformed", customer: "cus_1" }]);
  });

  it.each([
    ["NUL", "a\u0000b"],
    ["the separator of claims", "acct_1\u001fuser_1"],
    ["half of a surrogate pair", "a\ud800"],
  ])("%s is refused by setup and by links", async (_, value) => {
    const app = await still();
    const refused = { code: "invalid_argument" };
    expect(await billingError(app.b.setup({ entityId: value }))).toMatchObject(refused);
    const portal = app.b.portal({ entityId: value, returnUrl: app.url });
    expect(await billingError(portal)).toMatchObject(refused);
    expect(await claims(app)).toEqual([]);
  });
});

describe("a claim that is always changed by others first", () => {
  it("ends with an error, and does not try for ever", async () => {
    const app = await still();
    const object = { id: "cus_1", object: "customer", created: second, metadata: {} };
    await send(app, { ...versioned(app), data: { object: { ...object, metadata: { entityId } } } });
    await app.sql(`DELETE FROM ${app.schema}.backend_billing_records WHERE kind = 'claim'`);
    let commits = 0;
    const losing: Store = {
      ...app.b.store,
      commit: async () => {
        commits++;
        return { committed: false, conflict: { kind: "claim", id: entityId } } as const;
      },
    };
    const seen = { id: "cus_1", entityId, idempotencyKey: null };
    const store = behindGateway(losing, () => {});
    const error = await billingError(observeCustomer({ ...app.core, store }, seen));
    expect(error).toMatchObject({ code: "store_error" });
    expect(commits).toBe(100);
  });
});
