/** The application that a runtime runs: the published package, given to it by the entry of each runtime. */
import type * as Catalogue from "../../../packages/backend-billing/src/catalogue/index.js";
import type * as Postgres from "../../../packages/backend-billing/src/postgres/index.js";

/** What an entry imports under the names that an application does. */
export interface Parts {
  readonly postgres: typeof Postgres;
  readonly catalogue: typeof Catalogue;
  /** A pool of `pg`, of as many connections. */
  pool(max: number): Pool;
  readonly settings: Settings;
}

export type Pool = Postgres.PoolLike & { end(): Promise<void> };

/** What the runner passes on. */
export interface Settings {
  readonly database: string;
  /** Where the double is, and the key it takes. */
  readonly stripe: string;
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** Where this application is reached. */
  readonly baseUrl: string;
}

export const shop = ({ defineCatalogue, usd }: typeof Catalogue) =>
  defineCatalogue({
    app: "runtimes",
    features: { sso: "boolean", projects: "limit", credits: "credits" },
    plans: {
      free: { name: "Free", default: true, features: { projects: 1, credits: { included: 10 } } },
      pro: {
        name: "Pro",
        prices: { monthly: usd("20").monthly(), yearly: usd("200").yearly() },
        features: { sso: true, projects: 100, credits: { included: 500 } },
      },
    },
    packs: { poster: { name: "Poster", price: usd("15") } },
  });

export type App = ReturnType<typeof createApp>;

export function createApp(parts: Parts) {
  const { postgres, settings } = parts;
  const catalogue = shop(parts.catalogue);
  const pool = parts.pool(10);
  const { hostname, port, protocol } = new URL(settings.stripe);
  const stripe_options = {
    host: hostname,
    port,
    protocol: protocol === "https:" ? "https" : "http",
  } as const;
  const failures = new Map<string, number>();
  const config = {
    secret_key: settings.secretKey,
    webhook_secret: settings.webhookSecret,
    db: pool,
    base_url: settings.baseUrl,
    stripe_options,
    catalogue,
    logger: { debug() {}, info() {}, warn: console.error, error: console.error },
  };
  const made = postgres.createBilling({
    ...config,
    on: {
      "subscription.started": async ({ entityId, key }, { tx }) => {
        // Fails at first for some: it is told again.
        const left = failures.get(entityId) ?? 0;
        failures.set(entityId, left - 1);
        await tx.query("INSERT INTO started (key, entity) VALUES ($1, $2)", [key, entityId]);
        if (left > 0) throw new Error("Not yet");
      },
    },
  });
  return {
    ...made,
    parts,
    pool,
    config,
    /** The handler of this entity throws so many times. */
    failFor: (entityId: string, times: number) => void failures.set(entityId, times),
    rows: async <T>(text: string, values: readonly unknown[] = []) =>
      (await pool.query(text, [...values])).rows as T[],
    /** Drives the double. */
    control: async (
      path: string,
      body?: object,
    ): Promise<{ readonly [field: string]: unknown }> => {
      const response = await fetch(`${settings.stripe}/_double/${path}`, {
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      });
      const answer = (await response.json()) as { readonly [field: string]: unknown };
      if (!response.ok) throw new Error(`The double says: ${JSON.stringify(answer)}`);
      return answer;
    },
    /** Asks Stripe's API as another program would. */
    ask: async (path: string, form?: { readonly [field: string]: string }) => {
      const response = await fetch(`${settings.stripe}/v1/${path}`, {
        headers: { authorization: `Bearer ${settings.secretKey}` },
        ...(form === undefined ? {} : { method: "POST", body: new URLSearchParams({ ...form }) }),
      });
      return (await response.json()) as { readonly [field: string]: unknown };
    },
  };
}
