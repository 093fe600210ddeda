/**
 * The way from the real SDK to the double, without a socket: every request and every answer takes
 * its time, and may be lost. Retries are made here as the SDK makes them, under one idempotency key,
 * because its own would wait for the machine's clock.
 */
import type Stripe from "stripe";
import type { Outgoing } from "../../packages/stripe-double/src/http/handle.js";
import type { Answer } from "./history.js";
import type { Shop } from "./shop.js";

export interface Network {
  /** Waits while the request or its answer is on its way. */
  travel(): Promise<void>;
  outcome(): Answer;
  log(line: string): void;
}

type Headers = { readonly [name: string]: string | number | string[] | undefined };

/** As many as the SDK makes by itself, and about as far apart. */
const RETRIES = 2;
let keys = 0;

/** Options for the SDK that lead its requests to the shop. */
export function wayTo(shop: Shop, { travel, outcome, log }: Network): Stripe.StripeConfig {
  async function send(method: string, path: string, headers: Headers, body: string) {
    await travel();
    const fate = outcome();
    const given = Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      String(value),
    ]);
    const url = path;
    const outgoing = await shop.answer(
      { method, url, headers: Object.fromEntries(given), body },
      fate,
    );
    log(
      `${method} ${path.split("?")[0]} ${outgoing.cut ? "is lost" : outgoing.status}${fate === "good" ? "" : `: ${fate}`}`,
    );
    await travel();
    if (outgoing.cut !== undefined) throw new Error("The connection was lost");
    return outgoing;
  }

  async function makeRequest(
    _host: string,
    _port: string,
    path: string,
    method: string,
    headers: Headers,
    body: string,
  ) {
    const isNamed = method !== "POST" || headers["Idempotency-Key"] !== undefined;
    const named = isNamed ? headers : { ...headers, "Idempotency-Key": `retry-${keys++}` };
    for (let left = RETRIES; ; left--) {
      const outgoing = await send(method, path, named, body ?? "").catch((error: unknown) => {
        if (left === 0) throw error;
        return undefined;
      });
      if (outgoing === undefined) continue;
      if (left === 0 || (outgoing.status !== 409 && outgoing.status < 500))
        return answered(outgoing);
    }
  }

  const httpClient = { getClientName: () => "shop", makeRequest };
  return {
    httpClient: httpClient as unknown as Stripe.HttpClient,
    maxNetworkRetries: 0,
    telemetry: false,
  };
}

const lowered = (headers: { readonly [name: string]: string }) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const answered = ({ status, headers, body }: Outgoing) => ({
  getStatusCode: () => status,
  getHeaders: () => lowered(headers),
  getRawResponse: () => ({ headers: lowered(headers) }),
  toStream: () => {
    throw new Error("Nothing here is streamed");
  },
  toJSON: async () => JSON.parse(body),
});
