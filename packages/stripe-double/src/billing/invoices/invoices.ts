/**
 * The life of an invoice: finalized, paid or failed, voided or given up. Whoever owns the invoice
 * (a subscription) is told of the outcome by what these functions answer.
 */
import type Stripe from "stripe";
import { refused } from "../../api/errors.js";
import type { Plain } from "../../world/plain.js";
import { token } from "../../world/random.js";
import type { World } from "../../world/world.js";
import { changeBalance, reasonOf } from "../balance/customer-balance.js";
import { applyCredits, isCreditable, reinstateCredits } from "../credits/apply.js";
import {
  cancelPaymentIntent,
  confirmPaymentIntent,
  createPaymentIntent,
  type PaymentIntent,
} from "../payments/payments.js";
import { linesWithUsage } from "../usage/late.js";
import type { Invoice } from "./draft.js";
import { withLines } from "./reprice.js";
import { settle } from "./totals.js";

export type { Invoice } from "./draft.js";

type InvoicePayment = Plain<Stripe.InvoicePayment>;

/** Gives it a number and a payment to wait for. One with nothing due is paid at once. */
export function finalizeInvoice(world: World, id: string): Invoice {
  const before = world.find("invoice", id);
  if (before.status !== "draft") {
    throw refused("This invoice is already finalized, you can't re-finalize a non-draft invoice.");
  }
  const lines = finalLines(world, before);
  const draft = lines ? world.patch("invoice", id, withLines(world, before, lines)) : before;
  const customer = world.find("customer", draft.customer ?? "", "customer");
  const sequence = customer.next_invoice_sequence ?? 1;
  const { due, balance: ending } = settle(draft.total, customer.balance, draft.currency);
  // The number is taken without an event; what the customer owes or is owed is told.
  world.patch("customer", customer.id, { next_invoice_sequence: sequence + 1 });
  const change = ending - customer.balance;
  if (change === 0) {
    world.change("customer", customer.id, { currency: draft.currency }, "customer.updated");
  } else {
    changeBalance(world, customer.id, {
      amount: change,
      currency: draft.currency,
      type: reasonOf(ending),
      invoice: id,
    });
  }
  const page = `${world.origin}/i/${token(24, id)}`;
  const open: Partial<Invoice> = {
    status: "open",
    number: `${customer.invoice_prefix}-${String(sequence).padStart(4, "0")}`,
    amount_due: due,
    amount_remaining: due,
    automatically_finalizes_at: null,
    effective_at: world.now(),
    starting_balance: customer.balance,
    ending_balance: ending,
    hosted_invoice_url: page,
    invoice_pdf: `${page}/pdf`,
    status_transitions: { ...draft.status_transitions, finalized_at: world.now() },
    ...applyCredits(world, draft),
  };
  const invoice = world.patch("invoice", id, open);
  if (invoice.amount_due === 0) {
    const paid = world.patch("invoice", id, settled(world, invoice));
    world.raise("invoice.finalized", paid);
    world.raise("invoice.paid", paid);
    world.raise("invoice.payment_succeeded", paid);
    return paid;
  }
  if (invoice.collection_method === "charge_automatically") intentOf(world, invoice);
  world.raise("invoice.finalized", invoice);
  return invoice;
}

/** The lines of a draft if they are to be worked out again: for late usage, or for other credits. */
function finalLines(world: World, draft: Invoice): Invoice["lines"]["data"] | undefined {
  const used = linesWithUsage(world, draft);
  if (used !== undefined) return used;
  return draft.lines.data.some((line) => isCreditable(world, line)) ? draft.lines.data : undefined;
}

function settled(world: World, invoice: Invoice): Partial<Invoice> {
  return {
    status: "paid",
    amount_paid: invoice.amount_due,
    amount_remaining: 0,
    attempted: true,
    next_payment_attempt: null,
    status_transitions: { ...invoice.status_transitions, paid_at: world.now() },
  };
}

const PURPOSES: { readonly [reason: string]: string } = {
  manual: "Payment for Invoice",
  quote_accept: "Payment for Invoice",
  subscription_create: "Subscription creation",
};

/** The payment intent that collects an invoice, made on first use. */
function intentOf(world: World, invoice: Invoice): PaymentIntent {
  const known = intentIdOf(world, invoice.id);
  if (known !== undefined) return world.find("payment_intent", known);
  const intent = createPaymentIntent(world, {
    amount: invoice.amount_due,
    currency: invoice.currency,
    customer: invoice.customer ?? undefined,
    description: PURPOSES[invoice.billing_reason ?? ""] ?? "Subscription update",
    setup_future_usage: subscriptionOf(invoice) === undefined ? null : "off_session",
  });
  linkPayment(world, invoice, intent.id);
  return intent;
}

/** Lets a payment intent collect an invoice. */
export function linkPayment(world: World, invoice: Invoice, intent: string): void {
  keepPayment(world, intent, {
    id: world.id("inpay"),
    object: "invoice_payment",
    amount_paid: null,
    amount_requested: invoice.amount_due,
    created: world.now(),
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: world.livemode,
    payment: { type: "payment_intent", payment_intent: intent },
    status: "open",
    status_transitions: { canceled_at: null, paid_at: null },
  });
}

/** The invoice that a payment intent collects, if it is for one. */
export function invoiceIdOf(world: World, intent: string): string | undefined {
  const known = world.hidden.get(intent)?.invoice;
  return typeof known === "string" ? known : undefined;
}

export function intentIdOf(world: World, invoice: string): string | undefined {
  const known = world.hidden.get(invoice)?.payment_intent;
  return typeof known === "string" ? known : undefined;
}

/** Keeps what collects an invoice, which Stripe shows only when it is asked for. */
function keepPayment(world: World, intent: string, payment: InvoicePayment): void {
  world.objects.invoice_payment.add(payment);
  world.hidden.set(intent, { invoice: payment.invoice });
  world.hidden.set(payment.invoice, {
    payment_intent: intent,
    confirmation_secret: {
      client_secret: world.find("payment_intent", intent).client_secret,
      type: "payment_intent",
    },
  });
}

function paymentOf(world: World, invoice: string): InvoicePayment | undefined {
  return world.objects.invoice_payment.where("invoice", invoice)[0];
}

/** Has the intent that collects an open invoice ask for so much from now on. */
export function lowerPayment(world: World, invoice: string, amount: number): void {
  const payment = paymentOf(world, invoice);
  const intent = intentIdOf(world, invoice);
  if (payment === undefined || intent === undefined) return;
  world.patch("payment_intent", intent, { amount });
  world.patch("invoice_payment", payment.id, { amount_requested: amount });
}

export type Collected = "paid" | "failed" | "processing" | "requires_action";

export interface Collection {
  readonly payment_method?: string | undefined;
  /** When Stripe tries again if this fails; null for never. Without it that stays as it was. */
  readonly nextAttempt?: number | null | undefined;
}

/** Tries to collect an open invoice with this payment method, or the best that is on file. */
export function collectInvoice(world: World, id: string, options: Collection = {}): Collected {
  const invoice = world.find("invoice", id);
  if (invoice.status === "paid") return "paid";
  const method = options.payment_method ?? paymentMethodFor(world, invoice);
  const { id: intent, payment_method_types: types } = intentOf(world, invoice);
  if (method === undefined) return recordAttempt(world, id, undefined, options);
  const { type } = world.objects.payment_method.get(method) ?? { type: "card" };
  if (!types.includes(type)) {
    world.patch("payment_intent", intent, { payment_method_types: [...types, type] });
  }
  const tried = confirmPaymentIntent(world, intent, { payment_method: method, off_session: true });
  return recordAttempt(world, id, tried, options);
}

/**
 * What an attempt to collect means for the invoice, by the state that it left the intent in. Any
 * attempt is the first; of further ones only those are counted that Stripe makes by itself, after
 * which it knows when it tries again (API reference: invoice, `attempt_count`).
 */
export function recordAttempt(
  world: World,
  id: string,
  intent: PaymentIntent | undefined,
  { nextAttempt }: Collection = {},
): Collected {
  const before = world.find("invoice", id);
  const counted =
    nextAttempt === undefined ? Math.max(1, before.attempt_count) : before.attempt_count + 1;
  const attempt = { attempted: true, attempt_count: counted };
  if (intent?.status === "succeeded") {
    markPaid(world, world.patch("invoice", id, attempt));
    return "paid";
  }
  const waits = intent?.status === "processing";
  const next =
    nextAttempt === undefined ? {} : { next_payment_attempt: waits ? null : nextAttempt };
  const open = world.change("invoice", id, { ...attempt, ...next }, "invoice.updated");
  if (waits) return "processing";
  if (intent?.status === "requires_action") {
    world.raise("invoice.payment_action_required", open);
    return "requires_action";
  }
  world.raise("invoice.payment_failed", open);
  return "failed";
}

/** What follows when the money is there, however it came. */
export function markPaid(world: World, open: Invoice): Invoice {
  const paid = world.patch("invoice", open.id, settled(world, open));
  const payment = paymentOf(world, open.id);
  if (payment !== undefined) {
    const done = world.patch("invoice_payment", payment.id, {
      amount_paid: open.amount_due,
      status: "paid",
      status_transitions: { canceled_at: null, paid_at: world.now() },
    });
    world.raise("invoice_payment.paid", done);
  }
  world.raise("invoice.updated", paid, open);
  world.raise("invoice.paid", paid);
  world.raise("invoice.payment_succeeded", paid);
  return paid;
}

/** Somebody was paid in another way: nothing is left to collect. */
export function markPaidElsewhere(world: World, open: Invoice): Invoice {
  cancelPayment(world, open.id);
  const paid = world.patch("invoice", open.id, settled(world, open));
  world.raise("invoice.updated", paid, open);
  world.raise("invoice.paid", paid);
  world.raise("invoice.payment_succeeded", paid);
  return paid;
}

function cancelPayment(world: World, invoice: string): void {
  const intent = intentIdOf(world, invoice);
  const payment = paymentOf(world, invoice);
  if (intent === undefined || payment === undefined) return;
  const { status } = world.find("payment_intent", intent);
  if (status !== "canceled" && status !== "succeeded") {
    cancelPaymentIntent(world, intent, "void_invoice");
  }
  world.patch("invoice_payment", payment.id, {
    status: "canceled",
    status_transitions: { canceled_at: world.now(), paid_at: null },
  });
}

/** What an invoice would be collected with. */
export function paymentMethodFor(world: World, invoice: Invoice): string | undefined {
  const owner = world.objects.subscription.get(subscriptionOf(invoice) ?? "");
  const customer = world.objects.customer.get(invoice.customer ?? "");
  return (
    invoice.default_payment_method ??
    owner?.default_payment_method ??
    customer?.invoice_settings.default_payment_method ??
    undefined
  );
}

export function subscriptionOf(invoice: Invoice): string | undefined {
  return invoice.parent?.subscription_details?.subscription;
}

/** Whether anything can be charged for this customer or subscription. */
export function hasPaymentMethod(
  world: World,
  customer: string,
  own: string | null | undefined,
): boolean {
  return Boolean(
    own ?? world.objects.customer.get(customer)?.invoice_settings.default_payment_method,
  );
}

export function voidInvoice(world: World, id: string): Invoice {
  const before = world.find("invoice", id);
  if (before.status !== "open" && before.status !== "uncollectible") {
    throw refused(
      `You can only void open or uncollectible invoices; this one is ${before.status}.`,
    );
  }
  cancelPayment(world, id);
  const after = world.patch("invoice", id, {
    status: "void",
    next_payment_attempt: null,
    status_transitions: { ...before.status_transitions, voided_at: world.now() },
  });
  returnBalance(world, before);
  reinstateCredits(world, before);
  world.raise("invoice.voided", after);
  world.raise("invoice.updated", after, before);
  return after;
}

/** Gives back what a void invoice took from, or added to, the customer's balance. */
function returnBalance(world: World, invoice: Invoice): void {
  const customer = world.objects.customer.get(invoice.customer ?? "");
  const { starting_balance: before, ending_balance: after, currency } = invoice;
  if (customer === undefined || after === null || before === after) return;
  changeBalance(world, customer.id, {
    amount: before - after,
    currency,
    type: "unapplied_from_invoice",
    invoice: invoice.id,
  });
}

export function markUncollectible(world: World, id: string): Invoice {
  const before = world.find("invoice", id);
  if (before.status !== "open") {
    throw refused(
      `You can only mark open invoices as uncollectible; this one is ${before.status}.`,
    );
  }
  const after = world.patch("invoice", id, {
    status: "uncollectible",
    next_payment_attempt: null,
    status_transitions: { ...before.status_transitions, marked_uncollectible_at: world.now() },
  });
  world.raise("invoice.marked_uncollectible", after);
  world.raise("invoice.updated", after, before);
  return after;
}
