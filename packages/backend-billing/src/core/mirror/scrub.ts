/**
 * What is stored of an object whose customer was erased: ids and what links objects to each other,
 * amounts, currencies, states and times. Whatever is not known to be one of these is left out. Pure.
 */
import { resourceNames } from "../catalogue/catalogue.js";
import { resources } from "../catalogue/resources.js";

/** An object that is stored like this says so. */
const SCRUBBED = "erased";

/** Texts that are kept: ids of other objects, named after what they are, */
const LINKS: readonly string[] = [
  // A tax id is named by nothing, but people are asked for theirs under this name.
  ...resourceNames
    .filter((name) => name !== "tax_ids")
    .map((name) => resources[name].object.split(".").at(-1) ?? ""),
  ...["id", "account", "application", "credit_grant", "default_payment_method", "default_source"],
  ...["destination", "from_invoice", "invoice_item", "latest_charge", "latest_invoice"],
  ...["latest_revision", "on_behalf_of", "payment_record", "pending_setup_intent"],
  ...["released_subscription", "schedule", "source", "source_transaction", "subscription_item"],
  ...["test_clock"],
];

/** and words of Stripe's own, with the numbers that an invoice and a receipt go by. */
const WORDS: readonly string[] = [
  ...["object", "status", "type", "mode", "currency", "customer_tax_exempt", "tax_exempt"],
  ...["aggregate_usage", "billing_reason", "billing_scheme", "collection_method", "proration"],
  ...["end_behavior", "interval", "usage_type", "tiers_mode", "tax_behavior"],
  ...["behavior", "capture_method", "confirmation_method", "setup_future_usage", "usage"],
  ...["payment_status", "reason", "feedback", "failure_code", "failure_reason", "pending_reason"],
  ...["lookup_key", "event_name", "number", "receipt_number", "duration", "category", "scope"],
  ...["reporting_category", "submit_type", "ui_mode", "api_version", "proration_behavior"],
];

const TEXTS: ReadonlySet<string> = new Set([...LINKS, ...WORDS]);

/** What says something of a person though it is a number. */
const NUMBERS: ReadonlySet<string> = new Set(["exp_month", "exp_year", "dob"]);

/** Prices in fractions of the smallest unit are texts. */
const isAmount = (name: string): boolean => name.endsWith("_decimal");

/** Lists of ids are named after what is in them: `discounts`. */
const isKept = (name: string): boolean =>
  TEXTS.has(name) || isAmount(name) || (name.endsWith("s") && TEXTS.has(name.slice(0, -1)));

export const isScrubbed = (content: unknown): boolean =>
  (content as { readonly [SCRUBBED]?: unknown } | null | undefined)?.[SCRUBBED] === true;

/** The object without anything that says who the customer was. */
export function scrubbed<T extends object>(content: T): T {
  return { ...(scrubbedValue("", content) as T), [SCRUBBED]: true };
}

function scrubbedValue(name: string, value: unknown): unknown {
  if (typeof value === "string") return isKept(name) ? value : null;
  if (Array.isArray(value)) {
    const all = value.map((each) => scrubbedValue(name, each));
    return all.filter((each, index) => each !== null || value[index] === null);
  }
  if (NUMBERS.has(name)) return null;
  if (typeof value !== "object" || value === null) return value;
  if (name === "metadata") return {}; // its keys are the application's, too
  const entries = Object.entries(value).filter(([key]) => key !== SCRUBBED);
  return Object.fromEntries(entries.map(([key, inner]) => [key, scrubbedValue(key, inner)]));
}
