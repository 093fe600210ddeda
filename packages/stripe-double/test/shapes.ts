/** Compares the shapes of JSON objects: which fields there are, and of what type each is. */
type Type = "null" | "boolean" | "number" | "string" | "object" | "array";

export interface Difference {
  /** `subscription.items.data[].price`, without the kind. */
  readonly path: string;
  /** `missing` is in the real one only, `extra` in ours only. */
  readonly kind: "missing" | "extra" | "type";
  readonly detail: string;
}

const typeOf = (value: unknown): Type =>
  value === null ? "null" : Array.isArray(value) ? "array" : (typeof value as Type);

const isObject = (value: unknown): value is Record<string, unknown> => typeOf(value) === "object";

/** Fields whose keys are data, not fields; and the object of an event, which may be any. */
const MAPS = /(^|\.)(metadata|currency_options|data\.object)$/;

/**
 * How all of ours together differ from all of the real ones. A field that is null on one side says
 * nothing about its type; a reference may be an id on one side and an object on the other.
 */
export function compareShapes(
  ours: readonly unknown[],
  real: readonly unknown[],
  path = "",
): Difference[] {
  const [mine, theirs] = [types(ours), types(real)];
  if (mine.size === 0 || theirs.size === 0) return [];
  if (![...mine].some((type) => theirs.has(type))) {
    const reference =
      (mine.has("string") && theirs.has("object") && real.some(isReference)) ||
      (theirs.has("string") && mine.has("object") && ours.some(isReference));
    if (reference) return [];
    const detail = `${[...mine].join("|")} instead of ${[...theirs].join("|")}`;
    return [{ path, kind: "type", detail }];
  }
  const elements = compareElements(ours, real, path);
  return MAPS.test(path) ? elements : [...elements, ...compareFields(ours, real, path)];
}

function isReference(value: unknown): boolean {
  return isObject(value) && typeof value.id === "string";
}

function types(values: readonly unknown[]): Set<Type> {
  return new Set(values.map(typeOf).filter((type) => type !== "null"));
}

function compareElements(ours: readonly unknown[], real: readonly unknown[], path: string) {
  const flat = (values: readonly unknown[]) => values.filter(Array.isArray).flat();
  return compareShapes(flat(ours), flat(real), `${path}[]`);
}

function compareFields(
  ours: readonly unknown[],
  real: readonly unknown[],
  path: string,
): Difference[] {
  const [mine, theirs] = [ours.filter(isObject), real.filter(isObject)];
  // An empty object stands for any: the fixture has many of them.
  if (mine.length === 0 || theirs.every((object) => Object.keys(object).length === 0)) return [];
  const keys = new Set([...mine, ...theirs].flatMap(Object.keys));
  return [...keys].sort().flatMap((key): Difference[] => {
    const inner = path === "" ? key : `${path}.${key}`;
    const [a, b] = [valuesOf(mine, key), valuesOf(theirs, key)];
    if (a.length === 0) return [{ path: inner, kind: "missing", detail: [...types(b)].join("|") }];
    if (b.length === 0) return [{ path: inner, kind: "extra", detail: [...types(a)].join("|") }];
    return compareShapes(a, b, inner);
  });
}

function valuesOf(objects: readonly Record<string, unknown>[], key: string): unknown[] {
  return objects.filter((object) => Object.hasOwn(object, key)).map((object) => object[key]);
}
