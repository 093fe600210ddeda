// `ingest` on Convex: an event that a queue brought goes the way of a webhook, inside an action.
import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { billingErrorOf } from "../../../src/convex/index.js";
import { type App, openApp, thrown } from "./kit.js";

const at = async <T>({ double }: App, path: string, form?: { [name: string]: string }) => {
  const answer = await fetch(`${double.url}${path}`, {
    headers: { Authorization: `Bearer ${double.secretKey}` },
    ...(form && { method: "POST", body: new URLSearchParams(form) }),
  });
  return (await answer.json()) as T;
};

const stored = ({ deployment }: App) =>
  deployment.backend.run(async (ctx) => ({
    customers: await ctx.db.query("backend_billing_customers").collect(),
    receipts: await ctx.db.query("backend_billing_receipts").collect(),
  }));

describe("ingest", () => {
  it.each(["A", "B"] as const)(
    "stores before it returns, and once, in variant %s",
    async (variant) => {
      const app = await openApp({ variant });
      const client = variant === "A" ? app.deployment.A.stripe : app.deployment.B.billing;
      const form = { "metadata[entityId]": "user_1" };
      const { id } = await at<{ id: string }>(app, "/v1/customers", form);
      const { data } = await at<{ data: Stripe.Event[] }>(app, "/v1/events?limit=1");
      const [created] = data as [Stripe.Event];
      for (let times = 0; times < 2; times++) {
        await app.within((ctx) => client.ingest(ctx, created));
        const { customers, receipts } = await stored(app);
        expect(customers).toMatchObject([{ customerId: id, entityId: "user_1" }]);
        expect(receipts).toHaveLength(1);
      }
    },
  );

  it("refuses what is no event, and an event of the other mode", async () => {
    const app = await openApp();
    const { ingest } = app.deployment.B.billing;
    await at(app, "/v1/products", { name: "Engine" });
    const { data } = await at<{ data: Stripe.Event[] }>(app, "/v1/events?limit=1");
    const refusal = async (given: unknown) =>
      billingErrorOf(await thrown(app.within((ctx) => ingest(ctx, given as Stripe.Event))))?.code;
    expect(await refusal({ detail: data[0] })).toBe("invalid_argument");
    expect(await refusal({ ...data[0], livemode: true })).toBe("livemode_mismatch");
    expect((await stored(app)).receipts).toEqual([]);
  });
});
