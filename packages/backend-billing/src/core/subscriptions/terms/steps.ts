/** What ends a subscription, and what takes back what is scheduled, as a list of requests. Pure. */
import type Stripe from "stripe";
import { phasesAhead } from "../scheduled.js";
import { type Item, isMetered } from "./items.js";
import { isActive, mayTouch, type Schedule } from "./schedule.js";

/** One request at Stripe. */
export type Step =
  | { readonly do: "release"; readonly schedule: string }
  | { readonly do: "update"; readonly params: Stripe.SubscriptionUpdateParams }
  | { readonly do: "cancel"; readonly params: Stripe.SubscriptionCancelParams }
  | { readonly do: "resume" };

/** Of a subscription, what these decisions go by. */
export interface Ending {
  readonly status: string;
  readonly cancel_at: number | null;
  readonly cancel_at_period_end: boolean;
  readonly pause_collection: object | null;
  readonly items: {
    readonly data: readonly (Item & { readonly current_period_end: number })[];
  };
}

export const NOT_OURS = "schedule_not_ours";

const release = ({ id }: Pick<Schedule, "id">): Step => ({ do: "release", schedule: id });

/** Whether an end is decided: with the period, at a time, or by a schedule. */
export const isEnding = (
  { cancel_at: end, cancel_at_period_end: ends }: Ending,
  schedule: Schedule | null,
): boolean =>
  ends ||
  end !== null ||
  (schedule !== null && isActive(schedule) && schedule.end_behavior === "cancel");

/** Stripe refuses to end a subscription that follows a schedule, so the schedule goes first. */
export function cancelSteps(
  subscription: Ending,
  schedule: Schedule | null,
  at: "now" | "period_end",
): readonly Step[] | typeof NOT_OURS {
  const { status, items } = subscription;
  // One that was never paid for has no period to end with.
  if (at === "now" || status === "incomplete") {
    const isUsed = items.data.some(({ price }) => isMetered(price));
    // What was used and not invoiced yet would be given away.
    return [{ do: "cancel", params: isUsed ? { invoice_now: true } : {} }];
  }
  if (schedule !== null && isActive(schedule)) {
    return mayTouch(schedule) ? [release(schedule), ending(subscription)] : NOT_OURS;
  }
  return endsWithPeriod(subscription) ? [] : [ending(subscription)];
}

/** Whether it ends with its period or before: an end that is later gives way. */
function endsWithPeriod({ cancel_at: end, cancel_at_period_end: ends, items }: Ending): boolean {
  const last = Math.max(...items.data.map((item) => item.current_period_end));
  return ends || (end !== null && end <= last);
}

/** Items with different intervals end together when the last of them does: all of that was paid for. */
function ending({ items }: Ending): Step {
  const ends = new Set(items.data.map(({ current_period_end: end }) => end));
  return {
    do: "update",
    params: ends.size > 1 ? { cancel_at: "max_period_end" } : { cancel_at_period_end: true },
  };
}

/** Ends a pause, takes back a scheduled change, and takes back a scheduled end. */
export function resumeSteps(
  subscription: Ending,
  schedule: Schedule | null,
): readonly Step[] | typeof NOT_OURS {
  const { status, cancel_at: end, cancel_at_period_end: ends } = subscription;
  if (status === "paused") return [{ do: "resume" }];
  const steps: Step[] = [];
  if (subscription.pause_collection !== null) {
    steps.push({ do: "update", params: { pause_collection: "" } });
  }
  if (schedule !== null && isActive(schedule)) {
    if (end === null && phasesAhead(schedule).length === 0) return steps;
    if (!mayTouch(schedule)) return NOT_OURS;
    // The end that a schedule gives a subscription goes with it.
    return [...steps, release(schedule)];
  }
  if (ends) steps.push({ do: "update", params: { cancel_at_period_end: false } });
  else if (end !== null) steps.push({ do: "update", params: { cancel_at: "" } });
  return steps;
}
