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

/** The policy of a catalogue, or the default. */
export const policyOf = (catalogue: { readonly access: AccessPolicy } | undefined): AccessPolicy =>
  catalogue?.access ?? DEFAULT_ACCESS;

/** Access by the status of a subscription alone, and for one past due by the policy. */
export function hasAccess(
  status: string,
  { past_due: kept }: AccessPolicy,
  isOver: () => boolean,
): boolean {
  if (status === "active" || status === "trialing") return true;
  if (status !== "past_due") return false;
  return typeof kept === "boolean" ? kept : !isOver();
}
