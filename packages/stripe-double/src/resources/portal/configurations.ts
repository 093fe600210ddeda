/**
 * Configurations of the customer portal. The API cannot make one the default: that is done by
 * saving the portal's settings in the dashboard, see `saveDefaultPortalConfiguration`.
 */
import { notModelled } from "../../api/errors.js";
import { pageShape } from "../../api/list.js";
import { flag, group, metadata, type Parsed, required, text } from "../../api/params.js";
import { route } from "../../http/route.js";
import type { World } from "../../world/world.js";
import { given, listKind, mergeMetadata } from "../common.js";
import {
  checkFeatures,
  type FeatureParams,
  type Features,
  featuresShape,
  merged,
  NOTHING,
  offer,
  type PortalConfiguration,
  UNTOUCHED,
  updatedFeatures,
} from "./features.js";

const shape = {
  business_profile: group({
    headline: text,
    privacy_policy_url: text,
    terms_of_service_url: text,
  }),
  default_return_url: text,
  metadata,
  name: text,
};
const createShape = { ...shape, features: required(group(featuresShape(required(flag)))) };
const updateShape = { ...shape, active: flag, features: group(updatedFeatures) };

function createConfiguration(
  world: World,
  params: Omit<Partial<Parsed<typeof createShape>>, "features"> & { features: FeatureParams },
  base: { readonly features: Features; readonly is_default: boolean },
): PortalConfiguration {
  checkFeatures(world, params.features);
  const configuration = world.objects["billing_portal.configuration"].add({
    id: world.id("bpc"),
    object: "billing_portal.configuration",
    active: true,
    application: null,
    business_profile: {
      headline: params.business_profile?.headline ?? null,
      privacy_policy_url: params.business_profile?.privacy_policy_url ?? null,
      terms_of_service_url: params.business_profile?.terms_of_service_url ?? null,
    },
    created: world.now(),
    default_return_url: params.default_return_url ?? null,
    features: merged(base.features, params.features),
    is_default: base.is_default,
    livemode: world.livemode,
    login_page: { enabled: false, url: null },
    metadata: mergeMetadata({}, params.metadata),
    name: params.name ?? null,
    updated: world.now(),
  });
  offer(world, configuration.id, params.features);
  world.raise("billing_portal.configuration.created", configuration);
  return configuration;
}

export function defaultPortalConfiguration(world: World): PortalConfiguration | undefined {
  return [...world.objects["billing_portal.configuration"].values()].find(
    (each) => each.is_default,
  );
}

/**
 * Saves the portal's settings as in the dashboard, which makes or changes the default
 * configuration. What is not named is as the dashboard proposes it: plans cannot be switched.
 */
export function saveDefaultPortalConfiguration(
  world: World,
  features: FeatureParams = {},
): PortalConfiguration {
  const known = defaultPortalConfiguration(world);
  if (known === undefined) {
    return createConfiguration(world, { features }, { features: UNTOUCHED, is_default: true });
  }
  return changeConfiguration(world, known, { features });
}

function changeConfiguration(
  world: World,
  before: PortalConfiguration,
  params: Omit<Partial<Parsed<typeof updateShape>>, "features"> & {
    features?: FeatureParams | undefined;
  },
): PortalConfiguration {
  const { business_profile: business, features, metadata: change, ...simple } = params;
  if (features) checkFeatures(world, features);
  if (before.is_default && params.active === false) {
    throw notModelled("making the default portal configuration inactive");
  }
  offer(world, before.id, features);
  const changes = given({
    ...simple,
    business_profile: business && { ...before.business_profile, ...given(business) },
    features: features && merged(before.features, features),
    metadata: change === undefined ? undefined : mergeMetadata(before.metadata ?? {}, change),
    updated: world.now(),
  });
  return world.change(
    "billing_portal.configuration",
    before.id,
    changes,
    "billing_portal.configuration.updated",
  );
}

export const portalConfigurations = [
  route("POST /v1/billing_portal/configurations", createShape, ({ world }, params) =>
    createConfiguration(world, params, { features: NOTHING, is_default: false }),
  ),
  route(
    "GET /v1/billing_portal/configurations",
    { ...pageShape, active: flag, is_default: flag },
    (call, params) =>
      listKind(
        call,
        "billing_portal.configuration",
        { ...params, created: undefined },
        {
          url: "/v1/billing_portal/configurations",
          equal: { active: params.active, is_default: params.is_default },
        },
      ),
  ),
  route("GET /v1/billing_portal/configurations/:configuration", {}, ({ world, path }) =>
    world.find("billing_portal.configuration", path.configuration),
  ),
  route(
    "POST /v1/billing_portal/configurations/:configuration",
    updateShape,
    ({ world, path }, params) =>
      changeConfiguration(
        world,
        world.find("billing_portal.configuration", path.configuration),
        params,
      ),
  ),
];
