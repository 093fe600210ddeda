/** Quotes: the requests; what becomes of a quote is in billing/quotes. */
import { invalid, refused } from "../../api/errors.js";
import { listArray, pageShape } from "../../api/list.js";
import { integer, oneOf, word } from "../../api/params.js";
import type { LineItem } from "../../billing/checkout/lines.js";
import { lineItems } from "../../billing/checkout/session.js";
import { DAY } from "../../billing/later.js";
import { type Quote, quoted } from "../../billing/quotes/computed.js";
import { acceptQuote, cancelInTime, cancelQuote, quoteIn } from "../../billing/quotes/quotes.js";
import { billingMode } from "../../billing/subscriptions/billing-mode.js";
import { type Call, route } from "../../http/route.js";
import type { World } from "../../world/world.js";
import { given, knownCustomer, listKind, mergeMetadata, referenced } from "../common.js";
import {
  type CreateParams,
  createShape,
  offerOf,
  type UpdateParams,
  updateShape,
} from "./params.js";

/** Without a template in the dashboard, a quote lasts for 30 days. */
const LASTS = 30 * DAY;

function checkExpiry(world: World, end: number | undefined): void {
  if (end === undefined || end > world.now()) return;
  throw invalid("The `expires_at` timestamp must be in the future.", "expires_at");
}

function checkPlan({ trial_period_days: days }: { readonly trial_period_days: number | null }) {
  if (days === null || days >= 1) return;
  throw invalid(
    "The minimum number of trial period days is 1.",
    "subscription_data[trial_period_days]",
  );
}

/** An invoice that is sent must say when it is due; one that is charged is due at once. */
function checkDue({ collection_method: method, invoice_settings: settings }: Quote): void {
  const { days_until_due: days } = settings;
  const param = "invoice_settings[days_until_due]";
  if (method === "send_invoice" && days === null) {
    throw invalid(
      "If quote is `collection_method`=`send_invoice`, you must pass `invoice_settings[days_until_due]`.",
      param,
    );
  }
  if (method !== "send_invoice" && days !== null) {
    throw invalid(
      "You can only set `days_until_due` if `collection_method` is `send_invoice`.",
      param,
    );
  }
}

/** What a request says of a quote beside its lines and discounts. */
function settingsOf(world: World, before: Quote, params: Omit<UpdateParams, "line_items">): Quote {
  const customer = params.customer ?? before.customer;
  const owner = customer ? referenced(world, "customer", customer, "customer") : undefined;
  if (before.customer !== null && customer !== before.customer) {
    throw refused("You cannot change the customer of a quote.", "customer");
  }
  checkExpiry(world, params.expires_at);
  const { description, metadata, trial_period_days } = params.subscription_data ?? {};
  const plan = { ...before.subscription_data, ...given({ description, trial_period_days }) };
  checkPlan(plan);
  const { collection_method = before.collection_method } = params;
  const days = collection_method === "send_invoice" ? before.invoice_settings.days_until_due : null;
  const after: Quote = {
    ...before,
    ...given({
      description: params.description,
      expires_at: params.expires_at,
      footer: params.footer,
      header: params.header,
    }),
    collection_method,
    customer: customer ?? null,
    invoice_settings: {
      ...before.invoice_settings,
      days_until_due: params.invoice_settings?.days_until_due ?? days,
    },
    metadata: mergeMetadata(before.metadata, params.metadata),
    // What a subscription is to have is said as a whole, not merged.
    subscription_data: metadata === undefined ? plan : { ...plan, metadata: metadata ?? {} },
    test_clock: owner?.test_clock ?? null,
  };
  checkDue(after);
  return after;
}

/** The quote with the lines and discounts that a request asks for, which are kept beside it. */
function offered(
  world: World,
  quote: Quote,
  items: readonly LineItem[],
  params: Pick<UpdateParams, "discounts" | "line_items">,
): Quote {
  const offer = offerOf(world, { items, discounts: quote.discounts }, params, {
    customer: quote.customer,
    trial: quote.subscription_data.trial_period_days !== null,
  });
  const { amounts, items: line_items, upfront } = quoted(world, offer);
  world.hidden.set(quote.id, { line_items, upfront });
  return { ...quote, ...amounts, discounts: offer.discounts };
}

function createQuote(world: World, params: CreateParams, version: string): Quote {
  const nothing = { amount_discount: 0, amount_shipping: 0, amount_tax: 0 };
  const none = { amount_subtotal: 0, amount_total: 0, total_details: nothing };
  const { flexible, type } = billingMode(version, params.subscription_data?.billing_mode);
  const empty: Quote = {
    ...none,
    id: world.id("qt"),
    object: "quote",
    application: null,
    application_fee_amount: null,
    application_fee_percent: null,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    collection_method: "charge_automatically",
    computed: { recurring: null, upfront: none },
    created: world.now(),
    currency: null,
    customer: null,
    customer_account: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    expires_at: world.now() + LASTS,
    footer: null,
    from_quote: null,
    header: null,
    invoice: null,
    invoice_settings: {
      custom_fields: null,
      days_until_due: null,
      description: null,
      footer: null,
      issuer: { type: "self" },
    },
    livemode: world.livemode,
    metadata: {},
    number: null,
    on_behalf_of: null,
    status: "draft",
    status_transitions: { accepted_at: null, canceled_at: null, finalized_at: null },
    subscription: null,
    subscription_data: {
      billing_mode: { ...(flexible ? { flexible } : {}), type },
      description: null,
      effective_date: null,
      metadata: {},
      trial_period_days: null,
    },
    subscription_schedule: null,
    test_clock: null,
    transfer_data: null,
  };
  const lines = params.line_items?.map((line) => ({ ...line, id: undefined }));
  const settled = settingsOf(world, empty, params);
  const quote = offered(world, settled, [], { discounts: params.discounts, line_items: lines });
  world.objects.quote.add(quote);
  world.raise("quote.created", quote);
  cancelInTime(world, quote);
  return quote;
}

/** Stripe raises no event for this. Of an open quote, only its end can be changed. */
function updateQuote(world: World, id: string, params: UpdateParams): Quote {
  const before = quoteIn(world, id, "update", "draft", "open");
  const asked = Object.entries(params).filter(([, value]) => value !== undefined);
  if (asked.some(([name]) => name !== "expires_at" && name !== "expand")) {
    quoteIn(world, id, "update", "draft");
  }
  const settled = settingsOf(world, before, params);
  const after =
    before.status === "draft" ? offered(world, settled, lineItems(world, id), params) : settled;
  if (after.expires_at !== before.expires_at) cancelInTime(world, after);
  return world.patch("quote", id, after);
}

function finalizeQuote(world: World, id: string, expires: number | undefined): Quote {
  const before = quoteIn(world, id, "finalize", "draft");
  if (before.customer === null) {
    throw refused("A customer is required to finalize a quote.", "customer");
  }
  if (lineItems(world, id).length === 0) {
    throw refused("A quote needs at least one line item to be finalized.", "line_items");
  }
  checkExpiry(world, expires);
  const owner = world.find("customer", before.customer, "customer");
  const numbered = [...world.objects.quote.values()].filter(
    ({ customer, number }) => customer === owner.id && number !== null,
  );
  const sequence = String(numbered.length + 1).padStart(4, "0");
  const open = world.patch("quote", id, {
    expires_at: expires ?? before.expires_at,
    number: `QT-${owner.invoice_prefix}-${sequence}-1`,
    status: "open",
    status_transitions: { ...before.status_transitions, finalized_at: world.now() },
  });
  world.raise("quote.finalized", open);
  if (open.expires_at !== before.expires_at) cancelInTime(world, open);
  return open;
}

const filterShape = {
  ...pageShape,
  customer: word,
  status: oneOf("accepted", "canceled", "draft", "open"),
  test_clock: word,
};

export const quotes = [
  route("POST /v1/quotes", createShape, ({ world, version }, params) =>
    createQuote(world, params, version),
  ),
  route("GET /v1/quotes", filterShape, (call: Call, params) => {
    if (params.customer !== undefined) knownCustomer(call.world, params.customer);
    return listKind(
      call,
      "quote",
      { ...params, created: undefined },
      {
        url: "/v1/quotes",
        equal: { customer: params.customer, status: params.status },
        // Those of a test clock are listed for it or their customer alone.
        matches: ({ test_clock: clock }) =>
          params.test_clock === undefined && params.customer !== undefined
            ? true
            : clock === (params.test_clock ?? null),
      },
    );
  }),
  route("GET /v1/quotes/:quote", {}, ({ world, path }) => world.find("quote", path.quote)),
  route("POST /v1/quotes/:quote", updateShape, ({ world, path }, params) =>
    updateQuote(world, path.quote, params),
  ),
  route("POST /v1/quotes/:quote/finalize", { expires_at: integer }, ({ world, path }, params) =>
    finalizeQuote(world, path.quote, params.expires_at),
  ),
  route("POST /v1/quotes/:quote/accept", {}, ({ world, path }) => acceptQuote(world, path.quote)),
  route("POST /v1/quotes/:quote/cancel", {}, ({ world, path }) => cancelQuote(world, path.quote)),
  route("GET /v1/quotes/:quote/line_items", pageShape, ({ world, path }, params) => {
    const { id } = world.find("quote", path.quote);
    return listArray(lineItems(world, id), params, `/v1/quotes/${id}/line_items`);
  }),
  route(
    "GET /v1/quotes/:quote/computed_upfront_line_items",
    pageShape,
    ({ world, path }, params) => {
      const { id } = world.find("quote", path.quote);
      const items = lineItems(world, id, "upfront");
      return listArray(items, params, `/v1/quotes/${id}/computed_upfront_line_items`);
    },
  ),
];
