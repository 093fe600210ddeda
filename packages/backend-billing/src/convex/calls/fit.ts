/**
 * Makes an object fit into a Convex document: 1 MiB, arrays of 8,192 elements, objects of 1,024
 * fields, a nesting of 16. What does not fit is left out and said to be; the rest is stored. Stripe's
 * own objects are far from these limits, but an event that cannot be stored would come back for ever.
 */
import { getConvexSize, type Value } from "convex/values";

export interface Limits {
  readonly bytes: number;
  readonly elements: number;
  readonly fields: number;
  readonly depth: number;
}

/** Below the platform's own: the row's other fields need room, and are around the object. */
export const LIMITS: Limits = { bytes: 1_000_000, elements: 8_192, fields: 1_000, depth: 14 };

/** The field of a stored object that names what was left out; absent when nothing was. */
export const OMITTED = "backend_billing_omitted";
const NAMED = 50;

type Fields = { [field: string]: Value };

/** The object, or as much of it as fits, with the paths of what does not. */
export function fitted(object: object, limits: Limits = LIMITS): object {
  const omitted: string[] = [];
  const trimmed = trim(object as Fields, limits, 1, "", omitted) as Fields;
  const whole = getConvexSize(trimmed) <= limits.bytes;
  const fitting = whole ? trimmed : (shrink(trimmed, limits.bytes, "", omitted) as Fields);
  return omitted.length === 0 ? object : { ...fitting, [OMITTED]: omitted.slice(0, NAMED) };
}

/**
 * Two objects that are in one document: as much of each as fits, of one that is small all of it, and of
 * the other one what is left.
 */
export function fittedPair<A extends object | null, B extends object | null>(
  one: A,
  other: B,
  { bytes, ...limits }: Limits = LIMITS,
): readonly [A, B] {
  const size = (each: object | null) => getConvexSize(each as Fields | null);
  const part = <T extends object | null>(each: T, beside: object | null): T => {
    const room = Math.max(bytes / 2, bytes - size(beside));
    return each === null ? each : (fitted(each, { ...limits, bytes: room }) as T);
  };
  return size(one) + size(other) <= bytes ? [one, other] : [part(one, other), part(other, one)];
}

const at = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`);

/** Cuts what is too deep or has too many members. */
function trim(
  value: Value,
  limits: Limits,
  depth: number,
  path: string,
  omitted: string[],
): Value | undefined {
  if (typeof value !== "object" || value === null || value instanceof ArrayBuffer) return value;
  if (depth > limits.depth) {
    omitted.push(path);
    return undefined;
  }
  if (Array.isArray(value)) {
    if (value.length > limits.elements) omitted.push(`${path}[${limits.elements}…]`);
    return value
      .slice(0, limits.elements)
      .map((each, index) => trim(each, limits, depth + 1, `${path}[${index}]`, omitted) ?? null);
  }
  const entries = Object.entries(value as Fields);
  for (const [key] of entries.slice(limits.fields)) omitted.push(at(path, key));
  return withoutUndefined(
    entries
      .slice(0, limits.fields)
      .map(([key, inner]) => [key, trim(inner, limits, depth + 1, at(path, key), omitted)]),
  );
}

/** The bytes of an array or an object without members. */
const EMPTY = 2;

/** Leaves out the largest members, so that ids, states and amounts stay. */
function shrink(value: Value, bytes: number, path: string, omitted: string[]): Value | undefined {
  if (getConvexSize(value) <= bytes) return value;
  if (typeof value !== "object" || value === null || bytes < EMPTY) {
    omitted.push(path);
    return undefined;
  }
  if (Array.isArray(value)) {
    let room = bytes - EMPTY;
    const kept = value.findIndex((each) => {
      room -= getConvexSize(each);
      return room < 0;
    });
    omitted.push(`${path}[${kept}…]`);
    return value.slice(0, kept);
  }
  const sized = Object.entries(value as Fields)
    .map(([key, inner]) => ({ key, inner, size: getConvexSize({ [key]: inner }) }))
    .sort((a, b) => a.size - b.size);
  let room = bytes - EMPTY;
  const kept = new Map<string, Value | undefined>();
  for (const { key, inner, size } of sized) {
    const name = getConvexSize({ [key]: null });
    const next = size <= room ? inner : shrink(inner, room - name, at(path, key), omitted);
    if (next !== undefined) room -= getConvexSize({ [key]: next });
    kept.set(key, next);
  }
  return withoutUndefined(Object.keys(value).map((key) => [key, kept.get(key)]));
}

function withoutUndefined(entries: readonly (readonly [string, Value | undefined])[]): Fields {
  return Object.fromEntries(
    entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])),
  );
}
