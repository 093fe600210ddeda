/** The course of a schedule: it begins, goes from phase to phase, and lets the subscription go. */
import { ApiError } from "../../api/errors.js";
import { mergeMetadata } from "../../resources/common.js";
import type { World } from "../../world/world.js";
import { replaceItems } from "../changes/changes.js";
import { expireUpdate } from "../changes/pending-update.js";
import { endOnTime } from "../subscriptions/end.js";
import { endingAt, type Subscription } from "../subscriptions/subscription.js";
import { createSubscription } from "../subscriptions/subscriptions.js";
import { closeSchedule } from "./closing.js";
import { applyPhase } from "./phase.js";
import { phaseItemOf } from "./phase-items.js";
import {
  cancelAt,
  endingChange,
  nextPhase,
  type Phase,
  type Schedule,
  timesOf,
} from "./schedule.js";

/** Makes the subscription of a schedule that starts now. */
export function beginSchedule(world: World, id: string): Schedule {
  const schedule = world.find("subscription_schedule", id);
  const [phase] = schedule.phases;
  if (schedule.status !== "not_started" || phase === undefined) return schedule;
  const { id: subscription } = subscribe(world, schedule, phase);
  const begun = world.patch("subscription_schedule", id, {
    status: "active",
    subscription,
    current_phase: timesOf(phase),
  });
  world.due.subscription(subscription);
  return begun;
}

/** Like `beginSchedule`, when its time has come: what Stripe cannot start any more it aborts. */
export function startSchedule(world: World, id: string): void {
  const before = world.find("subscription_schedule", id);
  try {
    const after = beginSchedule(world, id);
    world.raise("subscription_schedule.updated", after, before);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    closeSchedule(world, id, "aborted");
  }
}

/** Unlike that of a request for a subscription, its first invoice is a draft for an hour. */
function subscribe(world: World, schedule: Schedule, phase: Phase): Subscription {
  const { default_settings: defaults } = schedule;
  const collection = phase.collection_method ?? defaults.collection_method;
  return createSubscription(world, {
    customer: schedule.customer,
    billing_mode: schedule.billing_mode,
    schedule: schedule.id,
    items: phase.items.map(({ price, quantity, metadata }) => ({
      price,
      quantity,
      metadata: mergeMetadata({}, metadata),
    })),
    add_invoice_items: phase.add_invoice_items,
    default_payment_method: phase.default_payment_method ?? defaults.default_payment_method,
    trial_end: phase.trial_end ?? undefined,
    metadata: mergeMetadata({}, phase.metadata),
    description: phase.description ?? defaults.description,
    discount_sources: phase.discounts.map(({ coupon, promotion_code: code }) => ({
      coupon: coupon ?? undefined,
      promotion_code: code ?? undefined,
    })),
    collection_method: collection === "send_invoice" ? "send_invoice" : "charge_automatically",
    days_until_due:
      phase.invoice_settings?.days_until_due ??
      defaults.invoice_settings.days_until_due ??
      undefined,
    cancel_at: cancelAt(schedule) ?? undefined,
  });
}

/** The end of the current phase: the next one, or what the schedule is to do when it has none. */
export function endPhase(world: World, id: string): void {
  const before = world.find("subscription_schedule", id);
  const next = nextPhase(before);
  if (next !== undefined) {
    const { subscription } = before;
    // A phase that begins discards what waits (docs: pending updates and subscription schedules).
    if (subscription !== null) expireUpdate(world, world.find("subscription", subscription));
    const after = world.patch("subscription_schedule", id, { current_phase: timesOf(next) });
    applyPhase(world, after, next, { begins: true, proration: prorationOf(next) });
    world.raise("subscription_schedule.updated", after, before);
  } else if (before.end_behavior === "cancel") completeSchedule(world, before);
  else releaseSchedule(world, id);
}

const PRORATIONS = ["always_invoice", "create_prorations", "none"] as const;

const prorationOf = ({ proration_behavior: asked }: Phase): (typeof PRORATIONS)[number] =>
  PRORATIONS.find((each) => each === asked) ?? "create_prorations";

function completeSchedule(world: World, { id, subscription }: Schedule): void {
  const completed = world.patch("subscription_schedule", id, {
    status: "completed",
    completed_at: world.now(),
    current_phase: null,
  });
  if (subscription !== null) endOnTime(world, subscription);
  world.raise("subscription_schedule.completed", completed);
}

/** Stops a schedule; its subscription goes on as it is, without the end that the schedule gave it. */
export function releaseSchedule(world: World, id: string, keepsEnd = false): Schedule {
  const schedule = world.find("subscription_schedule", id);
  const { subscription } = schedule;
  const released = world.patch("subscription_schedule", id, {
    status: "released",
    released_at: world.now(),
    released_subscription: subscription,
    subscription: null,
    current_phase: null,
  });
  if (subscription !== null) {
    const before = world.find("subscription", subscription);
    const endless = !keepsEnd && cancelAt(schedule) !== null;
    world.patch("subscription", subscription, {
      schedule: null,
      ...(endless ? endingChange(null, before.cancel_at) : {}),
    });
    if (endless && before.status !== "trialing") {
      const whole = { proration: "create_prorations", behavior: "allow_incomplete" } as const;
      replaceItems(world, subscription, endingAt(before, null), whole);
    }
    const after = world.find("subscription", subscription);
    world.raise("customer.subscription.updated", after, before);
    world.due.subscription(subscription);
  }
  world.raise("subscription_schedule.released", released);
  return released;
}

/**
 * Keeps a schedule in step with a change of its subscription that did not come from it: the current
 * phase ends, and one with the new items lasts until it would have ended.
 */
export function splitPhase(world: World, schedule: Schedule, { items }: Subscription): void {
  const now = world.now();
  const current = schedule.current_phase;
  const phases = schedule.phases.flatMap((phase) => {
    if (phase.start_date !== current?.start_date) return [phase];
    const changed = { ...phase, start_date: now, items: items.data.map(phaseItemOf) };
    return phase.start_date === now ? [changed] : [{ ...phase, end_date: now }, changed];
  });
  const change = { phases, current_phase: current && { ...current, start_date: now } };
  world.change("subscription_schedule", schedule.id, change, "subscription_schedule.updated");
}
