/**
 * Which features customers are entitled to: those of the products that they subscribe to. Each
 * change of a subscription brings them up to date, and a change of them is told by an event.
 */
import type Stripe from "stripe";
import type { Plain } from "../world/plain.js";
import type { World } from "../world/world.js";

type Feature = Plain<Stripe.Entitlements.Feature>;
type Entitlement = Plain<Stripe.Entitlements.ActiveEntitlement>;
type Summary = Plain<Stripe.Entitlements.ActiveEntitlementSummary>;

/** A subscription in one of these states entitles to its features. */
const ENTITLING = new Set(["active", "past_due", "trialing"]);

/** By customer, the newest entitlement first. */
const holdings = new WeakMap<World, Map<string, readonly Entitlement[]>>();

function holdingsOf(world: World): Map<string, readonly Entitlement[]> {
  const known = holdings.get(world) ?? new Map<string, readonly Entitlement[]>();
  holdings.set(world, known);
  return known;
}

export const entitlementsOf = (world: World, customer: string): readonly Entitlement[] =>
  holdingsOf(world).get(customer) ?? [];

/** What was attached to a product, oldest first. */
export function productFeatures(world: World, product: string): Plain<Stripe.ProductFeature>[] {
  return [...world.objects.product_feature.values()].filter(
    ({ id }) => world.hidden.get(id)?.product === product,
  );
}

/** The features of all that a customer subscribes to, in the order in which they were attached. */
function featuresFor(world: World, customer: string): Feature[] {
  const products = world.objects.subscription
    .where("customer", customer)
    .filter(({ status }) => ENTITLING.has(status))
    .flatMap(({ items }) => items.data.map(({ price }) => price.product));
  const attached = [...new Set(products)].flatMap((product) => productFeatures(world, product));
  const features = attached.map(({ entitlement_feature: feature }) => feature);
  return [...new Map(features.map((feature) => [feature.id, feature])).values()];
}

/** Brings a customer's entitlements up to date with what they subscribe to. */
function refresh(world: World, customer: string): void {
  const before = entitlementsOf(world, customer);
  if (before.length === 0 && world.objects.product_feature.size === 0) return;
  const features = featuresFor(world, customer);
  const kept = before.filter((held) => features.some(({ id }) => id === held.feature));
  const added = features
    .filter(({ id }) => !before.some((held) => held.feature === id))
    .map((feature) => entitle(world, feature));
  if (added.length === 0 && kept.length === before.length) return;
  for (const { id } of before.filter((held) => !kept.includes(held))) {
    world.objects["entitlements.active_entitlement"].remove(id);
  }
  const after = [...added.reverse(), ...kept];
  holdingsOf(world).set(customer, after);
  world.raise(
    "entitlements.active_entitlement_summary.updated",
    summaryOf(world, customer, after),
    summaryOf(world, customer, before),
  );
}

function entitle(world: World, { id: feature, lookup_key }: Feature): Entitlement {
  return world.objects["entitlements.active_entitlement"].add({
    id: world.id(world.livemode ? "ent" : "ent_test"),
    object: "entitlements.active_entitlement",
    feature,
    livemode: world.livemode,
    lookup_key,
  });
}

const summaryOf = (world: World, customer: string, data: readonly Entitlement[]): Summary => ({
  object: "entitlements.active_entitlement_summary",
  customer,
  entitlements: {
    object: "list",
    data: [...data],
    has_more: false,
    url: `/v1/customer/${customer}/entitlements`,
  },
  livemode: world.livemode,
});

/** Keeps the entitlements of this world up to date from now on. */
export function watchEntitlements(world: World): void {
  world.onEvent(({ type, object }) => {
    if (!type.startsWith("customer.subscription.")) return;
    refresh(world, (object as Plain<Stripe.Subscription>).customer);
  });
}
