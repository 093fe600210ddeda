// The third argument of variant A: what reaches the session alone, and what reaches every call.
import { describe, expect, it } from "vitest";
import * as links from "../../../src/core/links/sessions.js";
import { type AppOptions, applications, billingError, NOW } from "./kit.js";
import { entityId, paying, price, sessionsOf, subscribing, urlsOf } from "./links-kit.js";

const open = applications();
const still = (options: AppOptions = {}) =>
  open({ endpoint: false, ...options, stripe: { now: NOW, ...options.stripe } });

describe("request options", () => {
  it("an idempotency key reaches the session alone, and repeats it", async () => {
    const app = await still();
    const params = subscribing(app, await price(app));
    const options = { idempotencyKey: "cart_1" };
    const first = await app.a.stripe.subscribe({}, params, options);
    const again = await app.a.stripe.subscribe({}, params, options);
    expect(again).toEqual({ ...first, kind: "open" });
    expect(sessionsOf(app)).toHaveLength(1);
    const made = (await app.stripe.events.list({ type: "customer.created" })).data;
    expect(made.map(({ request }) => request?.idempotency_key)).not.toContain("cart_1");
    const portal = { entityId, returnUrl: `${app.url}/account` };
    await app.b.sync({ data: false, portal: true });
    const link = await app.a.stripe.portal({}, portal, { idempotencyKey: "portal_1" });
    expect(await app.a.stripe.portal({}, portal, { idempotencyKey: "portal_1" })).toEqual(link);
  });

  it("an idempotency key repeats the session later that day, and on the next", async () => {
    const app = await still();
    const params = subscribing(app, await price(app));
    const call = () => links.subscribe(app.core, params, { idempotencyKey: "cart_1" });
    const first = await call();
    await app.double.clock.advance({ hours: 3, seconds: 7 });
    expect(await call()).toEqual({ ...first, kind: "open" });
    await app.double.clock.advance({ hours: 20 }); // past midnight, and within the key's life
    expect(await call()).toEqual({ ...first, kind: "open" });
    expect(sessionsOf(app)).toHaveLength(1);
  });

  it("an idempotency key for another order is another page, and the first can be paid no more", async () => {
    const app = await still();
    const options = { idempotencyKey: "cart_1" };
    await app.a.stripe.subscribe({}, subscribing(app, await price(app)), options);
    await app.a.stripe.subscribe({}, subscribing(app, await price(app)), options);
    expect(sessionsOf(app).map(({ status }) => status)).toEqual(["expired", "open"]);
  });

  it("an idempotency key under which another order's caller died before it recorded its page", async () => {
    const app = await still();
    const { customerId: customer } = await app.b.setup({ entityId });
    const line_items = [{ price: await price(app), quantity: 1 }];
    const unrecorded = { customer, mode: "subscription", line_items, ...urlsOf(app) } as const;
    await app.stripe.checkout.sessions.create(unrecorded, { idempotencyKey: "cart_1:1" });
    const params = subscribing(app, await price(app));
    const call = () => links.subscribe(app.core, params, { idempotencyKey: "cart_1" });
    const page = await call();
    expect(page.kind).toBe("checkout");
    expect(await call()).toEqual({ ...page, kind: "open" });
    expect(sessionsOf(app).map(({ status }) => status)).toEqual(["expired", "open"]);
  });

  it("an idempotency key that is too long once it has a number is Stripe's to refuse, at once", async () => {
    const app = await still();
    const params = subscribing(app, await price(app));
    const call = (length: number) =>
      links.subscribe(app.core, params, { idempotencyKey: "k".repeat(length) });
    const { code, message } = await billingError(call(254));
    expect(code).toBe("provider_error");
    expect(message).toContain("255");
    expect(await call(253)).toMatchObject({ kind: "checkout" }); // no number was lost
  });

  it("an idempotency key for another payment is Stripe's to refuse", async () => {
    const app = await still();
    const options = { idempotencyKey: "cart_1" };
    await app.a.stripe.pay({}, paying(app, await price(app, undefined, false)), options);
    const other = app.a.stripe.pay({}, paying(app, await price(app, undefined, false)), options);
    const error = await billingError(other);
    expect(error).toMatchObject({
      code: "provider_error",
      cause: { rawType: "idempotency_error" },
    });
    expect(sessionsOf(app)).toHaveLength(1);
  });

  it("an account reaches every call: the customer is made there, and belongs there", async () => {
    const app = await still();
    const own = await app.b.setup({ entityId });
    const options = { stripeAccount: app.double.connectAccount() };
    const params = subscribing(app, await price(app, options));
    await app.a.stripe.subscribe({}, params, options);
    await app.a.stripe.subscribe({}, params, options);
    const there = (await app.stripe.customers.list({}, options)).data;
    expect(there.map(({ metadata }) => metadata)).toEqual([{ entityId }]);
    const sessions = (await app.stripe.checkout.sessions.list({}, options)).data;
    expect(sessions.map(({ customer }) => customer)).toEqual([there[0]?.id]);
    expect(app.double.objects("customer").map(({ id }) => id)).toEqual([own.customerId]);
    expect(sessionsOf(app)).toEqual([]);
    // The mirror is of the key's own account, and so are its links.
    expect((await app.customers()).map(({ customerId }) => customerId)).toEqual([own.customerId]);
    expect(await app.b.setup({ entityId })).toEqual(own);
  });

  it("an account reaches the portal, without a configuration of another account", async () => {
    const app = await still();
    await app.b.setup({ entityId });
    await app.b.sync({ data: false, portal: true });
    const options = { stripeAccount: app.double.connectAccount() };
    const portal = { entityId, returnUrl: `${app.url}/account` };
    const missing = await billingError(app.a.stripe.portal({}, portal, options));
    expect(missing.code).toBe("customer_not_found");
    await app.a.stripe.subscribe({}, subscribing(app, await price(app, options)), options);
    const { id } = await app.stripe.billingPortal.configurations.create(
      { features: { invoice_history: { enabled: true } } },
      options,
    );
    const { url } = await app.a.stripe.portal({}, { ...portal, configuration: id }, options);
    expect(url).toContain("/p/session/");
    expect(app.double.objects("billing_portal.session")).toEqual([]);
    // Without one it is Stripe that says what is missing, not that ours does not exist there.
    const error = await billingError(app.a.stripe.portal({}, portal, options));
    expect(error.message).not.toContain("No such configuration");
  });

  it("an account that is empty is refused, for Stripe's SDK ignores it, and nothing is made", async () => {
    const app = await still();
    const a = app.a.stripe;
    const portal = { entityId, returnUrl: `${app.url}/account` };
    const saving = { entityId, mode: "setup", currency: "usd", ...urlsOf(app) } as const;
    const [plan, once] = [await price(app), await price(app, undefined, false)];
    for (const stripeAccount of ["", null as never, 7 as never]) {
      for (const call of [
        () => a.subscribe({}, subscribing(app, plan), { stripeAccount }),
        () => a.pay({}, paying(app, once), { stripeAccount }),
        () => a.savePaymentMethod({}, saving, { stripeAccount }),
        () => a.portal({}, portal, { stripeAccount }),
      ]) {
        const { code, message } = await billingError(call());
        expect(code).toBe("invalid_argument");
        expect(message).toContain("stripeAccount");
      }
    }
    expect(app.double.objects("customer")).toEqual([]);
  });

  it("two accounts have two customers for one entity, however many ask at once", async () => {
    const app = await open({ endpoint: false });
    const accounts = [app.double.connectAccount(), app.double.connectAccount()];
    const calls: Promise<unknown>[] = [];
    for (const stripeAccount of accounts) {
      const params = subscribing(app, await price(app, { stripeAccount }));
      for (let i = 0; i < 5; i++) calls.push(app.a.stripe.subscribe({}, params, { stripeAccount }));
    }
    await Promise.all(calls);
    for (const stripeAccount of accounts) {
      expect((await app.stripe.customers.list({}, { stripeAccount })).data).toHaveLength(1);
    }
  });
});
