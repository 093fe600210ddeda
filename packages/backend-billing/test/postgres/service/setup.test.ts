// What `setup` does with customers that exist: those it made, those made elsewhere, and those that
// look alike.
import { describe, expect, it } from "vitest";
import type { BillingError } from "../../../src/core/runtime/errors.js";
import { createBilling } from "../../../src/postgres/index.js";
import { type App, type AppOptions, applications, billingError, eventually, NOW } from "./kit.js";

const open = applications();
const entityId = "user_1";
const still = (options: AppOptions = {}) =>
  open({ ...options, stripe: { now: NOW, ...options.stripe } });

const linksOf = async (app: App) =>
  Object.fromEntries((await app.customers()).map((row) => [row.customerId, row.entityId]));
const reported = ({ log }: App, customer: string) =>
  log.filter((line) => line.includes("second customer") && line.endsWith(customer)).length;

describe("a customer that setup made", () => {
  it("is made and found by calls that a list maps to, with an index and the list besides", async () => {
    const { b } = await still();
    const made = await Promise.all([{ entityId }, { entityId: "user_2" }].map(b.setup));
    const found = await Promise.all([entityId, "user_2"].map(b.store.customerOf));
    expect(found.map((row) => row?.customerId)).toEqual(made.map(({ customerId }) => customerId));
  });

  it("is given an email and metadata that it lacks, at Stripe and in the mirror", async () => {
    const app = await still();
    const { customerId } = await app.b.setup({ entityId });
    await app.b.setup({ entityId, email: "ada@example.com", metadata: { team: "engines" } });
    expect(app.double.objects("customer")).toMatchObject([
      { id: customerId, email: "ada@example.com", metadata: { entityId, team: "engines" } },
    ]);
    await eventually(app.customers, ([row]) => row?.stripe.email === "ada@example.com");
  });

  const details = { email: "ada@example.com", metadata: { team: "engines", role: "founder" } };
  const other = { email: "grace@example.com", metadata: { team: "compilers", role: "guest" } };
  const atStripe = ({ double }: App) =>
    double.objects("customer").map(({ email, metadata: { entityId: _, ...metadata } }) => ({
      email,
      metadata,
    }));

  it("is updated when something else is given, at Stripe and in the mirror before it returns", async () => {
    const app = await still({ endpoint: false });
    const { customerId } = await app.b.setup({ entityId, ...details });
    await app.double.clock.advance({ seconds: 5 });
    expect(await app.b.setup({ entityId, ...other })).toEqual({ customerId });
    expect(atStripe(app)).toEqual([other]);
    const [row] = await app.customers();
    expect(row?.stripe).toMatchObject(other);
    await app.double.clock.advance({ seconds: 5 });
    await app.b.setup({ entityId, ...details }); // what was updated can be updated again
    expect(atStripe(app)).toEqual([details]);
    app.double.requests.clear();
    await app.b.setup({ entityId, ...details });
    expect(app.double.requests.count()).toBe(0);
  });

  it("keeps what a person changed or removed at Stripe, field by field", async () => {
    const app = await still();
    const { customerId } = await app.b.setup({ entityId, ...details });
    await app.double.clock.advance({ seconds: 5 });
    await app.stripe.customers.update(customerId, { metadata: { team: "by hand", role: "" } });
    await app.double.settle();
    await app.double.clock.advance({ seconds: 5 });
    await app.b.setup({ entityId, ...other });
    expect(atStripe(app)).toEqual([{ email: other.email, metadata: { team: "by hand" } }]);
    app.double.requests.clear();
    await app.b.setup({ entityId, ...other });
    expect(app.double.requests.count()).toBe(0);
  });

  it("keeps a person's change that the mirror has not heard of", async () => {
    const app = await still({ endpoint: false });
    const { customerId } = await app.b.setup({ entityId, ...details });
    await app.stripe.customers.update(customerId, { email: "edited@example.com" });
    await app.b.setup({ entityId, ...other });
    expect(atStripe(app)).toEqual([{ email: "edited@example.com", metadata: other.metadata }]);
  });

  it("after a roll of the API key keeps what it has, until a caller confirms it", async () => {
    const app = await still({ endpoint: false });
    await app.b.setup({ entityId, ...details });
    // As if it were another key: what was remembered under it is not recognised.
    await app.sql(
      `UPDATE ${app.schema}.backend_billing_records SET data = jsonb_set(data::jsonb, '{written}',
         (SELECT jsonb_object_agg(reverse(key), value) FROM jsonb_each(data::jsonb -> 'written')))
       WHERE kind = 'claim'`,
    );
    await app.b.setup({ entityId, ...other });
    expect(atStripe(app)).toEqual([details]);
    await app.b.setup({ entityId, ...details });
    await app.b.setup({ entityId, ...other });
    expect(atStripe(app)).toEqual([other]);
  });

  it("loses what is given as empty, if it was given before", async () => {
    const app = await still({ endpoint: false });
    await app.b.setup({ entityId, ...details });
    await app.b.setup({ entityId, metadata: { team: "" } });
    expect(atStripe(app)).toEqual([{ ...details, metadata: { role: "founder" } }]);
    app.double.requests.clear();
    await app.b.setup({ entityId, metadata: { team: "" } });
    expect(app.double.requests.count()).toBe(0);
  });

  it("leaves neither email nor metadata in the records of the library", async () => {
    const app = await still();
    const { customerId } = await app.b.setup({ entityId, ...details });
    await app.b.setup({ entityId, ...other });
    await app.double.settle();
    const all = async () =>
      JSON.stringify(await app.sql(`SELECT * FROM ${app.schema}.backend_billing_records`));
    const personal = /@example|engines|compilers|founder|guest|"team"|"role"/;
    expect(await all()).not.toMatch(personal);
    await app.stripe.customers.del(customerId);
    await app.double.settle();
    expect(await all()).toContain('"free"');
    expect(await all()).not.toMatch(personal);
  });

  it("keeps what somebody put there at Stripe before the mirror heard of it", async () => {
    const app = await still({ endpoint: false });
    const { customerId } = await app.b.setup({ entityId });
    await app.stripe.customers.update(customerId, {
      email: "edited@example.com",
      metadata: { team: "by hand" },
    });
    await app.b.setup({
      entityId,
      email: "ada@example.com",
      metadata: { team: "engines", role: "founder" },
    });
    expect(app.double.objects("customer")).toMatchObject([
      { email: "edited@example.com", metadata: { entityId, team: "by hand", role: "founder" } },
    ]);
  });

  it("is filled in by a caller who only waited for it, too", async () => {
    const app = await open({ endpoint: false });
    await Promise.all([
      app.a.setup({ entityId, metadata: { first: "1" } }),
      app.b.setup({ entityId, metadata: { second: "2" } }),
      app.b.setup({ entityId, metadata: { third: "3" } }),
    ]);
    expect(app.double.objects("customer").map(({ metadata }) => metadata)).toEqual([
      { entityId, first: "1", second: "2", third: "3" },
    ]);
  });

  it("that was deleted, which no event told, is found out when it is to be filled in", async () => {
    const app = await still({ endpoint: false });
    const first = await app.b.setup({ entityId });
    await app.stripe.customers.del(first.customerId);
    const second = await app.b.setup({ entityId, email: "ada@example.com" });
    expect(second.customerId).not.toBe(first.customerId);
    expect(await linksOf(app)).toEqual({ [second.customerId]: entityId });
  });

  it("stays linked when its metadata is edited at Stripe, and belongs to nobody else", async () => {
    const app = await still();
    const mine = await app.b.setup({ entityId });
    await app.stripe.customers.update(mine.customerId, { metadata: { entityId: "user_2" } });
    await app.double.settle();
    expect(app.double.deliveries.all().map(({ state }) => state)).toEqual(
      Array(2).fill("delivered"),
    );
    expect(await app.b.setup({ entityId })).toEqual(mine);
    const other = await app.b.setup({ entityId: "user_2" });
    expect(other).not.toEqual(mine);
    expect(await linksOf(app)).toEqual({
      [mine.customerId]: entityId,
      [other.customerId]: "user_2",
    });
  });

  it("whose edited metadata is searched for belongs to nobody else either", async () => {
    const app = await still({ endpoint: false });
    const mine = await app.b.setup({ entityId });
    await app.stripe.customers.update(mine.customerId, { metadata: { entityId: "user_2" } });
    await app.double.clock.advance({ minutes: 1 }); // search lags
    expect(await app.b.setup({ entityId: "user_2" })).not.toEqual(mine);
    expect(await app.b.setup({ entityId })).toEqual(mine);
  });
});

describe("a customer made elsewhere that carries the entity's id", () => {
  const make = ({ stripe }: App, name: string, id = entityId) =>
    stripe.customers.create({ name, metadata: { entityId: id } });

  it("is found by search before the mirror was ever filled, exactly", async () => {
    const app = await still({ endpoint: false });
    await make(app, "almost", "User_1");
    const made = await make(app, "there already");
    await app.double.clock.advance({ minutes: 1 });
    expect(await app.b.setup({ entityId })).toEqual({ customerId: made.id });
    expect(app.double.objects("customer")).toHaveLength(2);
    expect(await linksOf(app)).toEqual({ [made.id]: entityId });
  });

  it("is not needed: where there is no search, a customer is made", async () => {
    const app = await still({ endpoint: false });
    const id = "o'hara \\ sons"; // a query that the double cannot read, which it answers with 400
    const { customerId } = await app.b.setup({ entityId: id });
    expect(app.double.requests.countStatus(400)).toBe(1);
    expect(app.double.objects("customer")).toMatchObject([
      { id: customerId, metadata: { entityId: id } },
    ]);
  });

  it("is passed over if it was deleted: the next oldest is taken", async () => {
    const app = await still({ endpoint: false });
    const gone = await make(app, "gone");
    await app.double.clock.advance({ seconds: 5 });
    const next = await make(app, "next");
    await app.double.clock.advance({ minutes: 1 });
    await app.stripe.customers.del(gone.id); // the index of the search has not heard of it
    expect(await app.b.setup({ entityId })).toEqual({ customerId: next.id });
  });

  it("twice: search adopts the oldest, and the other is reported", async () => {
    const app = await still({ endpoint: false });
    const oldest = await make(app, "oldest");
    await app.double.clock.advance({ hours: 1 });
    const other = await make(app, "other");
    await app.double.clock.advance({ minutes: 1 });
    expect(await app.b.setup({ entityId })).toEqual({ customerId: oldest.id });
    expect(reported(app, other.id)).toBe(1);
    expect(await app.claim(entityId)).toMatchObject({ others: [other.id] });
  });

  it("twice: a backfill, which shows the newest first, adopts the oldest all the same", async () => {
    const app = await still({ endpoint: false });
    const oldest = await make(app, "oldest");
    await app.double.clock.advance({ hours: 1 });
    const other = await make(app, "other");
    await app.b.sync();
    expect(await linksOf(app)).toEqual({ [oldest.id]: entityId, [other.id]: null });
    expect((await app.b.store.customerOf(entityId))?.customerId).toBe(oldest.id);
    expect(app.log.some((line) => line.includes("second customer"))).toBe(true);
    app.double.requests.clear();
    expect(await app.b.setup({ entityId })).toEqual({ customerId: oldest.id });
    expect(app.double.requests.count()).toBe(0);
  });

  it("twice: events in the wrong order adopt the oldest all the same", async () => {
    const app = await still({ stripe: { delivery: "held" } });
    const oldest = await make(app, "oldest");
    await app.double.clock.advance({ hours: 1 });
    const other = await make(app, "other");
    const held = app.double.deliveries.held().map(({ id }) => id);
    await app.double.deliveries.release([...held].reverse());
    expect(await linksOf(app)).toEqual({ [oldest.id]: entityId, [other.id]: null });
    expect(reported(app, other.id)).toBe(1);
  });

  it("once somebody was given a link it does not move, not even to an older one", async () => {
    const app = await still({ stripe: { delivery: "held" } });
    const oldest = await make(app, "oldest");
    await app.double.clock.advance({ hours: 1 });
    const other = await make(app, "other");
    const [first = "", second = ""] = app.double.deliveries.held().map(({ id }) => id);
    await app.double.deliveries.release([second]);
    expect(await app.b.setup({ entityId })).toEqual({ customerId: other.id });
    await app.double.deliveries.release([first]);
    expect(await app.b.setup({ entityId })).toEqual({ customerId: other.id });
    expect(await linksOf(app)).toEqual({ [oldest.id]: null, [other.id]: entityId });
    expect(reported(app, oldest.id)).toBe(1);
  });

  it("takes the place of one that was deleted", async () => {
    const app = await still();
    const first = await make(app, "first");
    const second = await make(app, "second");
    await app.double.settle();
    expect(await app.b.setup({ entityId })).toEqual({ customerId: first.id });
    await app.stripe.customers.del(first.id);
    await app.double.settle();
    expect(await app.b.setup({ entityId })).toEqual({ customerId: second.id });
    expect(app.double.objects("customer")).toHaveLength(1);
  });

  it("is never chosen by its email", async () => {
    const app = await still();
    const alike = await app.stripe.customers.create({ email: "ada@example.com" });
    await app.b.sync();
    const { customerId } = await app.b.setup({ entityId, email: "ada@example.com" });
    expect(customerId).not.toBe(alike.id);
    expect(await linksOf(app)).toEqual({ [alike.id]: null, [customerId]: entityId });
  });
});

it("customers need not be mirrored: setup works without their table", async () => {
  const app = await still({ endpoint: false, config: { resources: ["products", "prices"] } });
  const first = await app.b.setup({ entityId, email: "ada@example.com" });
  expect(await app.b.setup({ entityId, metadata: { team: "engines" } })).toEqual(first);
  expect(app.double.objects("customer")).toMatchObject([
    { id: first.customerId, email: "ada@example.com", metadata: { entityId, team: "engines" } },
  ]);
});

it("takes every key that Stripe takes", async () => {
  const app = await still({ endpoint: false });
  const metadata = { $price: "1", _source: "2", clé: "3", "~x": "4", "a b": "5" };
  await app.b.setup({ entityId, metadata });
  expect(app.double.objects("customer")).toMatchObject([{ metadata }]);
  expect(await app.b.store.customerOf(entityId)).toMatchObject({ stripe: { metadata } });
});

describe("what is refused", () => {
  it.each([
    [
      "entityId in the metadata",
      { entityId, metadata: { entityId: "x" } },
      "reserved_metadata_key",
    ],
    ["no entity", { entityId: "" }, "invalid_argument"],
    ["an entity that is no text", { entityId: 7 as never }, "invalid_argument"],
    [
      "an entity that Stripe's metadata cannot hold",
      { entityId: "x".repeat(501) },
      "invalid_argument",
    ],
    ["an empty key", { entityId, metadata: { "": "1" } }, "invalid_argument"],
    ["a key in brackets", { entityId, metadata: { "a[b]": "1" } }, "invalid_argument"],
    ["a long key", { entityId, metadata: { ["k".repeat(41)]: "1" } }, "invalid_argument"],
    ["a long value", { entityId, metadata: { k: "1".repeat(501) } }, "invalid_argument"],
    ["a value that is no text", { entityId, metadata: { k: 1 as never } }, "invalid_argument"],
    ["metadata that is none", { entityId, metadata: "k=1" as never }, "invalid_argument"],
    ["a control character", { entityId: "acct_1\u001fuser_1" }, "invalid_argument"],
  ] as const)("%s, before anything is sent or stored", async (_, args, code) => {
    const app = await still({ endpoint: false, checked: false });
    expect((await billingError(app.b.setup(args))).code).toBe(code);
    expect(app.double.requests.count()).toBe(0);
    expect(await app.sql(`SELECT * FROM ${app.schema}.backend_billing_records`)).toEqual([]);
  });

  it("a live key over test data, for entities that are known and for new ones", async () => {
    const app = await still({ endpoint: false });
    await app.b.setup({ entityId });
    const live = createBilling({ ...app.config, secret_key: app.double.liveSecretKey });
    const errors: BillingError[] = [];
    for (const id of [entityId, "user_2"]) {
      errors.push(await billingError(live.setup({ entityId: id })));
    }
    const urls = { returnUrl: `${app.url}/account` };
    errors.push(await billingError(live.portal({ entityId, ...urls })));
    expect(errors.map(({ code }) => code)).toEqual(Array(3).fill("livemode_mismatch"));
    expect(errors[0]?.message).toContain("Use a test key, or another database or schema");
    expect(app.double.objects("customer")).toHaveLength(1);
  });
});
