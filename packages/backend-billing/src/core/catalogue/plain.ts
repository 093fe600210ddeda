/**
 * Stripe's SDK types as plain data: what a webhook body, a database row or a Convex document holds.
 * Types only; nothing here exists at run time.
 */
import type Stripe from "stripe";

/** An object that Stripe may show either as its id or, when expanded, whole. */
type Referable = { id: string };

/**
 * `T` as it is stored: without methods, with `Stripe.Decimal` as the string it serialises to, and
 * with every expandable reference as the id it is when nothing was expanded.
 *
 * @example
 * ```ts
 * import type { Plain } from "backend-billing";
 * import type Stripe from "stripe";
 *
 * function ownerOf(subscription: Plain<Stripe.Subscription>): string {
 *   return subscription.customer; // the id: a mirrored row is never expanded
 * }
 * ```
 */
export type Plain<T> = unknown extends T
  ? Unsaid<T>
  : [T] extends [Stripe.Decimal]
    ? string
    : [NonNullable<T>] extends [object]
      ? PlainEach<T> // before the next line, because a string fits into an interface without members
      : string extends T
        ? Exclude<T, Referable> // `string | Stripe.Customer | null` is the id, or null
        : PlainEach<T>;

/** What Stripe's types leave open, as `use_stripe_sdk` does, is JSON all the same. */
type Unsaid<T> = 0 extends 1 & T ? T : Json;
type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Distributes over a union, so that `Price | null` becomes `Plain<Price> | null`. */
type PlainEach<T> = T extends Stripe.Decimal
  ? string
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends (infer E)[]
      ? Plain<E>[]
      : T extends object
        ? { [K in keyof T as Kept<K, T[K]>]: Plain<T[K]> }
        : undefined;

/** Without fields that are never there, as `deleted?: void`: no document of Convex may have one. */
// biome-ignore lint/suspicious/noConfusingVoidType: Stripe's own types say `void`.
type Kept<K, V> = [V] extends [void] ? (unknown extends V ? K : never) : K;
