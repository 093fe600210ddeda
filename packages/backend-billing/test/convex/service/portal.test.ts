// The portal's settings through the `sync` action.
import Stripe from "stripe";
import { expect, it } from "vitest";
import { openApp } from "./kit.js";

it("takes Stripe's parameters, and keeps them in later calls", async () => {
  const app = await openApp();
  const stripe = new Stripe(app.double.secretKey, app.double.stripeConfig);
  const { id: product } = await stripe.products.create({ name: "Plan" });
  const recurring = { interval: "month" } as const;
  await stripe.prices.create({ product, currency: "usd", unit_amount: 2000, recurring });
  const features = { subscription_cancel: { enabled: true, mode: "immediately" } };
  const sync = async (portal: unknown) => {
    const args = { data: false, portal };
    const report = await app.call<{ portal?: { configurationId: string } }>("billing:sync", args);
    return stripe.billingPortal.configurations.retrieve(report.portal?.configurationId ?? "");
  };
  const made = await sync({ name: "Ours", features });
  expect(made).toMatchObject({
    name: "Ours",
    features: {
      subscription_cancel: { mode: "immediately" },
      subscription_update: { enabled: true, default_allowed_updates: ["price", "quantity"] },
    },
  });
  expect(await sync(true)).toEqual(made);
  expect((await sync({})).features.subscription_cancel.mode).toBe("at_period_end");
});
