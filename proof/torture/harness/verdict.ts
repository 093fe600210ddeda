/** Compares what a subject's tables say with what Stripe shows, and says in words what differs. */
import { canonical, type Facts, type Json, type Kind } from "./facts.js";

/** What is wrong, a line each; empty when the two agree. */
export function differences(
  kind: Kind,
  expected: readonly Facts[],
  seen: readonly Facts[],
): string[] {
  const wrong: string[] = [];
  const rows = new Map<string, Facts[]>();
  for (const row of seen) rows.set(row.id, [...(rows.get(row.id) ?? []), row]);
  const missing = expected.filter(({ id }) => !rows.has(id));
  if (missing.length > 0) {
    wrong.push(`${missing.length} of ${count(expected.length, kind)} missing`);
  }
  const real = new Set(expected.map(({ id }) => id));
  const ghosts = [...rows.keys()].filter((id) => !real.has(id));
  if (ghosts.length > 0)
    wrong.push(`${count(ghosts.length, kind)} there that Stripe does not have`);
  for (const each of expected) {
    const found = rows.get(each.id) ?? [];
    if (found.length > 1) wrong.push(`${found.length} rows for one ${name(kind)}`);
    for (const row of found) wrong.push(...factDifferences(kind, each, row));
  }
  return wrong;
}

function factDifferences(kind: Kind, expected: Facts, row: Facts): string[] {
  const facts = Object.keys(row).filter((fact) => fact !== "whole");
  const wrong = facts
    .filter((fact) => canonical(row[fact] ?? null) !== canonical(expected[fact] ?? null))
    .map((fact) => `${name(kind)}: ${contrast(fact, row[fact], expected[fact])}`);
  if (wrong.length > 0 || row.whole === undefined || row.whole === expected.whole) return wrong;
  return [`${name(kind)}: ${firstDifference(row.whole, expected.whole)}`];
}

function contrast(fact: string, seen: unknown, expected: unknown): string {
  if (Array.isArray(seen) && Array.isArray(expected) && seen.length !== expected.length) {
    return `${seen.length} ${fact}, at Stripe ${expected.length}`;
  }
  return `${fact} is ${show(seen)}, at Stripe ${show(expected)}`;
}

/** Where two objects, as canonical JSON, begin to differ. */
function firstDifference(seen: unknown, expected: unknown): string {
  const walk = (a: unknown, b: unknown, path: string): string | undefined => {
    if (canonical(a) === canonical(b)) return undefined;
    if (!isObject(a) || !isObject(b)) return `${path} is ${show(a)}, at Stripe ${show(b)}`;
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const found = walk(a[key], b[key], path === "" ? key : `${path}.${key}`);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return walk(JSON.parse(String(seen)), JSON.parse(String(expected)), "") ?? "it differs";
}

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null;

function show(value: unknown): string {
  const text = value === undefined ? "absent" : (JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

const name = (kind: Kind) => kind.replace("_", " ");
const count = (number: number, kind: Kind) => `${number} ${name(kind)}${number === 1 ? "" : "s"}`;
