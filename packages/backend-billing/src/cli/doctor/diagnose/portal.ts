/** From facts to findings about the customer portal. Pure. */
import { changedFeatures, optionsOf, portalSettings } from "../../../core/sync/portal/settings.js";
import { listed } from "../../terminal/format.js";
import type { Facts, Portal, StoredFacts, StripeFacts } from "../facts.js";
import type { Find, Finding } from "../finding.js";

export function diagnosePortal(
  find: Find,
  { portals }: Extract<StripeFacts, { state: "answers" }>,
  stored: StoredFacts | undefined,
  { database }: Facts,
): Finding[] {
  if (portals === undefined) return [];
  if (portals.length === 0) return [find("portal_missing")];
  const chosen = stored?.portal;
  if (stored !== undefined && chosen !== undefined) {
    const used = portals.find(({ id }) => id === chosen);
    return used ? diagnoseDrift(find, used, stored) : [find("portal_inactive", { id: chosen })];
  }
  // Where the tables cannot be read, the stored configuration is unknown.
  const known = database !== undefined && stored !== undefined;
  return known && !portals.some(({ isDefault }) => isDefault) ? [find("portal_not_chosen")] : [];
}

/** What `sync` would bring up to date. */
function diagnoseDrift(
  find: Find,
  { id, features }: Portal,
  { portalMade: made }: StoredFacts,
): Finding[] {
  if (features === undefined || made === undefined) return [];
  const plans = made.offersPlans ? [] : undefined; // which they are, Stripe does not show
  const wanted = portalSettings(plans, optionsOf(made.options)).features;
  const changed = changedFeatures(wanted, features);
  return [
    ...(changed.length > 0 ? [find("portal_changed", { id, features: listed(changed) })] : []),
    ...(made.notSold.length > 0 ? [find("portal_outdated", { prices: listed(made.notSold) })] : []),
  ];
}
