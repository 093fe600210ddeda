/** What Stripe has counted of customers, by days; and which meters are compared. */
import type Stripe from "stripe";
import { stripeStatus } from "../../mirror/snapshot.js";
import { billedByUsage } from "../../plans/usage.js";
import type { Runtime } from "../../runtime/runtime.js";
import { paced } from "../../stripe/pacer.js";
import type { Window } from "./compare.js";

/** The meters of features of which a plan sells more than it includes; undefined if there is none. */
export function comparedMeters({
  books,
  config: { catalogue },
}: Pick<Runtime, "books" | "config">): { readonly [feature: string]: string } | undefined {
  if (books === undefined || catalogue === undefined) return undefined;
  const all = Object.values(catalogue.plans).flatMap((plan) => billedByUsage(catalogue, plan));
  if (all.length === 0) return undefined;
  return Object.fromEntries(all.map(({ feature, meter }) => [feature, meter]));
}

/** The sums of days by their beginnings, in milliseconds; undefined where Stripe can not tell. */
export async function countedByDay(
  runtime: Runtime,
  meterId: string,
  customer: string,
  { from, until }: Window,
): Promise<ReadonlyMap<number, number> | undefined> {
  const span: Stripe.Billing.MeterListEventSummariesParams = {
    customer,
    start_time: from / 1000,
    end_time: until / 1000,
    value_grouping_window: "day",
    limit: 100,
  };
  try {
    const { data } = await paced(runtime, "GET billing/meters/{id}/event_summaries", () =>
      runtime.stripe().billing.meters.listEventSummaries(meterId, span),
    );
    return new Map(
      data.map(({ start_time, aggregated_value }) => [start_time * 1000, aggregated_value]),
    );
  } catch (error) {
    const status = stripeStatus(error);
    if (status === 400 || status === 404) return undefined; // the customer is gone
    throw error;
  }
}
