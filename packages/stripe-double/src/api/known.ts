/**
 * What Stripe's API takes, whether or not the double models it: its routes and the names of their
 * parameters. It tells a mistake in a request, which Stripe refuses, from a gap in the double.
 */
import { isMap, type Raw, type RawMap } from "./params.js";
import { GROUPS, ROUTES } from "./stripe-parameters.js";

type Plain = "text" | "number" | "flag";

/** A parameter: the number of the group inside it, or the plain value that it holds. */
type Entry = { readonly group: number } | Plain;
type Group = ReadonlyMap<string, Entry>;

const MARKS: { readonly [mark: string]: Plain } = { "#": "number", "?": "flag" };

function parseGroup(line: string): Group {
  return new Map(
    line.split(" ").map((word): [string, Entry] => {
      const [name = "", group] = word.split(":");
      if (group !== undefined) return [name, { group: Number.parseInt(group, 36) }];
      const mark = MARKS[name.slice(-1)];
      return mark === undefined ? [name, "text"] : [name.slice(0, -1), mark];
    }),
  );
}

/** By method and path, with `:id` for each id in it, the number of its group. */
const ROUTE_GROUPS: ReadonlyMap<string, number> = new Map(
  ROUTES.trim()
    .split("\n")
    .map((line) => {
      const [method, path, group = ""] = line.split(" ");
      return [`${method} ${path}`, Number.parseInt(group, 36)];
    }),
);
const LINES = GROUPS.slice(1).split("\n");
const read = new Map<number, Group>();

function groupAt(number: number): Group {
  const known = read.get(number) ?? parseGroup(LINES[number] ?? "");
  read.set(number, known);
  return known;
}

/** Of version 2 of the API only the routes are known, not the parameters. */
function groupOf(signature: string): Group | undefined {
  if (signature.includes(" /v2/")) return undefined;
  const number = ROUTE_GROUPS.get(signature.replace(/:\w+/g, ":id"));
  return number === undefined ? undefined : groupAt(number);
}

/** Every method of Stripe's API, such as `GET /v1/quotes/:id`. */
export const stripeRoutes = (): readonly string[] => [...ROUTE_GROUPS.keys()];

/** The names of the parameters that Stripe takes on a route, those inside others left out. */
export const stripeParameters = (signature: string): readonly string[] =>
  [...(groupOf(signature)?.keys() ?? [])].filter((name) => name !== "");

/** The pattern of this address in Stripe's API, such as `/v1/quotes/:id`; undefined if it has none. */
export function stripePattern(method: string, path: string): string | undefined {
  const parts = path.split("/");
  const matches = (pattern: string): boolean => {
    const wanted = pattern.split("/");
    return (
      wanted.length === parts.length &&
      wanted.every((part, at) => (part === ":id" ? parts[at] !== "" : part === parts[at]))
    );
  };
  return [...ROUTE_GROUPS.keys()]
    .map((signature) => signature.split(" "))
    .filter(([verb, pattern = ""]) => verb === method && matches(pattern))
    .map(([, pattern = ""]) => pattern)
    .sort((a, b) => a.split(":id").length - b.split(":id").length)[0];
}

/** Every part of an address that is no id, such as `create_preview`. */
const WORDS = new Set(
  [...ROUTE_GROUPS.keys()].flatMap((signature) => signature.split("/").slice(1)),
);

/**
 * Whether an id in a path is a word of Stripe's API, so that the path means another route:
 * `/v1/invoices/create_preview` is no invoice.
 */
export function meansAnotherRoute(
  method: string,
  path: string,
  pattern: string,
  ids: readonly string[],
): boolean {
  if (!ids.some((id) => WORDS.has(id))) return false;
  const known = stripePattern(method, path);
  return known !== undefined && known !== pattern.replace(/:\w+/g, ":id");
}

/** Parameters of older API versions, with the first version that no longer takes them. */
const ITERATIONS = { "phases[][iterations]": "2025-09-30" };
const DISCOUNT = { coupon: "2025-03-31", promotion_code: "2025-03-31" };
const UPCOMING = Object.fromEntries(
  [
    "automatic_tax",
    "coupon",
    "customer",
    "discounts",
    "subscription",
    "subscription_billing_cycle_anchor",
    "subscription_details",
    "subscription_items",
    "subscription_proration_behavior",
    "subscription_proration_date",
    "subscription_trial_end",
  ].map((name) => [name, "2025-03-31"]),
);
const PAGE = { ending_before: "2025-03-31", limit: "2025-03-31", starting_after: "2025-03-31" };
/** A name inside others is a path, with `[]` for each index. */
const REMOVED: { readonly [signature: string]: { readonly [name: string]: string } } = {
  "GET /v1/invoices/upcoming": UPCOMING,
  "GET /v1/invoices/upcoming/lines": { ...UPCOMING, ...PAGE },
  "POST /v1/customers": DISCOUNT,
  "POST /v1/customers/:id": DISCOUNT,
  "POST /v1/invoiceitems": { price: "2025-03-31", unit_amount: "2025-03-31" },
  "POST /v1/prices": { "recurring[aggregate_usage]": "2025-03-31" },
  "POST /v1/invoiceitems/:id": { price: "2025-03-31", unit_amount: "2025-03-31" },
  "POST /v1/promotion_codes": { coupon: "2025-09-30" },
  "POST /v1/subscription_schedules": ITERATIONS,
  "POST /v1/subscription_schedules/:id": ITERATIONS,
  "POST /v1/subscriptions": DISCOUNT,
  "POST /v1/subscriptions/:id": DISCOUNT,
};

/** Parameters that the table lacks, because the SDK describes these requests elsewhere. */
const ELSEWHERE: { readonly [signature: string]: readonly string[] } = {
  "POST /oauth/deauthorize": ["client_id", "stripe_user_id"],
  "POST /oauth/token": ["client_secret", "code", "grant_type", "refresh_token", "scope"],
};

/** Whether Stripe takes a parameter of this name on this route, at this API version. */
export function isStripeParameter(signature: string, name: string, version: string): boolean {
  const group = groupOf(signature);
  if (name === "expand" || signature.includes(" /v2/") || group?.has(name)) return true;
  if (ELSEWHERE[signature]?.includes(name)) return true;
  const removed = REMOVED[signature.replace(/:\w+/g, ":id")]?.[name];
  return removed !== undefined && version.slice(0, 10) < removed;
}

/** The parameters, as paths like `items[0][prize]`, that Stripe's API does not have on this route. */
export function unknownParameters(signature: string, params: RawMap, version: string): string[] {
  const group = groupOf(signature);
  if (group === undefined) return [];
  return Object.entries(params)
    .flatMap(([name, raw]) => unknownIn(group, name, raw, name))
    .filter((path) => !isStripeParameter(signature, path.replace(/\[\d+\]/g, "[]"), version));
}

function unknownIn(group: Group, name: string, raw: Raw, path: string): string[] {
  const entry = group.get(name) ?? group.get("*");
  if (entry === undefined) return [path];
  if (typeof entry === "string" || !isMap(raw)) return [];
  const inner = groupAt(entry.group);
  const inside = (map: RawMap, within: string) =>
    Object.entries(map).flatMap(([key, value]) =>
      unknownIn(inner, key, value, `${within}[${key}]`),
    );
  if (inner.has("*") || !isList(raw)) return inside(raw, path);
  return Object.entries(raw).flatMap(([index, item]) =>
    isMap(item) ? inside(item, `${path}[${index}]`) : [],
  );
}

const isList = (raw: RawMap): boolean => Object.keys(raw).every((key) => /^\d+$/.test(key));

/** The value of a parameter as Stripe would show it, by the type that its API gives it. */
export function stripeValue(signature: string, name: string, raw: Raw): unknown {
  return decoded(groupOf(signature)?.get(name) ?? "text", raw);
}

function decoded(entry: Entry, raw: Raw): unknown {
  if (raw === "") return null;
  if (!isMap(raw)) return typeof entry === "string" ? plainValue(entry, String(raw)) : raw;
  if (isList(raw) && Object.keys(raw).length > 0) {
    return Object.values(raw).map((item) => decoded(entry, item));
  }
  const inner = typeof entry === "string" ? undefined : groupAt(entry.group);
  return Object.fromEntries(
    Object.entries(raw).map(([key, value]) => [
      key,
      decoded(inner?.get(key) ?? inner?.get("*") ?? "text", value),
    ]),
  );
}

function plainValue(type: Plain, text: string): unknown {
  if (type === "number" && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (type === "flag" && (text === "true" || text === "false")) return text === "true";
  return text;
}
