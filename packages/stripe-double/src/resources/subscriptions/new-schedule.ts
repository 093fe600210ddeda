/** A schedule as it is first kept, be it made anew or from a subscription that there is. */
import { notModelled, refused } from "../../api/errors.js";
import type { Parsed } from "../../api/params.js";
import { phaseItemOf } from "../../billing/schedules/phase-items.js";
import {
  type Phase,
  type Schedule,
  scheduleOf,
  timesOf,
} from "../../billing/schedules/schedule.js";
import { isOver, periodEnd, type Subscription } from "../../billing/subscriptions/subscription.js";
import { checkOwner } from "../../billing/subscriptions/subscriptions.js";
import type { World } from "../../world/world.js";
import { given, referenced } from "../common.js";
import type { settingsShape } from "./phases.js";

type Settings = Schedule["default_settings"];

export const SETTINGS: Settings = {
  application_fee_percent: null,
  automatic_tax: { disabled_reason: null, enabled: false, liability: null },
  billing_cycle_anchor: "automatic",
  billing_thresholds: null,
  collection_method: "charge_automatically",
  default_payment_method: null,
  description: null,
  invoice_settings: {
    account_tax_ids: null,
    custom_fields: null,
    days_until_due: null,
    description: null,
    footer: null,
    issuer: { type: "self" },
  },
  on_behalf_of: null,
  transfer_data: null,
};

/** What holds for all phases after a request. */
export function settingsOf(
  world: World,
  before: Settings,
  customer: string,
  asked: Parsed<typeof settingsShape> | undefined,
): Settings {
  if (asked === undefined) return before;
  const { invoice_settings: invoices, ...rest } = asked;
  const where = "default_settings[default_payment_method]";
  if (rest.default_payment_method) checkOwner(world, rest.default_payment_method, customer, where);
  return {
    ...before,
    ...given(rest),
    invoice_settings: { ...before.invoice_settings, ...given(invoices ?? {}) },
  };
}

type NewSchedule = Pick<
  Schedule,
  "billing_mode" | "customer" | "default_settings" | "end_behavior" | "phases"
> &
  Partial<Schedule>;

export function addSchedule(world: World, fields: NewSchedule): Schedule {
  return world.objects.subscription_schedule.add({
    id: world.id("sub_sched"),
    object: "subscription_schedule",
    application: null,
    canceled_at: null,
    completed_at: null,
    created: world.now(),
    current_phase: null,
    customer_account: null,
    livemode: world.livemode,
    metadata: {},
    pause_schedules: [],
    released_at: null,
    released_subscription: null,
    status: "not_started",
    subscription: null,
    test_clock: world.find("customer", fields.customer).test_clock ?? null,
    ...fields,
  });
}

/** A schedule that begins as what the subscription is: its period is the one phase. */
export function adoptSubscription(world: World, id: string): Schedule {
  const before = referenced(world, "subscription", id, "from_subscription");
  if (isOver(before)) {
    throw refused(`You cannot migrate a subscription that is \`${before.status}\`: \`${id}\``);
  }
  if (before.status === "paused") throw notModelled("a schedule for a paused subscription");
  if (scheduleOf(world, before)) {
    throw refused(
      `You cannot migrate a subscription that is already attached to a schedule: \`${id}\``,
    );
  }
  const phase = phaseOf(before);
  const schedule = addSchedule(world, {
    billing_mode: before.billing_mode,
    current_phase: timesOf(phase),
    customer: before.customer,
    default_settings: {
      ...SETTINGS,
      collection_method: before.collection_method,
      default_payment_method: before.default_payment_method,
      description: before.description,
      invoice_settings: { ...SETTINGS.invoice_settings, days_until_due: before.days_until_due },
    },
    end_behavior: before.cancel_at === null ? "release" : "cancel",
    phases: [phase],
    status: "active",
    subscription: id,
  });
  const attached = { schedule: schedule.id };
  world.change("subscription", id, attached, "customer.subscription.updated");
  world.raise("subscription_schedule.created", schedule);
  world.due.subscription(id);
  return schedule;
}

/** The period that a subscription is in, as a phase. Its metadata stays its own. */
function phaseOf(subscription: Subscription): Phase {
  const { items, cancel_at: end } = subscription;
  return {
    add_invoice_items: [],
    application_fee_percent: null,
    billing_cycle_anchor: null,
    billing_thresholds: null,
    collection_method: null,
    currency: subscription.currency,
    default_payment_method: null,
    default_tax_rates: [],
    description: null,
    discounts: subscription.discounts.map((discount) => ({
      coupon: null,
      discount,
      promotion_code: null,
    })),
    end_date: end ?? periodEnd(subscription),
    invoice_settings: null,
    items: items.data.map(phaseItemOf),
    metadata: {},
    on_behalf_of: null,
    proration_behavior: "create_prorations",
    start_date: Math.min(...items.data.map(({ current_period_start: start }) => start)),
    transfer_data: null,
    trial_end: subscription.status === "trialing" ? subscription.trial_end : null,
  };
}
