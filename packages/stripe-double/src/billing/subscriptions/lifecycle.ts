/**
 * What time does to a subscription: trials end, periods renew, and what was asked to end ends. Each
 * subscription has at most one task waiting, for whatever comes next. This is the top of `billing`:
 * no other file there imports it; they ask for it through `world.due`.
 */
import type { World } from "../../world/world.js";
import { expireUpdate } from "../changes/pending-update.js";
import { answerCheckout } from "../checkout/session.js";
import { tellOfDiscounts } from "../invoices/discounts.js";
import { voidInvoice } from "../invoices/invoices.js";
import { DAY, HOUR, later } from "../later.js";
import { endPhase, startSchedule } from "../schedules/course.js";
import { endOf, scheduleOf, startOf } from "../schedules/schedule.js";
import { billSubscription, renewal, upcomingInvoice } from "./bills.js";
import { advanceLater, tellInvoice } from "./dunning.js";
import { endOnTime, endSubscription } from "./end.js";
import { endWithoutMethod, pauseSubscription } from "./resumption.js";
import { isOver, periodEnd, type Subscription } from "./subscription.js";

interface Watch {
  cancel: () => void;
  /** Notices that are sent once a period: the trial that will end, the invoice to come. */
  trialNoticed?: number;
  upcomingNoticed?: number;
  expiryNoticed?: number;
}
const watches = new WeakMap<World, Map<string, Watch>>();

function watchOf(world: World, id: string): Watch {
  const all = watches.get(world) ?? new Map<string, Watch>();
  watches.set(world, all);
  const known = all.get(id) ?? { cancel: () => {} };
  all.set(id, known);
  return known;
}

/** Something that will happen to a subscription, and when. */
interface Happening {
  readonly at: number;
  readonly act: () => void;
}

/** Sets the task for whatever happens to this subscription next. */
function watchSubscription(world: World, id: string): void {
  const watch = watchOf(world, id);
  watch.cancel();
  const subscription = world.objects.subscription.get(id);
  if (subscription === undefined || isOver(subscription)) return;
  const first = next(happenings(world, subscription, watch));
  if (first === undefined) return;
  watch.cancel = world.clock.schedule(Math.max(first.at * 1000, world.clock.now()), () => {
    // Looked up again: it may have changed without anything else being due.
    const now = next(happenings(world, world.find("subscription", id), watch));
    if (now && now.at <= world.now()) {
      world.causedBy({ id: null, idempotency_key: null }, now.act);
    }
    watchSubscription(world, id);
  });
}

/** The earliest; of several at one time, the first in the list. */
function next(all: readonly Happening[]): Happening | undefined {
  return all.reduce<Happening | undefined>(
    (first, each) => (first === undefined || each.at < first.at ? each : first),
    undefined,
  );
}

/** All that lies ahead, in the order in which it is done when it is due at the same time. */
function happenings(world: World, subscription: Subscription, watch: Watch): Happening[] {
  const { id, status, trial_end: trial, cancel_at: end, pending_update: pending } = subscription;
  const all: Happening[] = [];
  const plan = (at: number, act: () => void) => all.push({ at, act });
  if (status === "incomplete") {
    plan(subscription.created + 23 * HOUR, () => expire(world, subscription));
  }
  if (pending) plan(pending.expires_at, () => expireUpdate(world, subscription));
  const schedule = scheduleOf(world, subscription);
  if (schedule?.current_phase) {
    const last = endOf(schedule);
    if (watch.expiryNoticed !== last) {
      plan(last - 7 * DAY, () => {
        watch.expiryNoticed = last;
        world.raise("subscription_schedule.expiring", schedule);
      });
    }
    plan(schedule.current_phase.end_date, () => endPhase(world, schedule.id));
  }
  if (end !== null) plan(end, () => endOnTime(world, id));
  const resumes = subscription.pause_collection?.resumes_at;
  if (resumes) {
    const resumed = { pause_collection: null };
    plan(resumes, () => world.change("subscription", id, resumed, "customer.subscription.updated"));
  }
  if (status === "trialing" && trial !== null && watch.trialNoticed !== trial) {
    plan(trial - 3 * DAY, () => {
      watch.trialNoticed = trial;
      world.raise("customer.subscription.trial_will_end", subscription);
    });
  }
  if (status === "paused") return all;
  const period = periodEnd(subscription);
  if (watch.upcomingNoticed !== period) {
    plan(period - 7 * DAY, () => {
      watch.upcomingNoticed = period;
      if (end !== null && end <= period) return; // nothing follows
      world.raise("invoice.upcoming", upcomingInvoice(world, subscription));
    });
  }
  plan(period, () => turn(world, subscription));
  return all;
}

/** Nobody paid the first invoice. */
function expire(world: World, { id, latest_invoice: invoice }: Subscription): void {
  if (invoice) voidInvoice(world, invoice);
  const expired = { status: "incomplete_expired", ended_at: world.now() } as const;
  world.change("subscription", id, expired, "customer.subscription.updated");
}

/** The end of a period: the next one, unless it was a trial and there is nothing to pay with. */
function turn(world: World, subscription: Subscription): void {
  const { id } = subscription;
  const without = endWithoutMethod(world, subscription);
  if (without === "cancel") endSubscription(world, id);
  else if (without === "pause") pauseSubscription(world, id, "trial_end_without_payment_method");
  else renew(world, subscription);
}

/** Starts the next period and drafts its invoice, which is finalized and collected an hour later. */
function renew(world: World, before: Subscription): void {
  const { change, due, used } = renewal(world, before);
  const after = world.patch("subscription", before.id, change);
  tellOfDiscounts(world, before.discounts, after.discounts);
  const kept = before.pause_collection?.behavior === "keep_as_draft";
  const invoice = billSubscription(world, after, "subscription_cycle", {
    items: due,
    used,
    finalizesIn: kept ? null : HOUR,
    autoAdvance: !kept,
  });
  world.raise("customer.subscription.updated", world.find("subscription", before.id), before);
  if (!kept) advanceLater(world, invoice.id);
}

/** Begins a schedule at the start that it has now; a start that was moved has a task of its own. */
function watchSchedule(world: World, id: string): void {
  const start = startOf(world.find("subscription_schedule", id));
  later(world, start - world.now(), () => {
    const { status } = world.find("subscription_schedule", id);
    if (status !== "not_started") return;
    if (startOf(world.find("subscription_schedule", id)) <= world.now()) startSchedule(world, id);
  });
}

/** What the files below ask of time, for `createWorld`. */
export const dues = {
  subscription: watchSubscription,
  schedule: watchSchedule,
  draft: advanceLater,
  intent: (world: World, id: string) => {
    const intent = world.find("payment_intent", id);
    tellInvoice(world, intent);
    answerCheckout(world, intent);
  },
} as const;
