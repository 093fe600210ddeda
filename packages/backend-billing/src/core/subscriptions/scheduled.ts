/** What a subscription's schedule has in store for it. Pure. */
import type { StripeObject } from "../catalogue/catalogue.js";
import type { SubscriptionFacts } from "../mirror/store.js";

type Subscription = StripeObject<"subscriptions">;
type Schedule = StripeObject<"subscription_schedules">;
type Phase = Schedule["phases"][number];

/** The item that a change is about, as it is now. */
interface Bought {
  readonly priceId: string;
  readonly lookupKey: string | null;
  readonly quantity: number;
}

/** What is sold from a moment on, as Stripe has it. */
export interface Change extends Bought {
  readonly at: number;
  /** Null where the mirror does not have the price. */
  readonly productId: string | null;
}

function scheduleOf(
  { schedules }: SubscriptionFacts,
  { schedule }: Subscription,
): Schedule | undefined {
  const found = schedules.find(({ id }) => id === schedule);
  return found?.status === "active" || found?.status === "not_started" ? found : undefined;
}

/** The phases that have not begun. */
export function phasesAhead({ phases, current_phase }: Schedule): readonly Phase[] {
  const end = current_phase?.end_date;
  return end === undefined ? phases : phases.filter(({ start_date }) => start_date >= end);
}

/** The first coming phase in which another price or quantity is sold; null if there is none. */
export function scheduledChange(
  facts: SubscriptionFacts,
  subscription: Subscription,
  now: Bought,
): Change | null {
  const schedule = scheduleOf(facts, subscription);
  if (schedule === undefined) return null;
  for (const phase of phasesAhead(schedule)) {
    const item = sameItem(phase, now) ?? replacement(phase, subscription, facts);
    if (item === undefined) continue;
    const { price: priceId, quantity = 1 } = item;
    if (priceId === now.priceId && quantity === now.quantity) continue;
    const sold = [...facts.prices, ...subscription.items.data.map(({ price }) => price)];
    const price = sold.find(({ id }) => id === priceId);
    const { lookup_key: lookupKey = null, product: productId = null } = price ?? {};
    return { at: phase.start_date * 1000, priceId, productId, lookupKey, quantity };
  }
  return null;
}

type PhaseItem = Phase["items"][number];

const sameItem = ({ items }: Phase, { priceId }: Bought): PhaseItem | undefined =>
  items.find(({ price }) => price === priceId);

/** The item of a phase that replaces the one sold now: the first that is no add-on of today. */
function replacement(
  { items }: Phase,
  subscription: Subscription,
  { prices }: SubscriptionFacts,
): PhaseItem | undefined {
  const kept = new Set(subscription.items.data.map(({ price }) => price.id));
  const metered = new Set(
    prices.filter(({ recurring }) => recurring?.usage_type === "metered").map(({ id }) => id),
  );
  const licensed = items.filter(({ price }) => !metered.has(price));
  return licensed.find(({ price }) => !kept.has(price)) ?? licensed[0] ?? items[0];
}

/** The second at which the schedule ends the subscription; null if it lets it go on. */
export function scheduledEnd(facts: SubscriptionFacts, subscription: Subscription): number | null {
  const schedule = scheduleOf(facts, subscription);
  if (schedule?.end_behavior !== "cancel") return null;
  return schedule.phases.at(-1)?.end_date ?? null;
}
