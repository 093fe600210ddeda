/** The webhook endpoint at Stripe, made or mended to fit this library. */

import type Stripe from "stripe";
import { enabledEvents } from "../catalogue/catalogue.js";
import type { Store } from "../mirror/store.js";
import { rawTypesSent } from "../runtime/commit/listening.js";
import { givenSecrets, routePath } from "../runtime/config.js";
import { sha256 } from "../runtime/digest.js";
import { provider } from "../runtime/errors.js";
import { exclusively } from "../runtime/exclusive.js";
import { records } from "../runtime/records/records.js";
import type { OtherEndpoint, WebhookReport } from "../runtime/reports.js";
import type { Runtime } from "../runtime/runtime.js";

/** Metadata of what the library created, so that it never changes anything else. */
export const MARK = { "backend-billing": "managed" };

type EventType = Stripe.WebhookEndpointCreateParams.EnabledEvent;

/** Stands for every event. */
const ALL = "*";

/** Of the events that are needed those that an endpoint does not send. */
export const notSent = (enabled: readonly string[], needed: readonly string[]): string[] =>
  enabled.includes(ALL) ? [] : needed.filter((event) => !enabled.includes(event));

/** What an endpoint is sent once these events are added. Nothing is taken away: it may be the application's. */
function withEvents(enabled: readonly string[], added: readonly string[]): EventType[] {
  const events = [...new Set([...enabled, ...added])] as EventType[];
  return events.includes(ALL) ? [ALL] : events;
}

/** The events that the mirror comes from, and those that handlers take as they come. */
export async function eventsNeeded(runtime: Runtime): Promise<EventType[]> {
  return withEvents(enabledEvents(runtime.resources), await rawTypesSent(runtime));
}

/**
 * Creates the endpoint, or mends it; events that it is sent beside those that are needed are kept. Its
 * API version cannot be changed: an endpoint of another version is replaced. The new one's secret is
 * answered at once; the old one goes on until a call that knows the new secret, so that no event is
 * lost in between. Endpoints that the library did not make are reported, and disabled at that point
 * only if `replace` says so.
 */
export function syncWebhook(runtime: Runtime, replace = false): Promise<WebhookReport> {
  return exclusively(runtime, "webhook endpoint", async () => {
    const stripe = runtime.stripe();
    const url = `${runtime.baseUrl()}${routePath(runtime.config)}/webhook`;
    const version = stripe.getApiField("version") as Stripe.WebhookEndpointCreateParams.ApiVersion;
    const events = await eventsNeeded(runtime);
    const ours = await endpointsAt(stripe, url);
    const fitting = ours.filter(({ api_version }) => api_version === version);
    const current = fitting.find(isMarked) ?? fitting[0];
    if (current === undefined) {
      const made = await stripe.webhookEndpoints
        .create({ url, enabled_events: events, api_version: version, metadata: MARK })
        .catch(provider);
      await remember(runtime, made);
      return {
        id: made.id,
        ...(made.secret ? { secret: made.secret } : {}),
        ...reported(runtime, made.id, ours.length > 0 ? ["api_version"] : []),
        ...besides(runtime, made.id, ours.filter(isEnabled)),
      };
    }
    const others = ours.filter((each) => each.id !== current.id && isEnabled(each));
    const isReplacing = others.length > 0 && (await isSecretInUse(runtime, current.id));
    const ended = isReplacing ? others.filter((each) => replace || isMarked(each)) : [];
    // What is sent to an endpoint that ends may be the application's, too.
    const wanted = [...events, ...ended.flatMap(({ enabled_events }) => enabled_events)];
    const missing = notSent(current.enabled_events, wanted);
    const mended = [
      ...(current.status === "enabled" ? [] : ["status"]),
      ...(missing.length === 0 ? [] : ["events"]),
    ];
    if (mended.length > 0) {
      const enabled_events = withEvents(current.enabled_events, missing);
      await stripe.webhookEndpoints
        .update(current.id, { enabled_events, disabled: false })
        .catch(provider);
    }
    for (const { id } of ended) {
      await stripe.webhookEndpoints.update(id, { disabled: true }).catch(provider);
    }
    const left = others.filter((each) => !ended.includes(each));
    return {
      id: current.id,
      ...reported(runtime, current.id, mended),
      ...besides(runtime, current.id, left),
    };
  });
}

async function endpointsAt(stripe: Stripe, url: string): Promise<Stripe.WebhookEndpoint[]> {
  const found: Stripe.WebhookEndpoint[] = [];
  try {
    for await (const endpoint of stripe.webhookEndpoints.list({ limit: 100 })) {
      if (endpoint.url === url) found.push(endpoint);
    }
  } catch (error) {
    provider(error);
  }
  return found;
}

const isEnabled = ({ status }: Stripe.WebhookEndpoint): boolean => status === "enabled";
const isMarked = ({ metadata }: Stripe.WebhookEndpoint): boolean =>
  Boolean(metadata["backend-billing"]);

const KEEP_OR_REPLACE =
  "Keep its secret in `webhook_secret` while it does. Once the new secret is set, `sync({ webhook: true, replace: true })` disables it.";

/** What else is sent to the same address, with what to do about it in the log. */
function besides(
  runtime: Runtime,
  current: string,
  endpoints: readonly Stripe.WebhookEndpoint[],
): { readonly others?: readonly OtherEndpoint[] } {
  if (endpoints.length === 0) return {};
  for (const each of endpoints) {
    const line = { object: each.id, url: each.url, version: each.api_version, current };
    if (isMarked(each)) {
      runtime.log?.warn(
        { ...line, advice: "Set the new secret, then call `sync({ webhook: true })` again." },
        "An old webhook endpoint stays enabled until `webhook_secret` holds the new one's secret",
      );
    } else {
      runtime.log?.warn(
        { ...line, advice: KEEP_OR_REPLACE },
        "Another webhook endpoint sends to the same address",
      );
    }
  }
  return {
    others: endpoints.map(({ id, url, api_version: apiVersion }) => ({ id, url, apiVersion })),
  };
}

function reported(
  runtime: Runtime,
  id: string,
  mended: readonly string[],
): { readonly mended?: readonly string[] } {
  if (mended.length === 0) return {};
  runtime.log?.warn(
    { object: id, mended: mended.join() },
    "The webhook endpoint was not as it should be",
  );
  return { mended };
}

/** Stripe never shows a secret again, so a sum of it is kept to know it by. */
async function remember(runtime: Runtime, { id, secret }: Stripe.WebhookEndpoint): Promise<void> {
  if (!secret) return;
  const sum = await sha256(secret);
  await records.endpoint(id).update(runtime, (known) => (known ? undefined : { digest: sum }));
}

/** Whether this application accepts what the endpoint signs; true if that cannot be known. */
export async function isSecretInUse(
  { config, store }: Pick<Runtime, "config"> & { readonly store: Pick<Store, "record"> },
  endpoint: string,
): Promise<boolean> {
  const { data: known } = await records.endpoint(endpoint).read({ store });
  if (known === undefined) return true;
  const digests = await Promise.all(givenSecrets(config).map(sha256));
  return digests.includes(known.digest);
}
