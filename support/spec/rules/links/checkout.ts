/** Section 4.2: `checkout`, of variant B. */
import { expect } from "vitest";
import type { CheckoutArgs } from "../../../../packages/backend-billing/src/core/links/params.js";
import type { Checks, SpecApp } from "../../harness.js";
import {
  existing,
  linkNamed,
  openShop,
  payAt,
  refusal,
  sessionAt,
  visit,
  without,
} from "../../kit.js";
import { expectRefused } from "./subscribe.js";

async function args(app: SpecApp): Promise<CheckoutArgs> {
  const { monthly } = await openShop(app);
  return {
    entityId: "user_1",
    priceId: monthly.id,
    successUrl: `${app.baseUrl}/welcome?from=checkout`,
    cancelUrl: `${app.baseUrl}/pricing?from=checkout`,
  };
}

export const checkout: Checks<"4.2#checkout-"> = {
  "4.2#checkout-session": async (open) => {
    const app = await open();
    const given = await args(app);
    const { customerId } = await app.b.setup({ entityId: "user_1" });
    const { url } = await app.b.checkout(given);
    const session = await sessionAt(app, url);
    expect(session).toMatchObject({ mode: "subscription", customer: customerId });
    const lines = await app.stripe.checkout.sessions.listLineItems(session.id);
    expect(lines.data).toMatchObject([{ price: { id: given.priceId }, quantity: 1 }]);
    await payAt(url);
    await app.settle();
    const [row] = await app.reads.activeSubscriptionsOf("user_1");
    expect(row?.stripe?.items.data[0]?.price.id).toBe(given.priceId);
  },

  "4.2#checkout-deleted": async (open) => {
    const app = await open({ delivery: "held" });
    const given = await args(app);
    const first = await app.b.setup({ entityId: "user_1" });
    await app.stripe.customers.del(first.customerId);
    const { customer } = await sessionAt(app, (await app.b.checkout(given)).url);
    expect(customer).not.toBe(first.customerId);
    expect([...(await existing(app, "customers")).keys()]).toEqual([customer]);
    expect((await app.reads.customerOf("user_1"))?.customerId).toBe(customer);
    await app.stripe.customers.del(String(customer));
    const strict = { ...given, createStripeCustomerIfMissing: false };
    expect((await refusal(app.b.checkout(strict))).code).toBe("customer_not_found");
  },

  "4.2#checkout-entityId": async (open) => {
    const app = await open();
    const given = await args(app);
    await expectRefused(app, app.b.checkout(without(given, "entityId")));
  },

  "4.2#checkout-priceId": async (open) => {
    const app = await open();
    const given = await args(app);
    await expectRefused(app, app.b.checkout(without(given, "priceId")));
  },

  "4.2#checkout-successUrl": async (open) => {
    const app = await open();
    const given = await args(app);
    await expectRefused(app, app.b.checkout(without(given, "successUrl")));
    const { url } = await app.b.checkout(given);
    expect(await payAt(url)).toBe(given.successUrl);
  },

  "4.2#checkout-cancelUrl": async (open) => {
    const app = await open();
    const given = await args(app);
    await expectRefused(app, app.b.checkout(without(given, "cancelUrl")));
    const { url } = await app.b.checkout(given);
    expect(linkNamed(await visit(url), "Back")).toBe(given.cancelUrl);
  },

  "4.2#checkout-default": async (open) => {
    const app = await open();
    const { url } = await app.b.checkout(await args(app));
    const row = await app.reads.customerOf("user_1");
    expect(row).toBeDefined();
    expect((await sessionAt(app, url)).customer).toBe(row?.customerId);
  },

  "4.2#checkout-true": async (open) => {
    const app = await open();
    const given = { ...(await args(app)), createStripeCustomerIfMissing: true };
    const { url } = await app.b.checkout(given);
    await app.b.checkout(given);
    const customers = [...(await existing(app, "customers")).values()];
    expect(customers).toMatchObject([{ metadata: { entityId: "user_1" } }]);
    expect((await sessionAt(app, url)).customer).toBe(customers[0]?.id);
  },

  "4.2#checkout-false": async (open) => {
    const app = await open();
    const given = { ...(await args(app)), createStripeCustomerIfMissing: false };
    expect((await refusal(app.b.checkout(given))).code).toBe("customer_not_found");
    expect(await existing(app, "customers")).toEqual(new Map());
    expect(app.double.objects("checkout.session")).toEqual([]);
    const { customerId } = await app.b.setup({ entityId: "user_1" });
    const { url } = await app.b.checkout(given);
    expect((await sessionAt(app, url)).customer).toBe(customerId);
  },

  "4.2#checkout-returns": async (open) => {
    const app = await open();
    const { url } = await app.b.checkout(await args(app));
    expect(url).toEqual(expect.any(String));
    const page = await visit(url);
    expect(page.status).toBe(200);
    expect(page.text).toContain("Difference Engine");
  },
};
