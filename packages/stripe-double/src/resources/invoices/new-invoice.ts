/** Making an invoice by request, and what may be said about one later. */
import { ApiError, invalid, refused } from "../../api/errors.js";
import {
  flag,
  integer,
  listOf,
  metadata,
  oneOf,
  type Parsed,
  required,
  text,
  word,
} from "../../api/params.js";
import { ownOrCustomers } from "../../billing/invoices/discounts.js";
import { draftInvoice } from "../../billing/invoices/draft.js";
import { editableInvoice, editInvoice } from "../../billing/invoices/edit.js";
import type { InvoiceItem } from "../../billing/invoices/invoice-items.js";
import type { Invoice } from "../../billing/invoices/invoices.js";
import { itemLine } from "../../billing/invoices/lines.js";
import { HOUR } from "../../billing/later.js";
import { advanceLater } from "../../billing/subscriptions/dunning.js";
import { checkOwner } from "../../billing/subscriptions/subscriptions.js";
import { invoiceTax, UNTAXED } from "../../billing/taxes/rates.js";
import type { World } from "../../world/world.js";
import { given, mergeMetadata, referenced } from "../common.js";
import { automaticTaxShape, taxTerms } from "../tax/terms.js";
import { discountShape, discountsNamed } from "./item-params.js";

export const collectionMethod = oneOf("charge_automatically", "send_invoice");

const sharedShape = {
  auto_advance: flag,
  automatic_tax: automaticTaxShape,
  collection_method: collectionMethod,
  days_until_due: integer,
  default_payment_method: text,
  default_tax_rates: listOf(word),
  description: text,
  discounts: discountShape,
  due_date: integer,
  metadata,
};

export const createShape = {
  ...sharedShape,
  currency: word,
  customer: required(word),
  pending_invoice_items_behavior: oneOf("exclude", "include", "include_and_require"),
  subscription: word,
};
type CreateParams = Parsed<typeof createShape>;

/** Until this version, what waits was put on an invoice without being asked for. */
const LEAVES_ITEMS_SINCE = "2022-08-01";

/** What the invoice bills: what waits for it, or only what waits for its subscription. */
function itemsFor(world: World, params: CreateParams, version: string): InvoiceItem[] {
  const waiting = world.objects.invoiceitem
    .where("customer", params.customer)
    .filter(({ invoice }) => invoice === null);
  if (params.subscription !== undefined) {
    const own = waiting.filter(
      ({ parent }) => parent?.subscription_details?.subscription === params.subscription,
    );
    if (own.length > 0) return own;
    throw new ApiError(400, {
      type: "invalid_request_error",
      code: "invoice_no_subscription_line_items",
      message: "Nothing to invoice for subscription: there are no pending invoice items for it.",
      param: "subscription",
    });
  }
  const usual = version.slice(0, 10) < LEAVES_ITEMS_SINCE ? "include" : "exclude";
  return (params.pending_invoice_items_behavior ?? usual) === "exclude" ? [] : waiting;
}

export function createInvoice(world: World, params: CreateParams, version: string): Invoice {
  const customer = referenced(world, "customer", params.customer, "customer");
  const { default_payment_method: method, auto_advance: advances = false } = params;
  if (method) checkOwner(world, method, customer.id);
  const { days_until_due: days, due_date: due } = params;
  if (params.collection_method === "send_invoice" && days === undefined && due === undefined) {
    throw invalid(
      "If invoice is `collection_method`=`send_invoice`, you must pass `due_date` or `days_until_due`.",
      "days_until_due",
    );
  }
  const owner =
    params.subscription && referenced(world, "subscription", params.subscription, "subscription");
  if (owner && owner.customer !== customer.id) {
    throw refused("The subscription does not belong to the customer.", "subscription");
  }
  const items = itemsFor(world, params, version);
  const taxes = taxTerms(world, customer, params, UNTAXED);
  const currency = params.currency ?? items[0]?.currency ?? customer.currency ?? "usd";
  const discounts = params.discounts
    ? discountsNamed(world, params.discounts, { customer: customer.id, currency })
    : ownOrCustomers(world, { customer: customer.id, discounts: [] });
  const invoice = draftInvoice(world, {
    customer: customer.id,
    currency,
    billing_reason: "manual",
    lines: items.map((item) => itemLine(world, item)),
    period: { start: world.now(), end: world.now() },
    collection_method: params.collection_method ?? "charge_automatically",
    days_until_due: days ?? null,
    default_payment_method: method ?? null,
    description: params.description ?? null,
    metadata: mergeMetadata({}, params.metadata),
    discounts,
    taxes,
    ...(owner ? { subscription: { id: owner.id, metadata: owner.metadata } } : {}),
    ...(due === undefined ? {} : { dueDate: due }),
    auto_advance: advances,
    finalizesIn: advances ? HOUR : null,
  });
  for (const item of items) world.patch("invoiceitem", item.id, { invoice: invoice.id });
  if (advances) advanceLater(world, invoice.id);
  return invoice;
}

export const updateShape = sharedShape;

/** What can be said of an invoice that is finalized, too. */
const AFTERWARDS: readonly string[] = ["auto_advance", "default_payment_method", "metadata"];

export function updateInvoice(
  world: World,
  id: string,
  params: Parsed<typeof updateShape>,
): Invoice {
  const before = world.find("invoice", id);
  const asked = Object.entries(params).filter(([, value]) => value !== undefined);
  if (asked.some(([name]) => name !== "description" && !AFTERWARDS.includes(name))) {
    editableInvoice(world, id);
    changeTerms(world, before, params);
  }
  const starts = params.auto_advance === true && !before.auto_advance && before.status === "draft";
  const days = params.days_until_due;
  const changes = given({
    auto_advance: params.auto_advance,
    automatically_finalizes_at: starts ? world.now() + HOUR : undefined,
    collection_method: params.collection_method,
    default_payment_method: params.default_payment_method,
    description: params.description,
    due_date: params.due_date ?? (days === undefined ? undefined : before.created + days * 86_400),
    metadata:
      params.metadata === undefined
        ? undefined
        : mergeMetadata(before.metadata ?? {}, params.metadata),
  });
  if (starts) advanceLater(world, id);
  return world.change("invoice", id, changes, "invoice.updated");
}

/** Other discounts or taxes for a draft, and the totals that they make. */
function changeTerms(world: World, before: Invoice, params: Parsed<typeof updateShape>): void {
  const { automatic_tax: tax, default_tax_rates: rates, discounts: named } = params;
  if (tax === undefined && rates === undefined && named === undefined) return;
  const customer = world.find("customer", before.customer ?? "", "customer");
  const { automatic, defaults } = taxTerms(world, customer, params, {
    automatic: before.automatic_tax.enabled,
    defaults: before.default_tax_rates,
  });
  const on = { customer: customer.id, currency: before.currency, invoice: before.id };
  editInvoice(world, before.id, before.lines.data, {
    automatic_tax: invoiceTax(automatic),
    default_tax_rates: [...defaults],
    ...(named === undefined ? {} : { discounts: discountsNamed(world, named, on) }),
  });
}
