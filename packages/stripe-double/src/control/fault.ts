/** A fault as JSON, checked before it is added. */
import type { Fault, FaultName } from "../faults.js";
import { type Body, ControlError, checkBody, type Shape } from "./body.js";

const COMMON = { fault: "text", on: "text?", times: "number?", rate: "number?" } as const;
const MILLISECONDS = { milliseconds: "number" } as const;
const ERROR = { status: "number?", kept: "flag?" } as const;

/** By name, the fields that a fault has besides those of all faults. */
const FIELDS: { readonly [N in FaultName]: Shape } = {
  rate_limited: { reason: "text?" },
  lock_timeout: {},
  error_before: ERROR,
  error_after: ERROR,
  error_late: MILLISECONDS,
  latency: MILLISECONDS,
  cut_before: {},
  cut_after: {},
  half_answer: {},
  list_lag: MILLISECONDS,
  skewed_date: MILLISECONDS,
  lost: {},
  doubled: {},
  late: MILLISECONDS,
  shuffled: { within: "number?" },
  old_version: { version: "text" },
  thin: {},
  skewed_created: { milliseconds: "number?" },
};

/** The fault that a body describes. */
export function faultOf(body: Parameters<typeof checkBody>[0]): Fault {
  const name = body.fault;
  if (typeof name !== "string" || !Object.hasOwn(FIELDS, name)) {
    const known = Object.keys(FIELDS).join(", ");
    throw new ControlError(400, `'fault' must be one of these: ${known}.`);
  }
  const checked: Body = checkBody(body, { ...COMMON, ...FIELDS[name as FaultName] });
  return checked as unknown as Fault;
}
