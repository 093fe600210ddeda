// A running subscription on Convex, in both variants, without a webhook: changed, previewed, ended.
import { describe, expect, it } from "vitest";
import { billingErrorOf } from "../../../src/convex/index.js";
import { type App, openApp, thrown } from "./kit.js";

type Form = { [name: string]: string };

async function post<T>({ double }: App, path: string, form: Form = {}): Promise<T> {
  const answer = await fetch(`${double.url}${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${double.secretKey}` },
    body: new URLSearchParams(form),
  });
  return (await answer.json()) as T;
}

const price = async (app: App, name: string, amount: number): Promise<string> => {
  const form = {
    currency: "usd",
    unit_amount: String(amount),
    "recurring[interval]": "month",
    "product_data[name]": name,
  };
  return (await post<{ id: string }>(app, "/v1/prices", form)).id;
};

const entityId = "org_1";

async function subscribed(card = "pm_card_visa") {
  const app = await openApp();
  const [basic, pro] = [await price(app, "Basic", 1_000), await price(app, "Pro", 3_000)];
  const { customerId } = await app.call<{ customerId: string }>("billing:setup", { entityId });
  const useCard = async (next: string) => {
    const path = `/v1/payment_methods/${next}/attach`;
    const { id } = await post<{ id: string }>(app, path, { customer: customerId });
    const form = { "invoice_settings[default_payment_method]": id };
    await post(app, `/v1/customers/${customerId}`, form);
  };
  await useCard("pm_card_visa");
  await post(app, "/v1/subscriptions", {
    customer: customerId,
    "items[0][price]": basic,
    "items[0][quantity]": "2",
  });
  if (card !== "pm_card_visa") await useCard(card);
  return { app, basic, pro, ...app.deployment };
}

describe("a running subscription", () => {
  it.each(["A", "B"] as const)("is previewed, changed and ended in variant %s", async (variant) => {
    const { app, A, B, basic, pro } = await subscribed();
    const client = variant === "A" ? A.stripe : B.billing;
    const args = { entityId, priceId: pro };
    const shown = await app.within((ctx) => client.preview(ctx, args));
    expect(shown).toMatchObject({ dueNow: 4_000, next: { amount: 6_000 } });
    const { quote } = shown;
    const changed = await app.within((ctx) => client.change(ctx, { ...args, quote }));
    expect(changed).toMatchObject({
      state: "changed",
      subscription: { entityId, priceId: pro, quantity: 2, access: true },
    });
    expect(app.double.objects("invoice").at(-1)?.amount_due).toBe(4_000);
    const later = await app.within((ctx) =>
      client.change(ctx, { entityId, priceId: basic, at: "period_end" }),
    );
    expect(later).toMatchObject({ state: "scheduled", subscription: { next: { priceId: basic } } });
    const ending = await app.within((ctx) => client.cancel(ctx, { entityId }));
    expect(ending).toMatchObject({ next: null, endsAt: expect.any(Number) });
    const kept = await app.within((ctx) => client.resume(ctx, { entityId }));
    expect(kept).toMatchObject({ endsAt: null, priceId: pro });
    expect(await app.within((ctx) => client.refresh(ctx, { entityId }))).toEqual([kept]);
  });

  it("stays as it is where the card is declined, and people are told so", async () => {
    const { app, B, basic, pro } = await subscribed("pm_card_chargeCustomerFail");
    const error = await thrown(
      app.within((ctx) => B.billing.change(ctx, { entityId, priceId: pro })),
    );
    expect(billingErrorOf(error)).toMatchObject({
      code: "payment_failed",
      message: expect.stringContaining("Nothing was changed"),
    });
    const [now] = await app.within((ctx) => B.billing.refresh(ctx, { entityId }));
    expect(now).toMatchObject({ priceId: basic, quantity: 2, status: "active" });
  });

  it("waits at a page where the bank asks for the person", async () => {
    const { app, B, basic, pro } = await subscribed("pm_card_authenticationRequired");
    const changed = await app.within((ctx) => B.billing.change(ctx, { entityId, priceId: pro }));
    expect(changed).toMatchObject({
      state: "payment_required",
      url: app.double.objects("invoice").at(-1)?.hosted_invoice_url,
      subscription: { priceId: basic },
    });
  });
});
