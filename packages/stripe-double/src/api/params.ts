/**
 * What a request may carry. A shape names every parameter that the double models: what is in Stripe's
 * API but not in the shape is answered with 501, what is malformed with Stripe's 400, and handlers
 * get typed values.
 */
import { invalid, notModelled } from "./errors.js";

/** A decoded form: strings, lists and maps of them. */
export type Raw = string | Raw[] | RawMap;
export type RawMap = { [key: string]: Raw };

export interface Field<T> {
  readonly required?: true;
  parse(raw: Raw, path: string): T;
}

export type Shape = { readonly [name: string]: Field<unknown> };

export type Parsed<S extends Shape> = {
  [K in keyof S]: S[K] extends { required: true } ? ValueOf<S[K]> : ValueOf<S[K]> | undefined;
};
type ValueOf<F> = F extends Field<infer T> ? T : never;

export const isMap = (raw: Raw): raw is RawMap => typeof raw === "object" && !Array.isArray(raw);

function scalar(raw: Raw, path: string): string {
  if (typeof raw !== "string") throw invalid(`Invalid string: ${JSON.stringify(raw)}`, path);
  return raw;
}

const field = <T>(parse: (raw: Raw, path: string) => T): Field<T> => ({ parse });

/** Text; the empty string unsets it, as everywhere in Stripe's API. */
export const text = field<string | null>((raw, path) => scalar(raw, path) || null);

/** Text that must not be empty: ids, names, currencies. */
export const word = field<string>((raw, path) => {
  const value = scalar(raw, path);
  if (value === "") {
    throw invalid(
      `You passed an empty string for '${path}'. We assume empty values are an attempt to unset a parameter; however '${path}' cannot be unset.`,
      path,
      "parameter_invalid_empty",
    );
  }
  return value;
});

export const integer = field<number>((raw, path) => {
  const value = scalar(raw, path);
  if (!/^-?\d+$/.test(value))
    throw invalid(`Invalid integer: ${value}`, path, "parameter_invalid_integer");
  return Number(value);
});

/** A whole number that the empty string unsets. */
export const optionalInteger = field<number | null>((raw, path) =>
  raw === "" ? null : integer.parse(raw, path),
);

export const decimal = field<string>((raw, path) => {
  const value = scalar(raw, path);
  if (!/^-?\d+(\.\d{1,12})?$/.test(value)) throw invalid(`Invalid decimal: ${value}`, path);
  return value;
});

export const flag = field<boolean>((raw, path) => {
  const value = scalar(raw, path);
  if (value !== "true" && value !== "false") throw invalid(`Invalid boolean: ${value}`, path);
  return value === "true";
});

export const oneOf = <const T extends string>(...values: readonly T[]): Field<T> =>
  field((raw, path) => {
    const value = scalar(raw, path);
    const found = values.find((candidate) => candidate === value);
    if (found === undefined) {
      throw invalid(`Invalid ${path}: must be one of ${values.join(", ")}`, path);
    }
    return found;
  });

/** Like `oneOf`, for a parameter that in Stripe takes these values too: they are answered with 501. */
export const oneOfModelled = <const T extends string>(
  values: readonly T[],
  unmodelled: readonly string[],
): Field<T> => {
  const known = oneOf(...values);
  return field((raw, path) => {
    if (typeof raw === "string" && unmodelled.includes(raw)) {
      throw notModelled(`${path}: '${raw}'`, path);
    }
    return known.parse(raw, path);
  });
};

/** Keys that the metadata of an object can have. */
export const MOST_KEYS = 50;

/** Key and value pairs. `null` asks for all of them to go; an empty value for that key to go. */
export const metadata = field<Record<string, string> | null>((raw, path) => {
  if (raw === "") return null;
  if (!isMap(raw)) throw invalid(`Invalid ${path}: must be an object`, path);
  const entries = Object.entries(raw).map(([key, value]): [string, string] => {
    if (key.length > 40) {
      throw invalid(`Metadata keys can have up to 40 characters: '${key}'`, path);
    }
    if (/[[\]]/.test(key)) {
      throw invalid(`Metadata keys cannot have square brackets: '${key}'`, path);
    }
    const content = scalar(value, `${path}[${key}]`);
    if (content.length > 500) {
      throw invalid("Metadata values can have up to 500 characters", `${path}[${key}]`);
    }
    return [key, content];
  });
  if (entries.length > MOST_KEYS) {
    throw invalid(`Metadata can have up to ${MOST_KEYS} keys`, path);
  }
  return Object.fromEntries(entries);
});

export const listOf = <T>(item: Field<T>): Field<T[]> =>
  field((raw, path) => {
    if (raw === "") return [];
    const items = Array.isArray(raw) ? raw : isMap(raw) ? Object.values(raw) : undefined;
    if (items === undefined) throw invalid("Invalid array", path);
    return items.map((value, index) => item.parse(value, `${path}[${index}]`));
  });

export const group = <S extends Shape>(shape: S): Field<Parsed<S>> =>
  field((raw, path) => {
    if (!isMap(raw)) throw invalid("Invalid object", path);
    return parse(shape, raw, path);
  });

/** A group by names that the caller chooses, such as currencies. */
export const mapOf = <T>(item: Field<T>): Field<{ readonly [key: string]: T }> =>
  field((raw, path) => {
    if (!isMap(raw)) throw invalid("Invalid object", path);
    return Object.fromEntries(
      Object.entries(raw).map(([key, value]) => [key, item.parse(value, `${path}[${key}]`)]),
    );
  });

/** A group that the empty string unsets. */
export const optionalGroup = <S extends Shape>(shape: S): Field<Parsed<S> | null> =>
  field((raw, path) => (raw === "" ? null : group(shape).parse(raw, path)));

/** One of two forms, told apart by whether it is a map: `created` is a number or a range. */
export const either = <A, B>(whenText: Field<A>, whenMap: Field<B>): Field<A | B> =>
  field((raw, path) => (isMap(raw) ? whenMap : whenText).parse(raw, path));

export const required = <T>(inner: Field<T>): Field<T> & { readonly required: true } => ({
  ...inner,
  required: true,
});

export function parse<S extends Shape>(shape: S, raw: RawMap, inside = ""): Parsed<S> {
  const out: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(raw)) {
    const path = inside === "" ? name : `${inside}[${name}]`;
    const known = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (known === undefined) {
      throw notModelled(`the parameter '${path}' of this request`, path);
    }
    out[name] = known.parse(value, path);
  }
  for (const [name, known] of Object.entries(shape)) {
    if (known.required && out[name] === undefined) {
      const path = inside === "" ? name : `${inside}[${name}]`;
      throw invalid(`Missing required param: ${path}.`, path, "parameter_missing");
    }
  }
  return out as Parsed<S>;
}

/** Decodes a body of version 2 of the API as if it had been a form. */
export function decodeJson(body: string): RawMap {
  try {
    const raw = rawOf(JSON.parse(body === "" ? "{}" : body));
    if (typeof raw === "object" && isMap(raw)) return raw;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw invalid("The body of the request is not a JSON object.");
}

function rawOf(value: unknown): Raw {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(rawOf);
  if (typeof value !== "object") return String(value);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, rawOf(inner)]));
}

/** Decodes `a[b][0]=c` into nested maps and lists. Lists are maps of indices until they are parsed. */
export function decodeForm(body: string): RawMap {
  const root: RawMap = Object.create(null);
  if (body === "") return root;
  for (const [name, value] of new URLSearchParams(body)) {
    const open = name.indexOf("[");
    const keys = open < 0 ? [name] : [name.slice(0, open), ...name.slice(open + 1, -1).split("][")];
    let at: RawMap = root;
    keys.forEach((key, depth) => {
      const slot = key === "" ? String(Object.keys(at).length) : key;
      if (depth === keys.length - 1) at[slot] = value;
      else {
        const known = at[slot];
        const next: RawMap = known !== undefined && isMap(known) ? known : Object.create(null);
        at[slot] = next;
        at = next;
      }
    });
  }
  return root;
}
