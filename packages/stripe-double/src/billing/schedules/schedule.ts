/** What a subscription schedule is, and what can be read from it alone. */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";

export type Schedule = Plain<Stripe.SubscriptionSchedule>;
export type Phase = Schedule["phases"][number];

/** Whether it can still be changed: it has yet to begin, or has not ended. */
export const isOpen = ({ status }: Schedule): boolean =>
  status === "not_started" || status === "active";

/** The schedule that a subscription follows now; one that has ended is none. */
export function scheduleOf(
  world: World,
  { schedule: id }: { readonly schedule: string | null },
): Schedule | undefined {
  const schedule = id === null ? undefined : world.objects.subscription_schedule.get(id);
  return schedule?.status === "active" ? schedule : undefined;
}

export const startOf = ({ phases }: Schedule): number => phases[0]?.start_date ?? 0;
export const endOf = ({ phases }: Schedule): number => phases.at(-1)?.end_date ?? 0;

export const currentPhase = ({ phases, current_phase: current }: Schedule): Phase | undefined =>
  phases.find(({ start_date: start }) => start === current?.start_date);

/** The phase that follows the current one. */
export const nextPhase = ({ phases, current_phase: current }: Schedule): Phase | undefined =>
  phases.findLast(
    ({ start_date: start }) => start === current?.end_date && start !== current.start_date,
  );

/** When the subscription is canceled by its schedule; null if the schedule lets it go on. */
export const cancelAt = (schedule: Schedule): number | null =>
  schedule.end_behavior === "cancel" ? endOf(schedule) : null;

/** What that changes of a subscription that ends at another time, or not at all. */
export function endingChange(end: number | null, before: number | null) {
  if (end === before) return {};
  return {
    cancel_at: end,
    ...(end === null ? { cancel_at_period_end: false, canceled_at: null } : {}),
  };
}

export const timesOf = ({ start_date, end_date }: Phase) => ({ start_date, end_date });
