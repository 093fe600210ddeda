/**
 * What a billing page shows beside them: what was bought, paid and owed, with what, and what is about
 * to change. The library's own calls need some of it to be safe.
 */
import type Stripe from "stripe";
import { type Listing, resource } from "../resource.js";

/** The rest of an invoice's lines, likewise. */
const linesOf =
  (invoice: string): Listing<Stripe.InvoiceLineItem> =>
  (stripe, { limit, starting_after, ending_before }, options) =>
    stripe.invoices.listLineItems(
      invoice,
      {
        ...(limit === undefined ? {} : { limit }),
        ...(starting_after === undefined ? {} : { starting_after }),
        ...(ending_before === undefined ? {} : { ending_before }),
      },
      options,
    );

export const billingPage = {
  checkout_sessions: resource<Stripe.Checkout.Session>()({
    table: "backend_billing_checkout_sessions",
    object: "checkout.session",
    idField: "checkoutSessionId",
    api: (stripe) => stripe.checkout.sessions,
    columns: { customerId: { from: "customer", nullable: true } },
    indexes: {
      byCheckoutSessionId: "checkoutSessionId",
      byCustomerId: "customerId",
      byStatus: "stripe.status",
      byClientReferenceId: "stripe.client_reference_id",
    },
    upsertedBy: [
      "checkout.session.completed",
      "checkout.session.expired",
      "checkout.session.async_payment_succeeded",
      "checkout.session.async_payment_failed",
    ],
    // Those of the library's own links are stored as Stripe answers them.
    silent: "one that is made, and edits of one that is open",
  }),

  invoices: resource<Stripe.Invoice>()({
    table: "backend_billing_invoices",
    object: "invoice",
    idField: "invoiceId",
    api: (stripe) => stripe.invoices,
    columns: { customerId: { from: "customer", nullable: true } },
    indexes: {
      byInvoiceId: "invoiceId",
      byCustomerId: "customerId",
      bySubscriptionId: "stripe.parent.subscription_details.subscription",
      byStatus: "stripe.status",
    },
    // Not `invoice.upcoming`: that invoice does not exist yet and has no id. Nor `will_be_due` and
    // `overdue`, which remind of a date and change nothing.
    upsertedBy: [
      "invoice.created",
      "invoice.updated",
      "invoice.finalized",
      "invoice.finalization_failed",
      "invoice.sent",
      "invoice.paid",
      "invoice.payment_succeeded",
      "invoice.payment_failed",
      "invoice.payment_action_required",
      "invoice.payment_attempt_required",
      "invoice.overpaid",
      "invoice.marked_uncollectible",
      "invoice.voided",
    ],
    deletedBy: ["invoice.deleted"], // drafts alone can be deleted
    cutLists: [{ path: "lines", rest: linesOf }],
  }),

  subscription_schedules: resource<Stripe.SubscriptionSchedule>()({
    table: "backend_billing_subscription_schedules",
    object: "subscription_schedule",
    idField: "subscriptionScheduleId",
    api: (stripe) => stripe.subscriptionSchedules,
    columns: { customerId: { from: "customer" } },
    indexes: {
      bySubscriptionScheduleId: "subscriptionScheduleId",
      byCustomerId: "customerId",
      bySubscriptionId: "stripe.subscription",
    },
    hides: "those of customers on a test clock; events bring them",
    upsertedBy: [
      "subscription_schedule.created",
      "subscription_schedule.updated",
      "subscription_schedule.canceled",
      "subscription_schedule.completed",
      "subscription_schedule.released",
      "subscription_schedule.aborted",
      "subscription_schedule.expiring",
    ],
  }),

  payment_intents: resource<Stripe.PaymentIntent>()({
    table: "backend_billing_payment_intents",
    object: "payment_intent",
    idField: "paymentIntentId",
    api: (stripe) => stripe.paymentIntents,
    columns: { customerId: { from: "customer", nullable: true } },
    indexes: {
      byPaymentIntentId: "paymentIntentId",
      byCustomerId: "customerId",
      byStatus: "stripe.status",
    },
    upsertedBy: [
      "payment_intent.created",
      "payment_intent.succeeded",
      "payment_intent.payment_failed",
      "payment_intent.canceled",
      "payment_intent.processing",
      "payment_intent.requires_action",
      "payment_intent.amount_capturable_updated",
      "payment_intent.partially_funded",
    ],
    silent: "edits, such as of its metadata",
  }),

  charges: resource<Stripe.Charge>()({
    table: "backend_billing_charges",
    object: "charge",
    idField: "chargeId",
    api: (stripe) => stripe.charges,
    columns: { customerId: { from: "customer", nullable: true } },
    indexes: {
      byChargeId: "chargeId",
      byCustomerId: "customerId",
      byPaymentIntentId: "stripe.payment_intent",
    },
    upsertedBy: [
      "charge.succeeded",
      "charge.failed",
      "charge.pending",
      "charge.captured",
      "charge.expired",
      "charge.refunded",
      "charge.updated",
    ],
    // It is `disputed` then, or what was refunded of it is less again.
    touchedBy: {
      events: ["charge.dispute.created", "refund.updated", "refund.failed"],
      field: "charge",
    },
  }),

  payment_methods: resource<Stripe.PaymentMethod>()({
    table: "backend_billing_payment_methods",
    object: "payment_method",
    idField: "paymentMethodId",
    api: (stripe) => stripe.paymentMethods,
    columns: { customerId: { from: "customer", nullable: true } }, // null once it is detached
    indexes: { byPaymentMethodId: "paymentMethodId", byCustomerId: "customerId" },
    lists: [],
    listsByCreated: false,
    listsPer: {
      owner: "customers",
      list:
        (customer) =>
        (stripe, { created: _, ...page }, options) =>
          stripe.customers.listPaymentMethods(customer, page, options),
      eventful: true,
    },
    hides: "payment methods that belong to no customer, and those of the type `custom`",
    upsertedBy: [
      "payment_method.attached",
      "payment_method.detached",
      "payment_method.updated",
      "payment_method.automatically_updated",
    ],
  }),

  disputes: resource<Stripe.Dispute>()({
    table: "backend_billing_disputes",
    object: "dispute",
    idField: "disputeId",
    api: (stripe) => stripe.disputes,
    columns: {}, // a dispute names no customer: its charge does
    indexes: {
      byDisputeId: "disputeId",
      byChargeId: "stripe.charge",
      byPaymentIntentId: "stripe.payment_intent",
      byStatus: "stripe.status",
    },
    upsertedBy: [
      "charge.dispute.created",
      "charge.dispute.updated",
      "charge.dispute.closed",
      "charge.dispute.funds_withdrawn",
      "charge.dispute.funds_reinstated",
    ],
  }),
} as const;
