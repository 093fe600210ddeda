/**
 * Meter events that turn out to be wrong after they were taken. Stripe tells of them some seconds
 * later, all of a meter at once, by an event that says which they were.
 */
import type { World } from "../../world/world.js";

export type ErrorCode =
  | "archived_meter"
  | "meter_event_customer_not_found"
  | "meter_event_invalid_value"
  | "meter_event_no_customer_defined"
  | "meter_event_value_too_many_digits"
  | "no_meter"
  | "timestamp_in_future"
  | "timestamp_too_far_in_past";

/** What is wrong with a meter event. */
export interface Problem {
  readonly code: ErrorCode;
  readonly message: string;
}

interface Invalid extends Problem {
  readonly identifier: string;
}

/** Seconds for which problems are collected before they are reported. */
const WINDOW = 10;
const MOST_SAMPLES = 5;

const collected = new WeakMap<World, Map<string, Invalid[]>>();

/** Reports a problem with an event of this meter, or of none. */
export function reportLater(world: World, meter: string | undefined, problem: Invalid): void {
  const all = collected.get(world) ?? new Map<string, Invalid[]>();
  collected.set(world, all);
  const name = meter ?? "";
  const known = all.get(name);
  if (known !== undefined) {
    known.push(problem);
    return;
  }
  const problems = [problem];
  all.set(name, problems);
  const start = world.clock.now();
  world.clock.schedule(start + WINDOW * 1000, () => {
    all.delete(name);
    const data = reportOf(problems, start);
    if (meter === undefined) world.notify("v1.billing.meter.no_meter_found", data);
    else {
      world.notify("v1.billing.meter.error_report_triggered", data, {
        id: meter,
        type: "billing.meter",
        url: `/v1/billing/meters/${meter}`,
      });
    }
  });
}

function reportOf(problems: readonly Invalid[], start: number): object {
  const codes = [...new Set(problems.map(({ code }) => code))];
  const count = problems.length;
  return {
    developer_message_summary: `There ${count === 1 ? "is 1 invalid event" : `are ${count} invalid events`}`,
    reason: {
      error_count: count,
      error_types: codes.map((code) => {
        const same = problems.filter((problem) => problem.code === code);
        return {
          code,
          error_count: same.length,
          sample_errors: same.slice(0, MOST_SAMPLES).map(({ message, identifier }) => ({
            error_message: message,
            request: { identifier },
          })),
        };
      }),
    },
    validation_start: new Date(start).toISOString(),
    validation_end: new Date(start + WINDOW * 1000).toISOString(),
  };
}
