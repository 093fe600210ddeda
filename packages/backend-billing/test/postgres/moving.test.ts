// The queries of the guides to moving, as they are written there, over the tables of the other
// library: what they answer is adopted.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { type App, applications } from "./service/kit.js";

const open = applications();

/** The queries of a guide that make pairs, in its order. */
function queriesIn(guide: string): string[] {
  const page = new URL(`../../../../docs/moving/${guide}.md`, import.meta.url);
  const blocks = readFileSync(page, "utf8").matchAll(/^ *```sql\n([\s\S]*?)^ *```/gm);
  return [...blocks].map(([, code = ""]) => code).filter((code) => code.includes('as "entityId"'));
}

const made = async ({ stripe }: App, metadata: { [key: string]: string } = {}) =>
  (await stripe.customers.create({ metadata })).id;

/** Runs a query, adopts what it answers, and says who has which customer then. */
async function adopted(app: App, query: string | undefined) {
  const pairs = await app.sql<{ entityId: string; customerId: string }>(query ?? "");
  for (const pair of pairs) {
    expect(Object.keys(pair).sort()).toEqual(["customerId", "entityId"]);
    await app.b.billing.adopt(pair);
  }
  return Object.fromEntries(pairs.map(({ entityId, customerId }) => [entityId, customerId]));
}

async function linked(app: App) {
  const rows = (await app.customers()).filter(({ entityId }) => entityId !== null);
  return Object.fromEntries(rows.map(({ entityId, customerId }) => [entityId, customerId]));
}

it("better-auth: users, and organisations", async () => {
  const app = await open({ endpoint: false });
  const [ada, club] = [await made(app), await made(app)];
  // As its migrations make them, with organisations enabled.
  await app.sql(`
    CREATE TABLE "user" (id text PRIMARY KEY, name text NOT NULL, email text NOT NULL UNIQUE,
      "emailVerified" boolean NOT NULL, "stripeCustomerId" text);
    CREATE TABLE organization (id text PRIMARY KEY, name text NOT NULL, slug text NOT NULL UNIQUE,
      "stripeCustomerId" text);
    INSERT INTO "user" VALUES ('ada', 'Ada', 'ada@example.com', true, '${ada}'),
      ('bob', 'Bob', 'bob@example.com', true, NULL);
    INSERT INTO organization VALUES ('club', 'Club', 'club', '${club}'), ('none', 'None', 'none', NULL)`);
  const [users, both, ...more] = queriesIn("better-auth");
  expect(more).toEqual([]);
  expect(await adopted(app, users)).toEqual({ ada });
  expect(await adopted(app, both)).toEqual({ ada, club });
  expect(await linked(app)).toEqual({ ada, club });
});

it("@stripe/sync-engine: by a column of the application's own, and by metadata", async () => {
  const app = await open({ endpoint: false });
  const [ada, bob] = [await made(app), await made(app, { userId: "bob" })];
  const gone = await made(app, { userId: "eve" });
  // As its migrations make the table, with the columns that are generated from the object.
  await app.sql(`
    CREATE SCHEMA stripe;
    CREATE TABLE stripe.customers (_raw_data jsonb NOT NULL, _last_synced_at timestamptz,
      _updated_at timestamptz NOT NULL DEFAULT now(), _account_id text NOT NULL,
      id text GENERATED ALWAYS AS ((_raw_data->>'id')::text) STORED PRIMARY KEY,
      metadata jsonb GENERATED ALWAYS AS ((_raw_data->'metadata')::jsonb) STORED);
    CREATE TABLE users (id text PRIMARY KEY, stripe_customer_id text);
    INSERT INTO users VALUES ('ada', '${ada}'), ('eve', '${gone}'), ('zoe', NULL)`);
  const insert = (raw: object) =>
    app.pool.query("INSERT INTO stripe.customers (_raw_data, _account_id) VALUES ($1, 'acct_1')", [
      JSON.stringify(raw),
    ]);
  for (const customer of app.double.objects("customer")) {
    await insert(customer.id === gone ? { ...customer, deleted: true } : customer);
  }
  await app.stripe.customers.del(gone);
  const [own, metadata, ...more] = queriesIn("stripe-sync-engine");
  expect(more).toEqual([]);
  expect(await adopted(app, own)).toEqual({ ada });
  expect(await adopted(app, metadata)).toEqual({ bob });
  expect(await linked(app)).toEqual({ ada, bob });
});
