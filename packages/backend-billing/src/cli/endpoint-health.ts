/** What is right and wrong with the webhook endpoint at Stripe. Judging is pure; asking is not. */
import type Stripe from "stripe";
import type { Runtime } from "../core/runtime/runtime.js";
import { eventsNeeded, notSent } from "../core/sync/endpoint.js";
import { listed } from "./terminal/format.js";

export interface EndpointHealth {
  readonly id: string;
  readonly url: string;
  readonly status: string;
  /** Null: the account's own version. */
  readonly apiVersion: string | null;
  /** The version that the installed `stripe` package pins. */
  readonly wantedVersion: string;
  /** Events that the mirror or a handler needs and the endpoint does not send. */
  readonly missingEvents: readonly string[];
}

type EndpointLike = Pick<
  Stripe.WebhookEndpoint,
  "id" | "url" | "status" | "api_version" | "enabled_events"
>;

export function judgeEndpoint(
  endpoint: EndpointLike,
  needed: readonly string[],
  wantedVersion: string,
): EndpointHealth {
  const { id, url, status, api_version: apiVersion, enabled_events: enabled } = endpoint;
  const missingEvents = notSent(enabled, needed);
  return { id, url, status, apiVersion, wantedVersion, missingEvents };
}

/** What is wrong, in words; nothing if the endpoint is as it should be. */
export function endpointProblems({
  status,
  apiVersion,
  wantedVersion,
  missingEvents,
}: EndpointHealth): string[] {
  return [
    ...(status === "enabled" ? [] : [`it is ${status}`]),
    ...(missingEvents.length === 0 ? [] : [`it does not send ${listed(missingEvents, 3)}`]),
    ...(apiVersion === wantedVersion
      ? []
      : [`it sends API version ${apiVersion ?? "of the account"} and not ${wantedVersion}`]),
  ];
}

/** The endpoints that look like this library's: by their mark, by their path, or at a given address. */
export async function ourEndpoints(runtime: Runtime, url?: string): Promise<EndpointHealth[]> {
  const stripe = runtime.stripe();
  const version = String(stripe.getApiField("version"));
  const needed = await eventsNeeded(runtime);
  const found: EndpointHealth[] = [];
  for await (const endpoint of stripe.webhookEndpoints.list({ limit: 100 })) {
    const isOurs =
      url === undefined
        ? "backend-billing" in endpoint.metadata || endpoint.url.endsWith("/stripe/webhook")
        : endpoint.url === url;
    if (isOurs) found.push(judgeEndpoint(endpoint, needed, version));
  }
  return found;
}
