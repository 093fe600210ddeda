/** Customers: create, retrieve, update, delete, list and search. */
import type Stripe from "stripe";
import { invalid, missing, refused } from "../api/errors.js";
import { group, integer, listOf, metadata, oneOf, type Parsed, text, word } from "../api/params.js";
import { searchRoute } from "../api/search.js";
import { recordBalanceChange } from "../billing/balance/customer-balance.js";
import {
  attachPaymentMethod,
  checkAttachable,
  resolvePaymentMethod,
} from "../billing/payments/payment-methods.js";
import { closeSchedule } from "../billing/schedules/closing.js";
import { cancelSubscription } from "../billing/subscriptions/end.js";
import { checkOwner } from "../billing/subscriptions/subscriptions.js";
import { noteLocation } from "../billing/taxes/location.js";
import { customersOf, MOST_CUSTOMERS } from "../billing/test-clocks.js";
import { route } from "../http/route.js";
import type { Plain } from "../world/plain.js";
import type { World } from "../world/world.js";
import {
  address,
  addressShape,
  given,
  listKind,
  listShape,
  mergeMetadata,
  referenced,
  shippingShape,
} from "./common.js";
import { discountCustomer } from "./customer-discounts.js";
import { createTaxId, type NewTaxId, taxIdShape } from "./tax/tax-ids.js";

const shape = {
  address: addressShape,
  balance: integer,
  /** Until 2025-03-31, as `promotion_code`. */
  coupon: text,
  description: text,
  email: text,
  invoice_prefix: word,
  invoice_settings: group({ default_payment_method: text, footer: text }),
  metadata,
  name: text,
  phone: text,
  preferred_locales: listOf(word),
  promotion_code: text,
  shipping: shippingShape,
  tax: group({ ip_address: text, validate_location: oneOf("auto", "deferred", "immediately") }),
  tax_exempt: oneOf("none", "exempt", "reverse"),
};
type Params = Parsed<typeof shape>;
const createShape = {
  ...shape,
  payment_method: word,
  tax_id_data: listOf(group(taxIdShape)),
  test_clock: word,
};

const DEFAULT_METHOD = "invoice_settings[default_payment_method]";

/** What a caller may set, as fields of the object; what was not given is absent. */
function fields(world: World, params: Params, before?: Plain<Stripe.Customer>) {
  const { email, shipping, invoice_settings: settings } = params;
  if (email && !/^[^@\s]+@[^@\s]+$/.test(email)) {
    throw invalid(`Invalid email address: ${email}`, "email", "email_invalid");
  }
  if (before && settings?.default_payment_method) {
    checkOwner(world, settings.default_payment_method, before.id, DEFAULT_METHOD);
  }
  return given({
    address: params.address && address(params.address),
    balance: params.balance,
    description: params.description,
    email,
    invoice_prefix: params.invoice_prefix,
    invoice_settings: settings && {
      custom_fields: null,
      footer:
        settings.footer === undefined ? (before?.invoice_settings.footer ?? null) : settings.footer,
      default_payment_method:
        settings.default_payment_method === undefined
          ? (before?.invoice_settings.default_payment_method ?? null)
          : settings.default_payment_method,
      rendering_options: null,
    },
    metadata:
      params.metadata === undefined
        ? undefined
        : mergeMetadata(before?.metadata ?? {}, params.metadata),
    name: params.name,
    phone: params.phone,
    preferred_locales: params.preferred_locales,
    shipping: shipping && {
      ...(shipping.address ? { address: address(shipping.address) } : {}),
      ...(shipping.name === undefined ? {} : { name: shipping.name }),
      phone: shipping.phone ?? null,
    },
    tax_exempt: params.tax_exempt,
  });
}

/** A customer as Stripe makes one when nothing is said about it. */
export function blankCustomer(
  id: string,
  created: number,
  livemode: boolean,
): Plain<Stripe.Customer> {
  return {
    id,
    object: "customer",
    address: null,
    balance: 0,
    created,
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: null,
    discount: null,
    email: null,
    invoice_prefix: id.slice(-8).toUpperCase(),
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode,
    metadata: {},
    name: null,
    next_invoice_sequence: 1,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: "none",
    test_clock: null,
  };
}

export function createCustomer(
  world: World,
  params: Partial<Params> & { readonly tax_id_data?: readonly NewTaxId[] | undefined },
  clock?: string,
): Plain<Stripe.Customer> {
  const customer = {
    ...blankCustomer(world.id("cus"), world.now(), world.livemode),
    ...fields(world, params as Params),
    test_clock: clock ?? null,
  };
  noteLocation(world, customer, params.tax);
  world.objects.customer.add(customer);
  world.raise("customer.created", customer);
  noteBalance(world, customer, 0);
  for (const data of params.tax_id_data ?? []) createTaxId(world, data, customer.id);
  discountCustomer(world, customer.id, params);
  return world.find("customer", customer.id);
}

/** Keeps the transaction of a balance that was set, rather than moved. */
function noteBalance(
  world: World,
  after: Plain<Stripe.Customer>,
  before: number,
  first = true,
): void {
  const amount = after.balance - before;
  if (amount === 0) return;
  const currency = after.currency ?? "usd";
  recordBalanceChange(world, after, { amount, currency, type: first ? "initial" : "adjustment" });
}

/** Deletes a customer as Stripe does: its subscriptions end first, and it stays known as deleted. */
export function deleteCustomer(world: World, id: string): Stripe.DeletedCustomer {
  const customer = world.find("customer", id);
  for (const subscription of world.objects.subscription.where("customer", id)) {
    if (subscription.status !== "canceled" && subscription.status !== "incomplete_expired") {
      cancelSubscription(world, subscription.id);
    }
  }
  for (const schedule of world.objects.subscription_schedule.where("customer", id)) {
    closeSchedule(world, schedule.id, "canceled");
  }
  world.objects.customer.remove(id);
  world.deleted.set(id, "customer");
  world.raise("customer.deleted", customer);
  return { id, object: "customer", deleted: true };
}

/** Refuses a clock that there is not, or that has all the customers that it can have. */
function checkRoom(world: World, clock: string): void {
  referenced(world, "test_helpers.test_clock", clock, "test_clock");
  if (customersOf(world, clock).length < MOST_CUSTOMERS) return;
  throw refused(`A test clock can have up to ${MOST_CUSTOMERS} customers.`, "test_clock");
}

export const customers = [
  route("POST /v1/customers", createShape, ({ world }, params) => {
    const {
      payment_method: named,
      invoice_settings: settings,
      test_clock: clock,
      ...rest
    } = params;
    if (clock !== undefined) checkRoom(world, clock);
    const byDefault = settings?.default_payment_method;
    if (byDefault && byDefault !== named) {
      throw refused(
        "You must attach a payment method to a customer before it can be their default.",
        DEFAULT_METHOD,
        "resource_missing",
      );
    }
    if (named === undefined) return createCustomer(world, params, clock);
    checkAttachable(world, named);
    const { id: method } = resolvePaymentMethod(world, named);
    const own = settings && byDefault ? { ...settings, default_payment_method: method } : settings;
    const customer = createCustomer(world, { ...rest, invoice_settings: own }, clock);
    attachPaymentMethod(world, method, customer.id);
    return world.find("customer", customer.id);
  }),
  route("GET /v1/customers", { ...listShape, email: word, test_clock: word }, (call, params) => {
    // Customers of a test clock are only in its own list.
    const { email, test_clock: clock = null } = params;
    return listKind(call, "customer", params, {
      url: "/v1/customers",
      equal: { email },
      matches: ({ test_clock: own = null }) => own === clock,
    });
  }),
  searchRoute("/v1/customers/search", "customer"),
  route("GET /v1/customers/:customer", {}, ({ world, path }) => {
    if (world.deleted.get(path.customer) === "customer") {
      return { id: path.customer, object: "customer", deleted: true };
    }
    return world.find("customer", path.customer);
  }),
  route("POST /v1/customers/:customer", shape, ({ world, path }, params) => {
    if (world.deleted.has(path.customer)) throw missing("customer", path.customer);
    const before = world.find("customer", path.customer);
    const changes = fields(world, params, before);
    noteLocation(world, { ...before, ...changes }, params.tax);
    discountCustomer(world, before.id, params);
    const after = world.change("customer", before.id, changes, "customer.updated");
    noteBalance(world, after, before.balance, false);
    return after;
  }),
  route("DELETE /v1/customers/:customer", {}, ({ world, path }) =>
    deleteCustomer(world, path.customer),
  ),
];
