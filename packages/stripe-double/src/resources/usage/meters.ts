/** Meters: what is counted of an event's payload, for whom, and how it adds up. */
import type Stripe from "stripe";
import { invalid, refused } from "../../api/errors.js";
import { listPage, pageShape } from "../../api/list.js";
import { group, oneOf, required, word } from "../../api/params.js";
import { route } from "../../http/route.js";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { eventSummaries, summaryShape } from "./event-summaries.js";

type Meter = Plain<Stripe.Billing.Meter>;

export function activeMeter(world: World, eventName: string): Meter | undefined {
  return [...world.objects["billing.meter"].values()].find(
    ({ event_name: name, status }) => name === eventName && status === "active",
  );
}

function checkName(world: World, name: string): void {
  if (activeMeter(world, name) === undefined) return;
  throw refused(
    `An active meter already exists for event name '${name}'. To create a new meter with the same event name, first deactivate the currently active meter.`,
    "event_name",
  );
}

/** Switches a meter on or off, which is told by an event of its own. */
function setStatus(world: World, id: string, status: "active" | "inactive"): Meter {
  const before = world.find("billing.meter", id);
  if (before.status === status) throw refused(`This meter is already ${status}.`);
  if (status === "active") checkName(world, before.event_name);
  const deactivated = status === "inactive";
  const after = world.patch("billing.meter", id, {
    status,
    status_transitions: { deactivated_at: deactivated ? world.now() : null },
    updated: world.now(),
  });
  world.raise(deactivated ? "billing.meter.deactivated" : "billing.meter.reactivated", after);
  return after;
}

export const meters = [
  route(
    "POST /v1/billing/meters",
    {
      customer_mapping: group({
        event_payload_key: required(word),
        type: required(oneOf("by_id")),
      }),
      default_aggregation: required(group({ formula: required(oneOf("count", "last", "sum")) })),
      display_name: required(word),
      event_name: required(word),
      event_time_window: oneOf("day", "hour"),
      value_settings: group({ event_payload_key: required(word) }),
    },
    ({ world }, params) => {
      if (params.event_name.length > 100) {
        throw invalid("The event name can have up to 100 characters.", "event_name");
      }
      checkName(world, params.event_name);
      const meter: Meter = {
        id: world.id(world.livemode ? "mtr" : "mtr_test"),
        object: "billing.meter",
        created: world.now(),
        customer_mapping: params.customer_mapping ?? {
          event_payload_key: "stripe_customer_id",
          type: "by_id",
        },
        default_aggregation: params.default_aggregation,
        display_name: params.display_name,
        event_name: params.event_name,
        event_time_window: params.event_time_window ?? null,
        livemode: world.livemode,
        status: "active",
        status_transitions: { deactivated_at: null },
        updated: world.now(),
        value_settings: params.value_settings ?? { event_payload_key: "value" },
      };
      world.objects["billing.meter"].add(meter);
      world.raise("billing.meter.created", meter);
      return meter;
    },
  ),
  route(
    "GET /v1/billing/meters",
    { ...pageShape, status: oneOf("active", "inactive") },
    ({ world, asOf }, params) =>
      listPage(world.objects["billing.meter"], params, {
        url: "/v1/billing/meters",
        kind: "billing.meter",
        asOf,
        matches: ({ status }) => params.status === undefined || status === params.status,
      }),
  ),
  route("GET /v1/billing/meters/:meter", {}, ({ world, path }) =>
    world.find("billing.meter", path.meter),
  ),
  route(
    "POST /v1/billing/meters/:meter",
    { display_name: word },
    ({ world, path }, { display_name: name }) => {
      const { id, display_name: before } = world.find("billing.meter", path.meter);
      if (name === undefined || name === before) return world.find("billing.meter", id);
      const change = { display_name: name, updated: world.now() };
      return world.change("billing.meter", id, change, "billing.meter.updated");
    },
  ),
  route("POST /v1/billing/meters/:meter/deactivate", {}, ({ world, path }) =>
    setStatus(world, path.meter, "inactive"),
  ),
  route("POST /v1/billing/meters/:meter/reactivate", {}, ({ world, path }) =>
    setStatus(world, path.meter, "active"),
  ),
  route("GET /v1/billing/meters/:meter/event_summaries", summaryShape, ({ world, path }, params) =>
    eventSummaries(world, world.find("billing.meter", path.meter), params),
  ),
];
