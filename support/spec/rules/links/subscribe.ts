/** Section 4.2: `subscribe`, of variant A. */
import type Stripe from "stripe";
import { expect } from "vitest";
import type { SubscribeParams } from "../../../../packages/backend-billing/src/core/links/params.js";
import type { Checks, SpecApp } from "../../harness.js";
import {
  existing,
  expectMirror,
  linkNamed,
  openShop,
  payAt,
  refusal,
  sessionAt,
  visit,
  without,
} from "../../kit.js";

async function params(app: SpecApp): Promise<SubscribeParams> {
  const { monthly } = await openShop(app);
  return {
    entityId: "user_1",
    priceId: monthly.id,
    mode: "subscription",
    success_url: `${app.baseUrl}/welcome?from=checkout`,
    cancel_url: `${app.baseUrl}/pricing?from=checkout`,
  };
}

/** What is missing is told before anything is made at Stripe. */
export async function expectRefused(app: SpecApp, call: Promise<unknown>): Promise<void> {
  expect((await refusal(call)).code).toBe("invalid_argument");
  expect(app.double.objects("checkout.session")).toEqual([]);
  expect(await existing(app, "customers")).toEqual(new Map());
}

export const subscribe: Checks<"4.2#subscribe-"> = {
  "4.2#subscribe-session": async (open) => {
    const app = await open({ variant: "A" });
    const given = await params(app);
    const { customerId } = await app.a.setup({ entityId: "user_1" });
    const { url } = await app.a.subscribe(given);
    const session = await sessionAt(app, url);
    expect(session).toMatchObject({ mode: "subscription", customer: customerId });
    const lines = await app.stripe.checkout.sessions.listLineItems(session.id);
    expect(lines.data).toMatchObject([{ price: { id: given.priceId }, quantity: 1 }]);
    await payAt(url);
    await app.settle();
    const [row] = await app.reads.activeSubscriptionsOf("user_1");
    expect(row?.stripe?.items.data[0]?.price.id).toBe(given.priceId);
  },

  "4.2#subscribe-shape": async (open) => {
    const app = await open({ variant: "A" });
    const given = await params(app);
    const plain = await app.a.subscribe({ ...given, ifSubscribed: "allow" });
    const optioned = await app.a.subscribe(
      { ...given, ifSubscribed: "allow" },
      { timeout: 10_000 },
    );
    expect(plain.url).not.toBe(optioned.url);
    expect(app.double.objects("checkout.session")).toHaveLength(2);
  },

  "4.2#subscribe-entityId": async (open) => {
    const app = await open({ variant: "A" });
    const given = await params(app);
    await expectRefused(app, app.a.subscribe(without(given, "entityId")));
  },

  "4.2#subscribe-priceId": async (open) => {
    const app = await open({ variant: "A" });
    const given = await params(app);
    await expectRefused(app, app.a.subscribe(without(given, "priceId")));
  },

  "4.2#subscribe-mode": async (open) => {
    const app = await open({ variant: "A" });
    const given = await params(app);
    await expectRefused(app, app.a.subscribe(without(given, "mode")));
    await expectRefused(app, app.a.subscribe({ ...given, mode: "payment" as never }));
  },

  "4.2#subscribe-success_url": async (open) => {
    const app = await open({ variant: "A" });
    const given = await params(app);
    await expectRefused(app, app.a.subscribe(without(given, "success_url")));
    const { url } = await app.a.subscribe(given);
    expect(await payAt(url)).toBe(given.success_url);
  },

  "4.2#subscribe-cancel_url": async (open) => {
    const app = await open({ variant: "A" });
    const given = await params(app);
    await expectRefused(app, app.a.subscribe(without(given, "cancel_url")));
    const { url } = await app.a.subscribe(given);
    expect(linkNamed(await visit(url), "Back")).toBe(given.cancel_url);
  },

  "4.2#subscribe-pass-through": async (open) => {
    const app = await open({ variant: "A" });
    const more = {
      allow_promotion_codes: true,
      client_reference_id: "order_1",
      locale: "de",
      metadata: { campaign: "spring" },
      subscription_data: { trial_period_days: 7, metadata: { seat: "1" } },
    } as const satisfies Partial<Stripe.Checkout.SessionCreateParams>;
    const { url } = await app.a.subscribe({ ...(await params(app)), ...more });
    const { subscription_data: data, ...visible } = more;
    expect(await sessionAt(app, url)).toMatchObject(visible);
    await payAt(url);
    const [subscription] = (await existing(app, "subscriptions")).values();
    expect(subscription).toMatchObject({ status: "trialing", metadata: data.metadata });
    await app.settle();
    await expectMirror(app, "subscriptions");
  },

  "4.2#subscribe-request-options": async (open) => {
    const app = await open({ variant: "A" });
    const given = await params(app);
    const options = { idempotencyKey: "order-1" };
    const first = await app.a.subscribe(given, options);
    await new Promise((resolve) => setTimeout(resolve, 1100)); // a retry comes later
    expect(await app.a.subscribe(given, options)).toMatchObject({ url: first.url });
    expect(app.double.objects("checkout.session")).toHaveLength(1);
    const other = { ...given, quantity: 2 };
    expect((await refusal(app.a.subscribe(other, { apiKey: "sk_test_none" }))).code).toBe(
      "provider_error",
    );
  },

  "4.2#subscribe-returns": async (open) => {
    const app = await open({ variant: "A" });
    const { url } = await app.a.subscribe(await params(app));
    expect(url).toEqual(expect.any(String));
    const page = await visit(url);
    expect(page.status).toBe(200);
    expect(page.text).toContain("Difference Engine");
  },
};
