/** API keys: which account and mode a request acts on, and what a restricted key may do. */
import { ApiError } from "../api/errors.js";
import { token } from "../world/random.js";

/** What a restricted key may do with a resource. */
export type Access = "none" | "read" | "write";

export interface ApiKey {
  readonly secret: string;
  readonly livemode: boolean;
  /** By resource, as in the path: `customers`, `checkout/sessions`. Undefined allows everything. */
  readonly scopes?: { readonly [resource: string]: Access };
}

export interface Keys {
  readonly test: string;
  readonly live: string;
  /** A key that may do only what is named; every other resource is out of its reach. */
  restricted(
    scopes: { readonly [resource: string]: Access },
    options?: { livemode?: boolean },
  ): string;
  revoke(secret: string): void;
  authenticate(header: string | undefined): ApiKey;
}

/** `own` is the test-mode key to use instead of one made up, or `any` to take every test-mode key. */
export function createKeys(seed: string | number, own?: string): Keys {
  const keys = new Map<string, ApiKey>();
  const revoked = new Set<string>();
  const isAny = (secret: string): boolean =>
    own === "any" && /^sk_test_\w+$/.test(secret) && !revoked.has(secret);
  const issue = (prefix: string, key: Omit<ApiKey, "secret">): string => {
    const secret = `${prefix}_${token(24, seed, prefix, keys.size)}`;
    keys.set(secret, { ...key, secret });
    return secret;
  };
  const made = issue("sk_test", { livemode: false });
  if (own !== undefined && own !== "any") {
    keys.delete(made);
    keys.set(own, { livemode: false, secret: own });
  }
  return {
    test: own === undefined || own === "any" ? made : own,
    live: issue("sk_live", { livemode: true }),
    restricted: (scopes, { livemode = false } = {}) =>
      issue(livemode ? "rk_live" : "rk_test", { livemode, scopes }),
    revoke: (secret) => {
      keys.delete(secret);
      revoked.add(secret);
    },
    authenticate(header) {
      const secret = secretOf(header);
      if (secret === undefined) {
        throw unauthorized(
          "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
        );
      }
      const key = keys.get(secret) ?? (isAny(secret) ? { livemode: false, secret } : undefined);
      if (key === undefined) {
        throw unauthorized(
          `Invalid API Key provided: ${secret.slice(0, 8)}****${secret.slice(-4)}`,
        );
      }
      return key;
    },
  };
}

function secretOf(header: string | undefined): string | undefined {
  const [scheme, value] = header?.split(" ") ?? [];
  if (value === undefined) return undefined;
  if (scheme === "Bearer") return value;
  return scheme === "Basic" ? Buffer.from(value, "base64").toString().split(":")[0] : undefined;
}

function unauthorized(message: string): ApiError {
  return new ApiError(401, { type: "invalid_request_error", message }, { validation: true });
}

/** Resources that have no permission of their own, with the one that covers them. */
const COVERED_BY: { readonly [resource: string]: string } = {
  "billing/meter_event_adjustments": "billing/meters",
  "billing/meter_event_session": "billing/meters",
  "billing/meter_event_stream": "billing/meters",
  "billing/meter_events": "billing/meters",
  invoiceitems: "invoices",
  subscription_items: "subscriptions",
};

/** Resources whose permission has another name. */
const PERMISSION_OF: { readonly [resource: string]: string } = { prices: "plan" };

/** Resources whose names have two parts. */
const NESTED = new Set(["billing", "billing_portal", "checkout", "entitlements", "radar"]);

/** Refuses what a restricted key may not do, in the words Stripe uses. */
export function checkScope(key: ApiKey, method: string, pattern: string, account: string): void {
  if (key.scopes === undefined) return;
  // What a customer pays with has the permission of payment methods, wherever it is asked for.
  const path = pattern.replace("/customers/:customer/payment_methods", "/payment_methods");
  const parts = path.split("/").slice(2);
  const named = NESTED.has(parts[0] ?? "") ? `${parts[0]}/${parts[1]}` : parts[0];
  const resource = COVERED_BY[named ?? ""] ?? named;
  const wanted: Access = method === "GET" ? "read" : "write";
  const granted = key.scopes[resource ?? ""] ?? "none";
  if (granted === "write" || granted === wanted) return;
  const plain = resource?.replace("/", "_").replace(/s$/, "");
  const permission = `rak_${PERMISSION_OF[resource ?? ""] ?? plain}_${wanted}`;
  throw new ApiError(
    403,
    {
      type: "invalid_request_error",
      message: `The provided key '${key.secret.slice(0, 12)}****' does not have the required permissions for this endpoint on account '${account}'. Having the '${permission}' permission would allow this request to continue.`,
    },
    { validation: true },
  );
}
