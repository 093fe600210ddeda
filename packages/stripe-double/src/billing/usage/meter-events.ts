/** Meter events: what is checked when they are reported, and what only afterwards. */
import type Stripe from "stripe";
import { invalid, refused } from "../../api/errors.js";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { isRecorded, OLDEST, record } from "./ledger.js";
import { type ErrorCode, type Problem, reportLater } from "./reports.js";

type Meter = Plain<Stripe.Billing.Meter>;

export interface NewMeterEvent {
  readonly event_name: string;
  readonly identifier?: string | undefined;
  readonly payload: { readonly [key: string]: string };
  /** Seconds; now if it is left out. */
  readonly timestamp?: number | undefined;
}

/** When an event is checked: most of it later, all at once, or nothing before it is answered. */
export type Checks = "some" | "all" | "none";

/** Found by version 1 of the API before it answers; the rest it finds later. */
const AT_ONCE: readonly ErrorCode[] = [
  "no_meter",
  "archived_meter",
  "timestamp_in_future",
  "timestamp_too_far_in_past",
];

const AHEAD = 5 * 60;
const MOST_DIGITS = 15;
const WINDOWS: { readonly [window: string]: number } = { day: 86_400, hour: 3600 };

/** Takes what was used. Answers the event as it was understood. */
export function reportUsage(world: World, event: NewMeterEvent, checks: Checks) {
  const identifier = event.identifier ?? world.id("idmp");
  const timestamp = event.timestamp ?? world.now();
  if (identifier.length > 100) {
    throw invalid("The identifier can have up to 100 characters.", "identifier");
  }
  const { event_name, payload } = event;
  const taken = { event_name, identifier, payload, timestamp };
  const meter = meterOf(world, event.event_name);
  const problem = problemOf(world, meter, taken);
  if (problem && (checks === "all" || (checks === "some" && AT_ONCE.includes(problem.code)))) {
    throw refused(problem.message, PARAMS[problem.code], problem.code);
  }
  if (problem) {
    reportLater(world, meter?.id, { ...problem, identifier });
    return taken;
  }
  if (isRecorded(world, identifier)) {
    if (checks === "none") return taken;
    throw refused(`An event already exists with identifier ${identifier}.`, "identifier");
  }
  if (meter !== undefined) keep(world, meter, taken);
  return taken;
}

const PARAMS: { readonly [code: string]: string } = {
  archived_meter: "event_name",
  no_meter: "event_name",
  timestamp_in_future: "timestamp",
  timestamp_too_far_in_past: "timestamp",
};

/** The active meter of this event name or, if there is none, the newest that had it. */
function meterOf(world: World, name: string): Meter | undefined {
  const all = [...world.objects["billing.meter"].values()].filter(
    ({ event_name: own }) => own === name,
  );
  return all.find(({ status }) => status === "active") ?? all.at(-1);
}

function problemOf(
  world: World,
  meter: Meter | undefined,
  { event_name: name, payload, timestamp }: NewMeterEvent & { readonly timestamp: number },
): Problem | undefined {
  const none = `No active meter found for event name "${name}".`;
  if (meter === undefined) return { code: "no_meter", message: none };
  if (meter.status !== "active") return { code: "archived_meter", message: none };
  if (timestamp > world.now() + AHEAD) {
    const message = "The timestamp must be at most 5 minutes in the future.";
    return { code: "timestamp_in_future", message };
  }
  if (timestamp < world.now() - OLDEST) {
    const message = "The timestamp must be within the past 35 calendar days.";
    return { code: "timestamp_too_far_in_past", message };
  }
  const key = meter.customer_mapping.event_payload_key;
  const customer = payload[key];
  if (customer === undefined) {
    const message = `Customer mapping key ${key} not found in payload.`;
    return { code: "meter_event_no_customer_defined", message };
  }
  if (world.objects.customer.get(customer) === undefined) {
    return { code: "meter_event_customer_not_found", message: `No such customer: '${customer}'` };
  }
  if (meter.default_aggregation.formula === "count") return undefined;
  const value = payload[meter.value_settings.event_payload_key] ?? "";
  if (!/^-?\d+$/.test(value)) {
    return { code: "meter_event_invalid_value", message: `Invalid value: '${value}'` };
  }
  if (value.replace("-", "").length <= MOST_DIGITS) return undefined;
  return {
    code: "meter_event_value_too_many_digits",
    message: `The value can have up to ${MOST_DIGITS} digits.`,
  };
}

function keep(
  world: World,
  meter: Meter,
  event: NewMeterEvent & { readonly identifier: string; readonly timestamp: number },
): void {
  const customer = event.payload[meter.customer_mapping.event_payload_key] ?? "";
  const value = Number(event.payload[meter.value_settings.event_payload_key] ?? 0);
  const { identifier, timestamp } = event;
  record(
    world,
    { meter: meter.id, customer },
    { identifier, timestamp, received: world.now(), value },
    WINDOWS[meter.event_time_window ?? ""],
  );
}
