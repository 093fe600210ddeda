// Which index PostgreSQL uses for what, on tables of any size: each index of the specification is
// asked for one value, and the store's own reads are watched.
import type pg from "pg";
import { type ResourceName, resourceNames } from "../../src/core/catalogue/catalogue.js";
import { resources } from "../../src/core/catalogue/resources.js";
import { migrate } from "../../src/postgres/schema/migrations.js";
import { snake } from "../../src/postgres/schema/table.js";
import { resourceTable } from "../../src/postgres/schema/tables.js";
import { createPostgresStore } from "../../src/postgres/store/store.js";

export interface IndexUse {
  /** The index, or the read of the store. */
  readonly name: string;
  /** The indexes that PostgreSQL uses. */
  readonly indexes: readonly string[];
  /** The tables that it reads from end to end. */
  readonly scanned: readonly string[];
  /** Statements that it takes. */
  readonly statements: number;
  readonly milliseconds: number;
}

/** Fields by which one object names another, and by which it is looked up. */
const REFERENCES = [
  "charge",
  "client_reference_id",
  "credit_grant",
  "destination",
  "event_name",
  "feature",
  "invoice",
  "payment_intent",
  "promotion_code",
  "source",
] as const;

/**
 * Every table with so many rows. Of a thousand values each occurs once in a thousand rows, so that
 * an index is worth its while.
 */
export async function fillTables(pool: pg.Pool, rows: number): Promise<void> {
  await migrate(pool, { resources: "all" });
  const { rows: indexes } = await pool.query<{ name: string; text: string }>(
    `SELECT format('%I.%I', schemaname, indexname) AS name, indexdef AS text FROM pg_indexes
     WHERE tablename LIKE 'backend_billing_%' AND indexname NOT IN (SELECT conname FROM pg_constraint)`,
  );
  // An index over rows that are there already is made several times faster than one row by row.
  for (const { name } of indexes) await pool.query(`DROP INDEX ${name}`);
  for (const name of resourceNames) {
    const { table, idField, columns } = resources[name];
    const names = [idField, ...Object.keys(columns)].map(snake);
    const values = [idOf(name), ...Object.entries<{ from: string }>(columns).map(sourceOf)];
    await fill(
      pool,
      `billing.${table} (${names.join(", ")}, stripe, last_synced_at)`,
      `${values.join(", ")}, jsonb_build_object('id', ${idOf(name)}, 'active', n % 1000 = 1,
         'lookup_key', 'key_' || n, 'subscription', 'subscriptions_' || n, 'created', n,
         ${REFERENCES.map((name) => `'${name}', '${name}_' || n`).join(", ")},
         ${name === "discounts" ? "'source', jsonb_build_object('coupon', 'coupon_' || n)," : ""}
         'payment', jsonb_build_object('payment_intent', 'payment_intent_' || n),
         'entitlement_feature', jsonb_build_object('id', 'feature_' || n),
         'parent', jsonb_build_object('subscription_details',
           jsonb_build_object('subscription', 'subscriptions_' || n)),
         'items', jsonb_build_object('data', jsonb_build_array(jsonb_build_object(
           'price', jsonb_build_object('product', 'products_' || n)))),
         'name', 'Name ' || n, 'product', 'products_' || n % 1000, 'currency', 'c' || n % 1000,
         'recurring', jsonb_build_object('interval', 'i' || n % 1000), 'status',
         CASE WHEN n = 79 THEN 'rare' WHEN n = 78 THEN 'past_due'
           WHEN n % 2 = 0 THEN 'active' ELSE 'canceled' END), n`,
      rows,
    );
  }
  for (const name of ["customers", "subscriptions"] as const) {
    await fill(
      pool,
      "billing.backend_billing_versions (resource, id, revision, state, lo, hi, first)",
      `'${name}', ${idOf(name)}, 1, 'live', n, n, false`,
      rows,
    );
  }
  await fill(
    pool,
    "billing.backend_billing_records (kind, id, revision, ref, data)",
    `'claim', 'entity_' || n, 1, ${idOf("customers")}, '{}'`,
    rows,
  );
  for (const { text } of indexes) await pool.query(text);
  await pool.query("VACUUM ANALYZE");
}

/** Puts so many rows into a table, made of their number n. */
async function fill(pool: pg.Pool, table: string, values: string, rows: number): Promise<void> {
  await pool.query(`INSERT INTO ${table} SELECT ${values} FROM generate_series(1, $1::int) AS n`, [
    rows,
  ]);
}

const idOf = (name: ResourceName): string => `'${name}_' || n`;

/** A subscription belongs to the customer of its number, and that to the entity. */
const sourceOf = ([, { from }]: [string, { from: string }]): string =>
  from === "link" ? "'entity_' || n" : "'customers_' || n";

/** Asks each of the specification's indexes for one value. */
export async function indexesUsed(pool: pg.Pool): Promise<readonly IndexUse[]> {
  const uses: IndexUse[] = [];
  for (const resource of resourceNames) {
    const { name: table, indexes } = resourceTable(resource);
    const spec = Object.entries<string>(resources[resource].indexes);
    for (const [index, field] of spec) {
      const on = indexes.find(({ name }) => name === `${table}_${index}`)?.on ?? [];
      const column = "expression" in on ? on.expression : (on[0] ?? "");
      const text = `SELECT * FROM billing.${table} WHERE ${column} = $1`;
      uses.push(await explained(pool, `${table}_${index}`, [[text, [sampleOf(resource, field)]]]));
    }
  }
  return uses;
}

/** A value that occurs, by the field that is indexed. */
function sampleOf(resource: ResourceName, field: string): string {
  const samples: { readonly [field: string]: string } = {
    subscriptionId: "customers_77", // of discounts: filled as the other columns are
    [resources[resource].idField]: `${resource}_77`,
    entityId: "entity_77",
    customerId: "customers_77",
    productId: "customers_77", // of product features: filled as the other columns are
    "stripe.active": "true",
    "stripe.name": "Name 77",
    "stripe.product": "products_77",
    "stripe.recurring.interval": "i77",
    "stripe.currency": "c77",
    "stripe.lookup_key": "key_77",
    "stripe.status": "rare",
    "stripe.subscription": "subscriptions_77",
    "stripe.parent.subscription_details.subscription": "subscriptions_77",
    "stripe.payment.payment_intent": "payment_intent_77",
    "stripe.entitlement_feature.id": "feature_77",
    "stripe.source.coupon": "coupon_77",
    ...Object.fromEntries(REFERENCES.map((name) => [`stripe.${name}`, `${name}_77`])),
  };
  const sample = samples[field];
  if (sample === undefined) throw new Error(`No sample for an index on ${field}`);
  return sample;
}

/** The store's own reads by key, with the statements that they send. */
export async function readsUsed(pool: pg.Pool): Promise<readonly IndexUse[]> {
  const sent: Sent[] = [];
  const store = createPostgresStore({
    pool: {
      query: (text, values = []) => {
        sent.push([text, values]);
        return pool.query(text, values);
      },
      connect: () => pool.connect(),
    },
  });
  const reads: { readonly [name: string]: () => Promise<unknown> } = {
    "store.activeSubscriptionsOf": () => store.activeSubscriptionsOf("entity_78"),
    "store.subscribed": () => store.subscribed("entity_78"),
    "store.held": () => store.held("entity_78"),
    "store.held with products": () => store.held("entity_78", { described: true }),
    "store.refundsOf": () => store.refundsOf("entity_78"),
    "store.purchased by entity": () => store.purchased({ entityId: "entity_78", limit: 50 }),
    "store.purchased by reference": () =>
      store.purchased({ referenceId: "client_reference_id_78" }),
    "store.customerOf": () => store.customerOf("entity_78"),
    "store.claimed": () => store.claimed("entity_78", [], [{ kind: "setting", id: "mode" }]),
    "store.record": () => store.record("claim", "entity_78"),
    "store.recordsOf": () => store.recordsOf("claim", "customers_78", "", 1),
    "store.row": () => store.row("subscriptions", "subscriptions_78"),
    "store.rows": () => store.rows("customers", "", 100),
    "store.version": () => store.version("customers", "customers_78"),
    // Where few are unconfirmed it goes through all of a resource's versions, as a sweep must.
    "store.unconfirmed": () => store.unconfirmed("customers", 2_000_000_000, "", 100),
    "store.takeAsks": () => store.takeAsks({ now: 1, lease: 1, limit: 10 }),
    "store.takeRecords": () => store.takeRecords("refresh", { now: 1, lease: 1, limit: 10 }),
  };
  await store.record("setting", "mode"); // the first use checks the place, once
  const uses: IndexUse[] = [];
  for (const [name, read] of Object.entries(reads)) {
    sent.length = 0;
    await read();
    uses.push(await explained(pool, name, [...sent]));
  }
  return uses;
}

type Sent = readonly [text: string, values: readonly unknown[]];

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly Plans?: readonly PlanNode[];
}

async function explained(pool: pg.Pool, name: string, sent: readonly Sent[]): Promise<IndexUse> {
  const nodes: PlanNode[] = [];
  const visit = (node: PlanNode): void => {
    nodes.push(node);
    node.Plans?.forEach(visit);
  };
  const started = performance.now();
  for (const [text, values] of sent) {
    const explain = `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`;
    const { rows } = await pool.query(explain, [...values]);
    visit(rows[0]["QUERY PLAN"][0].Plan);
  }
  return {
    name,
    indexes: nodes.flatMap((node) => node["Index Name"] ?? []),
    scanned: nodes.flatMap((node) =>
      node["Node Type"] === "Seq Scan" ? (node["Relation Name"] ?? []) : [],
    ),
    statements: sent.length,
    milliseconds: performance.now() - started,
  };
}
