/** What is asked of Stripe for a batch: to count it, and what its minute comes to. */
import type Stripe from "stripe";
import { stripeStatus } from "../../mirror/snapshot.js";
import type { StoredRecord } from "../../mirror/store.js";
import { BillingError } from "../../runtime/errors.js";
import type { MeterBatch } from "../../runtime/records/batches.js";
import type { Runtime } from "../../runtime/runtime.js";
import { paced } from "../../stripe/pacer.js";
import { type Refusal, type Verdict, verdictOf } from "./verdict.js";

/** Milliseconds that Stripe has for an answer. */
const PATIENCE = 20_000;
/**
 * One attempt, so that it ends within the lease, and so that the SDK adds no idempotency key: Stripe
 * would answer a failure again for a day.
 */
const ONCE: Stripe.RequestOptions = { timeout: PATIENCE, maxNetworkRetries: 0 };

/** Sends a batch under its own id. Throws where it is not known what became of it. */
export async function sendBatch(
  runtime: Runtime,
  { id, due }: Pick<StoredRecord, "id" | "due">,
  { meter, customerId, value, timestamp }: MeterBatch,
): Promise<Exclude<Verdict, { is: "unknown" }>> {
  try {
    await paced(runtime, "POST billing/meter_events", () => {
      if (due === null || runtime.now() + PATIENCE > due) {
        throw new BillingError("store_error", "It took too long until usage could be sent.");
      }
      return runtime.stripe().billing.meterEvents.create(
        {
          event_name: meter,
          identifier: id,
          timestamp,
          payload: { stripe_customer_id: customerId, value: String(value) },
        },
        ONCE,
      );
    });
    return { is: "sent" };
  } catch (error) {
    const verdict = verdictOf(error as Refusal);
    if (verdict.is === "unknown") throw error;
    return verdict;
  }
}

/** What Stripe has counted in the minute of a batch; undefined where it can not tell. */
export async function sumOfMinute(
  runtime: Runtime,
  { meter, customerId, timestamp }: MeterBatch,
): Promise<number | undefined> {
  const id = await meterId(runtime, meter);
  if (id === undefined) return undefined;
  const start = timestamp - (timestamp % 60);
  const span = { start_time: start, end_time: start + 60 };
  try {
    const { data } = await paced(runtime, "GET billing/meters/{id}/event_summaries", () =>
      runtime
        .stripe()
        .billing.meters.listEventSummaries(id, { customer: customerId, ...span }, ONCE),
    );
    return data.reduce((sum, { aggregated_value }) => sum + aggregated_value, 0);
  } catch (error) {
    const status = stripeStatus(error);
    if (status === 400 || status === 404) return undefined; // the customer is gone, or the meter
    throw error;
  }
}

/** The meter of an event's name; the active one, if there are others. */
export async function meterId(runtime: Runtime, eventName: string): Promise<string | undefined> {
  let found: string | undefined;
  for (let after: string | undefined; ; ) {
    const from = after === undefined ? {} : { starting_after: after };
    const page = await paced(runtime, "GET billing/meters", () =>
      runtime.stripe().billing.meters.list({ limit: 100, ...from }, ONCE),
    );
    for (const { id, event_name, status } of page.data) {
      if (event_name !== eventName) continue;
      if (status === "active") return id;
      found ??= id;
    }
    after = page.data.at(-1)?.id;
    if (!page.has_more || after === undefined) return found;
  }
}
