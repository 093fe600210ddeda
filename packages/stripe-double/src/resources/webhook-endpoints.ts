/**
 * Webhook endpoints. A secret is answered once, when the endpoint is made; afterwards only the
 * delivery of events knows it. Stripe raises no events about them.
 */
import type Stripe from "stripe";
import { invalid, refused } from "../api/errors.js";
import { pageShape } from "../api/list.js";
import { flag, listOf, metadata, required, text, word } from "../api/params.js";
import { checkVersion } from "../api/versions.js";
import { route } from "../http/route.js";
import { type Duration, milliseconds } from "../world/clock.js";
import type { Plain } from "../world/plain.js";
import { token } from "../world/random.js";
import type { World } from "../world/world.js";
import { given, listKind, mergeMetadata } from "./common.js";

type Endpoint = Plain<Stripe.WebhookEndpoint>;

interface Secret {
  readonly secret: string;
  /** Milliseconds of the moment from which it is not used any more. */
  readonly until: number;
}

interface Delivery {
  /** Newest first. */
  readonly secrets: readonly Secret[];
  readonly made: number;
  readonly connect: boolean;
}

// Not in `world.hidden`, which a reader can expand.
const deliveries = new WeakMap<World, Map<string, Delivery>>();

function deliveriesOf(world: World): Map<string, Delivery> {
  const known = deliveries.get(world) ?? new Map<string, Delivery>();
  deliveries.set(world, known);
  return known;
}

function deliveryOf(world: World, id: string): Delivery {
  return deliveriesOf(world).get(id) ?? { secrets: [], made: 0, connect: false };
}

/** The secrets that sign for this endpoint now, newest first. */
export function endpointSecrets(world: World, id: string): readonly string[] {
  const now = world.clock.now();
  return deliveryOf(world, id)
    .secrets.filter(({ until }) => until > now)
    .map(({ secret }) => secret);
}

/** Whether it is for the events of connected accounts rather than the account's own. */
export function isConnectEndpoint(world: World, id: string): boolean {
  return deliveryOf(world, id).connect;
}

/** Stripe keeps an old secret for at most a day. */
const LONGEST_ROLL = 24 * 60 * 60 * 1000;

/** Gives it a new secret, as the dashboard does; the old one also signs for a while if asked. */
export function rollSecret(
  world: World,
  id: string,
  options: { readonly keepOldFor?: Duration } = {},
): string {
  world.find("webhook_endpoint", id);
  const keep = milliseconds(options.keepOldFor ?? {});
  if (keep > LONGEST_ROLL)
    throw new RangeError("An old signing secret is kept for 24 hours at most.");
  const end = world.clock.now() + keep;
  const old = deliveryOf(world, id).secrets.map((each) => ({
    ...each,
    until: Math.min(each.until, end),
  }));
  return addSecret(world, id, old);
}

function addSecret(world: World, id: string, old: readonly Secret[]): string {
  const before = deliveryOf(world, id);
  const made = before.made + 1;
  const secret = `whsec_${token(32, id, "secret", made)}`;
  deliveriesOf(world).set(id, { ...before, made, secrets: [{ secret, until: Infinity }, ...old] });
  return secret;
}

const MOST = 16;
const EVENT_TYPE = /^[a-z_0-9]+(\.[a-z_0-9]+)+$/;

function checkUrl(url: string): void {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    throw invalid(
      "Invalid URL: An explicit scheme (such as https) must be provided.",
      "url",
      "url_invalid",
    );
  }
  // Stripe insists on https in live mode, and on a public address. The double delivers to loopback.
  if ((scheme !== "http" && scheme !== "https") || !URL.canParse(url)) {
    throw invalid("Invalid URL: URL must begin with http:// or https://", "url", "url_invalid");
  }
}

function checkEvents(types: readonly string[]): void {
  if (types.length === 0) {
    throw invalid("Invalid array: enabled_events must have at least one event.", "enabled_events");
  }
  types.forEach((type, index) => {
    if (type === "*" || EVENT_TYPE.test(type)) return;
    throw invalid(
      `Invalid enabled_events[${index}]: ${type} is not a known event type.`,
      `enabled_events[${index}]`,
    );
  });
}

const shape = { description: text, enabled_events: listOf(word), metadata, url: word };
const createShape = {
  ...shape,
  api_version: word,
  connect: flag,
  enabled_events: required(shape.enabled_events),
  url: required(word),
};

export const webhookEndpoints = [
  route("POST /v1/webhook_endpoints", createShape, ({ world }, params) => {
    checkUrl(params.url);
    checkEvents(params.enabled_events);
    if (params.api_version !== undefined) checkVersion(params.api_version);
    if (world.objects.webhook_endpoint.size >= MOST) {
      const mode = world.livemode ? "live" : "test";
      throw refused(`You have reached the maximum of ${MOST} ${mode} webhook endpoints.`);
    }
    const endpoint: Endpoint = {
      id: world.id("we"),
      object: "webhook_endpoint",
      api_version: params.api_version ?? null,
      application: null,
      created: world.now(),
      description: params.description ?? null,
      enabled_events: params.enabled_events,
      livemode: world.livemode,
      metadata: mergeMetadata({}, params.metadata ?? {}),
      status: "enabled",
      url: params.url,
    };
    world.objects.webhook_endpoint.add(endpoint);
    deliveriesOf(world).set(endpoint.id, {
      secrets: [],
      made: 0,
      connect: params.connect ?? false,
    });
    return { ...endpoint, secret: addSecret(world, endpoint.id, []) };
  }),
  route("GET /v1/webhook_endpoints", pageShape, (call, params) =>
    listKind(
      call,
      "webhook_endpoint",
      { ...params, created: undefined },
      { url: "/v1/webhook_endpoints" },
    ),
  ),
  route("GET /v1/webhook_endpoints/:webhook_endpoint", {}, ({ world, path }) =>
    world.find("webhook_endpoint", path.webhook_endpoint, "webhook_endpoint"),
  ),
  route(
    "POST /v1/webhook_endpoints/:webhook_endpoint",
    { ...shape, disabled: flag },
    ({ world, path }, { disabled, metadata: change, ...params }) => {
      const before = world.find("webhook_endpoint", path.webhook_endpoint, "webhook_endpoint");
      if (params.url !== undefined) checkUrl(params.url);
      if (params.enabled_events !== undefined) checkEvents(params.enabled_events);
      const changes = given({
        ...params,
        metadata: change === undefined ? undefined : mergeMetadata(before.metadata, change),
        status: disabled === undefined ? undefined : disabled ? "disabled" : "enabled",
      });
      return world.patch("webhook_endpoint", before.id, changes);
    },
  ),
  route("DELETE /v1/webhook_endpoints/:webhook_endpoint", {}, ({ world, path }) => {
    const { id } = world.find("webhook_endpoint", path.webhook_endpoint, "webhook_endpoint");
    world.objects.webhook_endpoint.remove(id);
    deliveriesOf(world).delete(id);
    return { id, object: "webhook_endpoint", deleted: true };
  }),
];
