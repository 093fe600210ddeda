/** The usage of an entity that is erased: sent while Stripe can still bill it. */
import { meteredIn } from "../plans/usage.js";
import type { Runtime } from "../runtime/runtime.js";

/** Whether something that Stripe bills is not sent yet. */
export async function isUsageLeft(runtime: Runtime, entityId: string): Promise<boolean> {
  const { outbox, config } = runtime;
  if (outbox === undefined || config.catalogue === undefined) return false;
  for (const feature of meteredIn(config.catalogue)) {
    if (await outbox.isLeft({ entityId, feature })) return true;
  }
  return false;
}
