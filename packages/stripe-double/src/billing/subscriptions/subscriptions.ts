/** Making subscriptions; what time does to them is in lifecycle.ts, above this. */
import { invalid, refused } from "../../api/errors.js";
import { referenced } from "../../resources/common.js";
import { same } from "../../world/same.js";
import type { World } from "../../world/world.js";
import { type AnchorConfig, anchorFor, shownConfig } from "../anchor.js";
import {
  assignDiscount,
  type DiscountSource,
  discountsFrom,
  tellOfDiscounts,
} from "../invoices/discounts.js";
import { addExtras, checkExtras, type Extra, extraItems } from "../invoices/extras.js";
import { composeInvoiceItem } from "../invoices/invoice-items.js";
import {
  collectInvoice,
  finalizeInvoice,
  hasPaymentMethod,
  type Invoice,
  intentIdOf,
} from "../invoices/invoices.js";
import { rehearsePayment } from "../invoices/rehearsal.js";
import { HOUR } from "../later.js";
import { cycleEnd } from "../period.js";
import { setUpSubscription } from "../setup/setup-intents.js";
import { automaticTax, type TaxTerms } from "../taxes/rates.js";
import { checkClock } from "../test-clocks.js";
import { type BillingMode, billingMode } from "./billing-mode.js";
import { billSubscription, draftFor } from "./bills.js";
import {
  checkCurrency,
  checkItems,
  checkSellable,
  costs,
  currencyOf,
  makeItem,
  type NewItem,
} from "./items.js";
import { cycleOf, type Subscription } from "./subscription.js";

export type PaymentBehavior =
  | "allow_incomplete"
  | "default_incomplete"
  | "error_if_incomplete"
  | "pending_if_incomplete";

export interface NewSubscription {
  readonly customer: string;
  /** One that all prices have; the customer's, or their own, unless it is given. */
  readonly currency?: string | undefined;
  readonly billing_mode?: BillingMode | undefined;
  readonly items: readonly NewItem[];
  readonly default_payment_method?: string | null | undefined;
  readonly trial_end?: number | undefined;
  /** What happens at the end of a trial when there is nothing to charge. */
  readonly missing_payment_method?: "cancel" | "create_invoice" | "pause" | undefined;
  readonly metadata?: { [key: string]: string } | undefined;
  readonly description?: string | null | undefined;
  /** Discounts that exist already, or what to make them from. */
  readonly discounts?: readonly string[] | undefined;
  readonly discount_sources?: readonly DiscountSource[] | undefined;
  readonly payment_behavior?: PaymentBehavior | undefined;
  readonly collection_method?: "charge_automatically" | "send_invoice" | undefined;
  readonly days_until_due?: number | undefined;
  readonly cancel_at?: number | undefined;
  /** Whether a first period in which it ends is billed in part; so unless this is false. */
  readonly prorates?: boolean | undefined;
  readonly cancel_at_period_end?: boolean | undefined;
  readonly save_default_payment_method?: "off" | "on_subscription" | undefined;
  /** Where the first whole cycle begins; the time until then is billed in part, or not at all. */
  readonly billing_cycle_anchor?: number | undefined;
  readonly billing_cycle_anchor_config?: AnchorConfig | undefined;
  /** What the first invoice has beside the items. */
  readonly add_invoice_items?: readonly Extra[] | undefined;
  /** The schedule that makes it: its first invoice is then collected like that of a renewal. */
  readonly schedule?: string | undefined;
  /** Whether it begins at once, with a first invoice that is a draft for an hour: so with a quote. */
  readonly draftsFirst?: boolean | undefined;
  readonly taxes?: TaxTerms | undefined;
}

export function createSubscription(world: World, params: NewSubscription): Subscription {
  const customer = referenced(world, "customer", params.customer, "customer");
  params.items.forEach(({ price }, index) => {
    checkSellable(world, price, `items[${index}][price]`);
  });
  const mode = params.billing_mode ?? billingMode(world.version);
  const currency = currencyOf(world, params.items, { asked: params.currency, customer });
  checkItems(world, params.items, mode, currency);
  checkCurrency(world, customer.id, currency);
  checkClock(world, customer);
  const now = world.now();
  const trial = params.trial_end !== undefined && params.trial_end > now;
  const method = params.default_payment_method ?? undefined;
  if (method !== undefined) checkOwner(world, method, customer.id);
  const automatic = params.collection_method !== "send_invoice";
  if (!automatic && params.days_until_due === undefined) {
    throw invalid(
      "If subscription is `collection_method`=`send_invoice`, you must pass `days_until_due`.",
      "days_until_due",
    );
  }
  const behavior = params.payment_behavior ?? "allow_incomplete";
  const extras = params.add_invoice_items ?? [];
  checkExtras(world, extras);
  const scheduled = params.schedule !== undefined || params.draftsFirst === true;
  if (
    automatic &&
    !scheduled &&
    !trial &&
    behavior !== "default_incomplete" &&
    costs(world, params.items, currency) &&
    !hasPaymentMethod(world, customer.id, method)
  ) {
    throw refused(
      "This customer has no attached payment source or default payment method. Please consider adding a default payment method.",
      "customer",
      "resource_missing",
    );
  }
  const id = world.id("sub");
  const discounts = discountsFrom(world, params.discount_sources ?? [], {
    customer: customer.id,
    currency,
    subscription: id,
  });
  const cycles = params.items.map(({ price }) => cycleOf({ price: world.find("price", price) }));
  const anchor = trial
    ? (params.trial_end ?? now)
    : anchorFor(now, cycles, params.billing_cycle_anchor, params.billing_cycle_anchor_config);
  const free = params.prorates === false && !trial && anchor !== now;
  const ends = params.prorates === false ? undefined : params.cancel_at;
  const items = params.items.map((item) => {
    const cycle = cycleOf({ price: world.find("price", item.price) });
    const end = trial ? anchor : cycleEnd(anchor, cycle, now);
    return makeItem(world, id, item, { start: now, end: trial ? end : Math.min(end, ends ?? end) });
  });
  const firstEnd = Math.min(...items.map(({ current_period_end: end }) => end));
  const subscription: Subscription = {
    id,
    object: "subscription",
    application: null,
    application_fee_percent: null,
    automatic_tax: automaticTax(params.taxes?.automatic ?? false),
    billing_cycle_anchor: anchor,
    billing_cycle_anchor_config: shownConfig(params.billing_cycle_anchor_config),
    billing_mode: mode,
    billing_schedules: [],
    billing_thresholds: null,
    cancel_at: params.cancel_at ?? (params.cancel_at_period_end ? firstEnd : null),
    cancel_at_period_end: params.cancel_at_period_end ?? false,
    canceled_at: params.cancel_at_period_end || params.cancel_at !== undefined ? now : null,
    cancellation_details: { comment: null, feedback: null, feedback_option: null, reason: null },
    collection_method: params.collection_method ?? "charge_automatically",
    created: now,
    currency,
    customer: customer.id,
    customer_account: null,
    days_until_due: params.days_until_due ?? null,
    default_payment_method: method ?? null,
    default_source: null,
    default_tax_rates: [...(params.taxes?.defaults ?? [])],
    description: params.description ?? null,
    discounts: [...(params.discounts ?? []), ...discounts],
    ended_at: null,
    invoice_settings: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: { type: "self" },
    },
    items: {
      object: "list",
      data: items,
      has_more: false,
      url: `/v1/subscription_items?subscription=${id}`,
    },
    latest_invoice: null,
    livemode: world.livemode,
    managed_payments: null,
    metadata: params.metadata ?? {},
    next_pending_invoice_item_invoice: null,
    on_behalf_of: null,
    pause_collection: null,
    payment_settings: {
      payment_method_options: null,
      payment_method_types: null,
      save_default_payment_method: params.save_default_payment_method ?? "off",
    },
    pending_invoice_item_interval: null,
    pending_setup_intent: null,
    pending_update: null,
    schedule: params.schedule ?? null,
    start_date: now,
    status: trial ? "trialing" : automatic && !scheduled ? "incomplete" : "active",
    test_clock: customer.test_clock ?? null,
    transfer_data: null,
    trial_end: trial ? anchor : null,
    trial_settings: {
      end_behavior: {
        billing_cycle_anchor: null,
        missing_payment_method: params.missing_payment_method ?? "create_invoice",
      },
    },
    trial_start: trial ? now : null,
  };
  if (behavior === "error_if_incomplete" && automatic && !trial) {
    const more = extraItems(world, subscription, extras).map((item) =>
      composeInvoiceItem(world, "", item),
    );
    rehearsePayment(world, draftFor(world, subscription, "subscription_create", { free, more }));
  }
  const pays = method ?? customer.invoice_settings.default_payment_method ?? undefined;
  const costsNothing = trial && extras.length === 0;
  if (costsNothing && automatic) {
    subscription.pending_setup_intent = setUpSubscription(world, customer.id, pays);
  }
  world.objects.subscription.add(subscription);
  for (const each of params.discounts ?? []) assignDiscount(world, each, { subscription: id });
  tellOfDiscounts(world, [], subscription.discounts);
  addExtras(world, subscription, extras);
  const announced = behavior === "default_incomplete";
  if (announced) world.raise("customer.subscription.created", subscription);
  const first = firstInvoice(world, subscription, behavior, { free, drafts: scheduled });
  if (!costsNothing && automatic && (first?.amount_due ?? 0) === 0) {
    const pending = setUpSubscription(world, customer.id, pays);
    world.patch("subscription", id, { pending_setup_intent: pending });
  }
  const made = world.find("subscription", id);
  if (!announced) world.raise("customer.subscription.created", made);
  else if (made.status !== subscription.status || !same(made.discounts, subscription.discounts)) {
    world.raise("customer.subscription.updated", made, subscription);
  }
  world.due.subscription(id);
  return made;
}

/** Drafts, finalizes and, unless told to wait for the customer, collects the first invoice. */
function firstInvoice(
  world: World,
  subscription: Subscription,
  behavior: PaymentBehavior,
  { free, drafts }: { readonly free: boolean; readonly drafts: boolean },
): Invoice | undefined {
  const { id, collection_method: collection, status } = subscription;
  const waitsAnHour = collection === "send_invoice" || drafts;
  // Of what is only paid for once it was used, there is nothing to invoice yet.
  if (draftFor(world, subscription, "subscription_create").lines.length === 0) {
    if (status === "incomplete") world.patch("subscription", id, { status: "active" });
    return undefined;
  }
  const invoice = billSubscription(world, subscription, "subscription_create", {
    free,
    finalizesIn: waitsAnHour ? HOUR : null,
  });
  if (waitsAnHour) {
    world.due.draft(invoice.id);
    return invoice;
  }
  const finalized = finalizeInvoice(world, invoice.id);
  const waits = behavior === "default_incomplete";
  const paid =
    finalized.status === "paid" || (!waits && collectInvoice(world, invoice.id) === "paid");
  // Without an event: that of the creation shows the outcome.
  if (paid && status === "incomplete") {
    world.patch("subscription", id, {
      status: "active",
      ...savedMethod(world, subscription, invoice.id),
    });
  }
  return finalized;
}

/** The payment method that a subscription takes from its first payment, if it was asked to. */
export function savedMethod(
  world: World,
  { payment_settings: settings }: Subscription,
  invoice: string,
): Partial<Subscription> {
  if (settings?.save_default_payment_method !== "on_subscription") return {};
  const intent = world.objects.payment_intent.get(intentIdOf(world, invoice) ?? "");
  return intent?.payment_method ? { default_payment_method: intent.payment_method } : {};
}

/** Refuses a payment method that is not the customer's. */
export function checkOwner(
  world: World,
  method: string,
  customer: string,
  param = "default_payment_method",
): void {
  if (referenced(world, "payment_method", method, param).customer === customer) return;
  throw refused(
    `The customer does not have a payment method with the ID ${method}. The payment method must be attached to the customer.`,
    param,
    "resource_missing",
  );
}
