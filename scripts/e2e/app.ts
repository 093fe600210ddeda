/** A small application that uses the library: a page to subscribe on, and a page to come back to. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type pg from "pg";
import { type BillingExports, createBilling } from "../../src/postgres/index.js";
import type { StripeDouble } from "../../src/testing/index.js";

export interface App {
  readonly url: string;
  readonly billing: BillingExports;
  close(): Promise<void>;
}

export async function startApp(double: StripeDouble, pool: pg.Pool): Promise<App> {
  const secrets: string[] = [];
  let exports: BillingExports | undefined;
  const page = (title: string, body: string) =>
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>${body}</html>`;

  const server = createServer(async (request, response) => {
    if (exports === undefined) return void response.writeHead(503).end();
    const { billing, checkout, store } = exports;
    const at = new URL(request.url ?? "/", url);
    // Whoever asks is whoever they say: a real application asks its session.
    const entityId = at.searchParams.get("user") ?? "";
    if (at.pathname.startsWith("/stripe/")) return billing.nodeHandler(request, response);
    if (at.pathname === "/pricing") {
      const [plan] = await store.plans();
      const price = plan?.prices[0]?.id ?? "";
      const form = `<form method="post" action="/buy?user=${entityId}&price=${price}"><button>Subscribe to ${plan?.product.name}</button></form>`;
      response.writeHead(200, { "Content-Type": "text/html" }).end(page("Pricing", form));
    } else if (at.pathname === "/buy") {
      const link = await checkout({
        entityId,
        priceId: at.searchParams.get("price") ?? "",
        successUrl: `${url}/welcome?user=${entityId}&session={CHECKOUT_SESSION_ID}`,
        cancelUrl: `${url}/pricing?user=${entityId}`,
      });
      response.writeHead(303, { Location: link.url }).end();
    } else {
      const active = await store.activeSubscriptionsOf(entityId);
      const status = active[0]?.stripe?.status ?? "nothing yet";
      const body = `<p role="status">${status}</p><p id="session">${at.searchParams.get("session")}</p>`;
      response.writeHead(200, { "Content-Type": "text/html" }).end(page("Welcome", body));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  exports = createBilling({
    secret_key: double.secretKey,
    webhook_secret: secrets,
    db: pool,
    base_url: url,
    stripe_options: double.stripeConfig,
  });
  await exports.store.migrate();
  const { webhook } = await exports.sync({ webhook: true });
  secrets.push(webhook?.secret ?? "");
  return {
    url,
    billing: exports,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
