/**
 * Parameters that have no effect in the double: the object shows them again, as Stripe's does.
 * Beside each name stands what Stripe shows of it where the request says nothing.
 */

const invoice = {
  account_tax_ids: {},
  custom_fields: {},
  effective_at: {},
  footer: {},
  payment_settings: {
    default_mandate: null,
    payment_method_options: null,
    payment_method_types: null,
  },
  rendering: { amount_tax_display: null, pdf: null, template: null, template_version: null },
  shipping_details: {},
  statement_descriptor: {},
};
const customer = { business_name: {}, individual_name: {} };
const link = {
  custom_text: {},
  name_collection: {},
  tax_id_collection: { enabled: false, required: "never" },
};
const subscription = { invoice_settings: {}, on_behalf_of: {} };

export const KEPT: { readonly [signature: string]: { readonly [name: string]: object } } = {
  "POST /v1/billing_portal/sessions": { on_behalf_of: {} },
  "POST /v1/charges/:charge": { fraud_details: {}, shipping: {}, transfer_group: {} },
  "POST /v1/checkout/sessions": {
    branding_settings: {},
    custom_fields: {},
    custom_text: {},
    integration_identifier: {},
    managed_payments: {},
    name_collection: {},
    origin_context: {},
    saved_payment_method_options: {},
    tax_id_collection: { enabled: false, required: "never" },
    wallet_options: {},
  },
  "POST /v1/customers": customer,
  "POST /v1/customers/:customer": customer,
  "POST /v1/invoiceitems": { tax_code: {} },
  "POST /v1/invoiceitems/:item": { tax_code: {} },
  "POST /v1/invoices": invoice,
  "POST /v1/invoices/:invoice": invoice,
  "POST /v1/payment_intents": { application_fee_amount: {}, shipping: {}, transfer_group: {} },
  "POST /v1/payment_intents/:intent": {
    application_fee_amount: {},
    shipping: {},
    transfer_group: {},
  },
  "POST /v1/payment_intents/:intent/confirm": { shipping: {} },
  "POST /v1/payment_intents/:intent/capture": {
    statement_descriptor: {},
    statement_descriptor_suffix: {},
  },
  "POST /v1/payment_links": link,
  "POST /v1/payment_links/:link": link,
  "POST /v1/products": { package_dimensions: {}, type: {} },
  "POST /v1/products/:product": { package_dimensions: {} },
  "POST /v1/refunds": { instructions_email: {} },
  "POST /v1/setup_intents": { flow_directions: {}, on_behalf_of: {} },
  "POST /v1/setup_intents/:intent": { flow_directions: {} },
  "POST /v1/subscriptions": subscription,
  "POST /v1/subscriptions/:subscription": subscription,
};
