/** Features that can be attached to products, and the entitlements to them. Features raise no events. */
import type Stripe from "stripe";
import { invalid, missing, refused } from "../../api/errors.js";
import { listArray, listPage, pageShape } from "../../api/list.js";
import { flag, metadata, required, word } from "../../api/params.js";
import { entitlementsOf, productFeatures } from "../../billing/entitlements.js";
import { route } from "../../http/route.js";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { given, knownCustomer, mergeMetadata, referenced } from "../common.js";

type Feature = Plain<Stripe.Entitlements.Feature>;
type ProductFeature = Plain<Stripe.ProductFeature>;

const KEY_LENGTH = 80;

function checkKey(world: World, key: string): void {
  if (key.length > KEY_LENGTH) {
    throw invalid(`A lookup key can have up to ${KEY_LENGTH} characters.`, "lookup_key");
  }
  const features = [...world.objects["entitlements.feature"].values()];
  if (!features.some(({ active, lookup_key: own }) => active && own === key)) return;
  throw refused(`An active feature with the lookup key '${key}' already exists.`, "lookup_key");
}

/** The feature of a product that a path names. */
function attached(world: World, { product, feature }: { product: string; feature: string }) {
  world.find("product", product);
  const found = productFeatures(world, product).find(({ id }) => id === feature);
  if (found === undefined) throw missing("product_feature", feature);
  return found;
}

export const features = [
  route(
    "POST /v1/entitlements/features",
    { lookup_key: required(word), metadata, name: required(word) },
    ({ world }, params): Feature => {
      checkKey(world, params.lookup_key);
      return world.objects["entitlements.feature"].add({
        id: world.id(world.livemode ? "feat" : "feat_test"),
        object: "entitlements.feature",
        active: true,
        livemode: world.livemode,
        lookup_key: params.lookup_key,
        metadata: mergeMetadata({}, params.metadata),
        name: params.name,
      });
    },
  ),
  route(
    "GET /v1/entitlements/features",
    { ...pageShape, archived: flag, lookup_key: word },
    ({ world, asOf }, params) =>
      listPage(world.objects["entitlements.feature"], params, {
        url: "/v1/entitlements/features",
        kind: "entitlements.feature",
        asOf,
        matches: ({ active, lookup_key: key }) =>
          active !== (params.archived ?? false) &&
          (params.lookup_key === undefined || key === params.lookup_key),
      }),
  ),
  route("GET /v1/entitlements/features/:feature", {}, ({ world, path }) =>
    world.find("entitlements.feature", path.feature),
  ),
  route(
    "POST /v1/entitlements/features/:feature",
    { active: flag, metadata, name: word },
    ({ world, path }, { metadata: change, ...params }) => {
      const before = world.find("entitlements.feature", path.feature);
      if (params.active && !before.active) {
        throw refused("A feature that was archived cannot be made active again.", "active");
      }
      const after = world.patch("entitlements.feature", before.id, {
        ...given(params),
        metadata: change === undefined ? before.metadata : mergeMetadata(before.metadata, change),
      });
      for (const { id, entitlement_feature: own } of world.objects.product_feature.values()) {
        if (own.id === after.id) world.patch("product_feature", id, { entitlement_feature: after });
      }
      return after;
    },
  ),
  route(
    "POST /v1/products/:product/features",
    { entitlement_feature: required(word) },
    ({ world, path }, { entitlement_feature: id }): ProductFeature => {
      const product = world.find("product", path.product);
      const feature = referenced(world, "entitlements.feature", id, "entitlement_feature");
      if (!feature.active) {
        throw refused("A feature that was archived cannot be attached.", "entitlement_feature");
      }
      const own = productFeatures(world, product.id);
      if (own.some(({ entitlement_feature: known }) => known.id === id)) {
        throw refused("This feature is already attached to the product.", "entitlement_feature");
      }
      const made = world.objects.product_feature.add({
        id: world.id("prodft"),
        object: "product_feature",
        entitlement_feature: feature,
        livemode: world.livemode,
      });
      world.hidden.set(made.id, { product: product.id });
      return made;
    },
  ),
  route("GET /v1/products/:product/features", pageShape, ({ world, path }, params) => {
    const { id } = world.find("product", path.product);
    const newestFirst = productFeatures(world, id).reverse();
    return listArray(newestFirst, params, `/v1/products/${id}/features`);
  }),
  route("GET /v1/products/:product/features/:feature", {}, ({ world, path }) =>
    attached(world, path),
  ),
  route("DELETE /v1/products/:product/features/:feature", {}, ({ world, path }) => {
    const { id } = attached(world, path);
    world.objects.product_feature.remove(id);
    world.hidden.delete(id);
    return { id, object: "product_feature", deleted: true };
  }),
  route(
    "GET /v1/entitlements/active_entitlements",
    { ...pageShape, customer: required(word) },
    ({ world }, params) => {
      knownCustomer(world, params.customer);
      const url = "/v1/entitlements/active_entitlements";
      return listArray(entitlementsOf(world, params.customer), params, url);
    },
  ),
  route("GET /v1/entitlements/active_entitlements/:entitlement", {}, ({ world, path }) =>
    world.find("entitlements.active_entitlement", path.entitlement),
  ),
];
