/**
 * What a gate costs: `store.can` beside the least that an application could do by itself, which is a
 * prepared select of its subscription by the customer's id, on the same pool. They take turns, call by
 * call, so that what slows one slows the other.
 */
import pg from "pg";
import { defineCatalogue, usd } from "../../packages/backend-billing/src/catalogue/index.js";
import type {
  ResourceName,
  StripeObject,
} from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import type {
  RecordWrite,
  Snapshot,
} from "../../packages/backend-billing/src/core/mirror/store.js";
import { createBilling } from "../../packages/backend-billing/src/postgres/index.js";
import { BEGINNING, customer, SECRET_KEY, subscription } from "./data.js";
import { median, type Series } from "./figures.js";

const catalogue = defineCatalogue({
  app: "acme",
  features: { sso: "boolean", projects: "limit" },
  plans: {
    free: { name: "Free", default: true, features: { projects: 3 } },
    pro: { name: "Pro", prices: { monthly: usd("20").monthly() }, features: { sso: true } },
  },
});

/** Entities, each with a customer and a subscription. */
export const STORED = 10_000;
const PAGE = 500;

export interface GateCosts {
  readonly repetitions: number;
  /** Calls of each in a repetition. */
  readonly calls: number;
}

/** Microseconds, the median of each repetition. */
export async function gateCosts(
  serverUrl: string,
  admin: pg.Client,
  { repetitions, calls }: GateCosts,
): Promise<Series> {
  await admin.query("CREATE DATABASE bench_gates");
  const url = new URL(serverUrl);
  url.pathname = "bench_gates";
  const pool = new pg.Pool({ connectionString: url.href });
  const { store, billing } = createBilling({
    secret_key: SECRET_KEY,
    webhook_secret: undefined,
    db: pool,
    base_url: "http://localhost",
    catalogue,
  });
  try {
    await store.migrate();
    await fill(store.commit);
    await pool.query("ANALYZE");
    if (!(await store.can("entity_1", "sso"))) throw new Error("The gate should be open");
    const select = {
      name: "bare_select",
      text: "SELECT stripe FROM billing.backend_billing_subscriptions WHERE customer_id = $1",
    };
    const ways = {
      bare: (index: number) => pool.query({ ...select, values: [customer(index, 0).id] }),
      can: (index: number) => store.can(`entity_${index}`, "sso"),
      limit: (index: number) => store.limit(`entity_${index}`, "projects"),
    };
    const values: { [way: string]: number[] } = { bare: [], can: [], limit: [] };
    for (let repetition = -1; repetition < repetitions; repetition++) {
      const took: { [way: string]: number[] } = { bare: [], can: [], limit: [] };
      for (let call = 0; call < calls; call++) {
        for (const [way, ask] of Object.entries(ways)) {
          const index = (call * 7919 + repetition + 1) % STORED;
          const started = performance.now();
          await ask(index);
          took[way]?.push(1000 * (performance.now() - started));
        }
      }
      if (repetition < 0) continue; // connections are made, and statements prepared
      for (const way of Object.keys(ways)) values[way]?.push(median(took[way] ?? []));
    }
    return {
      title: `a gate, ${STORED.toLocaleString("en")} subscriptions stored`,
      unit: "µs",
      values,
    };
  } finally {
    await billing.close();
    await pool.end();
    await admin.query("DROP DATABASE bench_gates WITH (FORCE)");
  }
}

type Commit = ReturnType<typeof createBilling>["store"]["commit"];

/** Stores the entities. */
export async function fill(commit: Commit): Promise<void> {
  for (let first = 0; first < STORED; first += PAGE) {
    const indexes = Array.from({ length: PAGE }, (_, place) => first + place);
    const snapshots = indexes.flatMap((index) => [
      seen("customers", customer(index, BEGINNING)),
      seen("subscriptions", sold(index)),
    ]);
    const records = indexes.map((index): RecordWrite => {
      const next = { ref: customer(index, 0).id, due: null, data: {} };
      return { kind: "claim", id: `entity_${index}`, expect: 0, next };
    });
    const units = [{ snapshots }];
    const committed = await commit({ source: "page", now: BEGINNING * 1000, units, records });
    if (!committed.committed) throw new Error("What is read was not stored");
  }
}

/** A subscription to the catalogue's plan. */
function sold(index: number): StripeObject<"subscriptions"> {
  const whole = subscription(index, BEGINNING) as StripeObject<"subscriptions">;
  const data = whole.items.data.map((item) => ({
    ...item,
    price: { ...item.price, product: "acme_pro" },
  }));
  return { ...whole, items: { ...whole.items, data } };
}

const seen = (resource: ResourceName, content: { readonly id: string }): Snapshot => ({
  resource,
  id: content.id,
  origin: "page",
  kind: "changed",
  usable: true,
  lo: BEGINNING,
  hi: BEGINNING + 1,
  content: content as StripeObject<ResourceName>,
});
