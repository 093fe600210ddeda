/** Summaries of a customer's usage: one for a time, or one for each hour or day of it. */
import type Stripe from "stripe";
import { invalid } from "../../api/errors.js";
import { type ListPage, listArray, pageShape } from "../../api/list.js";
import { integer, oneOf, type Parsed, required, word } from "../../api/params.js";
import { type Formula, usageIn } from "../../billing/usage/ledger.js";
import { DELAY } from "../../billing/usage/metered.js";
import type { Plain } from "../../world/plain.js";
import { token } from "../../world/random.js";
import type { World } from "../../world/world.js";
import { knownCustomer } from "../common.js";

type Meter = Plain<Stripe.Billing.Meter>;
type Summary = Plain<Stripe.Billing.MeterEventSummary>;

export const summaryShape = {
  ...pageShape,
  customer: required(word),
  end_time: required(integer),
  start_time: required(integer),
  value_grouping_window: oneOf("day", "hour"),
};

const SECONDS = { day: 86_400, hour: 3600, minute: 60 };

/** Newest first. What was reported within the last minute is not in them yet. */
export function eventSummaries(
  world: World,
  meter: Meter,
  params: Parsed<typeof summaryShape>,
): ListPage<Summary> {
  const { customer, start_time: start, end_time: end, value_grouping_window: window } = params;
  knownCustomer(world, customer);
  const unit = window ?? "minute";
  for (const name of ["start_time", "end_time"] as const) {
    if (params[name] % SECONDS[unit] === 0) continue;
    throw invalid(`The timestamp must be aligned with ${unit} boundaries.`, name);
  }
  if (end <= start) throw invalid("`end_time` must be after `start_time`.", "end_time");
  const length = window === undefined ? end - start : SECONDS[window];
  const account = { meter: meter.id, customer };
  const formula = meter.default_aggregation.formula as Formula;
  const summary = (from: number): Summary => {
    const span = { start: from, end: from + length, knownBy: world.now() - DELAY };
    return {
      id: `mtrusg_${world.livemode ? "" : "test_"}${token(24, meter.id, customer, from, length)}`,
      object: "billing.meter_event_summary",
      aggregated_value: usageIn(world, account, formula, span),
      end_time: from + length,
      livemode: world.livemode,
      meter: meter.id,
      start_time: from,
    };
  };
  const starts = Array.from(
    { length: (end - start) / length },
    (_, index) => start + index * length,
  );
  const url = `/v1/billing/meters/${meter.id}/event_summaries`;
  return listArray(starts.reverse().map(summary), params, url);
}
