/** The usage of one entity, sent at once: before what bills it ends or becomes another. */
import { meteredIn, meterOf } from "../../plans/usage.js";
import type { Runtime } from "../../runtime/runtime.js";
import { gatherAt } from "./outbox.js";

/** Milliseconds for which a caller waits for it, and between two looks. */
const PATIENCE = 5_000;
const LOOK = 250;

/** What could not be sent in time is sent as ever, and may come too late for the invoice. */
export async function sendFirst(runtime: Runtime, entityId: string): Promise<void> {
  const { outbox, config } = runtime;
  if (outbox === undefined || config.catalogue === undefined) return;
  // Without a customer nothing is sent.
  if ((await runtime.store.customerOf(entityId)) === undefined) return;
  const end = runtime.now() + PATIENCE;
  for (const feature of meteredIn(config.catalogue)) {
    const meter = meterOf(config.catalogue.features[feature]);
    if (meter === undefined) continue;
    const place = { entityId, feature };
    while (await outbox.isLeft(place)) {
      if (runtime.now() >= end) {
        runtime.log?.error(
          { feature },
          "Usage could not be sent before a subscription ended or changed; it is sent later",
        );
        break;
      }
      const isMade = await gatherAt(runtime, outbox, { ...place, meter, isUrgent: true });
      if (!isMade) await runtime.sleep(LOOK);
    }
  }
}
