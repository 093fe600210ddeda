/** Gathers the facts: the settings here, then Stripe, the database and the application's route. */
import Stripe from "stripe";
import { meterOf } from "../../core/plans/usage.js";
import {
  appName,
  type BillingConfig,
  givenSecrets,
  stripePlace,
  webhookSecrets,
} from "../../core/runtime/config.js";
import { BillingError } from "../../core/runtime/errors.js";
import {
  billingConfig,
  type ConnectOptions,
  resourcesOf,
  stripeHostOf,
  webhookPlace,
  withPool,
} from "../connect.js";
import { catalogueIfAny } from "../plans/load.js";
import type { Io } from "../terminal/io.js";
import { askDatabase } from "./ask/database.js";
import { askRoute } from "./ask/route.js";
import { askStripe } from "./ask/stripe.js";
import type { Place } from "./commands.js";
import type { AddressFacts, DatabaseFacts, Facts, KeyFacts } from "./facts.js";
import { reasonOf } from "./reason.js";

export interface GatherOptions extends ConnectOptions, Place {
  /** The file of the plans in code. */
  readonly catalogue?: string;
}

/** Long enough for a slow line; a doctor that hangs is no use. */
const TIMEOUT = 15_000;

export async function gather(io: Io, options: GatherOptions): Promise<Facts> {
  const { url, ...others } = options;
  const config = billingConfig(io, others);
  const app = appName(config);
  const resources = resourcesOf(options);
  const key = keyFacts(config.secret_key);
  const secret = secretFacts(config);
  const address = addressFacts(url, stripeHostOf(io, options));
  // A client without a usable key can still sign.
  const stripe = new Stripe(key.state === "given" ? (config.secret_key ?? "") : "sk_test_none", {
    telemetry: false,
    maxNetworkRetries: 1,
    timeout: TIMEOUT,
    ...stripePlace(config),
    ...config.stripe_options,
  });
  const { features = {} } = (await catalogueIfAny(io, options.catalogue)) ?? {};
  const hasMeters = Object.values(features).some((kind) => meterOf(kind) !== undefined);
  const answer =
    key.state === "given"
      ? await askStripe(stripe, { resources, hasMeters }, key.restricted)
      : undefined;
  const endpoints = answer?.state === "answers" ? (answer.endpoints ?? []) : [];
  const database =
    options.platform === "convex"
      ? undefined
      : await databaseFacts(io, options, (pool) =>
          askDatabase(pool, { schema: options.schema, resources }, config, endpoints),
        );
  const [first] = secret === "given" ? webhookSecrets(config) : [];
  const webhook =
    address.state === "given" && first !== undefined
      ? await askRoute(stripe, address.webhook, first, key.state === "given" && key.live)
      : undefined;
  return {
    platform: options.platform,
    ...(options.module === undefined ? {} : { module: options.module }),
    ...(app === undefined ? {} : { app }),
    key,
    secret,
    address,
    ...(answer === undefined ? {} : { stripe: answer }),
    ...(database === undefined ? {} : { database }),
    ...(webhook === undefined ? {} : { webhook }),
  };
}

async function databaseFacts(
  io: Io,
  options: ConnectOptions,
  ask: Parameters<typeof withPool<DatabaseFacts>>[2],
): Promise<DatabaseFacts> {
  if (!(options.database ?? io.env.DATABASE_URL)) return { state: "missing" };
  try {
    return await withPool(io, options, ask);
  } catch (error) {
    return { state: "unreachable", reason: reasonOf(error) };
  }
}

/** What the key is; never the key itself. */
export function keyFacts(key: string | undefined): KeyFacts {
  if (!key) return { state: "missing" };
  const [, kind, mode] = /^(sk|rk)_(test|live)_/.exec(key) ?? [];
  if (kind === undefined) return { state: "malformed", kind: kindOf(key) };
  return { state: "given", live: mode === "live", restricted: kind === "rk" };
}

function kindOf(key: string): string {
  if (key.startsWith("pk_")) return "a publishable key";
  if (key.startsWith("whsec_")) return "a webhook's signing secret";
  if (/^\s|\s$|^["']/.test(key)) return "a value with spaces or quotes around it";
  return "something else";
}

function secretFacts(config: BillingConfig): Facts["secret"] {
  const given = givenSecrets(config);
  if (given.length === 0) return "missing";
  return given.every((secret) => secret.startsWith("whsec_")) ? "given" : "malformed";
}

/** `stripeHost` is given where Stripe is a double, which reaches what this machine reaches. */
export function addressFacts(url: string | undefined, stripeHost?: string): AddressFacts {
  if (!url) return { state: "missing" };
  try {
    const { base, path } = webhookPlace(url);
    const { search, hash, username } = new URL(url);
    if (search || hash) return { state: "malformed", url, reason: "it has a query or a fragment" };
    if (username) return { state: "malformed", url, reason: "it has a user in it" };
    const webhook = `${base}${path}/webhook`;
    const reachable = !isLocal(webhook) || (stripeHost !== undefined && isLocal(stripeHost));
    return { state: "given", base, webhook, reachable };
  } catch (error) {
    if (!(error instanceof BillingError)) throw error;
    return { state: "malformed", url, reason: "it must begin with http:// or https://" };
  }
}

/** Addresses that nothing from the Internet reaches. */
export function isLocal(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  return (
    /(^|\.)(localhost|local|internal|test)$/.test(host) ||
    /^(127|10|0)\.|^192\.168\.|^169\.254\.|^172\.(1[6-9]|2\d|3[01])\./.test(host) ||
    /^(::1?|f[cd][0-9a-f]{2}:.*|fe80:.*)$/.test(host)
  );
}
