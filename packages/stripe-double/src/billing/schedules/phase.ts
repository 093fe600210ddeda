/** What a phase makes of the subscription that it begins or changes. */
import { mergeMetadata } from "../../resources/common.js";
import { same } from "../../world/same.js";
import type { World } from "../../world/world.js";
import { replaceItems } from "../changes/changes.js";
import { discountsFrom, findDiscount, tellOfDiscounts } from "../invoices/discounts.js";
import { addExtras } from "../invoices/extras.js";
import { endingAt, type Subscription } from "../subscriptions/subscription.js";
import { phaseItems } from "./phase-items.js";
import { cancelAt, endingChange, type Phase, type Schedule } from "./schedule.js";

/** The discounts that a subscription has in a phase, by id. A coupon that has expired gives none. */
function phaseDiscounts(
  world: World,
  { id, customer, discounts: old }: Subscription,
  { discounts }: Phase,
): string[] {
  return discounts.flatMap(({ discount, coupon, promotion_code: code }) => {
    if (discount !== null) return [discount];
    const kept = old.find((each) => {
      const known = findDiscount(world, each);
      return code === null ? known?.source.coupon === coupon : known?.promotion_code === code;
    });
    if (kept !== undefined) return [kept];
    const valid =
      code === null
        ? world.objects.coupon.get(coupon ?? "")?.valid
        : world.objects.promotion_code.get(code)?.active;
    if (!valid) return [];
    const source = code === null ? { coupon: coupon ?? "" } : { promotion_code: code };
    return discountsFrom(world, [source], { customer, subscription: id });
  });
}

/** How a phase is applied: when it begins, or because a request changed it while it lasts. */
export interface Application {
  readonly begins: boolean;
  readonly proration: "always_invoice" | "create_prorations" | "none";
}

/** Changes the subscription of a schedule to what a phase says, as an update of it would. */
export function applyPhase(
  world: World,
  schedule: Schedule,
  phase: Phase,
  { begins, proration }: Application,
): Subscription {
  const { default_settings: defaults } = schedule;
  const before = world.find("subscription", schedule.subscription ?? "");
  if (begins) addExtras(world, before, phase.add_invoice_items);
  const anchor = phase.billing_cycle_anchor ?? defaults.billing_cycle_anchor;
  const restarts = begins && anchor === "phase_start";
  const discounts = phaseDiscounts(world, before, phase);
  const end = cancelAt(schedule);
  const changed = phaseItems(world, before, phase);
  const items =
    before.status === "trialing"
      ? changed
      : endingAt({ ...before, items: { ...before.items, data: changed } }, end);
  world.patch("subscription", before.id, { discounts, ...endingChange(end, before.cancel_at) });
  tellOfDiscounts(world, before.discounts, discounts);
  if (restarts || !same(items, before.items.data)) {
    replaceItems(world, before.id, items, {
      proration,
      behavior: "allow_incomplete",
      ...(restarts ? { anchor: "now" as const } : {}),
    });
  }
  const current = world.find("subscription", before.id);
  const method = phase.default_payment_method ?? defaults.default_payment_method;
  const after = world.patch("subscription", before.id, {
    collection_method:
      phase.collection_method ?? defaults.collection_method ?? current.collection_method,
    days_until_due:
      phase.invoice_settings?.days_until_due ??
      defaults.invoice_settings.days_until_due ??
      current.days_until_due,
    default_payment_method: method ?? current.default_payment_method,
    description: phase.description ?? defaults.description ?? current.description,
    metadata: mergeMetadata(current.metadata, phase.metadata ?? {}),
  });
  if (!same(before, after)) world.raise("customer.subscription.updated", after, before);
  return after;
}
