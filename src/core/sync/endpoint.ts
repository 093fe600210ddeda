/** The webhook endpoint and the portal's settings at Stripe, made or mended to fit this library. */
import type Stripe from "stripe";
import { enabledEvents } from "../catalogue.js";
import { routePath } from "../config.js";
import { provider } from "../errors.js";
import { exclusively } from "../exclusive.js";
import type { Runtime } from "../runtime.js";

export interface WebhookReport {
  readonly id: string;
  /** Only when the endpoint is new: set it as `STRIPE_WEBHOOK_SECRET`, beside the old one if there is one. */
  readonly secret?: string;
}

/** Marks what the library made, so that it never touches what somebody else did. */
const MARK = { "backend-billing": "managed" };

const sameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && [...a].sort().join() === [...b].sort().join();

/**
 * Creates the endpoint, or updates it. Its API version cannot be updated: an endpoint of another
 * version is replaced. The new one's secret is answered at once; the old one goes on until the next
 * call, so that both secrets can be put in place before.
 */
export function syncWebhook(runtime: Runtime): Promise<WebhookReport> {
  return exclusively(runtime, "webhook endpoint", async () => {
    const stripe = runtime.stripe();
    const url = `${runtime.baseUrl()}${routePath(runtime.config)}/webhook`;
    const version = stripe.getApiField("version") as Stripe.WebhookEndpointCreateParams.ApiVersion;
    const events = [
      ...enabledEvents(runtime.resources),
    ] as Stripe.WebhookEndpointCreateParams.EnabledEvent[];
    const ours: Stripe.WebhookEndpoint[] = [];
    for await (const endpoint of stripe.webhookEndpoints.list({ limit: 100 })) {
      if (endpoint.url === url) ours.push(endpoint);
    }
    const current = ours.find(({ api_version }) => api_version === version);
    if (current === undefined) {
      const made = await stripe.webhookEndpoints
        .create({ url, enabled_events: events, api_version: version, metadata: MARK })
        .catch(provider);
      return { id: made.id, ...(made.secret ? { secret: made.secret } : {}) };
    }
    if (current.status !== "enabled" || !sameSet(current.enabled_events, events)) {
      await stripe.webhookEndpoints
        .update(current.id, { enabled_events: events, disabled: false })
        .catch(provider);
    }
    for (const old of ours) {
      if (old.id === current.id || old.status !== "enabled" || !old.metadata["backend-billing"])
        continue;
      await stripe.webhookEndpoints.update(old.id, { disabled: true }).catch(provider);
    }
    return { id: current.id };
  });
}

export interface PortalReport {
  readonly configurationId: string;
}

/** Creates the default portal configuration if there is none, and remembers which it is. */
export function syncPortal(runtime: Runtime): Promise<PortalReport> {
  return exclusively(runtime, "portal configuration", async () => {
    const stripe = runtime.stripe();
    const record = await runtime.store.record("setting", "portal");
    const active = await stripe.billingPortal.configurations
      .list({ active: true, limit: 100 })
      .catch(provider);
    const found =
      active.data.find(({ id }) => id === record?.data.configurationId) ??
      active.data.find(({ is_default }) => is_default) ??
      active.data.find(({ metadata }) => metadata?.["backend-billing"]);
    const configuration =
      found ?? (await stripe.billingPortal.configurations.create(DEFAULT_PORTAL).catch(provider));
    if (record?.data.configurationId !== configuration.id) {
      const next = { ref: null, due: null, data: { configurationId: configuration.id } };
      await runtime.store.commit({
        now: runtime.now(),
        units: [],
        records: [{ kind: "setting", id: "portal", expect: record?.revision ?? 0, next }],
      });
    }
    return { configurationId: configuration.id };
  });
}

const DEFAULT_PORTAL: Stripe.BillingPortal.ConfigurationCreateParams = {
  metadata: MARK,
  features: {
    customer_update: { enabled: true, allowed_updates: ["email", "address"] },
    invoice_history: { enabled: true },
    payment_method_update: { enabled: true },
    subscription_cancel: { enabled: true, mode: "at_period_end" },
  },
};
