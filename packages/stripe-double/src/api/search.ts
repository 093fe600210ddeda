/**
 * Stripe's search, over an index that lags: what was written in the last seconds is not found
 * yet. Only the clauses that billing code uses are modelled.
 */

import type { Call } from "../http/route.js";
import type { Kind, Objects } from "../world/world.js";
import { invalid, notModelled } from "./errors.js";
import { expandShape, pageLimit } from "./list.js";
import { integer, type Parsed, required, word } from "./params.js";

export const searchShape = { query: required(word), limit: integer, page: word, ...expandShape };

type Clause = (object: Record<string, unknown>) => boolean;

/** `field:'value'`, `field~'part'`, `field>123`, `metadata['key']:'value'`, each may be negated by `-`. */
const CLAUSE =
  /^\s*(-)?(?:metadata\[["']([^"']+)["']\]|([a-z_]+))\s*(:|~|>=|<=|>|<)\s*(?:"([^"]*)"|'([^']*)'|(\d+)|(null))\s*/i;
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
    const next = JOINT.exec(rest);
    if (next === null)
      throw invalid(`We were unable to parse your search query: ${query}`, "query");
    const word = (next[1] as string).toUpperCase();
    if (joint !== undefined && joint !== word) {
      throw invalid("You can't combine AND and OR in the same query.", "query");
    }
    joint = word;
    rest = rest.slice(next[0].length);
  }
  return joint === "OR"
    ? (object) => clauses.some((holds) => holds(object))
    : (object) => clauses.every((holds) => holds(object));
}

function clause(found: RegExpExecArray): Clause {
  const [, negated, key, field = "", operator, double, single, number, nothing] = found;
  const wanted = double ?? single ?? number ?? "";
  const read = (object: Record<string, unknown>): unknown =>
    key === undefined ? object[field] : (object.metadata as Record<string, string>)[key];
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

/** What Stripe lets each kind be searched by, metadata aside. */
const SEARCHABLE: { readonly [K in Kind]?: readonly string[] } = {
  customer: ["created", "email", "name", "phone"],
};

/** Stripe says "normally under a minute"; the fault `list_lag` makes it longer, an hour at most. */
const USUAL_LAG = 20_000;

export function searchPage<K extends Kind>(
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
