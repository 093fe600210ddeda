/** Payment links: an address that makes a checkout session for each visitor. */
import { invalid } from "../../api/errors.js";
import { listArray, pageShape } from "../../api/list.js";
import { flag } from "../../api/params.js";
import { type LineItem, lineItemsOf } from "../../billing/checkout/lines.js";
import { lineItems } from "../../billing/checkout/session.js";
import { amountOf, isMetered } from "../../billing/prices/rates.js";
import { route } from "../../http/route.js";
import type { World } from "../../world/world.js";
import { createInlinePrice } from "../catalogue/prices.js";
import { given, listKind, mergeMetadata } from "../common.js";
import {
  type CreateParams,
  checkLink,
  createShape,
  linkMode,
  type PaymentLink,
  type UpdateParams,
  updateShape,
} from "./link-params.js";
import { invoiceCreation } from "./new-session.js";
import { checkLines } from "./params.js";

const MOST_LINES = 20;

const NO_TEXT = {
  after_submit: null,
  shipping_address: null,
  submit: null,
  terms_of_service_acceptance: null,
};
const NO_INTENT_DATA = {
  capture_method: null,
  description: null,
  metadata: {},
  setup_future_usage: null,
  statement_descriptor: null,
  statement_descriptor_suffix: null,
  transfer_group: null,
};
const NO_PLAN: NonNullable<PaymentLink["subscription_data"]> = {
  description: null,
  invoice_settings: {
    account_tax_ids: null,
    custom_fields: null,
    description: null,
    footer: null,
    issuer: { type: "self" },
  },
  metadata: {},
  trial_period_days: null,
  trial_settings: { end_behavior: { missing_payment_method: "create_invoice" } },
};

type Settings = Omit<Partial<CreateParams & UpdateParams>, "line_items">;

/** What the link says after a request; the data for what is sold replaces what was there by name. */
function settingsOf(before: PaymentLink, params: Settings): Partial<PaymentLink> {
  const { after_completion: after, payment_intent_data: intent, subscription_data: plan } = params;
  return given({
    active: params.active,
    after_completion: after && afterCompletion(after),
    allow_promotion_codes: params.allow_promotion_codes,
    automatic_tax: params.automatic_tax && {
      enabled: params.automatic_tax.enabled,
      liability: params.automatic_tax.enabled ? { type: "self" as const } : null,
    },
    billing_address_collection: params.billing_address_collection,
    customer_creation: params.customer_creation,
    inactive_message: params.inactive_message,
    invoice_creation: params.invoice_creation && invoiceCreation(params.invoice_creation),
    metadata: params.metadata === undefined ? undefined : merged(before, params.metadata),
    payment_intent_data: intent && {
      ...(before.payment_intent_data ?? NO_INTENT_DATA),
      ...given({ ...intent, metadata: declared(intent.metadata) }),
    },
    payment_method_collection: params.payment_method_collection,
    payment_method_types: params.payment_method_types && typesOf(params.payment_method_types),
    phone_number_collection: params.phone_number_collection,
    submit_type: params.submit_type,
    subscription_data: plan && {
      ...(before.subscription_data ?? NO_PLAN),
      ...given({ ...plan, metadata: declared(plan.metadata) }),
    },
  });
}

const merged = ({ metadata }: PaymentLink, change: { [key: string]: string } | null) =>
  mergeMetadata(metadata, change);

/** Metadata for what is bought is not merged with what was there. */
const declared = (metadata: { [key: string]: string } | null | undefined) =>
  metadata === undefined ? undefined : mergeMetadata({}, metadata);

const typesOf = (types: readonly string[]) =>
  types.length === 0 ? null : ([...types] as NonNullable<PaymentLink["payment_method_types"]>);

function afterCompletion(
  asked: NonNullable<CreateParams["after_completion"]>,
): PaymentLink["after_completion"] {
  if (asked.type === "redirect") {
    return { redirect: { url: asked.redirect?.url ?? "" }, type: "redirect" };
  }
  const custom_message = asked.hosted_confirmation?.custom_message ?? null;
  return { hosted_confirmation: { custom_message }, type: "hosted_confirmation" };
}

function createLink(world: World, params: CreateParams): PaymentLink {
  const lines = params.line_items.map((line) => ({ ...line, tax_rates: undefined }));
  if (lines.length > MOST_LINES) {
    throw invalid(`You may only have up to ${MOST_LINES} line items.`, "line_items");
  }
  const recurs = lines.some(({ price, price_data: data }) =>
    data ? data.recurring : world.objects.price.get(price ?? "")?.recurring,
  );
  const mode = recurs ? "subscription" : "payment";
  checkLink(mode, params);
  const { currency } = checkLines(world, mode, lines, {
    trial: (params.subscription_data?.trial_period_days ?? null) !== null,
    wanted: { asked: params.currency?.toLowerCase(), customer: undefined },
  });
  const sold = lines.map(({ price, price_data: data, quantity }, index) => {
    const made = data
      ? createInlinePrice(world, data, `line_items[${index}][price_data]`)
      : world.find("price", price ?? "");
    return { price: made, quantity: isMetered(made) ? null : (quantity ?? 1) };
  });
  const id = world.id("plink");
  const consent = params.consent_collection;
  const plain: PaymentLink = {
    id,
    object: "payment_link",
    active: true,
    after_completion: afterCompletion({
      hosted_confirmation: undefined,
      redirect: undefined,
      type: "hosted_confirmation",
    }),
    allow_promotion_codes: false,
    application: null,
    application_fee_amount: null,
    application_fee_percent: null,
    automatic_tax: { enabled: false, liability: null },
    billing_address_collection: "auto",
    consent_collection: consent
      ? {
          payment_method_reuse_agreement: consent.payment_method_reuse_agreement ?? null,
          promotions: consent.promotions ?? null,
          terms_of_service: consent.terms_of_service ?? null,
        }
      : null,
    currency,
    custom_fields: [],
    custom_text: NO_TEXT,
    customer_creation: "if_required",
    inactive_message: null,
    invoice_creation: invoiceCreation(undefined),
    livemode: world.livemode,
    managed_payments: null,
    metadata: {},
    on_behalf_of: null,
    payment_intent_data: null,
    payment_method_collection: "always",
    payment_method_options: null,
    payment_method_types: null,
    phone_number_collection: { enabled: false },
    restrictions: null,
    shipping_address_collection: null,
    shipping_options: [],
    submit_type: "auto",
    subscription_data: NO_PLAN,
    tax_id_collection: { enabled: false, required: "never" },
    transfer_data: null,
    url: `${world.origin}/b/${id}`,
  };
  const link = world.objects.payment_link.add({ ...plain, ...settingsOf(plain, params) });
  const items = lineItemsOf(world, sold, { trial: false, currency, begins: { prorates: true } });
  world.hidden.set(id, { line_items: items });
  world.raise("payment_link.created", link);
  return link;
}

/** The lines after a change: each keeps its id and its price, and may be sold in another number. */
function changedLines(
  world: World,
  link: PaymentLink,
  asked: NonNullable<UpdateParams["line_items"]>,
): readonly LineItem[] {
  const items = lineItems(world, link.id);
  asked.forEach(({ id, quantity }, index) => {
    const at = `line_items[${index}]`;
    if (!items.some((item) => item.id === id)) {
      throw invalid(`No such line item: '${id}'`, `${at}[id]`, "resource_missing");
    }
    if (quantity !== undefined && quantity < 1) {
      throw invalid(
        "This value must be greater than or equal to 1.",
        `${at}[quantity]`,
        "parameter_invalid_integer",
      );
    }
  });
  return items.map((item) => {
    const quantity = asked.find(({ id }) => id === item.id)?.quantity;
    if (quantity === undefined || item.price === null || quantity === item.quantity) return item;
    const amount = amountOf(world, item.price, quantity, item.currency);
    return { ...item, amount_subtotal: amount, amount_total: amount, quantity };
  });
}

function updateLink(world: World, id: string, params: UpdateParams): PaymentLink {
  const before = world.find("payment_link", id);
  const items = lineItems(world, id);
  checkLink(linkMode(items), params);
  const lines = changedLines(world, before, params.line_items ?? []);
  world.hidden.set(id, { line_items: lines });
  const changes = settingsOf(before, params);
  if (lines.every((line, index) => line === items[index])) {
    return world.change("payment_link", id, changes, "payment_link.updated");
  }
  const after = world.patch("payment_link", id, changes);
  world.raise("payment_link.updated", after, before);
  return after;
}

export const paymentLinks = [
  route("POST /v1/payment_links", createShape, ({ world }, params) => createLink(world, params)),
  route("GET /v1/payment_links", { ...pageShape, active: flag }, (call, params) =>
    listKind(
      call,
      "payment_link",
      { ...params, created: undefined },
      { url: "/v1/payment_links", equal: { active: params.active } },
    ),
  ),
  route("GET /v1/payment_links/:link", {}, ({ world, path }) =>
    world.find("payment_link", path.link),
  ),
  route("POST /v1/payment_links/:link", updateShape, ({ world, path }, params) =>
    updateLink(world, path.link, params),
  ),
  route("GET /v1/payment_links/:link/line_items", pageShape, ({ world, path }, params) => {
    const { id } = world.find("payment_link", path.link);
    return listArray(lineItems(world, id), params, `/v1/payment_links/${id}/line_items`);
  }),
];
