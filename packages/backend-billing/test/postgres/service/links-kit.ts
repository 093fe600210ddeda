/** What the tests of links share: prices, and parameters that are all right. */
import type Stripe from "stripe";
import type { PayParams } from "../../../src/core/links/params.js";
import type { App } from "./kit.js";

export const entityId = "user_1";

export async function price(
  { stripe }: App,
  options?: Stripe.RequestOptions,
  recurring = true,
): Promise<string> {
  const params: Stripe.PriceCreateParams = {
    currency: "usd",
    unit_amount: 2_000,
    product_data: { name: "Engine" },
    ...(recurring ? { recurring: { interval: "month" } } : {}),
  };
  return (await stripe.prices.create(params, options)).id;
}

export const urlsOf = ({ url }: App) => ({
  success_url: `${url}/welcome`,
  cancel_url: `${url}/pricing`,
});
export const subscribing = (app: App, priceId: string) =>
  ({ entityId, priceId, mode: "subscription", ...urlsOf(app) }) as const;
export const paying = (app: App, priceId: string) =>
  ({
    entityId,
    referenceId: "order_7",
    mode: "payment",
    line_items: [{ price: priceId, quantity: 2 }],
    ...urlsOf(app),
  }) satisfies PayParams;
export const sessionsOf = ({ double }: App) => double.objects("checkout.session");
