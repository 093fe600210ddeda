/** The list of behaviours, by theme. */
import type { Theme } from "../harness/behaviour.js";
import { beginnings } from "./billing/beginnings.js";
import { changes } from "./billing/changes.js";
import { discounts } from "./billing/discounts.js";
import { dunning } from "./billing/dunning.js";
import { endings } from "./billing/endings.js";
import { invoices } from "./billing/invoices.js";
import { previews } from "./billing/previews.js";
import { prorations } from "./billing/prorations.js";
import { subscriptions } from "./billing/subscriptions.js";
import { trials } from "./billing/trials.js";

export const themes: readonly Theme[] = [
  beginnings,
  subscriptions,
  trials,
  changes,
  prorations,
  previews,
  discounts,
  invoices,
  dunning,
  endings,
];
