/**
 * Posts to the application's own webhook route, as Stripe would: an event of a type that means
 * nothing to the library, once signed rightly and once with another secret. Nothing is stored.
 */
import { randomBytes } from "node:crypto";
import type Stripe from "stripe";
import type { Answer, WebhookFacts } from "../facts.js";
import { reasonOf } from "../reason.js";

const PATIENCE = 10_000;

export async function askRoute(
  stripe: Stripe,
  webhook: string,
  secret: string,
  live: boolean,
): Promise<WebhookFacts> {
  const payload = JSON.stringify({
    id: `evt_backend_billing_doctor_${randomBytes(8).toString("hex")}`,
    object: "event",
    api_version: stripe.getApiField("version"),
    created: Math.floor(Date.now() / 1000),
    livemode: live,
    type: "backend_billing.self_test",
    data: { object: { object: "backend_billing.self_test" } },
    request: null,
  });
  const post = async (signedWith: string): Promise<Answer> => {
    const signature = await stripe.webhooks.generateTestHeaderStringAsync({
      payload,
      secret: signedWith,
    });
    return send(webhook, payload, signature);
  };
  return {
    signed: await post(secret),
    forged: await post(`whsec_${randomBytes(24).toString("hex")}`),
  };
}

async function send(webhook: string, body: string, signature: string): Promise<Answer> {
  try {
    const response = await fetch(webhook, {
      method: "POST",
      headers: {
        "Content-Type": "application/json; charset=utf-8",
        "Stripe-Signature": signature,
        "User-Agent": "backend-billing doctor",
      },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE),
    });
    return { state: "answered", status: response.status, ...said(await response.text()) };
  } catch (error) {
    return { state: "failed", reason: reasonOf(error) };
  }
}

/** The fields that the library's own answers have. */
function said(text: string): { code?: string; message?: string; received?: string } {
  try {
    const { received, error } = JSON.parse(text) as { received?: unknown; error?: unknown };
    const { code, message } = Object(error) as { code?: unknown; message?: unknown };
    return {
      ...(typeof received === "string" ? { received } : {}),
      ...(typeof code === "string" ? { code } : {}),
      ...(typeof message === "string" ? { message } : {}),
    };
  } catch {
    return {}; // a page, which tells that it is not ours
  }
}
