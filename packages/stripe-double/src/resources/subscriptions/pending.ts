/** Updates that wait until they are paid for (`pending_if_incomplete`): what they may say and hold. */
import { invalid } from "../../api/errors.js";
import type { Subscription } from "../../billing/subscriptions/subscription.js";
import type { World } from "../../world/world.js";

/** From this version of a request on, metadata waits with an update that waits to be paid for. */
const HOLDS_METADATA_SINCE = "2026-05-27";

/** What an update may say that waits until it is paid for (docs: pending updates reference). */
const PENDING: readonly string[] = [
  "add_invoice_items",
  "billing_cycle_anchor",
  "items",
  "payment_behavior",
  "proration_behavior",
  "proration_date",
  "trial_end",
  // Held by newer versions than that page: SDK types, `pending_update`.
  "cancel_at_period_end",
  "discounts",
];

/** Refuses what such an update cannot hold, and where there is none: invoices that are sent. */
export function checkPending(
  { collection_method: method }: Pick<Subscription, "collection_method">,
  names: readonly string[],
  version: string,
): void {
  if (method !== "charge_automatically") {
    throw invalid(
      "`payment_behavior` cannot be `pending_if_incomplete` when `collection_method` is `send_invoice`.",
      "payment_behavior",
    );
  }
  const [first, ...more] = names.filter(
    (name) =>
      !PENDING.includes(name) &&
      (name !== "metadata" || version.slice(0, 10) < HOLDS_METADATA_SINCE),
  );
  if (first === undefined) return;
  throw invalid(
    `When \`payment_behavior\` is \`pending_if_incomplete\`, these parameters cannot be passed: ${[first, ...more].join(", ")}.`,
    first,
  );
}

/** Puts metadata into the update that this change left pending, and says whether it did. */
export function holdMetadata(
  world: World,
  { id, pending_update: earlier }: Subscription,
  { metadata }: { readonly metadata?: { readonly [key: string]: string } | null | undefined },
): boolean {
  const { pending_update: pending } = world.find("subscription", id);
  if (!metadata || !pending || pending === earlier) return false;
  world.patch("subscription", id, { pending_update: { ...pending, metadata: { ...metadata } } });
  return true;
}
