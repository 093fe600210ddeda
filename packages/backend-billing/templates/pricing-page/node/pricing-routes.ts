/**
 * What is behind the pricing page: `GET /api/pricing/state`, and `POST` of `choose`, `portal`, `cancel`
 * and `resume`. Mount it in your server; it answers undefined to whatever is not its own:
 *
 *   app.use("/api/pricing/*", async (c, next) => (await pricingRoutes(c.req.raw)) ?? next()); // Hono
 *
 * A page of another site can make a browser send a form with its cookies, but neither JSON nor an
 * `Origin` that is ours: a `POST` without both is refused.
 */
import { BillingError } from "backend-billing";
import { catalogue } from "../app/catalogue.js";
import { billing, store } from "../app/node/billing.js";
import type { Chosen, PricingState } from "../page/pricing-plans.js";
import { entityFor } from "./entity-for.js";

/** Where people reach this application, and where on it the page is: they come back to it from Stripe. */
const site = process.env.BASE_URL ?? "http://localhost:3000";
const page = new URL("/pricing", site).href;
const prefix = "/api/pricing/";

class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly code = "refused",
  ) {
    super(message);
  }
}

type Sent = Record<string, unknown>;

const routes: Record<string, (entityId: string, sent: Sent) => Promise<unknown>> = {
  "GET state": (entityId) => stateOf(entityId),
  "POST choose": (entityId, { key, quote }) => choose(entityId, key, quote),
  "POST portal": (entityId) => billing.portal({ entityId, returnUrl: page }),
  "POST cancel": async (entityId) => {
    await billing.cancel({ entityId }); // when the period ends
    return { done: true };
  },
  "POST resume": async (entityId) => {
    await billing.resume({ entityId });
    return { done: true };
  },
};

export async function pricingRoutes(request: Request): Promise<Response | undefined> {
  const { pathname } = new URL(request.url);
  if (!pathname.startsWith(prefix)) return undefined;
  const name = `${request.method} ${pathname.slice(prefix.length)}`;
  try {
    const route = Object.hasOwn(routes, name) ? routes[name] : undefined;
    if (route === undefined) throw new Refusal(404, "There is nothing here.");
    if (request.method === "POST") refuseOtherSites(request);
    const entityId = await entityFor(request);
    if (entityId === null) throw new Refusal(401, "Sign in first.", "sign_in");
    const answer = await route(entityId, request.method === "POST" ? await sentIn(request) : {});
    return Response.json(answer, { headers: { "cache-control": "no-store" } });
  } catch (error) {
    return failure(error);
  }
}

function refuseOtherSites({ headers }: Request): void {
  const from = headers.get("sec-fetch-site");
  const isOwn =
    from === null ? headers.get("origin") === new URL(site).origin : from === "same-origin";
  if (!isOwn) throw new Refusal(403, "This was sent from another site.");
  if (!/^application\/json\b/i.test(headers.get("content-type") ?? "")) {
    throw new Refusal(415, "Send JSON.");
  }
}

async function sentIn(request: Request): Promise<Sent> {
  return Object(await request.json().catch(() => undefined));
}

function failure(error: unknown): Response {
  const { status, code, message } =
    error instanceof Refusal || (error instanceof BillingError && error.expose)
      ? error
      : { status: 500, code: "failed", message: "Something went wrong. Try again in a moment." };
  if (status === 500) console.error(error);
  return Response.json({ error: { code, message } }, { status });
}

/** What the entity has, from your own database. */
async function stateOf(entityId: string): Promise<PricingState> {
  const found = await store.subscriptionOf(entityId);
  const { status, productId, lookupKey, trialEndsAt, renewsAt, endsAt, next } = found;
  const owes = status === "past_due" || status === "unpaid";
  const open = owes ? (await store.invoicesOf(entityId)).filter(isOpen) : [];
  return {
    ...{ status, productId, lookupKey, trialEndsAt, renewsAt, endsAt },
    next: next && { at: next.at, lookupKey: next.lookupKey },
    payUrl: open.at(-1)?.stripe?.hosted_invoice_url ?? null, // of the oldest
  };
}

const isOpen = ({ stripe }: { stripe: { status: string | null } | null }) =>
  stripe?.status === "open";

/** A page to subscribe on; or what the change would cost; or, with the quote of that, the change. */
async function choose(entityId: string, key: unknown, quote: unknown): Promise<Chosen> {
  if (!catalogue.isKey(key)) throw new Refusal(400, "This is not for sale.");
  const { status } = await store.subscriptionOf(entityId);
  if (status !== "active" && status !== "trialing")
    return { url: await checkoutUrl(entityId, key) };
  if (typeof quote !== "string") {
    return { offer: await billing.preview({ entityId, lookupKey: key }) };
  }
  const changed = await billing.change({ entityId, lookupKey: key, quote });
  // The bank asks for the person: the change is made when they have paid there.
  return changed.state === "payment_required" ? { url: changed.url } : { done: true };
}

async function checkoutUrl(entityId: string, lookupKey: string): Promise<string> {
  const { url } = await billing.checkout({
    entityId,
    lookupKey,
    successUrl: page,
    cancelUrl: page,
  });
  return url;
}
