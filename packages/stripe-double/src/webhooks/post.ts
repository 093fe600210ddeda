/**
 * One attempt to deliver an event: a real HTTP request to loopback, or a call of a handler that
 * the test put in place of a host. Nothing is ever sent to another machine.
 */
import { createHmac } from "node:crypto";
import { renderEvent } from "../api/render.js";
import { endpointSecrets } from "../resources/webhook-endpoints.js";
import type { Objects, StoredEvent, World } from "../world/world.js";
import { thinEvent } from "./thin.js";

/** Answers a request without a socket. */
export type FetchHandler = (request: Request) => Response | Promise<Response>;

export interface Posting {
  /** Where it happened. */
  readonly world: World;
  /** Whose endpoint it is: the same, or the platform of a connected account. */
  readonly home: World;
  readonly source: StoredEvent;
  /** Instead of the endpoint's version. */
  readonly version: string | undefined;
  readonly thin: boolean;
  readonly timeout: number;
  readonly signedAt: () => number;
  readonly handlerFor: (origin: string) => FetchHandler | undefined;
}

export interface Outcome {
  readonly status?: number;
  readonly error?: string;
}

export async function post(
  posting: Posting,
  { id, url, api_version }: Objects["webhook_endpoint"],
): Promise<Outcome> {
  const handler = posting.handlerFor(url);
  if (handler === undefined && !isLoopback(url)) {
    return {
      error: `${url} is not on loopback, and the double delivers nowhere else; put a handler in its place with double.answer()`,
    };
  }
  const { home } = posting;
  const body = JSON.stringify(payload(posting, api_version), null, 2);
  const { signal, clear } = timeLimit(posting.timeout);
  const request = new Request(url, {
    method: "POST",
    body,
    redirect: "manual",
    signal,
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "User-Agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
      "Stripe-Signature": signature(body, posting.signedAt(), endpointSecrets(home, id)),
    },
  });
  try {
    const response = await Promise.race([(handler ?? fetch)(request), aborted(signal)]);
    await response.arrayBuffer(); // frees the connection
    return { status: response.status };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  } finally {
    clear();
  }
}

function timeLimit(milliseconds: number): { readonly signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new Error(`No answer within ${milliseconds} ms`));
  }, milliseconds);
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}

function payload({ world, home, source, version, thin }: Posting, own: string | null): object {
  const connected = world.account === home.account ? undefined : world.account;
  if (thin || source.notice) return thinEvent(world, source, connected);
  const event = renderEvent(world, source, version ?? own ?? home.version);
  return connected === undefined ? event : { ...event, account: connected };
}

/** A handler may forget the signal; Stripe does not wait for it all the same. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** Stripe's header: the time of the attempt, and one signature for each secret in force. */
function signature(body: string, seconds: number, secrets: readonly string[]): string {
  const signatures = secrets.map(
    (secret) => `v1=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`,
  );
  return [`t=${seconds}`, ...signatures].join(",");
}

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
