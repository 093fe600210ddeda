/**
 * Reads the parameters of a request: what Stripe's API does not have is refused as Stripe does, what
 * the double only keeps is set apart, and the rest is parsed into what the route works with.
 */
import { ApiError, invalid } from "../api/errors.js";
import { stripeValue, unknownParameters } from "../api/known.js";
import { expandShape } from "../api/list.js";
import { isMap, type Parsed, parse, type Raw, type RawMap } from "../api/params.js";
import { isPlainObject } from "../world/same.js";
import { type Route, signatureOf } from "./route.js";
import type { Unmodelled } from "./unmodelled.js";

export interface ReadParameters {
  readonly params: Parsed<typeof expandShape>;
  /** By name, the values that are shown again on the object and have no other effect. */
  readonly kept: { readonly [name: string]: unknown };
}

export function readParameters(
  route: Route,
  raw: RawMap,
  version: string,
  unmodelled: Unmodelled,
): ReadParameters {
  const { shape } = route;
  if (shape === undefined) return { params: raw as Parsed<typeof expandShape>, kept: {} };
  const signature = signatureOf(route);
  refuseUnknown(unknownParameters(signature, raw, version));
  const kept: Record<string, unknown> = {};
  const keep = (name: string, defaults: object = {}): void => {
    const value = stripeValue(signature, name, raw[name] as Raw);
    kept[name] = isPlainObject(value) ? { ...defaults, ...value } : value;
  };
  let modelled: RawMap = raw;
  for (const [name, defaults] of Object.entries(route.keeps ?? {})) {
    if (raw[name] === undefined) continue;
    keep(name, defaults);
    modelled = without(modelled, [name]);
  }
  for (;;) {
    try {
      return { params: parse({ ...shape, ...expandShape }, modelled), kept };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { unmodelled: parameter } = error.options;
      if (!unmodelled.records || !parameter) throw error;
      unmodelled.note({ request: signature, parameter, message: error.message });
      if (!parameter.includes("[")) keep(parameter);
      modelled = without(modelled, parameter.replaceAll("]", "").split("["));
    }
  }
}

/** Stripe sometimes adds "Did you mean …?", by a measure that is not public. */
function refuseUnknown([first, ...more]: readonly string[]): void {
  if (first === undefined) return;
  const message =
    more.length === 0
      ? `Received unknown parameter: ${first}`
      : `Received unknown parameters: ${[first, ...more].join(", ")}`;
  throw invalid(message, first, "parameter_unknown");
}

/** The form without the value at this place. */
function without(raw: RawMap, [name = "", ...inner]: readonly string[]): RawMap {
  const { [name]: value, ...rest } = raw;
  if (inner.length === 0 || value === undefined || !isMap(value)) return rest;
  return { ...raw, [name]: without(value, inner) };
}
