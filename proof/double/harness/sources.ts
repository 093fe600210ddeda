/** Where a behaviour is written down. A check without such a source does not belong in the list. */

export interface Source {
  readonly kind: "docs" | "API reference" | "changelog" | "SDK types" | "thread" | "payload";
  /** The page below docs.stripe.com, the date, or who said it where. */
  readonly at: string;
}

/** A page of Stripe's documentation, such as `billing/subscriptions/trials`. */
export const docs = (at: string): Source => ({ kind: "docs", at });
/** A page of the API reference, such as `subscriptions/cancel`. */
export const reference = (at: string): Source => ({ kind: "API reference", at });
/** A date of Stripe's changelog, with what changed. */
export const changelog = (at: string): Source => ({ kind: "changelog", at });
/** What the types of the SDK say in words. */
export const types = (at: string): Source => ({ kind: "SDK types", at });
/** A public thread or issue, with who says it. */
export const thread = (at: string): Source => ({ kind: "thread", at });
/** A payload of Stripe that is public. */
export const payload = (at: string): Source => ({ kind: "payload", at });
