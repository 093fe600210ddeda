/** What balances go by, as a text that is another one if a subscription may be. */
import type { Names } from "../store/names.js";

/** Selects the subscriptions of the entity `$1`, each with the revision of what is mirrored of it. */
export const basisIn = (names: Names): string =>
  `SELECT coalesce(string_agg(v.id || ' ' || v.revision, ', ' ORDER BY v.id), '')
   FROM ${names.table("customers")} c
   JOIN ${names.table("subscriptions")} s ON s.customer_id = c.customer_id
   JOIN ${names.versions} v ON v.resource = 'subscriptions' AND v.id = s.subscription_id
   WHERE c.entity_id = $1`;
