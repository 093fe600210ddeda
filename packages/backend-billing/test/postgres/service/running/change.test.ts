// A running subscription changes: now if it is paid for, or when the period ends. No webhook comes.
import { describe, expect, it } from "vitest";
import { type App, applications, billingError } from "../kit.js";
import { deaf, entityId, itemsOf, openShop, rowOf, subscriber, truthOf, useCard } from "./kit.js";

const open = applications();

const invoicesOf = ({ double }: App) => double.objects("invoice");

/** That the tables hold what Stripe has, without any webhook. */
async function isMirrored(app: App, id: string): Promise<void> {
  expect(await rowOf(app, id)).toEqual(await truthOf(app, id));
  for (const { id: invoice, status } of invoicesOf(app).slice(-1)) {
    const row = await app.b.store.row("invoices", invoice);
    if (row !== undefined) expect(row.stripe.status).toBe(status);
  }
}

async function subscribed(quantity = 3) {
  const app = await open(deaf());
  const shop = await openShop(app);
  const { id } = await subscriber(app, [{ price: shop.basic.id, quantity }]);
  await app.double.clock.advance({ days: 10 });
  return { app, shop, id, billing: app.b.billing };
}

describe("now", () => {
  it("another price keeps the quantity, is invoiced at once and is in the tables", async () => {
    const { app, shop, id, billing } = await subscribed();
    const changed = await billing.change({ entityId, priceId: shop.pro.id });
    expect(changed).toMatchObject({
      state: "changed",
      subscription: { priceId: shop.pro.id, quantity: 3, status: "active", access: true },
    });
    expect(itemsOf(await app.stripe.subscriptions.retrieve(id))).toEqual([[shop.pro.id, 3]]);
    const [, invoice] = invoicesOf(app);
    // 21 of 31 days, three times, from 10 to 30 dollars.
    expect(invoice).toMatchObject({
      status: "paid",
      total: Math.round((9000 * 21) / 31) - Math.round((3000 * 21) / 31),
    });
    await isMirrored(app, id);
    const row = await app.b.store.row("invoices", invoice?.id ?? "");
    expect(row?.stripe.status).toBe("paid");
  });

  it("both variants and a lookup key do the same; another quantity keeps the price", async () => {
    const { app, shop, id } = await subscribed();
    await app.a.stripe.change({ entityId, lookupKey: "pro:month", quantity: 2 });
    await app.a.stripe.change({ entityId, quantity: 7 });
    expect(itemsOf(await rowOf(app, id))).toEqual([[shop.pro.id, 7]]);
  });

  it("add-ons stay, and an item that is named is the one that changes", async () => {
    const app = await open(deaf());
    const shop = await openShop(app);
    const { id, items } = await subscriber(app, [
      { price: shop.support.id, quantity: 4 },
      { price: shop.basic.id, quantity: 2 },
    ]);
    await app.b.billing.change({ entityId, priceId: shop.pro.id });
    expect(itemsOf(await rowOf(app, id))).toEqual([
      [shop.support.id, 4],
      [shop.pro.id, 2],
    ]);
    await app.b.billing.change({ entityId, quantity: 9, itemId: items.data[0]?.id });
    expect(itemsOf(await rowOf(app, id))[0]).toEqual([shop.support.id, 9]);
    const error = await billingError(
      app.b.billing.change({ entityId, quantity: 9, itemId: "si_none" }),
    );
    expect(error.code).toBe("invalid_argument");
  });

  it("a price of another group is refused, and of an unknown price nothing is changed", async () => {
    const { app, shop, billing } = await subscribed();
    const other = await billingError(billing.change({ entityId, priceId: shop.support.id }));
    expect(other).toMatchObject({ code: "invalid_argument", message: /group "support"/ });
    for (const args of [{ priceId: "price_none" }, { lookupKey: "none" }]) {
      expect((await billingError(billing.change({ entityId, ...args }))).code).toBe(
        "invalid_argument",
      );
    }
    expect(invoicesOf(app)).toHaveLength(1);
  });

  it("what is so already costs nothing and asks for nothing", async () => {
    const { app, shop, billing } = await subscribed();
    const same = await billing.change({ entityId, priceId: shop.basic.id, quantity: 3 });
    expect(same).toMatchObject({ state: "changed", subscription: { quantity: 3 } });
    expect(invoicesOf(app)).toHaveLength(1);
  });

  it("who has no subscription, or had one, is not subscribed", async () => {
    const app = await open(deaf());
    const shop = await openShop(app);
    const nobody = () => billingError(app.b.billing.change({ entityId, priceId: shop.pro.id }));
    expect((await nobody()).code).toBe("not_subscribed");
    const { id } = await subscriber(app, [{ price: shop.basic.id }]);
    await app.b.billing.refresh({ entityId });
    await app.stripe.subscriptions.cancel(id);
    expect((await nobody()).code).toBe("not_subscribed");
    expect((await rowOf(app, id)).status).toBe("canceled");
  });

  it("who has bought again is found, though the tables only know the subscription that ended", async () => {
    const { app, shop, id, billing } = await subscribed();
    await billing.refresh({ entityId });
    const { customer } = await app.stripe.subscriptions.cancel(id);
    await app.stripe.subscriptions.create({
      customer: String(customer),
      items: [{ price: shop.basic.id }],
    });
    const changed = await billing.change({ entityId, priceId: shop.pro.id });
    expect(changed.subscription).toMatchObject({ priceId: shop.pro.id, quantity: 1 });
    expect(changed.subscription.subscriptionId).not.toBe(id);
  });
});

describe("a payment that fails", () => {
  it("by a card that is declined leaves the old plan in place, and nothing owed", async () => {
    const { app, shop, id, billing } = await subscribed();
    const { customer } = await app.stripe.subscriptions.retrieve(id);
    await useCard(app, String(customer), "pm_card_chargeCustomerFail");
    const before = itemsOf(await app.stripe.subscriptions.retrieve(id));
    const error = await billingError(billing.change({ entityId, priceId: shop.pro.id }));
    expect(error).toMatchObject({ code: "payment_failed", status: 402, expose: true });
    const now = await app.stripe.subscriptions.retrieve(id);
    expect(itemsOf(now)).toEqual(before);
    expect(now).toMatchObject({ status: "active", pending_update: null });
    expect(invoicesOf(app).map(({ status }) => status)).toEqual(["paid", "void"]);
    await isMirrored(app, id);
    await useCard(app, String(customer), "pm_card_visa");
    const { state } = await billing.change({ entityId, priceId: shop.pro.id });
    expect(state).toBe("changed");
  });

  it("because the bank asks for the person waits at a page, and is made when it is paid", async () => {
    const { app, shop, id, billing } = await subscribed();
    const { customer } = await app.stripe.subscriptions.retrieve(id);
    await useCard(app, String(customer), "pm_card_authenticationRequired");
    const changed = await billing.change({ entityId, priceId: shop.pro.id });
    expect(changed).toMatchObject({
      state: "payment_required",
      url: invoicesOf(app).at(-1)?.hosted_invoice_url,
      subscription: { priceId: shop.basic.id, quantity: 3, access: true },
    });
    await isMirrored(app, id);
    const intent = app.double.objects("payment_intent").at(-1);
    app.double.dashboard.authenticate(intent?.id ?? "", "succeed");
    const [after] = await billing.refresh({ entityId });
    expect(after).toMatchObject({ priceId: shop.pro.id, quantity: 3 });
  });

  it("where invoices are sent changes the plan, and the invoice is open", async () => {
    const app = await open(deaf());
    const shop = await openShop(app);
    const { id } = await subscriber(app, [{ price: shop.basic.id }], {
      collection_method: "send_invoice",
      days_until_due: 14,
    });
    const changed = await app.b.billing.change({ entityId, priceId: shop.pro.id });
    expect(changed.state).toBe("changed");
    expect(itemsOf(await rowOf(app, id))).toEqual([[shop.pro.id, 1]]);
  });
});
