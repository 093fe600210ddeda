/** Section 5: who may do what, and with which secret. */
import { expect } from "vitest";
import type { Checks } from "../harness.js";
import { existing, openShop, refusal, sessionAt } from "../kit.js";
import { expectInternal } from "./overview.js";
import { postSigned } from "./routes.js";

export const authentication: Checks<"5."> = {
  "5.1": async (open) => {
    const app = await open();
    const key = app.double.restrictedKey({ customers: "write" });
    await app.deploy({ STRIPE_SECRET_KEY: key });
    await app.b.setup({ entityId: "user_1" });
    const { monthly } = await openShop(app);
    const urls = { successUrl: `${app.baseUrl}/a`, cancelUrl: `${app.baseUrl}/b` };
    const call = app.b.checkout({ entityId: "user_1", priceId: monthly.id, ...urls });
    expect((await refusal(call)).code).toBe("provider_error"); // the key may not do that
    app.double.revokeKey(key);
    expect((await refusal(app.b.setup({ entityId: "user_2" }))).code).toBe("provider_error");
    expect(await existing(app, "customers")).toHaveProperty("size", 1);
  },

  "5.2": async (open) => {
    const app = await open({ delivery: "held" });
    await app.stripe.products.create({ name: "Engine" });
    const [event] = (await app.stripe.events.list({ type: "product.created" })).data;
    const body = JSON.stringify(event);
    const url = `${app.baseUrl}/stripe/webhook`;
    const unsigned = await fetch(url, { method: "POST", body });
    expect(unsigned.status).toBe(400);
    expect((await postSigned(app, body, "whsec_ofSomebodyElse")).status).toBe(400);
    const signature = app.stripe.webhooks.generateTestHeaderString({
      payload: body,
      secret: app.env.STRIPE_WEBHOOK_SECRET ?? "",
    });
    const headers = { "Stripe-Signature": signature };
    const altered = body.replace("Engine", "Enginf");
    expect((await fetch(url, { method: "POST", body: altered, headers })).status).toBe(400);
    expect(await app.rows("products")).toEqual([]);
    expect((await fetch(url, { method: "POST", body, headers })).status).toBe(200);
    expect(await app.rows("products")).toHaveLength(1);
  },

  "5.3": async (open) => {
    const app = await open();
    app.double.dashboard.savePortalSettings();
    const { monthly } = await openShop(app);
    const { url } = await app.b.checkout({
      entityId: "user_1",
      priceId: monthly.id,
      successUrl: `${app.baseUrl}/welcome`,
      cancelUrl: `${app.baseUrl}/pricing`,
    });
    const portal = await app.b.portal({ entityId: "user_1", returnUrl: `${app.baseUrl}/account` });
    const shown = [url, (await sessionAt(app, url)).success_url, portal.url];
    shown.push(app.double.objects("billing_portal.session")[0]?.return_url ?? "");
    for (const [path, method] of [
      ["/stripe/webhook", "POST"],
      ["/stripe/webhook", "GET"],
      ["/stripe/return/checkout", "GET"],
      ["/stripe/nothing", "GET"],
    ] as const) {
      const answer = await fetch(`${app.baseUrl}${path}`, { method, redirect: "manual" });
      shown.push(await answer.text(), JSON.stringify([...answer.headers]));
    }
    const secrets = [app.env.STRIPE_SECRET_KEY ?? "", app.env.STRIPE_WEBHOOK_SECRET ?? ""];
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(10);
      const hidden = [secret, secret.split("_").at(-1) ?? secret, btoa(secret)];
      for (const text of shown) {
        for (const part of hidden) expect(text).not.toContain(part);
      }
    }
  },

  "5.4#internal": async (open) => {
    const app = await open({ variant: "A" });
    await expectInternal(app);
  },

  "5.4#wrapped": async (open) => {
    for (const variant of ["A", "B"] as const) {
      const app = await open({ variant });
      const { monthly } = await openShop(app);
      await expectInternal(app);
      const link = await app.buy("user_1", "user_1", monthly.id);
      if (link === "forbidden") throw new Error("The application's own check let nobody through");
      expect((await sessionAt(app, link.url)).mode).toBe("subscription");
    }
  },

  "5.5": async (open) => {
    const app = await open();
    const { monthly } = await openShop(app);
    const urls = { successUrl: `${app.baseUrl}/a`, cancelUrl: `${app.baseUrl}/b` };
    // Nobody is signed in, and the library neither asks nor cares whose entity it is.
    for (const entityId of ["user_1", "org_of_somebody_else"]) {
      await app.b.checkout({ entityId, priceId: monthly.id, ...urls });
    }
    // It is the application's wrapper that says no.
    expect(await app.buy("user_1", "org_of_somebody_else", monthly.id)).toBe("forbidden");
    expect(app.double.objects("checkout.session")).toHaveLength(2);
  },
};
