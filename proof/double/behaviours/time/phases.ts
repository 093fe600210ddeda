/** The phases of subscription schedules, what they cost, and what is refused while there are any. */
import type Stripe from "stripe";
import type { Theme } from "../../harness/behaviour.js";
import {
  amountsOf,
  expanded,
  first,
  idOf,
  iso,
  refusal,
  seconds,
  statusOf,
} from "../../harness/read.js";
import { changelog, docs, reference, thread, types } from "../../harness/sources.js";
import { APRIL_1, type World } from "../../harness/world.js";

type Phase = Stripe.SubscriptionScheduleUpdateParams.Phase;

const START = seconds(APRIL_1);
const HALF = START + 15 * 86_400;
const MAY_1 = START + 30 * 86_400;
const month = { interval: "month", interval_count: 1 } as const;

/** A subscription of 30 dollars a month with a schedule, and a price of 10 dollars for later. */
async function scheduled({ stripe, price, subscribe }: World) {
  const subscription = await subscribe(3000);
  const { id } = await stripe.subscriptionSchedules.create({ from_subscription: subscription.id });
  const now = idOf(first(subscription.items).price);
  const later = await price(1000);
  const update = (phases: Phase[], params: Stripe.SubscriptionScheduleUpdateParams = {}) =>
    stripe.subscriptionSchedules.update(id, { phases, ...params });
  /** The current phase until then, and one with the other price. */
  const phases = (end_date: number, next: Partial<Phase> = {}): Phase[] => [
    { items: [{ price: now }], start_date: START, end_date },
    { items: [{ price: later }], duration: month, ...next },
  ];
  return { subscription, id, now, later, update, phases };
}

const typesOf = (events: readonly Stripe.Event[]) =>
  events.map(({ type }) => type).filter((type) => type.startsWith("subscription_schedule."));

export const phases: Theme = {
  name: "Phases of schedules",
  behaviours: [
    {
      name: "one that begins within the period is prorated",
      source: types("SubscriptionScheduleUpdateParams.Phase.proration_behavior"),
      now: APRIL_1,
      expected: [-1500, 500],
      async see(world) {
        const { subscription, update, phases: until } = await scheduled(world);
        await update(until(HALF));
        await world.double.clock.advance({ days: 15 });
        return amountsOf(await world.pendingItems(subscription));
      },
    },
    {
      name: "one without prorations is not",
      source: types("SubscriptionScheduleUpdateParams.Phase.proration_behavior"),
      now: APRIL_1,
      expected: [],
      async see(world) {
        const { subscription, update, phases: until } = await scheduled(world);
        await update(until(HALF, { proration_behavior: "none" }));
        await world.double.clock.advance({ days: 15 });
        return amountsOf(await world.pendingItems(subscription));
      },
    },
    {
      name: "a change of the current one is prorated at once, as the request says",
      source: types("SubscriptionScheduleUpdateParams.proration_behavior"),
      now: APRIL_1,
      expected: { usual: [-1500, 500], none: [] },
      async see(world) {
        const change = async (params: Stripe.SubscriptionScheduleUpdateParams) => {
          const { subscription, later, update } = await scheduled(world);
          const now = world.double.clock.seconds();
          const start_date = first(subscription.items).current_period_start;
          await world.double.clock.advance({ days: 15 });
          const phase = { items: [{ price: later }], start_date, end_date: now + 30 * 86_400 };
          await update([phase], params);
          return amountsOf(await world.pendingItems(subscription));
        };
        const usual = await change({});
        await world.double.clock.advanceTo("2026-06-01T00:00:00Z");
        return { usual, none: await change({ proration_behavior: "none" }) };
      },
    },
    {
      name: "the preview of the next invoice knows the phase that begins with it",
      source: reference("invoices/create_preview"),
      now: APRIL_1,
      expected: 1000,
      async see(world) {
        const { subscription, update, phases: until } = await scheduled(world);
        await update(until(MAY_1));
        const preview = await world.stripe.invoices.createPreview({
          subscription: subscription.id,
        });
        return preview.total;
      },
    },
    {
      name: "a coupon is for its phase",
      source: docs("billing/subscriptions/subscription-schedules#phases"),
      now: APRIL_1,
      expected: [1500, 3000],
      async see({ double, stripe, customer, price, invoices }) {
        const payer = await customer();
        const { id: coupon } = await stripe.coupons.create({
          percent_off: 50,
          duration: "forever",
        });
        const items = [{ price: await price(3000) }];
        await stripe.subscriptionSchedules.create({
          customer: payer,
          start_date: "now",
          phases: [
            { items, discounts: [{ coupon }], duration: month },
            { items, duration: month },
          ],
        });
        await double.clock.advance({ days: 31 });
        return (await invoices(payer)).map(({ total }) => total);
      },
    },
    {
      name: "metadata of a phase is added to the subscription's",
      source: types("SubscriptionScheduleUpdateParams.Phase.metadata"),
      now: APRIL_1,
      expected: { team: "red", plan: "small" },
      async see(world) {
        const { subscription, update, phases: until } = await scheduled(world);
        await world.stripe.subscriptions.update(subscription.id, { metadata: { team: "red" } });
        await update(until(MAY_1, { metadata: { plan: "small" } }));
        await world.double.clock.advance({ days: 31 });
        return (await world.stripe.subscriptions.retrieve(subscription.id)).metadata;
      },
    },
    {
      name: "a schedule with a later start has no subscription until then",
      source: docs(
        "billing/subscriptions/subscription-schedules/use-cases#start-subscription-future",
      ),
      now: APRIL_1,
      expected: { before: "not_started", none: null, after: "active" },
      async see({ double, stripe, customer, price }) {
        const made = await stripe.subscriptionSchedules.create({
          customer: await customer(),
          start_date: HALF,
          phases: [{ items: [{ price: await price(1000) }], duration: month }],
        });
        await double.clock.advance({ days: 15 });
        const { status } = await stripe.subscriptionSchedules.retrieve(made.id);
        return { before: made.status, none: idOrNull(made.subscription), after: status };
      },
    },
    {
      name: "the first invoice of a schedule is a draft",
      source: reference("subscriptions/create"),
      expected: { subscription: "active", invoice: "draft" },
      async see({ stripe, customer, price }) {
        const { subscription } = await stripe.subscriptionSchedules.create({
          customer: await customer(),
          start_date: "now",
          phases: [{ items: [{ price: await price(1000) }], duration: month }],
        });
        const made = await stripe.subscriptions.retrieve(idOf(subscription), {
          expand: ["latest_invoice"],
        });
        return { subscription: made.status, invoice: expanded(made.latest_invoice).status };
      },
    },
    {
      name: "one that ends with cancel ends its subscription",
      source: types("SubscriptionSchedule.end_behavior"),
      now: APRIL_1,
      expected: { schedule: "completed", subscription: "canceled", ended: "2026-06-01T00:00:00Z" },
      async see(world) {
        const { subscription, id, update, phases: until } = await scheduled(world);
        await update(until(MAY_1), { end_behavior: "cancel" });
        await world.double.clock.advance({ days: 62 });
        const { status, ended_at } = await world.stripe.subscriptions.retrieve(subscription.id);
        const schedule = await world.stripe.subscriptionSchedules.retrieve(id);
        return { schedule: schedule.status, subscription: status, ended: iso(ended_at ?? 0) };
      },
    },
    {
      name: "the end that a schedule gave goes with it, unless it is to stay",
      source: types("SubscriptionScheduleReleaseParams.preserve_cancel_date"),
      now: APRIL_1,
      expected: { released: null, preserved: "2026-06-01T00:00:00Z" },
      async see(world) {
        const release = async (preserve_cancel_date: boolean) => {
          const { subscription, id, update, phases: until } = await scheduled(world);
          await update(until(MAY_1), { end_behavior: "cancel" });
          await world.stripe.subscriptionSchedules.release(id, { preserve_cancel_date });
          const { cancel_at } = await world.stripe.subscriptions.retrieve(subscription.id);
          return cancel_at === null ? null : iso(cancel_at);
        };
        return { released: await release(false), preserved: await release(true) };
      },
    },
    {
      name: "canceling one credits and invoices unless it is told not to",
      source: types("SubscriptionScheduleCancelParams"),
      now: APRIL_1,
      expected: [3000, -1500],
      async see(world) {
        const { subscription, id } = await scheduled(world);
        await world.double.clock.advance({ days: 15 });
        await world.stripe.subscriptionSchedules.cancel(id);
        return (await world.invoices(idOf(subscription.customer))).map(({ total }) => total);
      },
    },
    {
      name: "expiring comes seven days before the end",
      source: types("Event subscription_schedule.expiring"),
      now: APRIL_1,
      expected: { before: 0, after: 1 },
      async see(world) {
        await scheduled(world);
        const count = async () => (await world.events("subscription_schedule.expiring")).length;
        await world.double.clock.advanceTo("2026-04-23T23:59:00Z");
        const before = await count();
        await world.double.clock.advance({ minutes: 2 });
        return { before, after: await count() };
      },
    },
    {
      name: "one whose subscription nobody pays for is aborted",
      source: types("Event subscription_schedule.aborted"),
      now: APRIL_1,
      expected: { status: "canceled", event: "subscription_schedule.aborted" },
      async see(world) {
        const { subscription, id, later, update, phases: until } = await scheduled(world);
        await update([...until(MAY_1), { items: [{ price: later }], duration: month }]);
        await world.useCard(idOf(subscription.customer), "pm_card_chargeCustomerFail");
        await world.double.clock.advance({ days: 50 });
        const { status } = await world.stripe.subscriptionSchedules.retrieve(id);
        return { status, event: typesOf(await world.events()).at(-1) };
      },
    },
    {
      name: "an end of its subscription is for the schedule to say",
      source: thread("laravel/cashier-stripe#1748: updating any cancelation behavior directly"),
      expected: { atPeriodEnd: 400, at: 400 },
      async see(world) {
        const { subscription } = await scheduled(world);
        const { id } = subscription;
        const update = (params: Stripe.SubscriptionUpdateParams) =>
          statusOf(world.stripe.subscriptions.update(id, params));
        const cancel_at = first(subscription.items).current_period_end;
        return {
          atPeriodEnd: await update({ cancel_at_period_end: true }),
          at: await update({ cancel_at }),
        };
      },
    },
    {
      name: "a subscription has one schedule at a time",
      source: thread("BasedHardware/omi#7649: already attached to a schedule"),
      expected: true,
      async see(world) {
        const { subscription } = await scheduled(world);
        const { message } = await refusal(
          world.stripe.subscriptionSchedules.create({ from_subscription: subscription.id }),
        );
        return message?.startsWith(
          "You cannot migrate a subscription that is already attached to a schedule",
        );
      },
    },
    {
      name: "made from a subscription it takes nothing else",
      source: thread("better-auth/better-auth#8069: other parameters cannot be set"),
      expected: 400,
      async see({ stripe, subscribe }) {
        const { id } = await subscribe(1000);
        const params = { from_subscription: id, metadata: { plan: "pro" } };
        return statusOf(stripe.subscriptionSchedules.create(params));
      },
    },
    {
      name: "the current phase keeps its start",
      source: thread("tierrun/tier#93: you can not modify the start date"),
      now: APRIL_1,
      expected: "You can not modify the start date of the current phase.",
      async see(world) {
        const { now, update } = await scheduled(world);
        await world.double.clock.advance({ days: 1 });
        const phase: Phase = { items: [{ price: now }], start_date: "now", end_date: MAY_1 };
        return (await refusal(update([phase]))).message;
      },
    },
    {
      name: "an update says where its phases begin",
      source: thread("stripe/stripe-dotnet#1754: missing at least one phase with a `start_date`"),
      now: APRIL_1,
      expected: 400,
      async see(world) {
        const { now, update } = await scheduled(world);
        return statusOf(update([{ items: [{ price: now }], end_date: MAY_1 }]));
      },
    },
    {
      name: "ten phases are the most",
      source: docs("billing/subscriptions/subscription-schedules#phases"),
      now: APRIL_1,
      expected: { ten: 200, eleven: 400 },
      async see(world) {
        const { now, update } = await scheduled(world);
        const list = (length: number): Phase[] =>
          Array.from({ length }, (_, index) => ({
            items: [{ price: now }],
            duration: month,
            ...(index === 0 ? { start_date: START } : {}),
          }));
        return { ten: await statusOf(update(list(10))), eleven: await statusOf(update(list(11))) };
      },
    },
    {
      name: "iterations were taken until 2025-09-30",
      source: changelog("2025-09-30.clover: removes iterations for subscription schedules"),
      now: APRIL_1,
      expected: { old: "2026-07-01T00:00:00Z", now: "parameter_unknown" },
      async see(world) {
        const { id, now } = await scheduled(world);
        const phase: Phase & { iterations: number } = {
          items: [{ price: now }],
          start_date: START,
          iterations: 3,
        };
        const { subscriptionSchedules } = world.stripe;
        const params = { phases: [phase] };
        const old = { apiVersion: "2025-08-27.basil" };
        const after = await subscriptionSchedules.update(id, params, old);
        const { code } = await refusal(subscriptionSchedules.update(id, params));
        return { old: iso(first(after.phases).end_date), now: code };
      },
    },
    {
      name: "other items of its subscription are taken, and later phases stay",
      source: thread("bitwarden/server#8035: verified with a test clock"),
      now: APRIL_1,
      expected: { now: 4, later: 1 },
      async see(world) {
        const { subscription, update, phases: until } = await scheduled(world);
        await update(until(MAY_1));
        await world.double.clock.advance({ days: 5 });
        const quantityOf = ({ items }: Stripe.Subscription) => first(items).quantity;
        const changed = await world.stripe.subscriptions.update(subscription.id, {
          items: [{ id: first(subscription.items).id, quantity: 4 }],
        });
        await world.double.clock.advance({ days: 26 });
        const later = await world.stripe.subscriptions.retrieve(subscription.id);
        return { now: quantityOf(changed), later: quantityOf(later) };
      },
    },
  ],
};

const idOrNull = (reference: string | { readonly id: string } | null) =>
  reference === null ? null : idOf(reference);
