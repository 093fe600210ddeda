/** Section 4.1: the HTTP routes. */
import { expect } from "vitest";
import type { Check, Checks, SpecApp, VariantName } from "../harness.js";
import { expectMirror, openShop, sessionAt, submitAt, subscriber, visit } from "../kit.js";

/** Posts a body to the webhook, signed as Stripe signs. */
export function postSigned(app: SpecApp, payload: string, secret?: string): Promise<Response> {
  const signature = app.stripe.webhooks.generateTestHeaderString({
    payload,
    secret: secret ?? app.env.STRIPE_WEBHOOK_SECRET ?? "",
  });
  return fetch(`${app.baseUrl}/stripe/webhook`, {
    method: "POST",
    body: payload,
    headers: { "Stripe-Signature": signature },
  });
}

const receives =
  (variant: VariantName): Check =>
  async (open) => {
    const app = await open({ variant });
    await app.stripe.coupons.create({ percent_off: 10, duration: "once" });
    await app.settle();
    expect(app.double.deliveries.all()).toMatchObject([
      { url: `${app.baseUrl}/stripe/webhook`, state: "delivered", attempts: [{ status: 200 }] },
    ]);
    expect(await app.rows("coupons")).toHaveLength(1);
    await expectMirror(app, "coupons");
  };

async function subscribeLink(app: SpecApp, variant: VariantName, target: string): Promise<string> {
  const { monthly } = await openShop(app);
  const args = { entityId: "user_1", priceId: monthly.id };
  const cancel = `${app.baseUrl}/pricing`;
  const { url } =
    variant === "A"
      ? await app.a.subscribe({
          ...args,
          mode: "subscription",
          success_url: target,
          cancel_url: cancel,
        })
      : await app.b.checkout({ ...args, successUrl: target, cancelUrl: cancel });
  return url;
}

/** The way back, by which the person's own change is there before they are. */
const returns =
  (variant: VariantName): Check =>
  async (open) => {
    const app = await open({ variant, delivery: "held" });
    const target = `${app.baseUrl}/welcome?of=${variant}`;
    const back = await submitAt(await subscribeLink(app, variant, target));
    expect(back).toContain(`${app.baseUrl}/stripe/return/`);
    // Only the first event has come, which tells of a subscription that nobody has paid yet.
    const held = app.double.deliveries.held();
    const first = held.find(({ type }) => type === "customer.subscription.created");
    await app.double.deliveries.release([first?.id ?? ""]);
    expect(await app.reads.activeSubscriptionsOf("user_1")).toEqual([]);
    expect(await visit(back)).toMatchObject({ status: 303, location: target });
    expect(await app.reads.activeSubscriptionsOf("user_1")).toHaveLength(1);
  };

export const routes: Checks<"4.1#"> = {
  "4.1#webhook-a": receives("A"),
  "4.1#webhook-b": receives("B"),

  "4.1#webhook-body": async (open) => {
    const app = await open({ delivery: "held" });
    const { id } = await app.stripe.products.create({ name: "Engine" });
    const [event] = (await app.stripe.events.list({ type: "product.created" })).data;
    for (const body of ["", "no JSON", "{}", JSON.stringify(event?.data.object)]) {
      const answer = await postSigned(app, body);
      expect(answer.status, body).toBe(400);
    }
    expect(await app.rows("products")).toEqual([]);
    expect((await postSigned(app, JSON.stringify(event))).status).toBe(200);
    expect(await app.rows("products")).toMatchObject([{ productId: id }]);
  },

  "4.1#webhook-address": async (open) => {
    const app = await open({ delivery: "held" });
    await app.stripe.products.create({ name: "Engine" });
    const [event] = (await app.stripe.events.list({ type: "product.created" })).data;
    const [endpoint] = (await app.stripe.webhookEndpoints.list()).data;
    expect(endpoint?.url).toBe(`${app.baseUrl}/stripe/webhook`);
    const payload = JSON.stringify(event);
    const secret = app.env.STRIPE_WEBHOOK_SECRET ?? "";
    const signature = app.stripe.webhooks.generateTestHeaderString({ payload, secret });
    const answer = await fetch(endpoint?.url ?? "", {
      method: "POST",
      body: payload,
      headers: { "Stripe-Signature": signature },
    });
    expect(answer.status).toBe(200);
    await expectMirror(app, "products");
  },

  "4.1#return-a": returns("A"),
  "4.1#return-b": returns("B"),

  "4.1#return-path": async (open) => {
    const app = await open();
    app.double.dashboard.savePortalSettings();
    const url = await subscribeLink(app, "B", `${app.baseUrl}/welcome`);
    const checkout = new URL((await sessionAt(app, url)).success_url ?? "");
    await app.b.portal({ entityId: "user_1", returnUrl: `${app.baseUrl}/account` });
    const [session] = app.double.objects("billing_portal.session");
    const portal = new URL(session?.return_url ?? "");
    expect(checkout.pathname).toBe("/stripe/return/checkout");
    expect(portal.pathname).toBe("/stripe/return/portal");
    expect((await visit(portal.href)).location).toBe(`${app.baseUrl}/account`);
    // The sub-path belongs to the link: another one is refused.
    portal.pathname = "/stripe/return/checkout";
    expect((await visit(portal.href)).status).toBe(400);
    portal.pathname = "/stripe/return/elsewhere";
    expect((await visit(portal.href)).status).toBe(400);
  },

  "4.1#no-others": async (open) => {
    const app = await open();
    await subscriber(app, "user_1");
    for (const path of ["", "/", "/return", "/webhook/more", "/customers", "/sync"]) {
      for (const method of ["GET", "POST"]) {
        const answer = await fetch(`${app.baseUrl}/stripe${path}`, { method });
        expect(answer.status, `${method} ${path}`).toBe(404);
      }
    }
  },
};
