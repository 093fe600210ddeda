/** The webhook endpoint that a double makes by itself: the option `webhook`. */

import { DoubleError } from "../api/errors.js";
import type { Engine } from "../engine.js";
import type { Incoming, Outgoing } from "../http/handle.js";
import { endpointSecrets } from "../resources/webhook-endpoints.js";
import type { WebhookEndpoint, WebhookOptions } from "../stripe-double.js";

/** The enabled endpoint with this address, made by a request of the API unless there is one. */
export async function ensureWebhook(
  { world, keys, version }: Engine,
  option: string | WebhookOptions,
  answer: (incoming: Incoming) => Promise<Outgoing>,
): Promise<WebhookEndpoint> {
  const { url, events = ["*"], apiVersion } = typeof option === "string" ? { url: option } : option;
  const known = [...world.objects.webhook_endpoint.values()].find(
    (each) => each.url === url && each.status === "enabled",
  );
  const id = known?.id ?? (await make());
  return { id, url, secret: endpointSecrets(world, id)[0] ?? "" };

  async function make(): Promise<string> {
    const body = new URLSearchParams({ url, ...(apiVersion ? { api_version: apiVersion } : {}) });
    events.forEach((type, index) => {
      body.set(`enabled_events[${index}]`, type);
    });
    const { status, body: text } = await answer({
      method: "POST",
      url: "/v1/webhook_endpoints",
      headers: { authorization: `Bearer ${keys.test}`, "stripe-version": version },
      body: body.toString(),
    });
    const made = JSON.parse(text) as { id: string; error?: { message: string } };
    if (status === 200) return made.id;
    throw new DoubleError(`The webhook endpoint ${url} cannot be made: ${made.error?.message}`);
  }
}
