/** What is mirrored only where it is asked for. */
import type Stripe from "stripe";
import { type Listing, type Retrieval, resource } from "../resource.js";

/** The rest of a credit note's lines, where Stripe cut the list inside the object. */
const creditedLinesOf =
  (creditNote: string): Listing<Stripe.CreditNoteLineItem> =>
  (stripe, { created: _, ...page }, options) =>
    stripe.creditNotes.listLineItems(creditNote, page, options);

/** The rest of what was reversed of a transfer, likewise. */
const reversalsOf =
  (transfer: string): Listing<Stripe.TransferReversal> =>
  (stripe, { created: _, ...page }, options) =>
    stripe.transfers.listReversals(transfer, page, options);

/**
 * The discounts of a subscription, which Stripe shows only together with it. One that is shared with
 * the customer names no subscription, and is inside the customer.
 */
const discountsOf =
  (subscription: string): Listing<Stripe.Discount> =>
  async (stripe, _page, options) => {
    const expand = ["discounts"];
    const shown = await stripe.subscriptions.retrieve(subscription, { expand }, options);
    const data = shown.discounts.flatMap((each) =>
      typeof each === "string" || each.subscription === null ? [] : [each],
    );
    const url = `/v1/subscriptions/${subscription}`;
    return { object: "list", data, has_more: false, url, lastResponse: shown.lastResponse };
  };

/** One of them. Where it is not, the answer is Stripe's for what can be retrieved: a 404. */
const discountOf: Retrieval<Stripe.Discount> = async (stripe, id, options, owner) => {
  const page = owner === undefined ? undefined : await discountsOf(owner)(stripe, {}, options);
  const found = page?.data.find((each) => each.id === id);
  if (page === undefined || found === undefined) {
    const answer = { statusCode: 404, headers: page?.lastResponse.headers };
    throw Object.assign(new Error(`No such discount: ${id}`), answer);
  }
  // As the SDK has it, so that it is no part of the content.
  const shown = { ...found, lastResponse: page.lastResponse };
  return Object.defineProperty(shown, "lastResponse", { enumerable: false });
};

export const further = {
  setup_intents: resource<Stripe.SetupIntent>()({
    table: "backend_billing_setup_intents",
    object: "setup_intent",
    idField: "setupIntentId",
    api: (stripe) => stripe.setupIntents,
    columns: { customerId: { from: "customer", nullable: true } },
    indexes: { bySetupIntentId: "setupIntentId", byCustomerId: "customerId" },
    upsertedBy: [
      "setup_intent.created",
      "setup_intent.succeeded",
      "setup_intent.setup_failed",
      "setup_intent.requires_action",
      "setup_intent.canceled",
    ],
    silent: "edits, such as of its metadata",
  }),

  invoice_items: resource<Stripe.InvoiceItem>()({
    table: "backend_billing_invoice_items",
    object: "invoiceitem",
    idField: "invoiceItemId",
    api: (stripe) => stripe.invoiceItems,
    columns: { customerId: { from: "customer" } },
    indexes: {
      byInvoiceItemId: "invoiceItemId",
      byCustomerId: "customerId",
      byInvoiceId: "stripe.invoice",
    },
    listsByCreated: false, // Stripe's list can filter on it, but the object has no such field
    upsertedBy: ["invoiceitem.created"],
    deletedBy: ["invoiceitem.deleted"],
    silent: "edits, and the invoice that takes it up",
  }),

  invoice_payments: resource<Stripe.InvoicePayment>()({
    table: "backend_billing_invoice_payments",
    object: "invoice_payment",
    idField: "invoicePaymentId",
    api: (stripe) => stripe.invoicePayments,
    columns: {},
    indexes: {
      byInvoicePaymentId: "invoicePaymentId",
      byInvoiceId: "stripe.invoice",
      byPaymentIntentId: "stripe.payment.payment_intent",
    },
    upsertedBy: ["invoice_payment.paid"],
    silent: "one that is opened or canceled",
  }),

  credit_notes: resource<Stripe.CreditNote>()({
    table: "backend_billing_credit_notes",
    object: "credit_note",
    idField: "creditNoteId",
    api: (stripe) => stripe.creditNotes,
    columns: { customerId: { from: "customer" } },
    indexes: {
      byCreditNoteId: "creditNoteId",
      byCustomerId: "customerId",
      byInvoiceId: "stripe.invoice",
    },
    upsertedBy: ["credit_note.created", "credit_note.updated", "credit_note.voided"],
    cutLists: [{ path: "lines", rest: creditedLinesOf }],
  }),

  quotes: resource<Stripe.Quote>()({
    table: "backend_billing_quotes",
    object: "quote",
    idField: "quoteId",
    api: (stripe) => stripe.quotes,
    columns: { customerId: { from: "customer", nullable: true } },
    indexes: { byQuoteId: "quoteId", byCustomerId: "customerId", byStatus: "stripe.status" },
    listsByCreated: false,
    hides: "those of customers on a test clock; events bring them",
    upsertedBy: ["quote.created", "quote.finalized", "quote.accepted", "quote.canceled"],
    silent: "edits of a draft",
  }),

  tax_ids: resource<Stripe.TaxId>()({
    table: "backend_billing_tax_ids",
    object: "tax_id",
    idField: "taxIdId",
    api: (stripe) => stripe.taxIds,
    columns: { customerId: { from: "customer", nullable: true } }, // null: the account's own
    indexes: { byTaxIdId: "taxIdId", byCustomerId: "customerId" },
    listsByCreated: false,
    listsPer: {
      owner: "customers",
      list:
        (customer) =>
        (stripe, { created: _, ...page }, options) =>
          stripe.customers.listTaxIds(customer, page, options),
      eventful: true,
    },
    upsertedBy: ["customer.tax_id.created", "customer.tax_id.updated"],
    deletedBy: ["customer.tax_id.deleted"],
    silent: "the account's own, which are no customer's",
  }),

  tax_rates: resource<Stripe.TaxRate>()({
    table: "backend_billing_tax_rates",
    object: "tax_rate",
    idField: "taxRateId",
    api: (stripe) => stripe.taxRates,
    columns: {},
    indexes: { byTaxRateId: "taxRateId" },
    upsertedBy: ["tax_rate.created", "tax_rate.updated"],
  }),

  reviews: resource<Stripe.Review>()({
    table: "backend_billing_reviews",
    object: "review",
    idField: "reviewId",
    api: (stripe) => stripe.reviews,
    columns: {},
    indexes: {
      byReviewId: "reviewId",
      byChargeId: "stripe.charge",
      byPaymentIntentId: "stripe.payment_intent",
    },
    hides: "reviews that are closed: those from before it was mirrored are missing",
    upsertedBy: ["review.opened", "review.closed"],
  }),

  early_fraud_warnings: resource<Stripe.Radar.EarlyFraudWarning>()({
    table: "backend_billing_early_fraud_warnings",
    object: "radar.early_fraud_warning",
    idField: "earlyFraudWarningId",
    api: (stripe) => stripe.radar.earlyFraudWarnings,
    columns: {},
    indexes: {
      byEarlyFraudWarningId: "earlyFraudWarningId",
      byChargeId: "stripe.charge",
      byPaymentIntentId: "stripe.payment_intent",
    },
    upsertedBy: ["radar.early_fraud_warning.created", "radar.early_fraud_warning.updated"],
  }),

  transfers: resource<Stripe.Transfer>()({
    table: "backend_billing_transfers",
    object: "transfer",
    idField: "transferId",
    api: (stripe) => stripe.transfers,
    columns: {},
    indexes: { byTransferId: "transferId", byDestination: "stripe.destination" },
    upsertedBy: ["transfer.created", "transfer.updated", "transfer.reversed"],
    cutLists: [{ path: "reversals", rest: reversalsOf }],
  }),

  balance_transactions: resource<Stripe.BalanceTransaction>()({
    table: "backend_billing_balance_transactions",
    object: "balance_transaction",
    idField: "balanceTransactionId",
    api: (stripe) => stripe.balanceTransactions,
    columns: {},
    indexes: { byBalanceTransactionId: "balanceTransactionId", bySource: "stripe.source" },
    upsertedBy: [],
    silent: "everything",
  }),

  plans: resource<Stripe.Plan>()({
    table: "backend_billing_plans",
    object: "plan",
    idField: "planId",
    api: (stripe) => stripe.plans,
    columns: {},
    indexes: { byPlanId: "planId", byProductId: "stripe.product" },
    upsertedBy: ["plan.created", "plan.updated"],
    deletedBy: ["plan.deleted"],
    idsReturn: true,
  }),

  portal_configurations: resource<Stripe.BillingPortal.Configuration>()({
    table: "backend_billing_portal_configurations",
    object: "billing_portal.configuration",
    idField: "portalConfigurationId",
    api: (stripe) => stripe.billingPortal.configurations,
    columns: {},
    indexes: { byPortalConfigurationId: "portalConfigurationId" },
    listsByCreated: false,
    upsertedBy: ["billing_portal.configuration.created", "billing_portal.configuration.updated"],
  }),

  payment_links: resource<Stripe.PaymentLink>()({
    table: "backend_billing_payment_links",
    object: "payment_link",
    idField: "paymentLinkId",
    api: (stripe) => stripe.paymentLinks,
    columns: {},
    indexes: { byPaymentLinkId: "paymentLinkId" },
    listsByCreated: false,
    upsertedBy: ["payment_link.created", "payment_link.updated"],
  }),

  features: resource<Stripe.Entitlements.Feature>()({
    table: "backend_billing_features",
    object: "entitlements.feature",
    idField: "featureId",
    api: (stripe) => stripe.entitlements.features,
    columns: {},
    indexes: { byFeatureId: "featureId", byLookupKey: "stripe.lookup_key" },
    lists: [
      (stripe, { created: _, ...page }, options) =>
        stripe.entitlements.features.list({ ...page, archived: false }, options),
      (stripe, { created: _, ...page }, options) =>
        stripe.entitlements.features.list({ ...page, archived: true }, options),
    ],
    listsByCreated: false,
    upsertedBy: [],
    silent: "everything",
  }),

  meters: resource<Stripe.Billing.Meter>()({
    table: "backend_billing_meters",
    object: "billing.meter",
    idField: "meterId",
    api: (stripe) => stripe.billing.meters,
    columns: {},
    indexes: { byMeterId: "meterId", byEventName: "stripe.event_name" },
    listsByCreated: false,
    upsertedBy: [
      "billing.meter.created",
      "billing.meter.updated",
      "billing.meter.deactivated",
      "billing.meter.reactivated",
    ],
  }),

  credit_grants: resource<Stripe.Billing.CreditGrant>()({
    table: "backend_billing_credit_grants",
    object: "billing.credit_grant",
    idField: "creditGrantId",
    api: (stripe) => stripe.billing.creditGrants,
    columns: { customerId: { from: "customer" } },
    indexes: { byCreditGrantId: "creditGrantId", byCustomerId: "customerId" },
    listsByCreated: false,
    upsertedBy: ["billing.credit_grant.created", "billing.credit_grant.updated"],
  }),

  accounts: resource<Stripe.Account>()({
    table: "backend_billing_accounts",
    object: "account",
    idField: "accountId",
    api: (stripe) => stripe.accounts,
    columns: {},
    indexes: { byAccountId: "accountId" },
    // Stripe sends `account.updated` to endpoints for connected accounts, and this one is not.
    upsertedBy: [],
    silent: "everything",
  }),

  active_entitlements: resource<Stripe.Entitlements.ActiveEntitlement>()({
    table: "backend_billing_active_entitlements",
    object: "entitlements.active_entitlement",
    idField: "activeEntitlementId",
    api: (stripe) => stripe.entitlements.activeEntitlements,
    columns: { customerId: { from: "owner" } },
    indexes: {
      byActiveEntitlementId: "activeEntitlementId",
      byCustomerId: "customerId",
      byFeatureId: "stripe.feature",
      byLookupKey: "stripe.lookup_key",
    },
    lists: [],
    listsByCreated: false,
    listsPer: {
      owner: "customers",
      list:
        (customer) =>
        (stripe, { created: _, ...page }, options) =>
          stripe.entitlements.activeEntitlements.list({ ...page, customer }, options),
      eventful: true,
      // It carries ten entitlements at most, and none of those that ended.
      relistedBy: ["entitlements.active_entitlement_summary.updated"],
    },
    upsertedBy: [],
  }),

  product_features: resource<Stripe.ProductFeature>()({
    table: "backend_billing_product_features",
    object: "product_feature",
    idField: "productFeatureId",
    columns: { productId: { from: "owner" } },
    indexes: {
      byProductFeatureId: "productFeatureId",
      byProductId: "productId",
      byFeatureId: "stripe.entitlement_feature.id",
    },
    lists: [],
    listsByCreated: false,
    listsPer: {
      owner: "products",
      list:
        (product) =>
        (stripe, { created: _, ...page }, options) =>
          stripe.products.listFeatures(product, page, options),
      eventful: false,
    },
    retrieve: (stripe, id, options, product = "") =>
      stripe.products.retrieveFeature(product, id, {}, options),
    upsertedBy: [],
    silent: "everything",
  }),

  credit_balance_transactions: resource<Stripe.Billing.CreditBalanceTransaction>()({
    table: "backend_billing_credit_balance_transactions",
    object: "billing.credit_balance_transaction",
    idField: "transactionId",
    api: (stripe) => stripe.billing.creditBalanceTransactions,
    columns: { customerId: { from: "owner" } },
    indexes: {
      byTransactionId: "transactionId",
      byCustomerId: "customerId",
      byCreditGrantId: "stripe.credit_grant",
    },
    lists: [],
    listsByCreated: false,
    listsPer: {
      owner: "customers",
      list:
        (customer) =>
        (stripe, { created: _, ...page }, options) =>
          stripe.billing.creditBalanceTransactions.list({ ...page, customer }, options),
      eventful: true, // they are only added
      ownerOf: async (stripe, { credit_grant: grant }) => {
        const id = typeof grant === "string" ? grant : grant.id;
        const { customer } = await stripe.billing.creditGrants.retrieve(id);
        return typeof customer === "string" ? customer : customer.id;
      },
    },
    upsertedBy: ["billing.credit_balance_transaction.created"],
  }),

  discounts: resource<Stripe.Discount>()({
    table: "backend_billing_discounts",
    object: "discount",
    idField: "discountId",
    columns: {
      subscriptionId: { from: "owner" },
      customerId: { from: "customer", nullable: true },
    },
    indexes: {
      byDiscountId: "discountId",
      bySubscriptionId: "subscriptionId",
      byCustomerId: "customerId",
      byCouponId: "stripe.source.coupon",
      byPromotionCodeId: "stripe.promotion_code",
    },
    lists: [],
    listsByCreated: false,
    listsPer: {
      owner: "subscriptions",
      list: discountsOf,
      eventful: true,
      relistedBy: [
        "customer.discount.created",
        "customer.discount.updated",
        "customer.discount.deleted",
        "customer.subscription.deleted", // there is no event of its discounts then
      ],
    },
    retrieve: discountOf,
    hides:
      "those of customers, which are inside the customer, and those of items, of invoices and of their lines",
    upsertedBy: [],
  }),
} as const;
