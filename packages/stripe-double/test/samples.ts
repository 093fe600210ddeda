/** Objects of every kind that the double serves, as many shapes of each as a busy account has. */
import { ask, changeCard, type Json, openShop, payer, rig } from "./kit.js";

/** By the fixture's name of the kind: its `object`, with `deleted_` in front for what is gone. */
export type Samples = Map<string, Json[]>;

export async function collectSamples(): Promise<Samples> {
  const it = await rig();
  const { double, stripe } = it;
  const samples: Samples = new Map();
  const add = (object: unknown) => {
    const plain = JSON.parse(JSON.stringify(object)) as Json;
    note(samples, plain);
  };

  // A catalogue with discounts.
  const { product, monthly, yearly } = await openShop(stripe);
  await stripe.products.update(product.id, { default_price: monthly.id, url: "https://e.example" });
  const once = await stripe.prices.create({
    product: product.id,
    currency: "usd",
    unit_amount: 900,
    lookup_key: "once",
    nickname: "Once",
  });
  await stripe.coupons.create({
    id: "REPEATING",
    percent_off: 12.5,
    duration: "repeating",
    duration_in_months: 3,
    name: "Spring",
    max_redemptions: 100,
    redeem_by: double.clock.seconds() + 90 * 86_400,
  });
  await stripe.coupons.create({ id: "OFF", amount_off: 100, currency: "usd", duration: "once" });
  const code = await stripe.promotionCodes.create({
    promotion: { type: "coupon", coupon: "REPEATING" },
    code: "SPRING",
    max_redemptions: 5,
    expires_at: double.clock.seconds() + 30 * 86_400,
    restrictions: { minimum_amount: 50, minimum_amount_currency: "usd" },
  });

  // Customers with subscriptions in many states.
  const customer = await stripe.customers.create({
    name: "Ada",
    email: "ada@example.com",
    phone: "1",
    description: "First",
    address: { line1: "1 Way" },
    shipping: { name: "Ada", phone: "2", address: { line1: "1 Way" } },
    preferred_locales: ["en"],
    payment_method: "pm_card_visa",
    invoice_settings: { default_payment_method: "pm_card_visa", footer: "Thanks" },
  });
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: monthly.id, quantity: 2 }],
    discounts: [{ promotion_code: code.id }],
    description: "Team",
    cancel_at_period_end: true,
  });
  await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: false });
  await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: yearly.id }],
    trial_period_days: 5,
  });
  const item = subscription.items.data[0]?.id ?? "";
  await double.clock.advance({ days: 10 });
  await stripe.subscriptions.update(subscription.id, {
    items: [{ id: item, quantity: 3 }],
    pause_collection: { behavior: "void", resumes_at: double.clock.seconds() + 40 * 86_400 },
  });
  await stripe.subscriptions.update(subscription.id, { pause_collection: "" });
  await double.clock.advance({ days: 30 });
  await changeCard(stripe, customer.id, "pm_card_chargeCustomerFail");
  await stripe.subscriptions.update(subscription.id, {
    items: [{ id: item, quantity: 9 }],
    payment_behavior: "pending_if_incomplete",
    proration_behavior: "always_invoice",
  });
  const letter = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: monthly.id }],
    collection_method: "send_invoice",
    days_until_due: 9,
  });
  await stripe.subscriptions.cancel(letter.id, {
    cancellation_details: { comment: "bye", feedback: "other" },
  });
  await payer(stripe, "pm_card_mastercard");
  await stripe.subscriptionSchedules.create({
    customer: customer.id,
    start_date: double.clock.seconds() + 86_400,
    phases: [
      {
        items: [{ price: monthly.id, metadata: { seat: "1" } }],
        add_invoice_items: [{ price: once.id }],
        discounts: [{ coupon: "OFF" }],
        invoice_settings: { days_until_due: 9 },
        collection_method: "send_invoice",
      },
    ],
  });

  // Money back and forth.
  const pay = (method: string, capture_method: "automatic" | "manual" = "automatic") =>
    stripe.paymentIntents.create({
      amount: 2500,
      currency: "usd",
      payment_method: method,
      confirm: true,
      capture_method,
      return_url: "https://e.example",
      description: "Repair",
      receipt_email: "ada@example.com",
    });
  const paid = await pay("pm_card_visa");
  await pay("pm_card_visa", "manual");
  await pay("pm_card_authenticationRequired");
  await pay("pm_card_chargeDeclined").catch(() => {});
  await stripe.refunds.create({ payment_intent: paid.id, amount: 500, reason: "duplicate" });
  const pending = await pay("pm_card_pendingRefund");
  await stripe.refunds.create({ payment_intent: pending.id });
  const setUp = (payment_method: string) =>
    stripe.setupIntents.create({
      customer: customer.id,
      payment_method,
      confirm: true,
      return_url: "https://e.example",
    });
  await setUp("pm_card_visa");
  await setUp("pm_card_chargeDeclined").catch(() => {});
  const asks = await setUp("pm_card_authenticationRequired");
  double.dashboard.authenticate(asks.id, "succeed");
  await setUp("pm_card_authenticationRequired");
  await stripe.payouts.create({ amount: 100, currency: "usd", description: "Savings" });
  double.dashboard.payOut(900, "usd");
  double.dashboard.failPayout(double.objects("payout")[0]?.id ?? "");
  await double.clock.advance({ days: 6 });

  // What banks take back.
  for (const card of ["createDispute", "createDisputeInquiry", "createIssuerFraudRecord"]) {
    await pay(`pm_card_${card}`);
  }
  await double.clock.advance({ minutes: 1 });

  // What customers are owed.
  await stripe.customers.createBalanceTransaction(customer.id, {
    amount: -500,
    currency: "usd",
    description: "Goodwill",
  });
  const settled = (await stripe.invoices.list({ status: "paid", customer: customer.id })).data.find(
    ({ amount_paid }) => amount_paid > 1000,
  );
  await stripe.creditNotes.create({
    invoice: settled?.id ?? "",
    lines: [{ type: "custom_line_item", description: "Late", unit_amount: 300, quantity: 1 }],
    credit_amount: 100,
    refund_amount: 150,
    out_of_band_amount: 50,
    memo: "Sorry",
    reason: "order_change",
  });
  const { latest_invoice: plain } = await stripe.subscriptions.create({
    customer: (await payer(stripe)).id,
    items: [{ price: yearly.id }],
  });
  const [line] = (await stripe.invoices.listLineItems(String(plain))).data;
  await stripe.creditNotes.create({
    invoice: String(plain),
    lines: [{ type: "invoice_line_item", invoice_line_item: line?.id ?? "", amount: 500 }],
    credit_amount: 500,
  });
  add(await stripe.balance.retrieve());
  await stripe.billing.creditGrants.create({
    customer: customer.id,
    amount: { type: "monetary", monetary: { currency: "usd", value: 1000 } },
    applicability_config: { scope: { price_type: "metered" } },
    expires_at: double.clock.seconds() + 3600,
    name: "Welcome",
  });
  await double.clock.advance({ hours: 1 });
  add(
    await stripe.billing.creditBalanceSummaries.retrieve({
      customer: customer.id,
      filter: { type: "applicability_scope", applicability_scope: { price_type: "metered" } },
    }),
  );

  // Hosted pages.
  const urls = { success_url: "https://e.example/ok", cancel_url: "https://e.example/no" };
  const sessions = stripe.checkout.sessions;
  const buys = await sessions.create({
    mode: "subscription",
    line_items: [{ price: monthly.id, quantity: 1 }],
    allow_promotion_codes: true,
    ...urls,
  });
  double.dashboard.payCheckout(buys.id, { email: "b@example.com" });
  const bought = await sessions.create({
    mode: "payment",
    customer: customer.id,
    line_items: [{ price: once.id, quantity: 2 }],
    ...urls,
  });
  const configuration = await stripe.billingPortal.configurations.create({
    business_profile: { headline: "Hello" },
    features: {
      customer_update: { enabled: true, allowed_updates: ["email"] },
      invoice_history: { enabled: true },
      payment_method_update: { enabled: true },
      subscription_cancel: { enabled: true },
      subscription_update: {
        enabled: true,
        default_allowed_updates: ["price"],
        products: [{ product: product.id, prices: [monthly.id, yearly.id] }],
      },
    },
  });
  add(
    await stripe.billingPortal.sessions.create({
      customer: customer.id,
      configuration: configuration.id,
      return_url: "https://e.example",
    }),
  );
  add(
    await stripe.webhookEndpoints.create({
      url: "https://e.example/hook",
      enabled_events: ["*"],
      description: "Main",
      api_version: "2025-02-24.acacia",
    }),
  );
  add(await stripe.accounts.retrieveCurrent());
  await stripe.taxRates.create({ display_name: "VAT", percentage: 19, inclusive: false });
  const vat = await stripe.customers.createTaxId(customer.id, {
    type: "eu_vat",
    value: "DE123456789",
  });

  await stripe.paymentLinks.create({
    line_items: [{ price: once.id, quantity: 1 }],
    payment_intent_data: { description: "Once" },
    consent_collection: { payment_method_reuse_agreement: { position: "auto" } },
  });
  await stripe.paymentLinks.create({ line_items: [{ price: monthly.id, quantity: 1 }] });

  await stripe.quotes.create({
    customer: customer.id,
    line_items: [{ price: monthly.id }, { price: once.id, quantity: 2 }],
    discounts: [{ coupon: "OFF" }],
  });

  // What is shown only when asked for, and what is left of the deleted.
  for (const list of [
    "/v1/customers?expand[]=data.subscriptions&expand[]=data.sources&expand[]=data.tax_ids",
    "/v1/invoices?expand[]=data.payments&expand[]=data.confirmation_secret&expand[]=data.discounts",
    `/v1/customers/${customer.id}/tax_ids`,
    "/v1/tax_rates",
    "/v1/subscriptions?status=all&expand[]=data.discounts",
    "/v1/charges?expand[]=data.refunds",
    "/v1/products",
    "/v1/prices?expand[]=data.currency_options",
    "/v1/coupons",
    "/v1/promotion_codes",
    "/v1/invoiceitems",
    `/v1/payment_methods?customer=${customer.id}`,
    "/v1/payment_intents",
    "/v1/refunds",
    "/v1/balance_transactions",
    "/v1/credit_notes",
    "/v1/billing/credit_grants",
    `/v1/billing/credit_balance_transactions?customer=${customer.id}`,
    "/v1/disputes",
    "/v1/radar/early_fraud_warnings",
    `/v1/customers/${customer.id}/balance_transactions`,
    "/v1/invoice_payments",
    "/v1/setup_intents",
    `/v1/setup_attempts?setup_intent=${asks.id}`,
    "/v1/payouts",
    "/v1/checkout/sessions?expand[]=data.line_items",
    "/v1/quotes?expand[]=data.line_items&expand[]=data.discounts",
    "/v1/payment_links?expand[]=data.line_items",
    "/v1/billing_portal/configurations",
    "/v1/webhook_endpoints",
    `/v1/subscription_items?subscription=${subscription.id}`,
    `/v1/checkout/sessions/${bought.id}/line_items`,
    "/v1/customers/search?query=name:'Ada'",
    "/v1/events",
    "/v1/events?type=customer.subscription.updated",
  ]) {
    const { status, body } = await ask(double, `${list}${list.includes("?") ? "&" : "?"}limit=100`);
    if (status !== 200) throw new Error(`${list}: ${JSON.stringify(body)}`);
    add(body);
  }
  add(await stripe.customers.deleteTaxId(customer.id, vat.id));
  const draft = await stripe.invoices.create({ customer: customer.id });
  add(await stripe.invoices.del(draft.id ?? ""));
  const spare = await stripe.products.create({ name: "Spare" });
  add(await stripe.products.del(spare.id));
  add(await stripe.coupons.del("OFF"));
  const [endpoint] = (await stripe.webhookEndpoints.list()).data;
  add(await stripe.webhookEndpoints.del(endpoint?.id ?? ""));
  const two = await stripe.subscriptions.update(subscription.id, {
    items: [
      {
        price: (
          await stripe.prices.create({
            product: product.id,
            currency: "usd",
            unit_amount: 5,
            recurring: { interval: "month" },
          })
        ).id,
      },
    ],
    proration_behavior: "none",
  });
  const added = two.items.data.at(-1)?.id ?? "";
  add(await stripe.subscriptionItems.del(added, { proration_behavior: "none" }));
  add(await stripe.customers.del(customer.id));
  const clock = await stripe.testHelpers.testClocks.create({
    frozen_time: double.clock.seconds(),
    name: "Ahead",
  });
  add(clock);
  add(await stripe.testHelpers.testClocks.del(clock.id));
  await double.close();
  return samples;
}

/** Files an object under its kind, and those inside it under theirs. */
function note(samples: Samples, value: unknown): void {
  if (Array.isArray(value)) for (const each of value) note(samples, each);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  const object = value as Json;
  if (typeof object.object === "string") {
    const kind = object.deleted === true ? `deleted_${object.object}` : object.object;
    samples.set(kind, [...(samples.get(kind) ?? []), object]);
  }
  for (const [key, inner] of Object.entries(object)) {
    // What an event says was before is a part of an object, not one.
    if (key !== "previous_attributes") note(samples, inner);
  }
}
