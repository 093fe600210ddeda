/**
 * What an entity's plan includes at a moment, worked out from Stripe's own log of events and from the
 * catalogue as it is written. It uses nothing of the library. Seconds throughout.
 */
import type Stripe from "stripe";
import type { Logged } from "../tellings/log.js";
import { catalogue } from "./shop.js";

/** What the log has told of one customer. */
export interface World {
  readonly subscriptions: Map<string, Stripe.Subscription>;
  readonly invoices: Map<string, Stripe.Invoice>;
}

export const emptyWorld = (): World => ({ subscriptions: new Map(), invoices: new Map() });

export function learn({ subscriptions, invoices }: World, { object }: Logged): void {
  const told = object as unknown as Stripe.Subscription | Stripe.Invoice;
  if (told.object === "subscription") subscriptions.set(told.id, told);
  if (told.object === "invoice" && told.id) invoices.set(told.id, told);
}

/** The share of a period: which plan's, and whether it is not given before an invoice is paid. */
export interface Share {
  readonly key: string;
  readonly plan: keyof typeof catalogue.plans;
  readonly from: number;
  readonly until: number;
  readonly isOwed: boolean;
}

interface Span {
  readonly from: number;
  readonly until: number;
}

const DAY = 86_400;
const GRACE = 14 * DAY;
const MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const two = (number: number) => String(number).padStart(2, "0");

/** The same day and time so many months later; the month's last day where it has no such day. */
function plusMonths(anchor: number, count: number): number {
  const text = new Date(anchor * 1000).toISOString();
  const months = Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7)) - 1 + count;
  const [year, month] = [Math.floor(months / 12), months % 12];
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 1 && isLeap ? 29 : (MONTHS[month] ?? 0);
  const day = Math.min(Number(text.slice(8, 10)), days);
  return Date.parse(`${year}-${two(month + 1)}-${two(day)}${text.slice(10)}`) / 1000;
}

/** Of the moments that a rule counts from an anchor, the last that has come and the one after it. */
function between(moment: (count: number) => number, now: number): Span {
  let count = 0;
  while (moment(count) > now) count--;
  while (moment(count + 1) <= now) count++;
  return { from: moment(count), until: moment(count + 1) };
}

/** As the log had it at the second `known`, what is included at the second `now`. */
export function shareOf(world: World, known: number, now: number): Share {
  const running = [...world.subscriptions.values()]
    .filter((each) => hasAccess(each, world, known) && now < endOf(each))
    .sort((a, b) => b.created - a.created || (a.id < b.id ? 1 : -1));
  const [newest] = running;
  const [item] = newest?.items.data ?? [];
  if (newest === undefined || item === undefined) {
    const month = between((count) => plusMonths(Date.UTC(2020, 0, 1) / 1000, count), now);
    return { key: `free ${month.from}`, plan: "free", isOwed: false, ...month };
  }
  const span = spanOf(newest, item, now);
  const plan = String(item.price.product).replace("acme_", "") as Share["plan"];
  return { key: `${newest.id} ${span.from}`, plan, isOwed: newest.status === "past_due", ...span };
}

/** A month of the anchor, or what is billed if that is shorter. */
function spanOf(
  { billing_cycle_anchor: anchor }: Stripe.Subscription,
  { price, current_period_start, current_period_end }: Stripe.SubscriptionItem,
  now: number,
): Span {
  const { interval = "month", interval_count: count = 1 } = price.recurring ?? {};
  const monthly = (months: number) => (turn: number) => plusMonths(anchor, turn * months);
  const turns =
    interval === "week"
      ? (turn: number) => anchor + turn * count * 7 * DAY
      : monthly(interval === "year" ? 12 * count : count);
  const billed =
    now < current_period_end
      ? { from: current_period_start, until: current_period_end }
      : between(turns, now);
  if (plusMonths(billed.until, -1) <= billed.from) return billed;
  const month = between(monthly(1), now);
  return {
    from: Math.max(month.from, billed.from),
    until: Math.min(month.until, billed.until),
  };
}

function hasAccess({ id, status, items }: Stripe.Subscription, { invoices }: World, known: number) {
  if (status !== "past_due") return status === "active" || status === "trialing";
  const open = [...invoices.values()].filter(
    (invoice) =>
      invoice.status === "open" && invoice.parent?.subscription_details?.subscription === id,
  );
  const starts = items.data.map((item) => item.current_period_start);
  const since = open.map((each) => each.status_transitions.finalized_at ?? each.created);
  return known < Math.min(...(since.length > 0 ? since : starts)) + GRACE;
}

function endOf({ cancel_at, cancel_at_period_end, items }: Stripe.Subscription): number {
  if (cancel_at !== null) return cancel_at;
  if (!cancel_at_period_end) return Number.POSITIVE_INFINITY;
  return Math.max(...items.data.map((item) => item.current_period_end));
}

export const FEATURES = ["credits", "calls"] as const;
export type Feature = (typeof FEATURES)[number];

/** What is shown of one feature. */
export interface Shown {
  readonly granted: number;
  readonly used: number;
  /** Seconds, or null if the plan says nothing of the feature. */
  readonly resetsAt: number | null;
}

/** What was given and taken, by share. */
export type Given = Map<string, { readonly amount: number; readonly used: number }>;

/**
 * What is given for a share stays until its period ends: a better plan raises it, a lesser one has its
 * own in the next period, and what is owed for is not given, nor raised.
 */
export function shownOf(given: Given, share: Share, feature: Feature): Shown {
  const features: { readonly [name in Feature]?: { readonly included: number } } =
    catalogue.plans[share.plan].features;
  const said = features[feature];
  const had = given.get(`${feature} ${share.key}`) ?? { amount: 0, used: 0 };
  const anew = share.isOwed ? 0 : (said?.included ?? 0);
  return {
    granted: Math.max(had.amount, anew),
    used: had.used,
    resetsAt: said === undefined ? null : share.until,
  };
}

/** Writes down what is given now, and takes of it; answers whether there was enough. */
export function take(given: Given, share: Share, feature: Feature, amount: number): boolean {
  const { granted, used } = shownOf(given, share, feature);
  const isEnough = used + amount <= granted;
  given.set(`${feature} ${share.key}`, { amount: granted, used: isEnough ? used + amount : used });
  return isEnough;
}
