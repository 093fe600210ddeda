/** Every request that the double understands. What is not here is answered with 501. */
import type { Route } from "../http/route.js";
import { accounts } from "./accounts.js";
import { charges } from "./charges.js";
import { checkoutSessions } from "./checkout-sessions.js";
import { coupons } from "./coupons.js";
import { customers } from "./customers.js";
import { events } from "./events.js";
import { invoiceItems } from "./invoice-items.js";
import { invoices } from "./invoices.js";
import { paymentIntents } from "./payment-intents.js";
import { paymentMethods } from "./payment-methods.js";
import { payouts } from "./payouts.js";
import { portal } from "./portal.js";
import { prices } from "./prices.js";
import { products } from "./products.js";
import { promotionCodes } from "./promotion-codes.js";
import { refunds } from "./refunds.js";
import { subscriptionItems } from "./subscription-items.js";
import { subscriptions } from "./subscriptions.js";
import { webhookEndpoints } from "./webhook-endpoints.js";

export const routes: readonly Route[] = [
  ...accounts,
  ...charges,
  ...checkoutSessions,
  ...coupons,
  ...customers,
  ...events,
  ...invoiceItems,
  ...invoices,
  ...paymentIntents,
  ...paymentMethods,
  ...payouts,
  ...portal,
  ...prices,
  ...products,
  ...promotionCodes,
  ...refunds,
  ...subscriptionItems,
  ...subscriptions,
  ...webhookEndpoints,
];
