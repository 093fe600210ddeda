/**
 * What a restricted key must be allowed: by the rows of the page where such a key is edited, and by
 * the ids that Stripe's links and refusals use. Pure.
 */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import { BillingError } from "../../core/runtime/errors.js";

/** One thing that a key is allowed. */
export interface Grant {
  /** The name of the row on the page of restricted keys. */
  readonly row: string;
  /** “Write” includes “Read”. */
  readonly access: "Read" | "Write";
  /** The permission's id, such as `rak_customer_read`; null where none is published. */
  readonly id: `rak_${string}_${"read" | "write"}` | null;
}

const read = (row: string, id: Grant["id"]): Grant => ({ row, access: "Read", id });
const write = (row: string, id: Grant["id"]): Grant => ({ row, access: "Write", id });

/** What mirroring a resource takes. */
export const READS: { readonly [resource in ResourceName]: Grant } = {
  products: read("Products", "rak_product_read"),
  prices: read("Prices", "rak_plan_read"),
  customers: read("Customers", "rak_customer_read"),
  subscriptions: read("Subscriptions", "rak_subscription_read"),
  coupons: read("Coupons", "rak_coupon_read"),
  promotion_codes: read("Promotion codes", "rak_promotion_code_read"),
  payouts: read("Payouts", "rak_payout_read"),
  refunds: read("Charges and refunds", "rak_charge_read"),
  checkout_sessions: read("Checkout Sessions", "rak_checkout_session_read"),
  invoices: read("Invoices", "rak_invoice_read"),
  subscription_schedules: read("Subscriptions", "rak_subscription_read"),
  payment_intents: read("PaymentIntents", "rak_payment_intent_read"),
  charges: read("Charges and refunds", "rak_charge_read"),
  payment_methods: read("PaymentMethods", "rak_payment_method_read"),
  disputes: read("Disputes", "rak_dispute_read"),
  setup_intents: read("SetupIntents", "rak_setup_intent_read"),
  invoice_items: read("Invoices", "rak_invoice_read"),
  invoice_payments: read("Invoices", "rak_invoice_read"),
  credit_notes: read("Credit notes", "rak_credit_note_read"),
  quotes: read("Quotes", "rak_quote_read"),
  tax_ids: read("Tax IDs", null),
  tax_rates: read("Tax Rates", "rak_tax_rate_read"),
  reviews: read("Reviews", "rak_review_read"),
  early_fraud_warnings: read("Radar", null),
  transfers: read("Transfers", "rak_transfer_read"),
  balance_transactions: read("Balance transaction sources", "rak_balance_transaction_source_read"),
  plans: read("Prices", "rak_plan_read"),
  portal_configurations: read("Customer portal", null),
  payment_links: read("Payment Links", "rak_payment_links_read"),
  features: read("Entitlements", "rak_entitlement_read"),
  meters: read("Billing meters", "rak_billing_meter_read"),
  credit_grants: read("Billing credit grants", null),
  active_entitlements: read("Entitlements", "rak_entitlement_read"),
  product_features: read("Products", "rak_product_read"),
  credit_balance_transactions: read("Billing credit grants", null),
  discounts: read("Subscriptions", "rak_subscription_read"),
  accounts: read("Connected accounts", "rak_connected_account_read"),
};

/** What the library needs beside that, whatever is mirrored. */
export const BESIDES = {
  events: read("Events", "rak_event_read"),
  customers: write("Customers", "rak_customer_write"),
  checkout_sessions: write("Checkout Sessions", "rak_checkout_session_write"),
  portal: write("Customer portal", null),
  webhook_endpoints: write("Webhook Endpoints", "rak_webhook_write"),
} as const;

/** What changes of running subscriptions need, where these are mirrored. */
export const CHANGES = {
  subscriptions: write("Subscriptions", "rak_subscription_write"),
  invoices: write("Invoices", "rak_invoice_write"),
} as const;

/** What usage that Stripe bills needs, where plans have meters. */
export const METERED = {
  meters: READS.meters,
  events: write("Billing meter events", "rak_billing_meter_event_write"),
} as const;

/** What `pull` needs. */
export const PULLING: readonly Grant[] = [READS.products, READS.prices, READS.meters];

/** What `push` needs; an application that runs needs none of it. */
export const PUSHING: readonly Grant[] = [
  write("Products", "rak_product_write"),
  write("Prices", "rak_plan_write"),
  write("Billing meters", "rak_billing_meter_write"),
  READS.subscriptions,
];

/** Says what a restricted key needs where Stripe refuses it. */
export async function withGrants<T>(grants: readonly Grant[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if ((error as { statusCode?: unknown } | null)?.statusCode !== 403) throw error;
    const rows = grants.map(({ row, access }) => `${row}: ${access}`).join(", ");
    const missing = /'(rak_\w+)'/.exec(String((error as Error).message))?.[1];
    const which = missing === undefined ? "" : ` It lacks ${missing}.`;
    const message = `The restricted key may not do this.${which} This command needs ${rows}. Give it a key of its own, for where you deploy from: ${formLink(grants, "backend-billing push")}`;
    throw new BillingError("invalid_config", message); // without the cause, whose advice is another
  }
}

/** Whether an application can change subscriptions: without the mirror of them it cannot. */
export const canChange = (chosen: readonly ResourceName[]): boolean =>
  chosen.includes("subscriptions");

/** What a key needs for these resources, each row once. */
export function grantsFor(chosen: readonly ResourceName[], hasMeters = false): readonly Grant[] {
  const rows = new Map<string, Grant>();
  const reads = chosen.map((name) => READS[name]);
  const changes = canChange(chosen) ? Object.values(CHANGES) : [];
  const metered = hasMeters ? Object.values(METERED) : [];
  for (const grant of [...reads, ...Object.values(BESIDES), ...changes, ...metered]) {
    if (grant.access === "Write" || !rows.has(grant.row)) rows.set(grant.row, grant);
  }
  return [...rows.values()];
}

/** Opens Stripe's form for a new restricted key, with all that has an id filled in. */
export const keyLink = (
  chosen: readonly ResourceName[],
  { name = "backend-billing", hasMeters = false } = {},
): string => formLink(grantsFor(chosen, hasMeters), name);

function formLink(grants: readonly Grant[], name: string): string {
  const ids = new Set(grants.flatMap(({ id }) => id ?? []));
  const permissions = [...ids].map((id) => `&permissions[]=${id}`).join("");
  return `https://dashboard.stripe.com/apikeys/create?name=${encodeURIComponent(name)}${permissions}`;
}
