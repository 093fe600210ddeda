/** What balances go by, as a text that is another one if a subscription may be. */
import type { Names } from "../store/names.js";

/**
 * Selects the subscriptions of the entity `$1`, each with the transaction that wrote its row: any write
 * makes it another text, and nothing but the row is read.
 */
export const basisIn = (names: Names): string =>
  `SELECT coalesce(string_agg(s.subscription_id || ' ' || s.xmin, ', ' ORDER BY s.subscription_id), '')
   FROM ${names.table("customers")} c
   JOIN ${names.table("subscriptions")} s ON s.customer_id = c.customer_id
   WHERE c.entity_id = $1`;
