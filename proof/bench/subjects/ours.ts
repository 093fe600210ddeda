/** The library, through its Fetch handler and its public functions, with its default settings. */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { ResourceName } from "../../../packages/backend-billing/src/core/catalogue/catalogue.js";
import type { Snapshot } from "../../../packages/backend-billing/src/core/mirror/store.js";
import { createStripe } from "../../../packages/backend-billing/src/postgres/billing.js";
import type { Queryable } from "../../../packages/backend-billing/src/postgres/database.js";
import type { Reactions } from "../../../packages/backend-billing/src/postgres/reactions/on.js";
import { copyInto } from "../copy.js";
import { type Kind, SECRET_KEY, WEBHOOK_SECRET } from "../data.js";
import { lines, pageFrom } from "./seed.js";
import { CONCURRENCY, type Open, type Place, type Subject } from "./subject.js";

const IDS = { customers: "customer_id", subscriptions: "subscription_id" } as const;

/** Milliseconds between looks at a run. */
const LOOK = 10;

export const open: Open = (place) => openWith(place, ["customers", "subscriptions"]);

/** With these resources mirrored, and with these handlers. */
export async function openWith(
  { databaseUrl, listPort }: Place,
  resources: readonly ResourceName[],
  on?: Reactions<Queryable>,
): Promise<Subject> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  const { stripe, store, setup, sync } = createStripe({
    secret_key: SECRET_KEY,
    webhook_secret: WEBHOOK_SECRET,
    db: pool,
    base_url: "http://localhost",
    resources,
    on,
    rate: false,
    concurrency: CONCURRENCY,
    stripe_options: { host: "127.0.0.1", port: listPort, protocol: "http" },
  });
  await store.migrate();

  const copy = async (target: string, chunks: Iterable<string>) => {
    const client = await pool.connect();
    try {
      await copyInto(client, target, chunks);
    } finally {
      client.release();
    }
  };
  const storeVersions = (kind: Kind, count: number) =>
    copy(
      "billing.backend_billing_versions (resource, id, revision, state, lo, hi, first)",
      lines(kind, count, ({ id, created }) => [kind, id, 1, "live", created, created, false]),
    );

  /** Resolves once the lists of these have been read to their end, by the run's own records. */
  const listed = async (some: readonly string[]) => {
    for (;;) {
      const { rows } = await pool.query<{ begun: number; left: number }>(
        `SELECT count(DISTINCT data->>'resource')::int AS begun,
           count(*) FILTER (WHERE data->>'state' <> 'done')::int AS left
         FROM billing.backend_billing_records
         WHERE kind = 'partition' AND data->>'task' = 'list' AND data->>'resource' = ANY($1)`,
        [some],
      );
      const [found] = rows;
      if (found?.begun === some.length && found.left === 0) return;
      await sleep(LOOK);
    }
  };

  return {
    accept({ body, signature }) {
      const request = new Request("http://localhost/stripe/webhook", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "content-length": String(body.length), // as every HTTP server gives it; it is all ASCII
          "stripe-signature": signature,
        },
        body,
      });
      return async () => {
        const response = await stripe.fetch(request);
        if (response.status !== 200) throw new Error(await response.text());
      };
    },
    async store(kind, count) {
      await storeVersions(kind, count);
      if (kind === "customers") {
        await copy(
          "billing.backend_billing_customers (customer_id, stripe, last_synced_at)",
          lines(kind, count, (object) => [object.id, JSON.stringify(object), 1]),
        );
        await copy(
          "billing.backend_billing_subscriptions (customer_id, last_synced_at)",
          lines(kind, count, ({ id }) => [id, 1]),
        );
      } else {
        await pool.query("TRUNCATE billing.backend_billing_subscriptions");
        await copy(
          "billing.backend_billing_subscriptions (subscription_id, customer_id, stripe, last_synced_at)",
          lines(kind, count, (object) => {
            const customer = "customer" in object ? object.customer : null;
            return [object.id, customer, JSON.stringify(object), 1];
          }),
        );
      }
      await pool.query("VACUUM ANALYZE");
    },
    async storePage(from) {
      const snapshots = pageFrom(from).map((content): Snapshot => {
        const sight = { origin: "page", kind: "changed", usable: true } as const;
        const { id, created: lo } = content;
        return { resource: "customers", id, ...sight, lo, hi: lo, content };
      });
      await store.commit({ source: "event", now: Date.now(), units: [{ snapshots }] });
    },
    async count(kind) {
      const { rows } = await pool.query(
        `SELECT count(${IDS[kind]})::int AS n FROM billing.backend_billing_${kind}`,
      );
      return rows[0].n;
    },
    async clear() {
      const { rows } = await pool.query(
        `SELECT string_agg('billing.' || tablename, ', ') AS all FROM pg_tables
         WHERE tablename LIKE 'backend_billing_%' AND tablename <> 'backend_billing_migrations'`,
      );
      await pool.query(`TRUNCATE ${rows[0].all}`);
    },
    async backfill() {
      await sync();
    },
    async backfillFirst(some) {
      const whole = sync();
      await Promise.race([whole, listed(some)]);
      return { whole: whole.then(() => {}) };
    },
    calls: {
      setup: () => setup({ entityId: "entity_1" }),
      subscribe: () =>
        stripe.subscribe(
          {},
          {
            entityId: "entity_1",
            priceId: "price_1",
            mode: "subscription",
            success_url: "http://localhost/welcome",
            cancel_url: "http://localhost/pricing",
          },
        ),
      portal: () => stripe.portal({}, { entityId: "entity_1", returnUrl: "http://localhost" }),
    },
    close: () => pool.end(),
  };
}
