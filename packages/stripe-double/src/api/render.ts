/**
 * How a reader sees an object: embedded lists cut, references expanded where asked, at the
 * reader's API version. What is stored is never altered.
 */

import { findCoupon, findDiscount } from "../billing/invoices/discounts.js";
import { customerTax } from "../billing/taxes/location.js";
import { withCurrentPrices } from "../world/fresh.js";
import { isPlainObject, same } from "../world/same.js";
import type { Kind, StoredEvent, World } from "../world/world.js";
import { type ApiError, invalid, notModelled } from "./errors.js";
import { isOldField, oldField } from "./old-fields.js";
import { atVersion } from "./versions.js";

type Json = { [key: string]: unknown };

export interface View {
  readonly version: string;
  readonly expand?: readonly string[];
}

/** Which field refers to which kind of object; an id alone does not always tell. */
const REFERENCES: { readonly [field: string]: Kind } = {
  balance_transaction: "balance_transaction",
  charge: "charge",
  coupon: "coupon",
  credit_balance_transaction: "billing.credit_balance_transaction",
  credit_grant: "billing.credit_grant",
  credit_note: "credit_note",
  customer: "customer",
  customer_balance_transaction: "customer_balance_transaction",
  default_payment_method: "payment_method",
  default_price: "price",
  failure_balance_transaction: "balance_transaction",
  feature: "entitlements.feature",
  invoice: "invoice",
  latest_attempt: "setup_attempt",
  latest_charge: "charge",
  latest_invoice: "invoice",
  payment_intent: "payment_intent",
  payment_link: "payment_link",
  payment_method: "payment_method",
  pending_setup_intent: "setup_intent",
  price: "price",
  product: "product",
  promotion_code: "promotion_code",
  refund: "refund",
  schedule: "subscription_schedule",
  setup_intent: "setup_intent",
  subscription: "subscription",
  tax_rate: "tax_rate",
  test_clock: "test_helpers.test_clock",
};

/** The kinds of objects that a balance transaction may come from. */
const SOURCES: readonly Kind[] = ["charge", "dispute", "payout", "refund"];

/** References that Stripe expands, to objects that the double does not keep, or not all of them. */
const UNKNOWN = ["balance_transaction", "destination", "failure_balance_transaction"];

/** Fields that some applications ask for, and that Stripe's objects do not have in any version. */
const ABSENT: { readonly [object: string]: readonly string[] } = { product: ["prices"] };

/** Lists that Stripe embeds in an object, and cuts. */
const EMBEDDED: { readonly [object: string]: string } = {
  credit_note: "lines",
  "entitlements.active_entitlement_summary": "entitlements",
  subscription: "items",
  invoice: "lines",
};

const hidden = (field: string) => (world: World, object: Json) =>
  world.hidden.get(String(object.id))?.[field];
const nothing = (path: string) => (world: World, object: Json) =>
  embeddedList(world, [], `/v1/${object.object}s/${object.id}/${path}`);

/** Fields that are absent until they are asked for, and stay so where there is nothing to show. */
const INCLUDABLE: {
  readonly [object: string]: { readonly [field: string]: (world: World, object: Json) => unknown };
} = {
  "apps.secret": { payload: hidden("payload") },
  coupon: { applies_to: hidden("applies_to") },
  customer: {
    sources: nothing("sources"),
    subscriptions: (world, customer) =>
      embeddedList(
        world,
        world.objects.subscription
          .where("customer", String(customer.id))
          .filter(({ status }) => status !== "canceled" && status !== "incomplete_expired")
          .reverse()
          .map((subscription) => present(world, subscription)),
        `/v1/customers/${customer.id}/subscriptions`,
      ),
    tax: (world, customer) => customerTax(world, customer as never),
    tax_ids: (world, customer) =>
      embeddedList(
        world,
        world.objects.tax_id.where("customer", String(customer.id)).reverse(),
        `/v1/customers/${customer.id}/tax_ids`,
      ),
  },
  invoice: {
    confirmation_secret: hidden("confirmation_secret"),
    payments: (world, invoice) =>
      embeddedList(
        world,
        world.objects.invoice_payment.where("invoice", String(invoice.id)),
        "/v1/invoice_payments",
      ),
  },
  plan: { tiers: hidden("tiers") },
  price: {
    currency_options: (world, price) => {
      const { currency_options: others, tiers } = world.hidden.get(String(price.id)) ?? {};
      const { custom_unit_amount, tax_behavior, unit_amount, unit_amount_decimal } = price;
      const own = { custom_unit_amount, tax_behavior, unit_amount, unit_amount_decimal };
      const shown = tiers === undefined ? own : { ...own, tiers };
      return { [String(price.currency)]: shown, ...(others as object | undefined) };
    },
    tiers: hidden("tiers"),
  },
  charge: {
    refunds: (world, charge) =>
      embeddedList(
        world,
        world.objects.refund.where("charge", String(charge.id)).reverse(),
        `/v1/charges/${charge.id}/refunds`,
      ),
  },
  "checkout.session": {
    line_items: (world, { id }) => lineItemsOf(world, String(id), "checkout/sessions"),
  },
  quote: {
    line_items: (world, { id }) => lineItemsOf(world, String(id), "quotes"),
  },
  payment_link: {
    line_items: (world, { id }) => lineItemsOf(world, String(id), "payment_links"),
  },
};

function lineItemsOf(world: World, id: string, within: string): unknown {
  const items = world.hidden.get(id)?.line_items;
  return embeddedList(world, Array.isArray(items) ? items : [], `/v1/${within}/${id}/line_items`);
}

function embeddedList(world: World, data: readonly unknown[], url: string): object {
  return {
    object: "list",
    data: data.slice(0, world.embeddedLimit),
    has_more: data.length > world.embeddedLimit,
    url,
  };
}

const MOST_LEVELS = 4;

/** The object as this reader sees it. */
export function render(world: World, object: object, view: View): object {
  return versioned(world, view.version)(expandAll(world, present(world, object), pathsOf(view)));
}

/** As it is now, for a reader who asked for nothing in particular. */
function present(world: World, object: object): Json {
  return cut(world, withCurrentPrices(world.objects.price, object) as Json);
}

function expandAll(world: World, object: Json, paths: readonly Path[]): Json {
  let shown = object;
  for (const path of paths) shown = expand(world, shown, path) as Json;
  return shown;
}

function versioned(world: World, version: string): (object: object) => object {
  const show = atVersion(version, {
    field: (object, name) => {
      const value = oldField(world, version, object, name);
      return isPlainObject(value) ? show(value) : value;
    },
    price: (id) => world.objects.price.get(id),
  });
  return show;
}

interface Path {
  readonly keys: readonly string[];
  /** As it was asked for. */
  readonly name: string;
  /** The API version that asked. */
  readonly version: string;
}

function pathsOf({ expand: names = [], version }: View): Path[] {
  return names.map((name) => {
    const keys = name.split(".");
    if (keys.length > MOST_LEVELS) {
      throw invalid(
        `You cannot expand more than ${MOST_LEVELS} levels of a property: ${name}`,
        "expand",
      );
    }
    return { keys, name, version };
  });
}

/** A page of a list: each of its objects rendered, `expand` reaching them through `data`. */
export function renderPage(world: World, page: { data: readonly object[] }, view: View): object {
  const inner = pathsOf(view).map(({ keys: [first, ...keys], ...path }) => {
    if (first !== "data" || keys.length === 0) throw notExpandable(path.name);
    return { ...path, keys };
  });
  const shown = versioned(world, view.version);
  const data = page.data.map((each) => shown(expandAll(world, present(world, each), inner)));
  return { ...page, data };
}

function cut(world: World, object: Json): Json {
  const field = EMBEDDED[object.object as string];
  const list = field === undefined ? undefined : (object[field] as { data: unknown[] } | undefined);
  if (field === undefined || list === undefined || list.data.length <= world.embeddedLimit) {
    return object;
  }
  const data = list.data.slice(0, world.embeddedLimit);
  return { ...object, [field]: { ...list, data, has_more: true } };
}

function expand(world: World, value: unknown, path: Path): unknown {
  const { name, version } = path;
  const [key, ...keys] = path.keys;
  if (key === undefined || value === null || value === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => expand(world, item, path));
  if (typeof value !== "object") throw notExpandable(name);
  const object = value as Json;
  const includable = INCLUDABLE[object.object as string]?.[key];
  const old = object[key] === undefined ? oldField(world, version, object, key) : undefined;
  const found = object[key] ?? (old === undefined ? includable?.(world, object) : old);
  if (object[key] === null || found === null) return object;
  if (found === undefined && (includable || object.deleted)) return object;
  if (ABSENT[String(object.object)]?.includes(key)) throw notExpandable(name);
  if (found === undefined) {
    if (isOldField(object, key)) throw notExpandable(name);
    throw notModelled(`the expansion of '${name}' on ${String(object.object ?? "this object")}`);
  }
  const resolve = (reference: unknown) => {
    if (typeof reference === "object" || (includable && object[key] === undefined))
      return reference;
    const target = referred(world, key, String(reference));
    if (target === undefined && UNKNOWN.includes(key)) {
      throw notModelled(`the expansion of '${name}'`);
    }
    if (target === undefined) throw notExpandable(name);
    return present(world, target);
  };
  const whole = Array.isArray(found) ? found.map(resolve) : resolve(found);
  return { ...object, [key]: expand(world, whole, { ...path, keys }) };
}

/** The object that a field of this name refers to; of one that was deleted, what is left of it. */
function referred(world: World, field: string, id: string): object | undefined {
  if (field === "discounts") return findDiscount(world, id);
  if (field === "coupon") return findCoupon(world, id);
  const kind =
    field === "source"
      ? SOURCES.find((each) => world.objects[each].get(id) !== undefined)
      : REFERENCES[field];
  if (kind === undefined) return undefined;
  const found = world.objects[kind].get(id);
  if (found !== undefined) return found;
  return world.deleted.get(id) === kind ? { id, object: kind, deleted: true } : undefined;
}

function notExpandable(path: string): ApiError {
  return invalid(`This property cannot be expanded (${path}).`, "expand");
}

/** An event as a reader at this version sees it, `previous_attributes` included. */
export function renderEvent(world: World, event: StoredEvent, version: string): object {
  const shown = versioned(world, version);
  const object = shown(cut(world, event.object as Json));
  const before = event.before && shown(cut(world, event.before as Json));
  return {
    id: event.id,
    object: "event",
    api_version: version,
    created: event.shown,
    data: { object, ...(before ? { previous_attributes: previous(before, object) } : {}) },
    livemode: world.livemode,
    pending_webhooks: event.pending,
    request: event.request,
    type: event.type,
  };
}

/** What the changed fields were before: nested objects field by field, arrays whole. */
function previous(before: object, after: object): Json {
  const was = before as Json;
  const is = after as Json;
  const changed: Json = {};
  for (const key of new Set([...Object.keys(was), ...Object.keys(is)])) {
    if (same(was[key], is[key])) continue;
    changed[key] =
      isPlainObject(was[key]) && isPlainObject(is[key])
        ? previous(was[key], is[key])
        : (was[key] ?? null);
  }
  return changed;
}
