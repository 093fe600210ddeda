/**
 * The application's own catalogue: what it sells, in code. Pure data without dependencies, so that
 * queries and browsers can load it. So far it holds the access policy alone.
 */

/**
 * Whether an entity whose subscription is past due keeps access: always, never, or for so many days
 * from the finalisation of its oldest open invoice.
 */
export interface AccessPolicy {
  readonly past_due: boolean | { readonly days: number };
}

/** Fourteen days: about as long as Stripe tries a card again. */
export const DEFAULT_ACCESS: AccessPolicy = { past_due: { days: 14 } };

/** A catalogue, whatever it sells. */
export interface AnyCatalogue {
  readonly access: AccessPolicy;
}

/** What an application says of its catalogue. */
export interface CatalogueDefinition {
  /** Here and not in the settings, because reads on Convex see no settings. Default: 14 days. */
  readonly access?: AccessPolicy | undefined;
}

/** The most days of grace: a longer one is `past_due: true`. */
const MOST_DAYS = 365;

/**
 * Checks a catalogue and completes it with the defaults.
 *
 * @example
 * ```ts
 * import { defineCatalogue } from "backend-billing/catalogue";
 *
 * // Access ends a week after the invoice that was not paid.
 * export const catalogue = defineCatalogue({ access: { past_due: { days: 7 } } });
 * ```
 */
export function defineCatalogue({ access = DEFAULT_ACCESS }: CatalogueDefinition): AnyCatalogue {
  const days = typeof access.past_due === "boolean" ? 0 : access.past_due.days;
  if (!Number.isFinite(days) || days < 0 || days > MOST_DAYS) {
    throw new RangeError(
      `\`access.past_due.days\` is ${days}; it must be from 0 to ${MOST_DAYS}. For more, \`past_due: true\` keeps access.`,
    );
  }
  return { access };
}
