/** What the calls that sell take. */
import type Stripe from "stripe";
import { checkText, shown } from "../runtime/arguments.js";
import type { IfSubscribed } from "../runtime/config.js";
import { BillingError } from "../runtime/errors.js";
import type { Ui } from "./page.js";

/** Decided by the library: passing one is a mistake. */
type Owned = "customer" | "customer_email" | "ui_mode" | "return_url" | "expand";
export const OWNED: readonly Owned[] = [
  "customer",
  "customer_email",
  "ui_mode",
  "return_url",
  "expand",
];

/** The addresses that every page needs, as each variant names them. */
export const ADDRESSES = ["success_url", "cancel_url"] as const;
export const ADDRESSES_B = ["successUrl", "cancelUrl"] as const;

export type SessionParams = Omit<Stripe.Checkout.SessionCreateParams, Owned | "mode">;

/** Which price: by its id, or by its lookup key. */
export type Priced =
  | { readonly priceId: string; readonly lookupKey?: never }
  | { readonly lookupKey: string; readonly priceId?: never };

/** How a subscription is sold, in both variants. */
export interface Selling {
  /**
   * How many. Default: the number of seats for a price per seat where the setting `seats` counts
   * them, else 1. Never sent for a metered price, which has none.
   */
  readonly quantity?: number | undefined;
  /** What an entity gets that is subscribed already. Default: the setting `if_subscribed`. */
  readonly ifSubscribed?: IfSubscribed | undefined;
  /** Days before the first payment. */
  readonly trialDays?: number | undefined;
  /** `once` (default): a trial is given once for each entity and group of plans. */
  readonly trial?: "once" | "always" | undefined;
}

/** What `subscribe` takes: Stripe's own parameters pass through. */
export type SubscribeParams = Omit<SessionParams, "line_items"> &
  Priced &
  Selling & {
    readonly entityId: string;
    readonly mode: "subscription";
    readonly success_url: string;
    readonly cancel_url: string;
    /** An entry of the same price replaces the line of `priceId`; others are added to it. */
    readonly line_items?: SessionParams["line_items"];
  };

/** What is paid for: lines as Stripe takes them, or what a lookup key names, such as a pack. */
type Bought =
  | {
      readonly line_items: NonNullable<SessionParams["line_items"]>;
      readonly lookupKey?: never;
      readonly quantity?: never;
    }
  | {
      readonly lookupKey: string;
      /** Default 1. */
      readonly quantity?: number | undefined;
      readonly line_items?: never;
    };

/** What `pay` takes: Stripe's own parameters pass through. */
export type PayParams = Omit<SessionParams, "client_reference_id" | "line_items"> &
  Bought & {
    /** The application's own id of what is bought, such as an order's. */
    readonly referenceId?: string | undefined;
    readonly entityId: string;
    readonly mode: "payment";
    readonly success_url: string;
    readonly cancel_url: string;
  };

/** What `savePaymentMethod` takes: Stripe's own parameters pass through. */
export interface SaveParams extends Omit<SessionParams, "line_items"> {
  readonly entityId: string;
  readonly mode: "setup";
  readonly success_url: string;
  readonly cancel_url: string;
}

/** What all calls of variant B take. */
interface ArgsB {
  readonly entityId: string;
  readonly successUrl: string;
  readonly cancelUrl: string;
  /** Stripe's own parameters, passed on. */
  readonly params?: Omit<SessionParams, "success_url" | "cancel_url"> | undefined;
}

/** What `checkout` takes. */
export type CheckoutArgs = Priced &
  Selling &
  ArgsB & {
    readonly createStripeCustomerIfMissing?: boolean | undefined;
    readonly allowPromotionCodes?: boolean | undefined;
    /** The email of the customer, where it is made for this call. */
    readonly email?: string | undefined;
  };

/** What `pay` of variant B takes. */
export type PayArgs = Priced &
  ArgsB & {
    readonly quantity?: number | undefined;
    /** The application's own id of what is bought, such as an order's. */
    readonly referenceId?: string | undefined;
  };

/** What `savePaymentMethod` of variant B takes. */
export interface SaveArgs extends Omit<ArgsB, "params"> {
  /** Stripe's own parameters, passed on. */
  readonly params?: Omit<SessionParams, "success_url" | "cancel_url" | "line_items"> | undefined;
}

/** The price that is named; otherwise `invalid_argument`. */
export function checkPriced({
  priceId,
  lookupKey,
}: {
  readonly priceId?: string | undefined;
  readonly lookupKey?: string | undefined;
}): Priced {
  if (priceId && lookupKey !== undefined) {
    throw new BillingError(
      "invalid_argument",
      "`priceId` and `lookupKey` name a price each. Leave one of them out.",
    );
  }
  if (lookupKey) {
    checkText("lookupKey", lookupKey);
    return { lookupKey };
  }
  if (priceId) return { priceId };
  throw new BillingError("invalid_argument", "`priceId` is missing. Pass it, or `lookupKey`.");
}

export function checkReference(referenceId: unknown): void {
  if (referenceId === undefined || (typeof referenceId === "string" && referenceId !== "")) return;
  throw new BillingError(
    "invalid_argument",
    "`referenceId` must be a string that is not empty, such as the id of an order. Leave it out if there is none.",
  );
}

/** Refuses what the guard cannot do. */
export function checkSelling(
  selling: Selling & { readonly ui?: Ui | undefined },
  { after_expiration: after }: Pick<SessionParams, "after_expiration">,
): void {
  checkOneOf("ifSubscribed", selling.ifSubscribed, ["portal", "refuse", "allow"]);
  checkOneOf("trial", selling.trial, ["once", "always"]);
  checkOneOf("ui", selling.ui, ["hosted", "embedded"]);
  const { trialDays, ifSubscribed } = selling;
  if (trialDays !== undefined && !(Number.isSafeInteger(trialDays) && trialDays > 0)) {
    throw new BillingError(
      "invalid_argument",
      `\`trialDays\` must be a whole number from 1, not ${shown(trialDays)}. Leave it out for no trial.`,
    );
  }
  if (after?.recovery?.enabled && ifSubscribed !== "allow") {
    throw new BillingError(
      "invalid_argument",
      '`after_expiration.recovery` makes a copy of an expired page that can be paid, so that a person could subscribe twice. Leave it out, or pass `ifSubscribed: "allow"`.',
    );
  }
}

function checkOneOf(name: string, value: unknown, known: readonly string[]): void {
  if (value === undefined || known.includes(value as string)) return;
  const all = known.map((each) => `"${each}"`).join(", ");
  throw new BillingError("invalid_argument", `\`${name}\` must be one of ${all}.`);
}
