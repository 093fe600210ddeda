/** Takes an event that a queue or an event bus brought, which has proven who sent it. */
import type Stripe from "stripe";
import { readEvent } from "../mirror/snapshot.js";
import { BillingError } from "../runtime/errors.js";
import type { Runtime } from "../runtime/runtime.js";
import { otherMode, takeEvent } from "./receive.js";

/** Ends only once everything about the event is stored, as the answer to a webhook does. */
export async function ingest(runtime: Runtime, given: Stripe.Event): Promise<void> {
  const event = readEvent(asSent(given));
  if (event === undefined) {
    throw new BillingError(
      "invalid_argument",
      "`ingest` takes one event of Stripe as an object, as it was sent: with `id`, `object`, `type`, `created` and `data`. Parse a text first, and take the event out of its envelope: Amazon EventBridge has it in `detail`.",
    );
  }
  if ((await takeEvent(runtime, event)) === "other_mode") {
    throw new BillingError(
      "livemode_mismatch",
      `${otherMode(event)} Send this application the events of one mode.`,
    );
  }
}

/** The event as JSON has it: Stripe's library makes objects of decimals, and a caller may change its own. */
function asSent(given: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(given));
  } catch {
    return undefined;
  }
}
