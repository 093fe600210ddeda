/** Subscription schedules: the requests; what they mean is in billing/schedules. */
import { invalid, notModelled, refused } from "../../api/errors.js";
import { createdShape, createdWindow } from "../../api/list.js";
import {
  flag,
  group,
  listOf,
  metadata,
  oneOfModelled,
  type Parsed,
  word,
} from "../../api/params.js";
import { closeSchedule } from "../../billing/schedules/closing.js";
import { beginSchedule, endPhase, releaseSchedule } from "../../billing/schedules/course.js";
import { applyPhase } from "../../billing/schedules/phase.js";
import {
  cancelAt,
  currentPhase,
  isOpen,
  type Phase,
  type Schedule,
  timesOf,
} from "../../billing/schedules/schedule.js";
import { billingMode } from "../../billing/subscriptions/billing-mode.js";
import { cancelSubscription } from "../../billing/subscriptions/end.js";
import { checkCurrency } from "../../billing/subscriptions/items.js";
import type { Subscription } from "../../billing/subscriptions/subscription.js";
import { type Call, route } from "../../http/route.js";
import type { World } from "../../world/world.js";
import { given, knownCustomer, listKind, listShape, mergeMetadata, referenced } from "../common.js";
import { addSchedule, adoptSubscription, SETTINGS, settingsOf } from "./new-schedule.js";
import { momentOf, momentShape, phaseShape, readPhases, settingsShape } from "./phases.js";
import { billingModeShape, prorationBehavior } from "./shapes.js";

const sharedShape = {
  default_settings: group(settingsShape),
  end_behavior: oneOfModelled(["cancel", "release"], ["none", "renew"]),
  metadata,
  phases: listOf(group(phaseShape)),
};
const createShape = {
  ...sharedShape,
  billing_mode: billingModeShape,
  customer: word,
  from_subscription: word,
  start_date: momentShape,
};
const updateShape = { ...sharedShape, proration_behavior: prorationBehavior };

function create(world: World, params: Parsed<typeof createShape>, version: string): Schedule {
  if (params.customer === undefined) {
    throw invalid("Missing required param: customer.", "customer", "parameter_missing");
  }
  const { id: customer } = referenced(world, "customer", params.customer, "customer");
  const now = world.now();
  const first = momentOf(world, params.start_date ?? "now", "start_date");
  if (first < now) throw notModelled("a schedule that starts in the past", "start_date");
  const mode = billingMode(version, params.billing_mode);
  const phases = readPhases(world, params.phases ?? [], {
    customer,
    mode,
    first,
    trial: { isFree: true, end: null },
  });
  checkCurrency(world, customer, phases[0]?.currency ?? "usd");
  const { id } = addSchedule(world, {
    billing_mode: mode,
    customer,
    default_settings: settingsOf(world, SETTINGS, customer, params.default_settings),
    end_behavior: params.end_behavior ?? "release",
    metadata: mergeMetadata({}, params.metadata),
    phases,
  });
  if (first <= now) beginSchedule(world, id);
  else world.due.schedule(id);
  const made = world.find("subscription_schedule", id);
  world.raise("subscription_schedule.created", made);
  return made;
}

function openSchedule(world: World, id: string, verb: string): Schedule {
  const schedule = world.find("subscription_schedule", id);
  if (isOpen(schedule)) return schedule;
  throw refused(
    `You cannot ${verb} a subscription schedule that is currently in the \`${schedule.status}\` status. It must be \`not_started\` or \`active\`.`,
  );
}

function update(world: World, id: string, params: Parsed<typeof updateShape>): Schedule {
  const before = openSchedule(world, id, "update");
  const owner =
    before.subscription === null ? undefined : world.find("subscription", before.subscription);
  const phases = params.phases && changedPhases(world, before, params.phases, owner);
  const current = before.current_phase;
  const begun = phases?.find(({ start_date: start }) => start === current?.start_date);
  const after = world.patch("subscription_schedule", id, {
    default_settings: settingsOf(
      world,
      before.default_settings,
      before.customer,
      params.default_settings,
    ),
    ...given({ end_behavior: params.end_behavior, phases }),
    ...(begun ? { current_phase: timesOf(begun) } : {}),
    metadata: mergeMetadata(before.metadata ?? {}, params.metadata),
  });
  const now = currentPhase(after);
  if (now !== undefined && (begun || cancelAt(before) !== cancelAt(after))) {
    applyPhase(world, after, now, {
      begins: false,
      proration: params.proration_behavior ?? "create_prorations",
    });
  }
  world.raise("subscription_schedule.updated", after, before);
  if (now !== undefined && now.end_date <= world.now()) endPhase(world, id);
  if (before.subscription === null) world.due.schedule(id);
  else world.due.subscription(before.subscription);
  return world.find("subscription_schedule", id);
}

/** The phases after a change: those that are over stay, and the current one keeps its start. */
function changedPhases(
  world: World,
  before: Schedule,
  asked: NonNullable<Parsed<typeof updateShape>["phases"]>,
  owner: Subscription | undefined,
): Phase[] {
  const start = asked[0]?.start_date;
  if (start === undefined) {
    throw invalid(
      "The subscription schedule update is missing at least one phase with a `start_date` to anchor end dates to.",
      "phases",
    );
  }
  const first = momentOf(world, start, "phases[0][start_date]");
  const current = before.current_phase;
  const phases = readPhases(world, asked, {
    customer: before.customer,
    mode: before.billing_mode,
    first,
    trial: { isFree: owner === undefined, end: owner?.trial_end ?? null },
  });
  if (current === null && first < world.now()) {
    throw notModelled("a schedule that starts in the past", "phases[0][start_date]");
  }
  if (current && !phases.some((phase) => phase.start_date === current.start_date)) {
    throw refused(
      "You can not modify the start date of the current phase.",
      "phases[0][start_date]",
    );
  }
  const over = current ? before.phases.filter((phase) => phase.end_date <= first) : [];
  return [...over, ...phases];
}

const listFilters = {
  customer: word,
  scheduled: flag,
  canceled_at: createdShape.created,
  completed_at: createdShape.created,
  released_at: createdShape.created,
};

function list(call: Call, params: Parsed<typeof listFilters & typeof listShape>) {
  if (params.customer !== undefined) knownCustomer(call.world, params.customer);
  const ranges = (["canceled_at", "completed_at", "released_at"] as const).flatMap((field) => {
    if (params[field] === undefined) return [];
    return [{ field, from: -Infinity, to: Infinity, ...createdWindow(params[field]) }];
  });
  return listKind(call, "subscription_schedule", params, {
    url: "/v1/subscription_schedules",
    where: { field: "customer", value: params.customer },
    matches: (schedule) =>
      (!params.scheduled || schedule.status === "not_started") &&
      (params.customer !== undefined || schedule.test_clock === null) &&
      ranges.every(({ field, from, to }) => {
        const at = schedule[field];
        return at !== null && at >= from && at <= to;
      }),
  });
}

export const subscriptionSchedules = [
  route("POST /v1/subscription_schedules", createShape, ({ world, version }, params) => {
    const {
      from_subscription: subscription,
      expand: _,
      ...others
    } = {
      expand: undefined,
      ...params,
    };
    if (subscription === undefined) return create(world, params, version);
    const [other] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
    if (other !== undefined) {
      throw invalid(`You cannot set \`${other}\` if \`from_subscription\` is set.`, other);
    }
    return adoptSubscription(world, subscription);
  }),
  route("GET /v1/subscription_schedules", { ...listShape, ...listFilters }, list),
  route("GET /v1/subscription_schedules/:schedule", {}, ({ world, path }) =>
    world.find("subscription_schedule", path.schedule),
  ),
  route("POST /v1/subscription_schedules/:schedule", updateShape, ({ world, path }, params) =>
    update(world, path.schedule, params),
  ),
  route(
    "POST /v1/subscription_schedules/:schedule/cancel",
    { invoice_now: flag, prorate: flag },
    ({ world, path }, { invoice_now = true, prorate = true }) => {
      const { id, subscription } = openSchedule(world, path.schedule, "cancel");
      if (subscription === null) closeSchedule(world, id, "canceled");
      else cancelSubscription(world, subscription, { invoice_now, prorate });
      return world.find("subscription_schedule", id);
    },
  ),
  route(
    "POST /v1/subscription_schedules/:schedule/release",
    { preserve_cancel_date: flag },
    ({ world, path }, { preserve_cancel_date: keepsEnd }) => {
      const { id } = openSchedule(world, path.schedule, "release");
      return releaseSchedule(world, id, keepsEnd);
    },
  ),
];
