/** The configuration of the billing portal at Stripe: created if there is none, and kept current. */

import type Stripe from "stripe";
import { provider } from "../../runtime/errors.js";
import { exclusively } from "../../runtime/exclusive.js";
import { records, type StoredPortal } from "../../runtime/records/records.js";
import type { PortalReport } from "../../runtime/reports.js";
import type { Runtime } from "../../runtime/runtime.js";
import { named, portalPlans } from "./plans.js";
import {
  changedFeatures,
  decidesPlans,
  isMarked,
  optionsOf,
  type PortalOptions,
  portalSettings,
} from "./settings.js";

/**
 * Creates a portal configuration if there is none, and remembers which it is. One that the library
 * made is kept in step with what is sold and with the options that were given last; one of the
 * account's own is left alone, unless options are given: then there is one of the library's beside it.
 */
export function syncPortal(runtime: Runtime, asked: true | PortalOptions): Promise<PortalReport> {
  return exclusively(runtime, "portal configuration", async () => {
    const { configurations } = runtime.stripe().billingPortal;
    const stored = await records.portal.read(runtime);
    const active = await configurations.list({ active: true, limit: 100 }).catch(provider);
    const found = chosen(active.data, stored.data, asked);
    const known = stored.data?.configurationId === found?.id ? stored.data : undefined;
    if (found !== undefined && !isMarked(found)) {
      await remember(runtime, stored, { configurationId: found.id });
      return { configurationId: found.id };
    }
    const options = asked === true ? optionsOf(stored.data?.options) : asked;
    const isDecided = decidesPlans(options);
    const plans = isDecided ? undefined : await portalPlans(runtime);
    const settings = portalSettings(plans, options);
    const next = {
      ...(plans === undefined ? {} : { offered: named(plans) }),
      ...(Object.keys(options).length === 0 ? {} : { options: JSON.stringify(options) }),
    };
    // What was offered stays if nothing can be, unless the caller decides.
    const offered = next.offered ?? (isDecided ? undefined : known?.offered);
    const isCurrent =
      known?.offered === offered &&
      known?.options === next.options &&
      found !== undefined &&
      changedFeatures(settings.features, found.features).length === 0;
    const { id } =
      found === undefined
        ? await configurations.create(settings).catch(provider)
        : isCurrent
          ? found
          : await configurations.update(found.id, settings).catch(provider);
    await remember(runtime, stored, {
      configurationId: id,
      ...next,
      ...(offered === undefined ? {} : { offered }),
    });
    return { configurationId: id };
  });
}

type Configuration = Stripe.BillingPortal.Configuration;

/** The one that is used: remembered, or the default, or one that the library made. */
function chosen(
  active: readonly Configuration[],
  stored: StoredPortal | undefined,
  asked: true | PortalOptions,
): Configuration | undefined {
  const candidates = asked === true ? active : active.filter(isMarked);
  return (
    candidates.find(({ id }) => id === stored?.configurationId) ??
    candidates.find(({ is_default }) => is_default) ??
    candidates.find(isMarked)
  );
}

type Stored = Awaited<ReturnType<typeof records.portal.read>>;

async function remember(runtime: Runtime, stored: Stored, now: StoredPortal): Promise<void> {
  const { configurationId, offered, options } = stored.data ?? {};
  const isSame =
    configurationId === now.configurationId && offered === now.offered && options === now.options;
  if (!isSame) await records.portal.put(runtime, stored, now);
}
