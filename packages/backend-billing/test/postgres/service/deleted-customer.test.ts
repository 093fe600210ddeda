// A customer that is deleted at Stripe while its event is not here yet: links must not fail on it.
import { describe, expect, it } from "vitest";
import { type App, type AppOptions, applications, billingError, NOW } from "./kit.js";

const open = applications();
const entityId = "user_1";
const DELETED = "GET /v1/customers/:customer";

async function shop(options: AppOptions = {}): Promise<{ app: App; priceId: string }> {
  const app = await open({ endpoint: false, stripe: { now: NOW }, ...options });
  const { id: product } = await app.stripe.products.create({ name: "Engine" });
  const price = { product, currency: "usd", unit_amount: 500, recurring: { interval: "month" } };
  const { id: priceId } = await app.stripe.prices.create(price as never);
  return { app, priceId };
}

const urls = ({ url }: App) => ({ success_url: `${url}/ok`, cancel_url: `${url}/no` });
const sessions = ({ double }: App) => double.objects("checkout.session");

describe("a customer deleted at Stripe before its event arrives", () => {
  const ways = {
    subscribe: ({ a, ...app }: App, priceId: string) =>
      a.stripe.subscribe({}, { entityId, priceId, mode: "subscription", ...urls(app as App) }),
    pay: ({ a, ...app }: App) =>
      a.stripe.pay(
        {},
        {
          entityId,
          referenceId: "order_1",
          mode: "payment",
          line_items: [
            {
              quantity: 1,
              price_data: { currency: "usd", unit_amount: 500, product_data: { name: "Lamp" } },
            },
          ],
          ...urls(app as App),
        },
      ),
    checkout: ({ b, url }: App, priceId: string) =>
      b.checkout({ entityId, priceId, successUrl: `${url}/ok`, cancelUrl: `${url}/no` }),
  };

  it.each(Object.entries(ways))("%s: a new one is made, once, and linked", async (_, link) => {
    const { app, priceId } = await shop();
    const first = await app.b.setup({ entityId, email: "ada@example.com" });
    await app.stripe.customers.del(first.customerId);
    await link(app, priceId);
    const [customer, ...rest] = app.double.objects("customer");
    expect(rest).toEqual([]);
    expect(customer?.metadata.entityId).toBe(entityId);
    expect(sessions(app)).toMatchObject([{ customer: customer?.id }]);
    expect(await app.claim(entityId)).toMatchObject({ customerId: customer?.id, counter: 2 });
    expect((await app.customers()).map(({ customerId }) => customerId)).toEqual([customer?.id]);
    app.double.requests.clear();
    await link(app, priceId);
    expect(app.double.requests.count(DELETED)).toBe(0);
  });

  it("is replaced under the caller's idempotency key, too", async () => {
    const { app, priceId } = await shop();
    const { customerId } = await app.b.setup({ entityId });
    await app.stripe.customers.del(customerId);
    const params = { entityId, priceId, mode: "subscription", ...urls(app) } as const;
    await app.a.stripe.subscribe({}, params, { idempotencyKey: "click-1" });
    expect(sessions(app)).toHaveLength(1);
  });

  it("has no portal: the caller is told that there is no customer", async () => {
    const { app } = await shop();
    const { customerId } = await app.b.setup({ entityId });
    await app.stripe.customers.del(customerId);
    const error = await billingError(app.b.portal({ entityId, returnUrl: `${app.url}/account` }));
    expect(error.code).toBe("customer_not_found");
    expect(await app.claim(entityId)).toMatchObject({ state: "free" });
  });

  it("that Stripe does not know at all is not let go of: the API key may be another account's", async () => {
    const { app, priceId } = await shop();
    await app.b.setup({ entityId });
    await app.sql(
      `UPDATE ${app.schema}.backend_billing_records SET ref = 'cus_elsewhere',
         data = (data::jsonb || '{"customerId": "cus_elsewhere"}')::json WHERE kind = 'claim'`,
    );
    const error = await billingError(ways.checkout(app, priceId));
    expect(error).toMatchObject({ code: "provider_error", cause: { code: "resource_missing" } });
    expect(await app.claim(entityId)).toMatchObject({ state: "linked" });
    expect(app.double.objects("customer")).toHaveLength(1);
  });
});
