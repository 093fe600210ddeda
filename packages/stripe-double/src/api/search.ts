/**
 * Stripe's search, over an index that lags: what was written in the last seconds is not found
 * yet. Only the clauses that billing code uses are modelled.
 */

import { type Call, type Route, route } from "../http/route.js";
import { isPlainObject } from "../world/same.js";
import type { Kind, Objects } from "../world/world.js";
import { invalid, notModelled } from "./errors.js";
import { expandShape, pageLimit } from "./list.js";
import { integer, type Parsed, required, word } from "./params.js";

const searchShape = { query: required(word), limit: integer, page: word, ...expandShape };

type Clause = (object: Record<string, unknown>) => boolean;

/** `field:'value'`, `field~'part'`, `field>123`, `metadata['key']:'value'`, each may be negated by `-`. */
const CLAUSE =
  /^\s*(-)?(?:metadata\[["']([^"']+)["']\]|([a-z0-9_.]+))\s*(:|~|>=|<=|>|<)\s*(?:"([^"]*)"|'([^']*)'|(\d+)|(null))\s*/i;
const JOINT = /^(AND|OR)\b\s*/i;

function parseQuery(query: string, fields: readonly string[]): Clause {
  const clauses: Clause[] = [];
  let joint: string | undefined;
  let rest = query;
  while (rest !== "") {
    const found = CLAUSE.exec(rest);
    if (found === null)
      throw invalid(`We were unable to parse your search query: ${query}`, "query");
    const [, , , field] = found;
    if (field !== undefined && !fields.includes(field)) {
      throw invalid(
        `Field \`${field}\` is an unsupported search field for this resource.`,
        "query",
      );
    }
    clauses.push(clause(found));
    rest = rest.slice(found[0].length);
    if (rest === "") break;
    // Clauses that only a space parts must all hold.
    const [whole = "", named = "AND"] = JOINT.exec(rest) ?? [];
    const word = named.toUpperCase();
    if (joint !== undefined && joint !== word) {
      throw invalid("You can't combine AND and OR in the same query.", "query");
    }
    joint = word;
    rest = rest.slice(whole.length);
  }
  return joint === "OR"
    ? (object) => clauses.some((holds) => holds(object))
    : (object) => clauses.every((holds) => holds(object));
}

function clause(found: RegExpExecArray): Clause {
  const [, negated, key, field = "", operator, double, single, number, nothing] = found;
  const wanted = double ?? single ?? number ?? "";
  const read = (object: Record<string, unknown>): unknown =>
    key === undefined ? fieldOf(object, field) : (object.metadata as Record<string, string>)[key];
  const holds: Clause = (object) => {
    const value = read(object);
    if (nothing !== undefined) return value === null || value === undefined;
    if (value === null || value === undefined) return false;
    switch (operator) {
      case ":":
        return typeof value === "string" && field === "email"
          ? value.toLowerCase() === wanted.toLowerCase()
          : String(value) === wanted;
      case "~":
        return String(value).toLowerCase().includes(wanted.toLowerCase());
      case ">":
        return Number(value) > Number(wanted);
      case ">=":
        return Number(value) >= Number(wanted);
      case "<":
        return Number(value) < Number(wanted);
      default:
        return Number(value) <= Number(wanted);
    }
  };
  return negated === undefined ? holds : (object) => !holds(object);
}

/** A field by its name in a query, which may be that of an older version or lead inside. */
function fieldOf(object: Record<string, unknown>, name: string): unknown {
  const path = object.object === "invoice" ? (INVOICE_FIELDS[name] ?? name) : name;
  return path
    .split(".")
    .reduce<unknown>((at, part) => (isPlainObject(at) ? at[part] : undefined), object);
}

/** Fields that have moved inside since they could first be searched by. */
const INVOICE_FIELDS: { readonly [name: string]: string } = {
  last_finalization_error_code: "last_finalization_error.code",
  last_finalization_error_type: "last_finalization_error.type",
  subscription: "parent.subscription_details.subscription",
};

const CARD = "payment_method_details.card";

/** What Stripe lets each kind be searched by, metadata aside (docs: Search, query fields). */
const SEARCHABLE: { readonly [K in Kind]?: readonly string[] } = {
  charge: [
    "amount",
    "billing_details.address.postal_code",
    "created",
    "currency",
    "customer",
    "disputed",
    ...["brand", "exp_month", "exp_year", "fingerprint", "last4"].map((part) => `${CARD}.${part}`),
    "refunded",
    "status",
  ],
  customer: ["created", "email", "name", "phone"],
  invoice: [
    "created",
    "currency",
    "customer",
    ...Object.keys(INVOICE_FIELDS),
    "number",
    "receipt_number",
    "status",
    "total",
  ],
  payment_intent: ["amount", "created", "currency", "customer", "status"],
  price: ["active", "created", "currency", "lookup_key", "product", "type"],
  product: ["active", "created", "description", "name", "shippable", "url"],
  subscription: ["canceled_at", "created", "status"],
};

/** Stripe says "normally under a minute"; the fault `list_lag` makes it longer, an hour at most. */
const USUAL_LAG = 20_000;

/** The route that searches one kind. */
export function searchRoute<const P extends string>(path: P, kind: Kind): Route {
  return route(`GET ${path}`, searchShape, (call, params) => searchPage(call, kind, params, path));
}

function searchPage<K extends Kind>(
  call: Call,
  kind: K,
  params: Parsed<typeof searchShape>,
  url: string,
): object {
  const { world } = call;
  const holds = parseQuery(params.query, SEARCHABLE[kind] ?? []);
  const limit = pageLimit(params.limit);
  const page = params.page === undefined ? undefined : params.page.slice("page_".length);
  if (params.page !== undefined && !params.page.startsWith("page_")) {
    throw notModelled("a search page token that it did not hand out");
  }
  const { data, more } = world.objects[kind].list({
    limit,
    after: page,
    asOf: call.asOf ?? world.clock.now() - USUAL_LAG,
    matches: (object: Objects[K]) => holds(object as Record<string, unknown>),
  } as never);
  const last = data.at(-1) as { id: string } | undefined;
  return {
    object: "search_result",
    url,
    has_more: more,
    next_page: more && last !== undefined ? `page_${last.id}` : null,
    data,
  };
}
