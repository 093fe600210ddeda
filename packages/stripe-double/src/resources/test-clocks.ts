/** Test clocks: time that a test moves through the API, for the customers that live by it. */
import { invalid, notModelled, refused } from "../api/errors.js";
import { pageShape } from "../api/list.js";
import { integer, required, word } from "../api/params.js";
import { cyclesAfter } from "../billing/period.js";
import { cycleOf, isOver } from "../billing/subscriptions/subscription.js";
import {
  customersOf,
  inTimeOf,
  moveTime,
  startTime,
  stopTime,
  type TestClock,
} from "../billing/test-clocks.js";
import { route } from "../http/route.js";
import type { Objects, World } from "../world/world.js";
import { listKind, referenced } from "./common.js";
import { deleteCustomer } from "./customers.js";

const KIND = "test_helpers.test_clock";
const BASE = "/v1/test_helpers/test_clocks";
const LIFE = 30 * 86_400;

interface NewClock {
  readonly frozen_time: number;
  readonly name?: string | undefined;
  /** A customer that there is, which lives by the clock from now on. */
  readonly customer?: string | undefined;
}

function createClock(world: World, params: NewClock): TestClock {
  if (world.livemode) throw refused("Test clocks are only available in test mode.");
  const customer =
    params.customer === undefined
      ? undefined
      : referenced(world, "customer", params.customer, "customer");
  if (customer) checkFree(world, customer);
  const clock: TestClock = {
    id: world.id("clock"),
    object: KIND,
    created: world.now(),
    deletes_after: world.now() + LIFE,
    frozen_time: params.frozen_time,
    livemode: false,
    name: params.name ?? null,
    status: "ready",
    status_details: {},
  };
  world.objects[KIND].add(clock);
  startTime(world, clock);
  if (customer) world.patch("customer", customer.id, { test_clock: clock.id });
  world.clock.schedule(clock.deletes_after * 1000, () => {
    if (world.objects[KIND].get(clock.id) !== undefined) deleteClock(world, clock.id);
  });
  world.raise("test_helpers.test_clock.created", clock);
  return clock;
}

/** Refuses a customer that has a time already; what was begun by the double's own time stays there. */
function checkFree(world: World, { id, test_clock: clock }: Objects["customer"]): void {
  if (clock) throw refused(`The customer ${id} is already attached to a test clock.`, "customer");
  if (world.objects["billing.credit_grant"].where("customer", id).length > 0) {
    throw notModelled("a test clock for a customer that has credit grants", "customer");
  }
  const kinds = ["subscription", "subscription_schedule", "invoice"] as const;
  if (kinds.some((kind) => world.objects[kind].where("customer", id).length > 0)) {
    throw notModelled("a test clock for a customer that has been billed", "customer");
  }
}

/** How far a clock may be moved: two intervals of its shortest subscription, or two years. */
function furthest(world: World, { id, frozen_time: now }: TestClock): number {
  const cycles = customersOf(world, id)
    .flatMap((customer) => world.objects.subscription.where("customer", customer.id))
    .filter((subscription) => !isOver(subscription))
    .flatMap(({ items }) => items.data.map(cycleOf));
  const ends = cycles.map((cycle) => cyclesAfter(now, cycle, 2));
  const longest = cyclesAfter(now, { interval: "year", interval_count: 2 }, 1);
  return ends.length === 0 ? longest : Math.min(...ends);
}

/** Sets a clock on its way; it arrives as soon as the request is over. */
function advanceClock(world: World, id: string, to: number): TestClock {
  const before = world.find(KIND, id);
  if (before.status === "advancing") {
    throw refused("This test clock is still advancing; wait until it is `ready`.");
  }
  if (to <= before.frozen_time) {
    throw invalid("`frozen_time` must be after the current time of the clock.", "frozen_time");
  }
  if (to > furthest(world, before)) {
    throw invalid(
      "You cannot advance more than two intervals of the shortest subscription of the clock, or two years if it has none.",
      "frozen_time",
    );
  }
  const advancing = world.patch(KIND, id, {
    status: "advancing",
    status_details: { advancing: { target_frozen_time: to } },
  });
  world.raise("test_helpers.test_clock.advancing", advancing);
  world.clock.schedule(world.clock.now(), () => {
    if (world.objects[KIND].get(id) === undefined) return;
    world.causedBy({ id: null, idempotency_key: null }, () => {
      moveTime(world, id, to);
      const ready = { status: "ready", frozen_time: to, status_details: {} } as const;
      world.raise("test_helpers.test_clock.ready", world.patch(KIND, id, ready));
    });
  });
  return advancing;
}

/** Deletes a clock with the customers that live by it. */
function deleteClock(world: World, id: string): object {
  const clock = world.find(KIND, id);
  for (const customer of customersOf(world, id)) {
    inTimeOf(world, [customer.id], () => deleteCustomer(world, customer.id));
  }
  stopTime(world, id);
  world.objects[KIND].remove(id);
  world.raise("test_helpers.test_clock.deleted", clock);
  return { id, object: KIND, deleted: true };
}

export const testClocks = [
  route(
    `POST ${BASE}`,
    { customer: word, frozen_time: required(integer), name: word },
    ({ world }, params) => createClock(world, params),
  ),
  route(`GET ${BASE}`, pageShape, (call, params) => listKind(call, KIND, params, { url: BASE })),
  route(`GET ${BASE}/:clock`, {}, ({ world, path }) => world.find(KIND, path.clock)),
  route(
    `POST ${BASE}/:clock/advance`,
    { frozen_time: required(integer) },
    ({ world, path }, params) => advanceClock(world, path.clock, params.frozen_time),
  ),
  route(`DELETE ${BASE}/:clock`, {}, ({ world, path }) => deleteClock(world, path.clock)),
];
