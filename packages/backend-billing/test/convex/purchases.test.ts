// One-time purchases on Convex: the way back settles them, and queries read what became of them.
import { expect, it } from "vitest";
import { payAt } from "../../../../support/spec/kit.js";
import { idle } from "../../../../support/spec/platforms/convex-deployment.js";
import { purchaseBy, purchasesOf, refundsOf } from "../../src/convex/local.js";
import { type App, openApp } from "./service/kit.js";

async function post<T>({ double }: App, path: string, form: { [name: string]: string }) {
  const answer = await fetch(`${double.url}/v1/${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${double.secretKey}` },
    body: new URLSearchParams(form),
  });
  return (await answer.json()) as T;
}

it("a purchase is paid when its buyer comes back, and then given back, webhooks lost", async () => {
  const app = await openApp({
    config: { webhook_secret: "whsec_1", timing: { returnPatience: 20_000 } },
  });
  const price = await post<{ id: string }>(app, "prices", {
    currency: "usd",
    unit_amount: "2000",
    lookup_key: "engine",
    "product_data[name]": "Engine",
  });
  const { query } = app.deployment.backend;
  const find = () => query((ctx) => purchaseBy(ctx, { referenceId: "order_1" }));
  expect(await find()).toBeNull(); // as Convex answers undefined
  const page = await app.within((ctx) =>
    app.deployment.B.billing.pay(ctx, {
      entityId: "user_1",
      priceId: price.id,
      quantity: 3,
      referenceId: "order_1",
      successUrl: "https://shop.example/thanks",
      cancelUrl: "https://shop.example/cart",
    }),
  );
  const lines = [{ priceId: price.id, lookupKey: "engine", quantity: 3 }];
  expect(await find()).toMatchObject({ state: "open", url: page.url, lines, amount: 6_000 });
  expect(await payAt(page.url ?? "")).toBe("https://shop.example/thanks");
  expect(app.double.deliveries.all().filter(({ state }) => state === "delivered")).toEqual([]);
  const paid = await find();
  expect(paid).toMatchObject({ state: "paid", lines, refundedAmount: 0, entityId: "user_1" });
  const { sessionId = "", paymentIntentId } = paid ?? {};
  expect(await query((ctx) => purchaseBy(ctx, { sessionId }))).toEqual(paid);
  expect(await query((ctx) => purchasesOf(ctx, "user_1"))).toEqual([paid]);
  expect(await query((ctx) => purchasesOf(ctx, "user_2"))).toEqual([]);
  expect(await query((ctx) => refundsOf(ctx, "user_1"))).toEqual([]);

  const refund = await post<{ id: string }>(app, "refunds", {
    payment_intent: paymentIntentId ?? "",
  });
  await app.call("billing:sync", {});
  await idle(app.deployment.backend);
  expect(await find()).toMatchObject({ state: "refunded", refundedAmount: 6_000 });
  const refunds = await query((ctx) => refundsOf(ctx, "user_1"));
  expect(refunds.map(({ refundId }) => refundId)).toEqual([refund.id]);
});
