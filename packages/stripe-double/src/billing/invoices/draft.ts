/** Working an invoice out: its lines, discounts and totals. What becomes of it is in invoices.ts. */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";
import type { StoredEvent, World } from "../../world/world.js";
import { invoiceTax, type TaxTerms, UNTAXED } from "../taxes/rates.js";
import type { TaxRate } from "../taxes/taxes.js";
import { noteUse } from "./discounts.js";
import { priceLines } from "./totals.js";

export type Invoice = Plain<Stripe.Invoice>;
export type InvoiceLine = Plain<Stripe.InvoiceLineItem>;

/** A line that is not on an invoice yet, with the tax rates of its own. */
export type NewLine = Omit<InvoiceLine, "id" | "invoice"> & {
  readonly rates?: readonly TaxRate[];
};

export interface Draft {
  readonly customer: string;
  readonly currency: string;
  readonly billing_reason:
    | "manual"
    | "quote_accept"
    | "subscription_create"
    | "subscription_cycle"
    | "subscription_update";
  readonly lines: readonly NewLine[];
  readonly period: { readonly start: number; readonly end: number };
  readonly subscription?: { readonly id: string; readonly metadata: { [key: string]: string } };
  /** The quote that it was made for. */
  readonly quote?: string;
  readonly collection_method?: "charge_automatically" | "send_invoice";
  readonly days_until_due?: number | null;
  /** When it is due, if that is not said in days. */
  readonly dueDate?: number;
  readonly default_payment_method?: string | null;
  readonly description?: string | null;
  readonly metadata?: { [key: string]: string };
  readonly discounts?: readonly string[];
  readonly taxes?: TaxTerms;
  readonly auto_advance?: boolean;
  /** Seconds from now at which it is finalized on its own; null for never. */
  readonly finalizesIn?: number | null;
}

export function draftInvoice(world: World, draft: Draft): Invoice {
  const invoice = world.objects.invoice.add(composeInvoice(world, world.id("in"), draft));
  // Coupons are ignored on invoices that cost nothing, and not used up by them.
  if (draft.lines.some(({ amount }) => amount > 0)) {
    noteUse(world, [
      ...(draft.discounts ?? []),
      ...draft.lines.flatMap(({ discountable, discounts }) => (discountable ? discounts : [])),
    ]);
  }
  const known = announcements.get(world) ?? new Map<string, StoredEvent>();
  announcements.set(world, known);
  known.set(invoice.id, world.raise("invoice.created", invoice));
  return invoice;
}

const announcements = new WeakMap<World, Map<string, StoredEvent>>();

/** The event that told of an invoice: while endpoints refuse it, Stripe does not go on with it. */
export function announcementOf(world: World, invoice: string): StoredEvent | undefined {
  return announcements.get(world)?.get(invoice);
}

/** Works an invoice out without keeping it or telling anybody. */
export function composeInvoice(world: World, id: string, draft: Draft): Invoice {
  const customer = world.find("customer", draft.customer, "customer");
  const discounts = [...(draft.discounts ?? [])];
  const taxes = draft.taxes ?? UNTAXED;
  const numbered = draft.lines.map((line) => ({ ...line, id: world.id("il"), invoice: id }));
  const { lines, totals } = priceLines(world, numbered, {
    customer,
    currency: draft.currency,
    discounts,
    taxes,
    takesCredits: draft.subscription !== undefined,
  });
  const finalizesIn = draft.finalizesIn ?? null;
  return {
    id,
    object: "invoice",
    account_country: "US",
    account_name: "Stripe double",
    account_tax_ids: null,
    amount_overpaid: 0,
    amount_paid: 0,
    amount_shipping: 0,
    application: null,
    attempt_count: 0,
    attempted: false,
    auto_advance: draft.auto_advance ?? true,
    automatic_tax: invoiceTax(taxes.automatic),
    automatically_finalizes_at: finalizesIn === null ? null : world.now() + finalizesIn,
    billing_reason: draft.billing_reason,
    collection_method: draft.collection_method ?? "charge_automatically",
    created: world.now(),
    currency: draft.currency,
    custom_fields: null,
    customer: customer.id,
    customer_account: null,
    customer_address: customer.address ?? null,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    customer_phone: customer.phone ?? null,
    customer_shipping: customer.shipping ?? null,
    customer_tax_exempt: customer.tax_exempt ?? "none",
    customer_tax_ids: world.objects.tax_id
      .where("customer", customer.id)
      .map(({ type, value }) => ({ type, value })),
    default_payment_method: draft.default_payment_method ?? null,
    default_source: null,
    default_tax_rates: [...taxes.defaults],
    description: draft.description ?? null,
    discounts,
    due_date:
      draft.dueDate ?? (draft.days_until_due ? world.now() + draft.days_until_due * 86_400 : null),
    effective_at: null,
    ending_balance: null,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: "self" },
    last_finalization_error: null,
    latest_revision: null,
    lines: { object: "list", data: lines, has_more: false, url: `/v1/invoices/${id}/lines` },
    livemode: world.livemode,
    metadata: draft.metadata ?? {},
    next_payment_attempt: finalizesIn === null ? null : world.now() + finalizesIn,
    number: null,
    on_behalf_of: null,
    parent: parentOf(draft),
    payment_settings: {
      default_mandate: null,
      payment_method_options: null,
      payment_method_types: null,
    },
    period_end: draft.period.end,
    period_start: draft.period.start,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    statement_descriptor: null,
    status: "draft",
    status_transitions: {
      finalized_at: null,
      marked_uncollectible_at: null,
      paid_at: null,
      voided_at: null,
    },
    test_clock: customer.test_clock ?? null,
    webhooks_delivered_at: null,
    ...totals,
  };
}

function parentOf({ quote, subscription }: Draft): Invoice["parent"] {
  if (subscription !== undefined) {
    const { id, metadata } = subscription;
    return {
      quote_details: null,
      subscription_details: { metadata, subscription: id },
      type: "subscription_details",
    };
  }
  if (quote === undefined) return null;
  return { quote_details: { quote }, subscription_details: null, type: "quote_details" };
}
