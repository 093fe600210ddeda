/** The pairs of a file, and those that cannot be meant. Pure. */

import { checkPair } from "../../core/customers/adopt/adopt.js";
import type { AdoptArgs } from "../../core/customers/adopt/judge.js";
import { BillingError } from "../../core/runtime/errors.js";
import { type CsvRow, parseCsv } from "./csv.js";

/** A pair that is not linked, and why. */
export interface Refused extends AdoptArgs {
  readonly line: number;
  /** A code of `BillingError`, or `malformed` or `duplicate`: what the file itself shows. */
  readonly code: string;
  readonly reason: string;
}

/** A pair, with its line. */
export interface Pair extends AdoptArgs {
  readonly line: number;
}

export interface Pairs {
  /** In the order of the file, each once. */
  readonly pairs: readonly Pair[];
  readonly refused: readonly Refused[];
}

/** Reads a file whose first row names the columns. */
export function readPairs(text: string): Pairs {
  const [head, ...rows] = parseCsv(text);
  const columns = {
    entityId: columnOf(head, "entityid"),
    customerId: columnOf(head, "customerid"),
  };
  const pairs = new Map<string, Pair>();
  const refused: Refused[] = [];
  for (const { line, fields } of rows) {
    const pair: Pair = {
      line,
      entityId: fields[columns.entityId] ?? "",
      customerId: (fields[columns.customerId] ?? "").trim(),
    };
    const reason = problemOf(pair, fields.length === head?.fields.length);
    const key = JSON.stringify([pair.entityId, pair.customerId]);
    if (reason !== undefined) refused.push({ ...pair, code: "malformed", reason });
    else if (!pairs.has(key)) pairs.set(key, pair);
  }
  return withoutDuplicates([...pairs.values()], refused);
}

function columnOf(head: CsvRow | undefined, name: string): number {
  const names = (head?.fields ?? []).map((field) => field.trim().toLowerCase().replaceAll("_", ""));
  const at = names.indexOf(name);
  if (at >= 0 && names.lastIndexOf(name) === at) return at;
  throw new BillingError(
    "invalid_argument",
    "The first line must name the columns, separated by a comma: entityId,customerId. Other columns are left alone.",
  );
}

function problemOf(pair: AdoptArgs, isWhole: boolean): string | undefined {
  if (!isWhole) return "The line has another number of fields than the first one.";
  try {
    checkPair(pair);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * Which of two pairs with the same customer, or the same entity, is right the order of a file does not
 * say: none of them is taken.
 */
function withoutDuplicates(pairs: readonly Pair[], malformed: readonly Refused[]): Pairs {
  const ofCustomer = grouped(pairs, ({ customerId }) => customerId);
  const ofEntity = grouped(pairs, ({ entityId }) => entityId);
  const duplicates = pairs.flatMap((pair): Refused[] => {
    const customers = ofEntity.get(pair.entityId) ?? [];
    const entities = ofCustomer.get(pair.customerId) ?? [];
    if (customers.length + entities.length === 2) return [];
    const [what, lines] =
      entities.length > 1
        ? ["customer for another entity", entities]
        : ["entity with another customer", customers];
    const others = lines.filter((line) => line !== pair.line).join(", ");
    const reason = `The file has the same ${what} on line ${others}. Leave one of them; none was taken.`;
    return [{ ...pair, code: "duplicate", reason }];
  });
  const out = new Set(duplicates.map(({ line }) => line));
  return {
    pairs: pairs.filter(({ line }) => !out.has(line)),
    refused: [...malformed, ...duplicates],
  };
}

function grouped(
  pairs: readonly Pair[],
  by: (pair: Pair) => string,
): ReadonlyMap<string, number[]> {
  const lines = new Map<string, number[]>();
  for (const pair of pairs) {
    const found = lines.get(by(pair));
    if (found === undefined) lines.set(by(pair), [pair.line]);
    else found.push(pair.line);
  }
  return lines;
}
