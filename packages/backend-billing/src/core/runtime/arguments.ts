/** Arguments as callers give them: types do not hold at run time, and a browser may have chosen them. */
import { isStorableText } from "../mirror/content/text.js";
import { BillingError } from "./errors.js";

/** The arguments of a call; refuses what is no object. */
export function argsOf<T extends object>(call: string, args: T): T {
  if (isObject(args)) return args;
  throw new BillingError("invalid_argument", `\`${call}\` takes an object with its arguments.`);
}

/** Options that may be left out; refuses what is no object. */
export function optionsOf<T extends object>(name: string, options: T | undefined): T | undefined {
  if (options === undefined || isObject(options)) return options;
  throw new BillingError("invalid_argument", `\`${name}\` must be an object, or be left out.`);
}

/** Refuses parameters of Stripe's that JSON cannot say: a bigint, or what contains itself. */
export function checkData(params: object): void {
  dataOf(params);
}

/** The same as what JSON says of them: of an invalid date that is null. */
export function dataOf<T extends object>(params: T): T {
  try {
    return JSON.parse(JSON.stringify(params));
  } catch (error) {
    throw new BillingError(
      "invalid_argument",
      `Stripe's parameters must be plain data: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/** Refuses what is no text, and text that no table can hold. */
export function checkText(name: string, value: unknown): void {
  if (isStorableText(value)) return;
  throw new BillingError(
    "invalid_argument",
    `\`${name}\` must be a text that is not empty, without NUL and without half of a surrogate pair.`,
  );
}

/** Refuses what is no time in milliseconds; null and undefined are none. */
export function checkTime(name: string, value: unknown): void {
  if (value === undefined || value === null || Number.isSafeInteger(value)) return;
  throw new BillingError("invalid_argument", `\`${name}\` must be a whole number of milliseconds.`);
}

/** A value for a message. What is neither a text nor a number is named by its type. */
export const shown = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? `${value}` : typeof value;

export const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A cursor that no page of this database has ended with. */
export const foreignCursor = (): BillingError =>
  new BillingError("invalid_argument", "`cursor` is not one that a page ended with.");
