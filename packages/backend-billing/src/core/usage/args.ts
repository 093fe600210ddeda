/** What applications say of usage, checked. */

import type { AnyCatalogue, Names } from "../plans/catalogue.js";
import { kindOf } from "../plans/kind.js";
import { argsOf, checkText, shown } from "../runtime/arguments.js";
import { checkEntityId } from "../runtime/commit/seats.js";
import { BillingError } from "../runtime/errors.js";

/** An amount of a feature. */
export interface UseArgs<N extends Names = Names> {
  readonly entityId: string;
  /** A feature of the catalogue that has a balance: `"credits"` or a meter. */
  readonly feature: N["balance"];
  /** A whole number from 1. Default 1. */
  readonly amount?: number | undefined;
  /** The id of what is billed, such as a request's: the same key counts once. */
  readonly key: string;
}

/** What `reserve` takes. */
export interface ReserveArgs<N extends Names = Names> extends UseArgs<N> {
  /** Milliseconds: when what is held is given back by itself. Default: in an hour. */
  readonly expiresAt?: number | undefined;
}

/** What `grant` takes. */
export interface GrantArgs<N extends Names = Names> extends UseArgs<N> {
  readonly amount: number;
  /** Milliseconds: when what is left of it ends. Default: never. */
  readonly expiresAt?: number | null | undefined;
}

const MOST_KEY = 255;

export interface CheckedUse {
  readonly entityId: string;
  readonly feature: string;
  readonly amount: number;
  readonly key: string;
}

export function checkedUse(
  call: string,
  catalogue: AnyCatalogue | undefined,
  use: UseArgs,
): CheckedUse {
  const { entityId, feature, amount = 1, key } = argsOf(call, use);
  checkEntityId(entityId);
  checkBalance(catalogue, feature);
  checkAmount(amount, 1);
  if (typeof key !== "string" || key === "" || key.length > MOST_KEY) {
    const message = `\`key\` must be a string of 1 to ${MOST_KEY} characters: the id of what is billed, such as a request's, so that a repetition counts once.`;
    throw new BillingError("invalid_argument", message);
  }
  checkText("key", key);
  return { entityId, feature, amount, key };
}

export function checkAmount(amount: unknown, least: 0 | 1): void {
  if (Number.isSafeInteger(amount) && Number(amount) >= least) return;
  const message = `\`amount\` must be a whole number from ${least} to 2^53 - 1. Count in a smaller unit if you need fractions.`;
  throw new BillingError("invalid_argument", message);
}

/** The features of a catalogue that have a balance. */
export const balancesIn = (catalogue: AnyCatalogue | undefined): readonly string[] =>
  Object.entries(catalogue?.features ?? {}).flatMap(([name, kind]) =>
    hasBalance(kind) ? name : [],
  );

/** Whether it has any. */
export const hasBalances = (catalogue: AnyCatalogue | undefined): boolean =>
  balancesIn(catalogue).length > 0;

export function hasBalance(kind: AnyCatalogue["features"][string] | undefined): boolean {
  const found = kindOf(kind);
  return found === "credits" || found === "meter";
}

/** The catalogue, if the feature is one of its balances. */
export function checkBalance(
  catalogue: AnyCatalogue | undefined,
  feature: unknown,
): asserts catalogue is AnyCatalogue {
  if (catalogue === undefined) {
    const message =
      "Usage needs plans in code: define features with a balance by `defineCatalogue`, and pass the setting `catalogue`.";
    throw new BillingError("invalid_config", message);
  }
  const kind = typeof feature === "string" ? catalogue.features[feature] : undefined;
  if (kind !== undefined && hasBalance(kind)) return;
  const known = balancesIn(catalogue).join(", ") || "none";
  const message = `The catalogue has no feature ${shown(feature)} with a balance. Those that have one: ${known}.`;
  throw new BillingError("invalid_argument", message);
}
