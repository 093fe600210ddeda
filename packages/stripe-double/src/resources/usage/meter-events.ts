/** Meter events and their adjustments, in both versions of the API. */
import type Stripe from "stripe";
import { refused } from "../../api/errors.js";
import { group, integer, mapOf, oneOf, required, word } from "../../api/params.js";
import { takeBack } from "../../billing/usage/ledger.js";
import { reportUsage } from "../../billing/usage/meter-events.js";
import { route } from "../../http/route.js";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { activeMeter } from "./meters.js";
import { moment, timeOf } from "./moment.js";

export const meterEventShape = {
  event_name: required(word),
  identifier: word,
  payload: required(mapOf(word)),
};
const adjustmentShape = {
  cancel: required(group({ identifier: required(word) })),
  event_name: required(word),
  type: required(oneOf("cancel")),
};

function cancelEvent(world: World, name: string, identifier: string) {
  const meter = activeMeter(world, name);
  if (meter === undefined) {
    throw refused(`No active meter found for event name "${name}".`, "event_name", "no_meter");
  }
  if (!takeBack(world, meter.id, identifier)) {
    throw refused(
      `No event with the identifier ${identifier} was received within the last 24 hours.`,
      "cancel[identifier]",
    );
  }
  return {
    cancel: { identifier },
    event_name: name,
    livemode: world.livemode,
    status: "pending",
    type: "cancel",
  } as const;
}

export const meterEvents = [
  route(
    "POST /v1/billing/meter_events",
    { ...meterEventShape, timestamp: integer },
    ({ world }, params): Plain<Stripe.Billing.MeterEvent> => ({
      object: "billing.meter_event",
      created: world.now(),
      livemode: world.livemode,
      ...reportUsage(world, params, "some"),
    }),
  ),
  route(
    "POST /v1/billing/meter_event_adjustments",
    adjustmentShape,
    ({ world }, params): Plain<Stripe.Billing.MeterEventAdjustment> => ({
      object: "billing.meter_event_adjustment",
      ...cancelEvent(world, params.event_name, params.cancel.identifier),
    }),
  ),
  route(
    "POST /v2/billing/meter_events",
    { ...meterEventShape, timestamp: moment },
    ({ world }, params): Plain<Stripe.V2.Billing.MeterEvent> => {
      const { timestamp, ...taken } = reportUsage(world, params, "all");
      return {
        object: "v2.billing.meter_event",
        created: timeOf(world.now()),
        livemode: world.livemode,
        ...taken,
        timestamp: timeOf(timestamp),
      };
    },
  ),
  route(
    "POST /v2/billing/meter_event_adjustments",
    adjustmentShape,
    ({ world }, params): Plain<Stripe.V2.Billing.MeterEventAdjustment> => ({
      id: world.id(world.livemode ? "mtr_event_adj" : "mtr_event_adj_test"),
      object: "v2.billing.meter_event_adjustment",
      created: timeOf(world.now()),
      ...cancelEvent(world, params.event_name, params.cancel.identifier),
    }),
  ),
];
