/** Test clocks: what belongs to one lives by its time, and by no other. */
import type Stripe from "stripe";
import { refused } from "../api/errors.js";
import type { Plain } from "../world/plain.js";
import { createTestTime, type TestTime } from "../world/test-time.js";
import type { Kind, Objects, World } from "../world/world.js";

export type TestClock = Plain<Stripe.TestHelpers.TestClock>;

const KIND = "test_helpers.test_clock";

const times = new WeakMap<World, Map<string, TestTime>>();

function timesIn(world: World): Map<string, TestTime> {
  const known = times.get(world) ?? new Map<string, TestTime>();
  times.set(world, known);
  return known;
}

/** Starts the time of a clock. */
export function startTime(world: World, { id, frozen_time: frozen }: TestClock): void {
  const soon = (act: () => void) => {
    world.clock.schedule(world.clock.now(), act);
  };
  const outside = (act: () => void) => world.livingBy(undefined, () => soon(act));
  const within = world.livingBy;
  timesIn(world).set(id, createTestTime(frozen * 1000, outside, within));
}

/** Moves a clock's time; what falls due on the way happens. */
export function moveTime(world: World, id: string, to: number): void {
  timesIn(world)
    .get(id)
    ?.moveTo(to * 1000);
}

export function stopTime(world: World, id: string): void {
  timesIn(world).get(id)?.stop();
  timesIn(world).delete(id);
}

/** The customers that live by a clock. */
export const customersOf = (world: World, clock: string): Objects["customer"][] =>
  [...world.objects.customer.values()].filter(({ test_clock: own }) => own === clock);

/** What a clock can have (docs: test clocks). */
export const MOST_CUSTOMERS = 3;
const MOST_SUBSCRIPTIONS = 3;

/** Refuses another subscription to a customer of a clock that has all it can have. */
export function checkClock(
  world: World,
  { id, test_clock: clock }: Pick<Plain<Stripe.Customer>, "id" | "test_clock">,
): void {
  const running = () =>
    world.objects.subscription.where("customer", id).filter(({ ended_at: end }) => end === null);
  if (!clock || running().length < MOST_SUBSCRIPTIONS) return;
  throw refused(
    `A customer of a test clock can have up to ${MOST_SUBSCRIPTIONS} subscriptions.`,
    "customer",
  );
}

/** Kinds whose objects belong to a customer. */
const OWNED = [
  "subscription",
  "subscription_schedule",
  "quote",
  "invoice",
  "invoiceitem",
  "payment_intent",
  "setup_intent",
  "charge",
  "credit_note",
  "billing.credit_grant",
  "checkout.session",
  "billing_portal.session",
] as const satisfies readonly Kind[];

/** The clock that an object with this id lives by. */
function clockOf(world: World, id: string): string | null | undefined {
  const ownerOf = (customer: string | null) => world.objects.customer.get(customer ?? "");
  for (const kind of OWNED) {
    const owned = world.objects[kind].get(id);
    if (owned !== undefined) return ownerOf(owned.customer)?.test_clock;
  }
  const customer = world.objects.customer.get(id);
  if (customer !== undefined || !id.startsWith("si_")) return customer?.test_clock;
  for (const { customer: owner, items } of world.objects.subscription.values()) {
    if (items.data.some((item) => item.id === id)) return ownerOf(owner)?.test_clock;
  }
  return undefined;
}

/** Runs `act` by the time of what it concerns: the first of these ids that belongs to a clock. */
export function inTimeOf<R>(world: World, ids: readonly string[], act: () => R): R {
  if (world.objects[KIND].size === 0) return act();
  const clocks = ids.flatMap((id) =>
    world.objects[KIND].get(id) === undefined ? (clockOf(world, id) ?? []) : id,
  );
  const time = timesIn(world).get(clocks[0] ?? "");
  return time === undefined ? act() : world.livingBy(time, act);
}
