/** The other side of the walk: a site with a webhook that verifies, and pages to come back to. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type Stripe from "stripe";

export interface Receiver {
  readonly url: string;
  /** Events whose signature held, in the order in which they came. */
  readonly verified: readonly Stripe.Event[];
  /** What was wrong with those that did not. */
  readonly refused: readonly string[];
  /** The secret of the endpoint, once there is one. */
  trust(secret: string): void;
  close(): Promise<void>;
}

export async function startReceiver(stripe: Stripe): Promise<Receiver> {
  const verified: Stripe.Event[] = [];
  const refused: string[] = [];
  let secret = "";
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") {
      response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" });
      response.end(
        `<!doctype html><title>The site</title><h1>${request.url?.slice(1).split("?")[0]}</h1>`,
      );
      return;
    }
    let body = "";
    for await (const chunk of request) body += chunk;
    try {
      const signature = request.headers["stripe-signature"] ?? "";
      verified.push(await stripe.webhooks.constructEventAsync(body, signature, secret));
      response.writeHead(200).end();
    } catch (error) {
      refused.push(error instanceof Error ? error.message : String(error));
      response.writeHead(400).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    verified,
    refused,
    trust: (value) => {
      secret = value;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
