/** What comes in each month, added up in one statement. */
import type { Revenue } from "../../core/mirror/store.js";
import { CHURN_WINDOW, EARNING, PER_YEAR } from "../../core/subscriptions/revenue.js";
import type { Names } from "./names.js";

/** As PostgreSQL answers counts and sums: as texts. */
export type RawRevenue = { readonly [K in Exclude<keyof Revenue, "plan">]: string };

const perYear = Object.entries(PER_YEAR)
  .map(([interval, times]) => `WHEN '${interval}' THEN ${times}`)
  .join(" ");

const isEarning = `status IN (${EARNING.map((status) => `'${status}'`).join(", ")})`;

/** `$1` is the second since which an end is one of late. */
export const selectRevenue = (names: Names): string => `
  WITH s AS (
    SELECT t.stripe ->> 'currency' AS currency, t.stripe ->> 'status' AS status,
      (t.stripe ->> 'ended_at')::bigint AS ended, (t.stripe ->> 'trial_end')::bigint AS trial,
      t.stripe -> 'items' -> 'data' AS items
    FROM ${names.table("subscriptions")} t WHERE t.subscription_id IS NOT NULL
  ), m AS (
    SELECT currency, status,
      status = 'canceled' AND ended >= $1 AND (trial IS NULL OR ended > trial) AS churned,
      CASE WHEN ${isEarning} THEN (
        SELECT sum(coalesce((i ->> 'quantity')::numeric, 1)
          * (i -> 'price' ->> 'unit_amount_decimal')::numeric
          * CASE i -> 'price' -> 'recurring' ->> 'interval' ${perYear} ELSE 0 END
          / (12 * (i -> 'price' -> 'recurring' ->> 'interval_count')::numeric))
        FROM jsonb_array_elements(items) AS i
        WHERE i -> 'price' -> 'recurring' ->> 'usage_type' = 'licensed'
      ) END AS monthly
    FROM s
  )
  SELECT currency,
    count(*) FILTER (WHERE ${isEarning}) AS subscriptions,
    coalesce(round(sum(monthly)), 0) AS monthly,
    count(*) FILTER (WHERE status = 'trialing') AS trialing,
    count(*) FILTER (WHERE churned) AS churned
  FROM m WHERE ${isEarning} OR status = 'trialing' OR churned
  GROUP BY currency ORDER BY currency`;

export const churnedSince = (now: number): number => Math.ceil((now - CHURN_WINDOW) / 1000);

export const revenueFrom = ({ currency, ...sums }: RawRevenue): Revenue => ({
  plan: null,
  currency,
  subscriptions: Number(sums.subscriptions),
  monthly: Number(sums.monthly),
  trialing: Number(sums.trialing),
  churned: Number(sums.churned),
});
