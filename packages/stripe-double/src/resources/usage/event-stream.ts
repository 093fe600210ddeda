/** The fast way to report usage: a session for 15 minutes, and events that are checked afterwards. */
import type Stripe from "stripe";
import { ApiError, invalid } from "../../api/errors.js";
import { group, listOf, required } from "../../api/params.js";
import { reportUsage } from "../../billing/usage/meter-events.js";
import { route } from "../../http/route.js";
import type { Plain } from "../../world/plain.js";
import { token } from "../../world/random.js";
import type { World } from "../../world/world.js";
import { meterEventShape } from "./meter-events.js";
import { moment, timeOf } from "./moment.js";

const LIFE = 15 * 60;
const MOST_EVENTS = 100;
const PREFIX = "mes_token_";

/** By token, the second at which it expires. */
const sessions = new WeakMap<World, Map<string, number>>();

/** Whether this is the token of a session of this world; one that has expired is refused. */
export function isStreamToken(world: World, secret: string): boolean {
  const expires = sessions.get(world)?.get(secret);
  if (expires === undefined) return false;
  if (world.now() < expires) return true;
  throw new ApiError(
    400,
    {
      type: "temporary_session_expired",
      code: "billing_meter_event_session_expired",
      message: "The meter event session has expired. Create a new one.",
    },
    { validation: true },
  );
}

export const eventStream = [
  route(
    "POST /v2/billing/meter_event_session",
    {},
    ({ world }): Plain<Stripe.V2.Billing.MeterEventSession> => {
      const id = world.id(world.livemode ? "mes" : "mes_test");
      const secret = `${PREFIX}${token(48, id, "token")}`;
      const known = sessions.get(world) ?? new Map<string, number>();
      sessions.set(world, known);
      const expires = world.now() + LIFE;
      known.set(secret, expires);
      return {
        id,
        object: "v2.billing.meter_event_session",
        authentication_token: secret,
        created: timeOf(world.now()),
        expires_at: timeOf(expires),
        livemode: world.livemode,
      };
    },
  ),
  route(
    "POST /v2/billing/meter_event_stream",
    { events: required(listOf(group({ ...meterEventShape, timestamp: moment }))) },
    ({ world }, { events }) => {
      if (events.length > MOST_EVENTS) {
        throw invalid(`A request can have up to ${MOST_EVENTS} events.`, "events");
      }
      for (const event of events) reportUsage(world, event, "none");
      return {};
    },
  ),
];
