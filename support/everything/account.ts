/** Accounts at the double with something of everything, also what lists like to hide. */
import type Stripe from "stripe";
import type { StripeDouble } from "../../packages/backend-billing/src/testing/index.js";

/** An account, and the merchant's hand at it. */
export interface Merchant {
  readonly double: StripeDouble;
  readonly stripe: Stripe;
}

export interface Shop {
  readonly product: Stripe.Product;
  readonly price: Stripe.Price;
  readonly customer: Stripe.Customer;
}

/** Something of everything, also what lists like to hide. */
export async function fillShop({ stripe }: Pick<Merchant, "stripe">): Promise<Shop> {
  const product = await stripe.products.create({ name: "Difference Engine" });
  const recurring = { interval: "month" } as const;
  const amount = { product: product.id, currency: "usd", unit_amount: 2000 };
  const price = await stripe.prices.create({ ...amount, recurring });
  await stripe.prices.create({ ...amount, active: false });
  await stripe.products.create({ name: "Abacus", active: false });
  const customer = await stripe.customers.create({
    email: "ada@example.com",
    metadata: { entityId: "user_1" },
    payment_method: "pm_card_visa",
    invoice_settings: { default_payment_method: "pm_card_visa" },
  });
  const items = [{ price: price.id }];
  const kept = await stripe.subscriptions.create({ customer: customer.id, items });
  const over = await stripe.subscriptions.create({ customer: customer.id, items });
  await stripe.subscriptions.cancel(over.id);
  const coupon = await stripe.coupons.create({ percent_off: 10, duration: "once" });
  await stripe.promotionCodes.create({ promotion: { type: "coupon", coupon: coupon.id } });
  await stripe.payouts.create({ amount: 1000, currency: "usd" });
  const { id: schedule } = await stripe.subscriptionSchedules.create({
    from_subscription: kept.id,
  });
  await stripe.subscriptionSchedules.release(schedule);
  const { id: session } = await stripe.checkout.sessions.create({
    mode: "setup",
    currency: "usd",
    success_url: "https://app.example/welcome",
  });
  await stripe.checkout.sessions.expire(session);
  // Invoices raised a number on the customer, and Stripe tells of that only with the next change.
  await stripe.customers.update(customer.id, { name: "Ada Lovelace" });
  return { product, price, customer };
}

/** Beside what a shop has, something of everything else. */
export async function fillAll(app: Merchant): Promise<{ customer: string; product: string }> {
  const { stripe, double } = app;
  const { product, price, customer } = await fillShop(app);
  const pay = (amount: number) =>
    stripe.paymentIntents.create({
      amount,
      currency: "usd",
      customer: customer.id,
      payment_method: "pm_card_visa",
      confirm: true,
      automatic_payment_methods: { enabled: true, allow_redirects: "never" },
    });
  const refunded = await pay(700);
  await stripe.refunds.create({ payment_intent: refunded.id });
  double.dashboard.dispute((await pay(800)).id);
  double.dashboard.warnOfFraud((await pay(900)).id);
  await stripe.setupIntents.create({ customer: customer.id });
  await stripe.customers.createTaxId(customer.id, { type: "eu_vat", value: "DE123456789" });
  await stripe.taxIds.create({ type: "eu_vat", value: "DE987654321" });
  await stripe.taxRates.create({ display_name: "VAT", percentage: 19, inclusive: true });
  await stripe.invoiceItems.create({ customer: customer.id, amount: 100, currency: "usd" });
  const [invoice] = (await stripe.invoices.list({ customer: customer.id, status: "paid" })).data;
  await stripe.creditNotes.create({ invoice: invoice?.id ?? "", amount: 100, refund_amount: 100 });
  const line_items = [{ price: price.id, quantity: 1 }];
  await stripe.quotes.create({ customer: customer.id, line_items });
  await stripe.paymentLinks.create({ line_items });
  await stripe.billingPortal.configurations.create({
    features: { invoice_history: { enabled: true } },
  });
  const steam = await stripe.entitlements.features.create({ name: "Steam", lookup_key: "steam" });
  await stripe.products.createFeature(product.id, { entitlement_feature: steam.id });
  const [running] = (await stripe.subscriptions.list({ customer: customer.id })).data;
  const { id: coupon } = await stripe.coupons.create({ percent_off: 20, duration: "forever" });
  await stripe.subscriptions.update(running?.id ?? "", {
    metadata: { from: "now" },
    discounts: [{ coupon }],
  });
  // It was redeemed, and Stripe tells of that only with its next change.
  await stripe.coupons.update(coupon, { name: "For friends" });
  const old = await stripe.entitlements.features.create({ name: "Coal", lookup_key: "coal" });
  await stripe.entitlements.features.update(old.id, { active: false });
  await stripe.billing.meters.create({
    display_name: "Turns",
    event_name: "turns",
    default_aggregation: { formula: "sum" },
  });
  await stripe.billing.creditGrants.create({
    customer: customer.id,
    name: "Welcome",
    category: "promotional",
    amount: { type: "monetary", monetary: { currency: "usd", value: 500 } },
    applicability_config: { scope: { price_type: "metered" } },
  });
  const { id: destination } = await stripe.accounts.create({ type: "express", country: "US" });
  await stripe.transfers.create({ amount: 100, currency: "usd", destination });
  // Payments and invoices raised numbers on the customer: Stripe tells of them with its next change.
  await stripe.customers.update(customer.id, { name: "Ada King" });
  return { customer: customer.id, product: product.id };
}

/** What the double has none of. */
export const ABSENT: readonly string[] = ["reviews"];
