// Two applications on one Stripe account whose entities have the same ids, and customers that
// somebody else gave an entity's id.
import { describe, expect, it } from "vitest";
import { setup } from "../../../src/core/customers/setup.js";
import { checkPlace } from "../../../src/core/stripe/account.js";
import { createBilling } from "../../../src/postgres/index.js";
import { leftBehind } from "./claims-kit.js";
import {
  type App,
  type AppOptions,
  applications,
  billingError,
  eventually,
  listen,
  NOW,
} from "./kit.js";
import { receipts, send } from "./webhook-kit.js";

const open = applications();
const entityId = "user_1";
const named = (app: string | undefined, options: AppOptions = {}) =>
  open({
    ...options,
    stripe: { now: NOW, ...options.stripe },
    config: { rate: false, ...options.config, ...(app === undefined ? {} : { app }) },
  });

const linksOf = async (app: App) =>
  Object.fromEntries((await app.customers()).map((row) => [row.customerId, row.entityId]));
const strangers = async ({ core }: App) =>
  (await core.store.record("setting", "strangers"))?.data.seen;
/** What search finds is some seconds old. */
const indexed = ({ double }: App) => double.clock.advance({ minutes: 1 });

/** How the second application may hear of the first one's customer before its own `setup`. */
const WAYS: readonly (readonly [string, (app: App) => Promise<unknown>])[] = [
  ["a webhook", (app) => app.double.settle()],
  ["a listing", (app) => app.b.sync()],
  ["a search", (app) => indexed(app)],
];

describe("two applications on one account", () => {
  it.each(WAYS)("that hear of each other by %s keep their customers apart", async (way, hear) => {
    const acme = await named("acme");
    const other = await named("other", { beside: acme, endpoint: way === "a webhook" });
    const first = await acme.b.setup({ entityId, email: "ada@acme.example" });
    await hear(other);
    const second = await other.b.setup({ entityId, email: "bob@other.example" });
    expect(second).not.toEqual(first);
    expect(acme.double.objects("customer")).toMatchObject([
      { id: first.customerId, metadata: { entityId, billingApp: "acme" } },
      { id: second.customerId, metadata: { entityId, billingApp: "other" } },
    ]);
    await acme.double.settle();
    await other.b.sync();
    await acme.b.sync();
    const { customerId: mine } = first;
    const { customerId: theirs } = second;
    expect(await linksOf(acme)).toEqual({ [mine]: entityId, [theirs]: null });
    expect(await linksOf(other)).toEqual({ [mine]: null, [theirs]: entityId });
    expect(await acme.b.setup({ entityId })).toEqual(first);
  });

  it.each(WAYS)(
    "of which one has no name: it takes none of the other's by %s",
    async (way, hear) => {
      const acme = await named("acme");
      const plain = await named(undefined, { beside: acme, endpoint: way === "a webhook" });
      const first = await acme.b.setup({ entityId });
      await hear(plain);
      expect(await plain.b.setup({ entityId })).not.toEqual(first);
    },
  );

  it("remember once which others they saw, however many customers those have", async () => {
    const acme = await named("acme", { endpoint: false });
    const other = await named("other", { beside: acme, endpoint: false });
    const first = await acme.b.setup({ entityId });
    await acme.b.setup({ entityId: "user_2" });
    await other.b.sync();
    await other.b.sync();
    const seen = await strangers(other);
    expect(seen).toMatchObject([{ kind: "app", app: "acme" }]);
    expect(other.log.filter((line) => line.includes("not this application's"))).toHaveLength(1);
    expect(first.customerId).toMatch(/^cus_/);
  });

  it("look for what an unclear answer left behind among their own", async () => {
    const acme = await named("acme", { endpoint: false });
    const other = await named("other", { beside: acme, endpoint: false });
    await leftBehind(other, false); // the request never reached Stripe, which its process cannot know
    const first = await acme.b.setup({ entityId });
    await acme.double.clock.advance({ hours: 21 }); // the key is not to be trusted any more
    const { customerId } = await setup(other.core, { entityId });
    expect(customerId).not.toBe(first.customerId);
    expect(acme.double.objects("customer")).toHaveLength(2);
  });
});

describe("a planted customer", () => {
  const plant = ({ stripe }: App, metadata: Record<string, string> = { entityId }) =>
    stripe.customers.create({ name: "planted", metadata });

  it.each(WAYS)("that %s shows is nobody's", async (way, hear) => {
    const app = await named("acme", { endpoint: way === "a webhook" });
    const planted = await plant(app);
    await hear(app);
    const { customerId } = await app.b.setup({ entityId });
    expect(customerId).not.toBe(planted.id);
    await app.double.settle();
    await app.b.sync();
    expect(await linksOf(app)).toEqual({ [planted.id]: null, [customerId]: entityId });
    expect(await strangers(app)).toMatchObject([
      { kind: "unnamed", app: null, customer: planted.id },
    ]);
  });

  it("is not taken either when the entity's own customer was deleted", async () => {
    const app = await named("acme");
    const { customerId } = await app.b.setup({ entityId });
    const planted = await plant(app);
    await app.double.settle();
    await app.stripe.customers.del(customerId);
    await app.double.settle();
    const next = await app.b.setup({ entityId });
    expect([customerId, planted.id]).not.toContain(next.customerId);
  });

  it("is still adopted where the application has no name, as before", async () => {
    const app = await named(undefined);
    const planted = await plant(app);
    await app.double.settle();
    expect(await app.b.setup({ entityId })).toEqual({ customerId: planted.id });
  });
});

describe("a name that is given later", () => {
  it("keeps every link, and what is made from then on carries it", async () => {
    const before = await named(undefined);
    const first = await before.b.setup({ entityId });
    await before.double.settle();
    const after = createBilling({ ...before.config, app: "acme" });
    expect(await after.setup({ entityId })).toEqual(first);
    await after.sync();
    expect(await linksOf(before)).toEqual({ [first.customerId]: entityId });
    const second = await after.setup({ entityId: "user_2" });
    expect(before.double.objects("customer")).toMatchObject([
      { id: first.customerId, metadata: { entityId } },
      { id: second.customerId, metadata: { entityId: "user_2", billingApp: "acme" } },
    ]);
  });

  it("finds what a claim from before had made at Stripe", async () => {
    const app = await named("acme", { endpoint: false });
    const made = await leftBehind(app, true);
    await app.double.clock.advance({ hours: 21 }); // its key is not to be trusted any more
    expect(await setup(app.core, { entityId })).toEqual({ customerId: made });
    expect(app.double.objects("customer")).toHaveLength(1);
  });

  it("hears by its event of what a claim from before had made", async () => {
    const app = await named("acme");
    const made = await leftBehind(app, true);
    await app.double.settle();
    await eventually(
      () => app.claim(entityId),
      (claim) => claim?.state === "linked" && claim.customerId === made,
    );
  });
});

describe("tables of an application with a name", () => {
  const storedName = async ({ core }: App) =>
    (await core.store.record("setting", "mode"))?.data.app;

  it.each([
    ["without a name", undefined, "`app` is not set"],
    ["with another name", "other", '`app` is "other"'],
  ])("are refused to a process %s, before anything is written", async (_, name, says) => {
    const acme = await named("acme");
    await acme.b.setup({ entityId });
    await acme.double.settle();
    const before = [await acme.customers(), await receipts(acme), acme.double.dump()];
    const config = { ...acme.config, app: name };
    const process = createBilling(config);
    for (const call of [
      () => process.setup({ entityId: "user_2" }),
      () => process.portal({ entityId, returnUrl: acme.url }),
      () => process.sync(),
    ]) {
      const error = await billingError(call());
      expect(error.code).toBe("invalid_config");
      expect(error.message).toContain(`${says}, but these tables are of the application "acme"`);
      expect(error.message).toContain("BILLING_APP=acme");
    }
    const server = await listen(process.billing.nodeHandler);
    try {
      // Stripe sends it again, so that it is stored once the name is right.
      expect(await send({ ...acme, url: server.url }, { id: "evt_2" })).toMatchObject({
        status: 500,
        body: { error: { code: "invalid_config" } },
      });
    } finally {
      await server.close();
    }
    expect([await acme.customers(), await receipts(acme), acme.double.dump()]).toEqual(before);
    expect(await send(acme, { id: "evt_2" })).toMatchObject({ status: 200, text: "" });
  });

  it("are so from the first process with a name on, and one that runs already goes on", async () => {
    const before = await named(undefined);
    const first = await before.b.setup({ entityId });
    expect(await storedName(before)).toBeUndefined();
    const after = createBilling({ ...before.config, app: "acme" });
    await after.setup({ entityId: "user_2" });
    expect(await storedName(before)).toBe("acme");
    // In a rolling deployment the processes of before serve until they end.
    expect(await before.b.setup({ entityId })).toEqual(first);
    expect(await send(before, { id: "evt_2" })).toMatchObject({ status: 200 });
    const restarted = createBilling({ ...before.config });
    expect(await billingError(restarted.setup({ entityId }))).toMatchObject({
      code: "invalid_config",
    });
  });

  it("are of one name where two begin at once", async () => {
    const { config } = await named(undefined, { endpoint: false, checked: false });
    const names = ["acme", "other"];
    const results = await Promise.allSettled(
      names.map((app) => createBilling({ ...config, app }).setup({ entityId: app })),
    );
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  it("cost no request and no reading more", async () => {
    const reads: string[] = [];
    const { core } = await named("acme", { endpoint: false, checked: false });
    const record: typeof core.store.record = (kind, id) => {
      reads.push(id);
      return core.store.record(kind, id);
    };
    await checkPlace({ ...core, store: { ...core.store, record } });
    expect(reads).toEqual(["mode", "account"]);
  });
});

describe("the name", () => {
  it.each([["-"], ["a b"], ["x".repeat(41)]])("cannot be %s", async (app) => {
    const { config } = await named(undefined, { endpoint: false });
    const call = async () => createBilling({ ...config, app }).setup({ entityId });
    expect(await billingError(call())).toMatchObject({ code: "invalid_config" });
  });

  it("is the library's own key in a customer's metadata", async () => {
    const app = await named(undefined, { endpoint: false });
    for (const key of ["entityId", "billingApp"]) {
      const error = await billingError(app.b.setup({ entityId, metadata: { [key]: "acme" } }));
      expect(error).toMatchObject({ code: "reserved_metadata_key" });
      expect(error.message).toContain(key);
    }
  });
});
