/**
 * What an application configures, and when it is checked: at first use, not at load, because the
 * first deployment happens before the secrets exist.
 */
import Stripe from "stripe";
import { isAppName } from "../catalogue/carrier.js";
import {
  listsPerOwner,
  namesOf,
  type ResourceChoice,
  type ResourceName,
  resourceNames,
  type StripeObject,
} from "../catalogue/catalogue.js";
import type { Tolerances } from "../mirror/interval.js";
import type { AnyCatalogue } from "../plans/catalogue.js";
import { SEATS_DELAY } from "./commit/seats.js";
import { BillingError } from "./errors.js";
import type { Telemetry } from "./telemetry/telemetry.js";

/** What a line is about: ids, words from fixed vocabularies, and numbers. */
export type LogDetails = { readonly [name: string]: unknown };

/**
 * Fits `console`, and pino, which wants the details first. Lines carry ids, never secrets or
 * personal data.
 */
export interface Logger {
  /** Something changed. */
  info(details: LogDetails, message: string): void;
  /** Something was refused, or failed and is tried again. */
  warn(details: LogDetails, message: string): void;
  /** A person should look at it. */
  error(details: LogDetails, message: string): void;
}

/** What an application configures on either platform. */
export interface BillingConfig {
  /** Stripe's secret key, from `STRIPE_SECRET_KEY`. A restricted key works too. */
  readonly secret_key: string | undefined;
  /**
   * The endpoint's signing secret, from `STRIPE_WEBHOOK_SECRET`. Several while one is being rolled: a
   * list, or one text with commas between them.
   */
  readonly webhook_secret: string | readonly string[] | undefined;
  /**
   * The name of this application, where its Stripe account serves several: 1 to 40 letters, digits,
   * `.`, `_` and `-`. Customers are marked with it, and only marked ones are taken for an entity's.
   * It is stored at first use, and another name, or none, is refused from then on.
   */
  readonly app?: string | undefined;
  /**
   * What to mirror: names, or `"all"`. Default: `defaultResources`, which is what the specification
   * names and what a billing page shows. Give the tables the same choice.
   */
  readonly resources?: ResourceChoice;
  /**
   * The application's own catalogue, by `defineCatalogue` of `backend-billing/catalogue`: it says who
   * keeps access. On Convex give the same one to `createLocal`.
   */
  readonly catalogue?: AnyCatalogue | undefined;
  /** Where this application is reached by Stripe and by people. A path in it belongs to the routes. */
  readonly base_url?: string | undefined;
  /** Where the routes hang below the base URL. Default `/stripe`. */
  readonly path?: string;
  /**
   * Origins that people may be sent back to, beside the base URL's own. Default: any, because only
   * the application's own code says where, and the link that leads there is signed.
   */
  readonly return_origins?: readonly string[];
  /**
   * Which prices this application sells, of those that are active and whose product is. Default: all
   * of them. Every other price is refused by `subscribe`, `pay` and `checkout`; a price that your
   * own code makes on the spot, by `price_data`, is not asked about.
   */
  readonly sells?: (price: StripeObject<"prices">, product: StripeObject<"products">) => boolean;
  /**
   * Where people are, if that is another address than `base_url`: addresses to come back to that are
   * given as paths lie below it.
   */
  readonly site_url?: string | undefined;
  /**
   * What `subscribe` and `checkout` do for an entity that is subscribed already, where the call does
   * not say: `portal` (default) leads to the portal, `refuse` throws `already_subscribed`, `allow`
   * sells another subscription.
   */
  readonly if_subscribed?: IfSubscribed | undefined;
  /** Whether handlers are told of what the first listing finds, too. Default: of changes alone. */
  readonly initial_events?: boolean | undefined;
  /**
   * Another Stripe than Stripe itself, such as the emulator: its address, `http://127.0.0.1:12111`, from
   * `STRIPE_HOST`. Without it, or where it is empty, it is Stripe.
   */
  readonly stripe_host?: string | undefined;
  /** Options for the Stripe client. */
  readonly stripe_options?: Stripe.StripeConfig;
  /** Widen these if your Stripe events are ever off by more. */
  readonly tolerances?: Partial<Tolerances>;
  /** Where lines go: `console`, a pino logger, or anything like them. Default: nowhere. */
  readonly logger?: Logger;
  /** Where metrics and spans go: `openTelemetry()` from `backend-billing/opentelemetry`. */
  readonly telemetry?: Telemetry;
  /**
   * How many requests a second the background may make, over all processes of this deployment.
   * Default: Stripe's limits of the key's mode. `false` for no limit, as in benchmarks.
   */
  readonly rate?: Partial<Rates> | false;
  /** How many pages a process reads at once in `sync`, `reconcile` and `verify`. Default 4. */
  readonly concurrency?: number;
  /** Waits in milliseconds; only tests change them. */
  readonly timing?: Partial<Timing>;
}

/** What an entity that is subscribed already gets instead of a checkout page. */
export type IfSubscribed = "portal" | "refuse" | "allow";

/** Requests a second. */
export interface Rates {
  /** Requests a second in all. */
  readonly total: number;
  /** Requests a second for one endpoint. */
  readonly perEndpoint: number;
}

/** Waits in milliseconds. */
export interface Timing {
  /** How long one caller may hold a claim. */
  readonly claimLease: number;
  /** How long to wait before looking for a customer that an uncertain answer may have made. */
  readonly claimSettle: number;
  /** How old a first attempt may be before its idempotency key is not to be trusted. */
  readonly claimAge: number;
  /** How soon Stripe is searched again, while the mirror is behind. */
  readonly claimLook: number;
  /** How long `setup` waits for another caller before it gives up. */
  readonly claimPatience: number;
  /** How long one caller may work at an entity's checkout while others wait. */
  readonly guardLease: number;
  /** How long a call that sells waits for another one before it gives up. */
  readonly guardPatience: number;
  /** How old the last reading of Stripe's events may be, before the mirror is not relied on. */
  readonly guardAge: number;
  /**
   * How long after a payment its customer's subscriptions are refreshed, if no event has shown them
   * by then.
   */
  readonly refreshDelay: number;
  /** How long changes of an entity's seats are merged, and the least time between two updates. */
  readonly seatsDelay: number;
  /** How long one worker may count and send an entity's seats. */
  readonly seatsLease: number;
  /** How long the return route waits for Stripe before it sends the person on. */
  readonly returnPatience: number;
  /** How long one worker may hold a partition; a page's request ends before that. */
  readonly pageLease: number;
  /** How long a verification waits before it looks again at what differs. */
  readonly verifyDelay: number;
  /** Of `tick`: between two readings of Stripe's events, and between two comparisons of everything. */
  readonly catchUpEvery: number;
  readonly reconcileEvery: number;
}

export const TIMING: Timing = {
  claimLease: 30_000,
  claimSettle: 60_000,
  claimAge: 20 * 60 * 60 * 1000,
  claimLook: 10 * 60 * 1000,
  claimPatience: 20_000,
  guardLease: 30_000,
  guardPatience: 60_000,
  guardAge: 15 * 60_000,
  refreshDelay: 5_000,
  seatsDelay: SEATS_DELAY,
  seatsLease: 60_000,
  returnPatience: 1_500,
  pageLease: 30_000,
  verifyDelay: 3_000,
  catchUpEvery: 5 * 60_000,
  reconcileEvery: 24 * 60 * 60_000,
};

/** The error for a missing setting: the option, its variable, and how to set it. */
function missing(name: string, option: string): BillingError {
  return new BillingError(
    "invalid_config",
    `\`${option}\` is missing. Set the environment variable ${name} where this backend runs (on Convex: npx convex env set ${name} …) and pass it as \`${option}\`.`,
  );
}

export function secretKey({ secret_key: key }: BillingConfig): string {
  if (!key) throw missing("STRIPE_SECRET_KEY", "secret_key");
  if (!/^(sk|rk)_(test|live)_/.test(key)) {
    throw new BillingError(
      "invalid_config",
      "`secret_key` is not a Stripe secret key: it starts with sk_test_, sk_live_, rk_test_ or rk_live_. Take it from the API keys page of Stripe's dashboard, not the publishable key.",
    );
  }
  return key;
}

/** The signing secrets that are given, whatever they look like; a variable holds several by commas. */
export function givenSecrets({
  webhook_secret: given = [],
}: Pick<BillingConfig, "webhook_secret">): readonly string[] {
  return [given]
    .flat()
    .flatMap((each) => each.split(","))
    .map((secret) => secret.trim())
    .filter(Boolean);
}

export function webhookSecrets(config: BillingConfig): readonly string[] {
  const all = givenSecrets(config);
  if (all.length === 0) throw missing("STRIPE_WEBHOOK_SECRET", "webhook_secret");
  const wrong = all.find((secret) => !secret.startsWith("whsec_"));
  if (wrong !== undefined) {
    throw new BillingError(
      "invalid_config",
      "`webhook_secret` is not a signing secret: it starts with whsec_. It is shown when the endpoint is created, by `sync({ webhook: true })` or in Stripe's dashboard.",
    );
  }
  return all;
}

/** Whether the key is a live one. */
export function isLive(config: BillingConfig): boolean {
  return /^(sk|rk)_live_/.test(secretKey(config));
}

/** The application's name; undefined where it has none. */
export function appName({
  app,
  catalogue,
}: Pick<BillingConfig, "app" | "catalogue">): string | undefined {
  if (app === undefined || app === "") return undefined;
  const named = catalogue?.app ?? app;
  if (named !== app) {
    throw new BillingError(
      "invalid_config",
      `The setting \`app\` is "${app}" and the catalogue's is "${named}". One application has one name: use the same, or leave out the setting.`,
    );
  }
  if (isAppName(app)) return app;
  throw new BillingError(
    "invalid_config",
    "`app` must be 1 to 40 letters, digits, dots, hyphens or underscores, and begin and end with a letter or a digit. It names this application on a Stripe account that several share.",
  );
}

export function routePath({ path = "/stripe" }: BillingConfig): string {
  if (!/^(\/[\w.-]+)+$/.test(path)) {
    throw new BillingError("invalid_config", `\`path\` must look like /stripe, not ${path}`);
  }
  return path;
}

/** The base URL without a slash at the end; `advice` says what it must be, on this platform. */
export function checkedBaseUrl(url: string | undefined, advice: string): string {
  if (url && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) {
    return url.replace(/\/+$/, "");
  }
  throw new BillingError("invalid_config", advice);
}

/** The path of the base URL without a slash at the end; empty if it has none or is not known. */
export function basePath({ base_url: url = "" }: BillingConfig): string {
  return URL.canParse(url) ? new URL(url).pathname.replace(/\/+$/, "") : "";
}

export function chosenResources({ resources }: BillingConfig): readonly ResourceName[] {
  const chosen = namesOf(resources);
  const unknown = chosen.find((name) => !resourceNames.includes(name));
  if (unknown !== undefined) {
    throw new BillingError(
      "invalid_config",
      `\`resources\` names ${unknown}, which is not in the catalogue: ${resourceNames.join(", ")}`,
    );
  }
  for (const name of chosen) {
    const owner = listsPerOwner(name)?.owner;
    if (owner === undefined || chosen.includes(owner)) continue;
    throw new BillingError(
      "invalid_config",
      `\`resources\` names ${name}, which Stripe lists only for one of the ${owner} at a time: name ${owner}, too`,
    );
  }
  return chosen;
}

/** Where Stripe's API is, as its SDK takes it. */
export function stripePlace({ stripe_host: url }: BillingConfig): Stripe.StripeConfig {
  if (!url) return {};
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const protocol = parsed?.protocol.slice(0, -1);
  // Stripe's client takes no path and no password; IPv6 in brackets on some runtimes, without on others.
  const isAll = parsed?.href === `${parsed?.origin}/` && !parsed.host.startsWith("[");
  if (parsed === undefined || !isAll || (protocol !== "http" && protocol !== "https")) {
    throw new BillingError(
      "invalid_config",
      `\`stripe_host\`, from STRIPE_HOST or --stripe-host, must be an address such as http://127.0.0.1:12111: a name or an IPv4 address, without a path or a password`,
    );
  }
  return { host: parsed.hostname, port: parsed.port || (protocol === "http" ? 80 : 443), protocol };
}

/** The Stripe client, made at first use. Retries are left to it except where a caller says so. */
export function stripeClient(config: BillingConfig): () => Stripe {
  let client: Stripe | undefined;
  return () => {
    client ??= new Stripe(secretKey(config), {
      telemetry: false,
      appInfo: { name: "backend-billing" },
      ...stripePlace(config),
      ...config.stripe_options,
    });
    return client;
  };
}
