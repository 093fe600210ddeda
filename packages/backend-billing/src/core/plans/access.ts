/** Who keeps access while a payment is late: the part of a catalogue that every read goes by. */

/**
 * Whether an entity whose subscription is past due keeps access: always, never, or for so many days
 * from the finalisation of its oldest open invoice.
 */
export interface AccessPolicy {
  readonly past_due: boolean | { readonly days: number };
}

/** Fourteen days: about as long as Stripe tries a card again. */
export const DEFAULT_ACCESS: AccessPolicy = { past_due: { days: 14 } };
