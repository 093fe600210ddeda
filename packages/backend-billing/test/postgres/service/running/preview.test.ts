// What a change would cost, and quotes: the change costs what was shown, or is not made.
import { describe, expect, it } from "vitest";
import { change } from "../../../../src/core/subscriptions/change/change.js";
import { preview } from "../../../../src/core/subscriptions/change/preview.js";
import { applications, billingError } from "../kit.js";
import { deaf, entityId, openShop, subscriber } from "./kit.js";

const open = applications();

async function subscribed() {
  const app = await open(deaf());
  const shop = await openShop(app);
  const made = await subscriber(app, [{ price: shop.basic.id, quantity: 2 }]);
  await app.double.clock.advance({ days: 10 });
  const end = made.items.data[0]?.current_period_end ?? 0;
  return { app, shop, id: made.id, end, args: { entityId, priceId: shop.pro.id } };
}

describe("a preview", () => {
  it("shows what is due now, what comes next, and the lines", async () => {
    const { app, shop, end } = await subscribed();
    const shown = await app.b.billing.preview({ entityId, priceId: shop.pro.id });
    const rest = (amount: number) => Math.round((amount * 21) / 31);
    expect(shown).toMatchObject({
      currency: "usd",
      dueNow: rest(6_000) - rest(2_000),
      next: { at: end * 1000, amount: 6_000 },
    });
    expect(shown.lines.map(({ amount, isProration }) => [amount, isProration])).toEqual([
      [-rest(2_000), true],
      [rest(6_000), true],
    ]);
    expect(shown.lines[0]?.description).toContain("Unused time");
    expect(app.double.objects("invoice")).toHaveLength(1);
  });

  it("of a cheaper plan owes nothing now, and what is left over lowers the next invoice", async () => {
    const { app, shop, end } = await subscribed();
    const shown = await app.b.billing.preview({ entityId, quantity: 1, priceId: shop.basic.id });
    const credit = Math.round((2_000 * 21) / 31) - Math.round((1_000 * 21) / 31);
    expect(shown).toMatchObject({ dueNow: 0, next: { at: end * 1000, amount: 1_000 - credit } });
  });

  it("of another interval bills the new period now, and again a year later", async () => {
    const { app, shop } = await subscribed();
    const shown = await app.b.billing.preview({ entityId, priceId: shop.yearly.id });
    const now = Math.floor(app.double.clock.now() / 1000);
    expect(shown).toMatchObject({
      dueNow: 60_000 - Math.round((2_000 * 21) / 31),
      next: { at: (now + 365 * 86_400) * 1000, amount: 60_000 },
    });
  });

  it("shows the renewals before an end that is set for later", async () => {
    const { app, shop, id, end } = await subscribed();
    await app.stripe.subscriptions.update(id, { cancel_at: end + 90 * 86_400 });
    const shown = await app.b.billing.preview({ entityId, priceId: shop.pro.id });
    expect(shown.next).toMatchObject({ at: end * 1000 });
    await app.stripe.subscriptions.update(id, { cancel_at: end });
    const last = await app.b.billing.preview({ entityId, priceId: shop.pro.id });
    expect(last.next).toBeNull();
  });

  it("without an invoice now shows the difference on the next one", async () => {
    const { app, shop, end } = await subscribed();
    const { billing } = app.b;
    const more = { entityId, priceId: shop.pro.id };
    const rest = Math.round((6_000 * 21) / 31) - Math.round((2_000 * 21) / 31);
    expect(await billing.preview({ ...more, proration: "create_prorations" })).toMatchObject({
      dueNow: 0,
      next: { at: end * 1000, amount: 6_000 + rest },
    });
    expect(await billing.preview({ ...more, proration: "none" })).toMatchObject({
      dueNow: 0,
      next: { at: end * 1000, amount: 6_000 },
    });
    expect(await billing.preview({ ...more, at: "period_end" })).toMatchObject({
      dueNow: 0,
      next: { at: end * 1000, amount: 6_000 },
    });
  });
});

describe("a quote", () => {
  it("makes the change cost what was shown, whenever it is made within the hour", async () => {
    const { app, args } = await subscribed();
    const shown = await preview(app.core, args);
    await app.double.clock.advance({ minutes: 59 });
    await change(app.core, { ...args, quote: shown.quote });
    expect(app.double.objects("invoice").at(-1)?.amount_due).toBe(shown.dueNow);
  });

  it("is over after an hour, and where the subscription or its price has changed", async () => {
    const { app, id, args, shop } = await subscribed();
    const { quote } = await preview(app.core, args);
    const refusal = (more: object = {}) =>
      billingError(change(app.core, { ...args, quote, ...more }));
    expect((await refusal({ quantity: 9 })).code).toBe("quote_expired");
    expect((await refusal({ at: "period_end" })).code).toBe("quote_expired");
    expect((await refusal({ priceId: shop.yearly.id })).code).toBe("quote_expired");
    await app.stripe.invoiceItems.create({
      customer: String((await app.stripe.subscriptions.retrieve(id)).customer),
      amount: 100,
      currency: "usd",
    });
    expect((await refusal()).code).toBe("quote_expired"); // it would cost a dollar more
    await app.double.clock.advance({ minutes: 61 });
    expect((await refusal()).code).toBe("quote_expired");
    expect(app.double.objects("invoice")).toHaveLength(1);
  });

  it("is over where a period has begun since, also within the hour", async () => {
    const { app, args, end } = await subscribed();
    const now = Math.floor(app.double.clock.now() / 1000);
    await app.double.clock.advance({ seconds: end - now - 600 });
    const { quote } = await preview(app.core, args);
    await app.double.clock.advance({ minutes: 20 });
    expect((await billingError(change(app.core, { ...args, quote }))).code).toBe("quote_expired");
  });

  it("of nobody's making, or of another entity, is refused", async () => {
    const { app, args } = await subscribed();
    const { quote } = await preview(app.core, args);
    const [data, signature] = quote.split("~");
    for (const wrong of ["", "x", `${data}~`, `${data}x~${signature}`, `${data}`]) {
      const error = await billingError(change(app.core, { ...args, quote: wrong }));
      expect(error.code).toBe("invalid_argument");
    }
    expect(app.double.objects("invoice")).toHaveLength(1);
  });
});
