/**
 * When updates of quantities took effect at a double, in milliseconds: by its events, which say that
 * something has changed, and its log, which says when. A request that failed, and one that only got
 * the answer of an earlier one under the same idempotency key, is none.
 */
import type Stripe from "stripe";
import type { LoggedRequest } from "../packages/stripe-double/src/index.js";

/** The request that changes a subscription. */
export const UPDATE = "POST /v1/subscriptions/:subscription";

/** The times of each subscription's updates, earliest first. */
export async function seatUpdates(
  stripe: Stripe,
  requests: readonly LoggedRequest[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const times = new Map<string, number[]>();
  const asked = new Map(requests.map(({ id, at }) => [id, at]));
  const all = stripe.events.list({ type: "customer.subscription.updated", limit: 100 });
  for await (const { id, data, request } of all) {
    const { object, previous_attributes: before } =
      data as Stripe.CustomerSubscriptionUpdatedEvent.Data;
    const [was, is] = [before?.items, object.items].map((items) => items?.data[0]?.quantity);
    if (before?.items === undefined || was === is) continue;
    const at = asked.get(request?.id ?? "");
    if (at === undefined) throw new Error(`No request is known that raised ${id}`);
    times.set(object.id, [at, ...(times.get(object.id) ?? [])]);
  }
  return new Map([...times].map(([id, each]) => [id, each.sort((a, b) => a - b)]));
}

/** The least time between two of these moments; infinite if there are less than two. */
export const closestOf = (times: readonly number[]): number =>
  Math.min(...times.slice(1).map((at, index) => at - (times[index] ?? 0)));
