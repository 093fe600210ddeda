/** Section 4.2: `pay`, of variant A. */
import type Stripe from "stripe";
import { expect } from "vitest";
import type { PayParams } from "../../../../packages/backend-billing/src/core/links/params.js";
import type { Checks, SpecApp } from "../../harness.js";
import { linkNamed, openShop, payAt, refusal, sessionAt, visit, without } from "../../kit.js";
import { expectRefused } from "./subscribe.js";

async function params(app: SpecApp): Promise<PayParams> {
  const { once } = await openShop(app);
  return {
    referenceId: "order_1",
    entityId: "user_1",
    mode: "payment",
    line_items: [{ price: once.id, quantity: 3 }],
    success_url: `${app.baseUrl}/thanks?from=checkout`,
    cancel_url: `${app.baseUrl}/basket?from=checkout`,
  };
}

export const pay: Checks<"4.2#pay-"> = {
  "4.2#pay-session": async (open) => {
    const app = await open({ variant: "A" });
    const { customerId } = await app.a.setup({ entityId: "user_1" });
    const { url } = await app.a.pay(await params(app));
    expect(await sessionAt(app, url)).toMatchObject({ mode: "payment", customer: customerId });
    await payAt(url);
    expect(await sessionAt(app, url).catch(() => undefined)).toBeUndefined(); // it has no page now
    const [intent] = app.double.objects("payment_intent");
    expect(intent).toMatchObject({ status: "succeeded", amount: 1500, customer: customerId });
  },

  "4.2#pay-shape": async (open) => {
    const app = await open({ variant: "A" });
    const given = await params(app);
    const plain = await app.a.pay(given);
    const optioned = await app.a.pay(given, { timeout: 10_000 });
    expect(plain.url).not.toBe(optioned.url);
    expect(app.double.objects("checkout.session")).toHaveLength(2);
  },

  "4.2#pay-referenceId": async (open) => {
    const app = await open({ variant: "A" });
    const given = await params(app);
    const bare = await sessionAt(app, (await app.a.pay(without(given, "referenceId"))).url);
    expect(bare).toMatchObject({ client_reference_id: null, metadata: {} });
    const { url } = await app.a.pay(given);
    expect(await sessionAt(app, url)).toMatchObject({
      client_reference_id: "order_1",
      metadata: { referenceId: "order_1" },
    });
    await payAt(url);
    const [intent] = app.double.objects("payment_intent");
    expect(intent?.metadata).toMatchObject({ referenceId: "order_1" });
  },

  "4.2#pay-entityId": async (open) => {
    const app = await open({ variant: "A" });
    const given = await params(app);
    await expectRefused(app, app.a.pay(without(given, "entityId")));
  },

  "4.2#pay-mode": async (open) => {
    const app = await open({ variant: "A" });
    const given = await params(app);
    await expectRefused(app, app.a.pay(without(given, "mode")));
    await expectRefused(app, app.a.pay({ ...given, mode: "subscription" as never }));
  },

  "4.2#pay-line_items": async (open) => {
    const app = await open({ variant: "A" });
    const given = await params(app);
    await expectRefused(app, app.a.pay(without(given, "line_items")));
    const { url } = await app.a.pay(given);
    const session = await sessionAt(app, url);
    expect(session.amount_total).toBe(1500);
    const lines = await app.stripe.checkout.sessions.listLineItems(session.id);
    expect(lines.data.map(({ price, quantity }) => ({ price: price?.id, quantity }))).toEqual(
      given.line_items,
    );
  },

  "4.2#pay-success_url": async (open) => {
    const app = await open({ variant: "A" });
    const given = await params(app);
    await expectRefused(app, app.a.pay(without(given, "success_url")));
    const { url } = await app.a.pay(given);
    expect(await payAt(url)).toBe(given.success_url);
  },

  "4.2#pay-cancel_url": async (open) => {
    const app = await open({ variant: "A" });
    const given = await params(app);
    await expectRefused(app, app.a.pay(without(given, "cancel_url")));
    const { url } = await app.a.pay(given);
    expect(linkNamed(await visit(url), "Back")).toBe(given.cancel_url);
  },

  "4.2#pay-pass-through": async (open) => {
    const app = await open({ variant: "A" });
    const more = {
      allow_promotion_codes: true,
      locale: "de",
      metadata: { campaign: "spring" },
      submit_type: "donate",
      payment_intent_data: { description: "Three cogs", metadata: { shelf: "9" } },
    } as const satisfies Partial<Stripe.Checkout.SessionCreateParams>;
    const { url } = await app.a.pay({ ...(await params(app)), ...more });
    const { payment_intent_data: data, ...visible } = more;
    expect(await sessionAt(app, url)).toMatchObject(visible);
    await payAt(url);
    expect(app.double.objects("payment_intent")).toMatchObject([data]);
  },

  "4.2#pay-request-options": async (open) => {
    const app = await open({ variant: "A" });
    const given = await params(app);
    const options = { idempotencyKey: "order-1" };
    const first = await app.a.pay(given, options);
    await new Promise((resolve) => setTimeout(resolve, 1100)); // a retry comes later
    expect(await app.a.pay(given, options)).toEqual(first);
    expect(app.double.objects("checkout.session")).toHaveLength(1);
    expect((await refusal(app.a.pay(given, { apiKey: "sk_test_none" }))).code).toBe(
      "provider_error",
    );
  },

  "4.2#pay-returns": async (open) => {
    const app = await open({ variant: "A" });
    const { url } = await app.a.pay(await params(app));
    expect(url).toEqual(expect.any(String));
    const page = await visit(url);
    expect(page.status).toBe(200);
    expect(page.text).toContain("15.00");
  },
};
