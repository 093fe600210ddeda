/** The list of behaviours, by theme. */
import type { Theme } from "../harness/behaviour.js";
import { catalogue } from "./api/catalogue.js";
import { errors } from "./api/errors.js";
import { events } from "./api/events.js";
import { idempotency } from "./api/idempotency.js";
import { lists } from "./api/lists.js";
import { versions } from "./api/versions.js";
import { webhooks } from "./api/webhooks.js";
import { beginnings } from "./billing/beginnings.js";
import { changes } from "./billing/changes.js";
import { discounts } from "./billing/discounts.js";
import { dunning } from "./billing/dunning.js";
import { endings } from "./billing/endings.js";
import { invoices } from "./billing/invoices.js";
import { options } from "./billing/options.js";
import { previews } from "./billing/previews.js";
import { prorations } from "./billing/prorations.js";
import { schedules } from "./billing/schedules.js";
import { subscriptions } from "./billing/subscriptions.js";
import { trials } from "./billing/trials.js";
import { balances } from "./payments/balances.js";
import { checkout } from "./payments/checkout.js";
import { disputes } from "./payments/disputes.js";
import { paymentIntents } from "./payments/payment-intents.js";
import { paymentMethods } from "./payments/payment-methods.js";
import { portal } from "./payments/portal.js";
import { refunds } from "./payments/refunds.js";
import { setupIntents } from "./payments/setup-intents.js";
import { phases } from "./time/phases.js";
import { testClocks } from "./time/test-clocks.js";
import { entitlements } from "./usage/entitlements.js";
import { meters } from "./usage/meters.js";
import { tiers } from "./usage/tiers.js";

export const themes: readonly Theme[] = [
  beginnings,
  subscriptions,
  options,
  trials,
  changes,
  prorations,
  previews,
  discounts,
  invoices,
  dunning,
  endings,
  schedules,
  tiers,
  phases,
  testClocks,
  meters,
  entitlements,
  checkout,
  portal,
  paymentIntents,
  paymentMethods,
  refunds,
  setupIntents,
  disputes,
  balances,
  catalogue,
  lists,
  errors,
  idempotency,
  events,
  webhooks,
  versions,
];
