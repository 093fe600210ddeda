/** Every request that the double models. What Stripe has beyond it is answered with 501. */
import { type Route, signatureOf } from "../http/route.js";
import { coupons } from "./catalogue/coupons.js";
import { features } from "./catalogue/features.js";
import { plans } from "./catalogue/plans.js";
import { prices } from "./catalogue/prices.js";
import { products } from "./catalogue/products.js";
import { promotionCodes } from "./catalogue/promotion-codes.js";
import { paymentLinks } from "./checkout/payment-links.js";
import { checkoutSessions } from "./checkout/sessions.js";
import { accounts } from "./connect/accounts.js";
import { connectLinks } from "./connect/links.js";
import { transfers } from "./connect/transfers.js";
import { customerBalance } from "./customer-balance.js";
import { customerDiscounts } from "./customer-discounts.js";
import { customers } from "./customers.js";
import { events } from "./events.js";
import { creditNotes } from "./invoices/credit-notes.js";
import { invoiceItems } from "./invoices/invoice-items.js";
import { invoicePayments } from "./invoices/invoice-payments.js";
import { invoices } from "./invoices/invoices.js";
import { KEPT } from "./kept.js";
import { notices } from "./notices.js";
import { balance } from "./payments/balance.js";
import { charges } from "./payments/charges.js";
import { disputes } from "./payments/disputes.js";
import { paymentIntents } from "./payments/payment-intents.js";
import { paymentMethods } from "./payments/payment-methods.js";
import { payouts } from "./payments/payouts.js";
import { refunds } from "./payments/refunds.js";
import { setupIntents } from "./payments/setup-intents.js";
import { portal } from "./portal/portal.js";
import { quotes } from "./quotes/quotes.js";
import { radar } from "./stored/radar.js";
import { secrets } from "./stored/secrets.js";
import { subscriptionItems } from "./subscriptions/items.js";
import { subscriptionSchedules } from "./subscriptions/schedules.js";
import { subscriptions } from "./subscriptions/subscriptions.js";
import { taxIds } from "./tax/tax-ids.js";
import { taxRates } from "./tax/tax-rates.js";
import { testClocks } from "./test-clocks.js";
import { creditBalance } from "./usage/credit-balance.js";
import { creditGrants } from "./usage/credit-grants.js";
import { eventStream } from "./usage/event-stream.js";
import { meterEvents } from "./usage/meter-events.js";
import { meters } from "./usage/meters.js";
import { usageRecords } from "./usage/usage-records.js";
import { webhookEndpoints } from "./webhook-endpoints.js";

const modelled: readonly Route[] = [
  ...accounts,
  ...balance,
  ...charges,
  ...checkoutSessions,
  ...connectLinks,
  ...coupons,
  ...creditBalance,
  ...creditGrants,
  ...creditNotes,
  ...customerBalance,
  ...customerDiscounts,
  ...customers,
  ...disputes,
  ...events,
  ...features,
  ...invoiceItems,
  ...invoicePayments,
  ...invoices,
  ...eventStream,
  ...meterEvents,
  ...meters,
  ...notices,
  ...paymentIntents,
  ...paymentLinks,
  ...paymentMethods,
  ...payouts,
  ...plans,
  ...portal,
  ...prices,
  ...products,
  ...promotionCodes,
  ...quotes,
  ...radar,
  ...refunds,
  ...secrets,
  ...setupIntents,
  ...subscriptionItems,
  ...subscriptionSchedules,
  ...subscriptions,
  ...taxIds,
  ...taxRates,
  ...transfers,
  ...usageRecords,
  ...testClocks,
  ...webhookEndpoints,
];

export const routes: readonly Route[] = modelled.map((route) => ({
  ...route,
  keeps: KEPT[signatureOf(route)] ?? {},
}));
