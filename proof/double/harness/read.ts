/** How checks read what the SDK answers: references, times, refusals and fields without a type. */
import Stripe from "stripe";
import type { Observed } from "./behaviour.js";

/** The object behind a reference that was expanded; that it was not is an error. */
export function expanded<T extends { id: string }>(reference: string | T | null | undefined): T {
  if (typeof reference === "string" || !reference) throw new Error(`Not expanded: ${reference}`);
  return reference;
}

/** The id that a reference has, expanded or not; that there is none is an error. */
export function idOf(reference: string | { readonly id: string } | null | undefined): string {
  if (!reference) throw new Error("There is no such reference");
  return typeof reference === "string" ? reference : reference.id;
}

/** The first of a list; that there is none is an error. */
export function first<T>(list: readonly T[] | { readonly data: readonly T[] }): T {
  const [value] = "data" in list ? list.data : list;
  if (value === undefined) throw new Error("The list is empty");
  return value;
}

/** The last of a list; that there is none is an error. */
export function last<T>(list: readonly T[]): T {
  const value = list.at(-1);
  if (value === undefined) throw new Error("The list is empty");
  return value;
}

/** The amounts of lines or items, smallest first. */
export const amountsOf = (lines: readonly { readonly amount: number }[]): number[] =>
  lines.map(({ amount }) => amount).sort((a, b) => a - b);

/** A time of Stripe as text, to the second. */
export const iso = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace(".000Z", "Z");

/** A text as Stripe writes times. */
export const seconds = (text: string): number => Date.parse(text) / 1000;

/** When the period of a subscription's first item ends. */
export const periodEnd = ({ items }: Stripe.Subscription): string =>
  iso(first(items).current_period_end);

/** Follows a path such as `latest_invoice.payment_intent` in an answer that has no type. */
export function at(value: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>(
      (inner, key) =>
        typeof inner === "object" && inner !== null
          ? (inner as { readonly [key: string]: unknown })[key]
          : undefined,
      value,
    );
}

/** What an event says that an object had before. */
export const previous = ({ data }: Stripe.Event): Observed =>
  JSON.parse(JSON.stringify(data.previous_attributes ?? null)) as Observed;

/** What a call was refused with; status 200 if it was not. */
export interface Refusal {
  readonly status: number | undefined;
  readonly type?: string;
  readonly code?: string | undefined;
  readonly param?: string | undefined;
  readonly declineCode?: string | undefined;
  readonly message?: string;
  /** The `error` of the answer, with what the SDK gives no field to. */
  readonly raw?: unknown;
}

export async function refusal(call: Promise<unknown>): Promise<Refusal> {
  try {
    await call;
    return { status: 200 };
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const { statusCode: status, type, code, param, decline_code: declineCode, message } = error;
    return { status, type, code, param, declineCode, message, raw: error.raw };
  }
}

/** The status of a call, 200 if it succeeds. */
export const statusOf = async (call: Promise<unknown>): Promise<number | undefined> =>
  (await refusal(call)).status;
