/**
 * How an object looked before a change of Stripe's API. Objects are kept as the newest version
 * shows them; an older version is that, with the changes since taken back, newest first.
 */
import type Stripe from "stripe";
import { planOf } from "../billing/plan.js";
import { FORMER_UI_MODES } from "../resources/checkout/appearance.js";
import type { Plain } from "../world/plain.js";
import { invalid } from "./errors.js";
import { COUPONS_MOVED, PAYMENTS_MOVED } from "./old-fields.js";

/** The newest version that the double shows, and the account's own unless it is told another. */
export const LATEST_VERSION = "2026-10-28.endive";

type Json = { [key: string]: unknown };

interface VersionChange {
  /** The first version that has the change. */
  readonly since: string;
  /** Takes the change back, by the `object` it concerns. It gets a copy that it may alter. */
  readonly undo: { readonly [object: string]: (object: Json, find: Finder) => void };
}

/** What older versions show and newer ones only refer to. */
export interface Finder {
  /** The value of a field that was there before, as this version shows it: api/old-fields.ts. */
  field(object: Json, name: string): unknown;
  price(id: string): Plain<Stripe.Price> | undefined;
}

/** Puts back fields that have moved, unless the reader has expanded them. */
const restore = (object: Json, find: Finder, ...names: readonly string[]): void => {
  for (const name of names) object[name] ??= find.field(object, name) ?? null;
};

/** Newest first. Only changes that alter what a mirror of billing data reads are modelled. */
const CHANGES: readonly VersionChange[] = [
  {
    // The ways to show a checkout got other names.
    since: "2026-03-25",
    undo: {
      "checkout.session"(session) {
        const former = Object.entries(FORMER_UI_MODES).find(([, now]) => now === session.ui_mode);
        if (former) session.ui_mode = former[0];
      },
    },
  },
  {
    // Coupons moved into `source` and `promotion`.
    since: COUPONS_MOVED,
    undo: {
      discount(discount, find) {
        restore(discount, find, "coupon");
        delete discount.source;
      },
      promotion_code(code, find) {
        restore(code, find, "coupon");
        delete code.promotion;
      },
    },
  },
  {
    // Periods moved to the items; an invoice's subscription and payment moved into lists; one
    // discount became several; a line names its price instead of showing it.
    since: PAYMENTS_MOVED,
    undo: {
      charge: (charge, find) => restore(charge, find, "invoice"),
      payment_intent: (intent, find) => restore(intent, find, "invoice"),
      plan(plan, find) {
        plan.aggregate_usage = find.field(plan, "aggregate_usage") ?? null;
      },
      price(price, find) {
        if (!price.recurring) return;
        const aggregate_usage = find.field(price, "aggregate_usage") ?? null;
        price.recurring = { aggregate_usage, ...price.recurring };
      },
      line_item(line, find) {
        const { price_details: named } = (line.pricing ?? {}) as { price_details?: Json };
        const price = find.price(String(named?.price));
        line.price = price ?? null;
        line.plan = price?.recurring ? planOf(price) : null;
        const parent = line.parent as { type?: string; [details: string]: unknown } | null;
        const details = parent?.[String(parent.type)] as Json | undefined;
        const isItem = parent?.type === "invoice_item_details";
        line.type = isItem ? "invoiceitem" : "subscription";
        line.proration = details?.proration ?? false;
        line.subscription_item = details?.subscription_item ?? null;
        if (isItem) line.invoice_item = details?.invoice_item ?? null;
        delete line.pricing;
        delete line.parent;
      },
      subscription(subscription, find) {
        restore(subscription, find, "discount", "plan");
        const items = (subscription.items as { data: Json[] } | undefined)?.data ?? [];
        // Of items with different intervals it is the period that ends first.
        const [first] = [...items].sort(
          (a, b) => Number(a.current_period_end) - Number(b.current_period_end),
        );
        subscription.current_period_start = first?.current_period_start ?? null;
        subscription.current_period_end = first?.current_period_end ?? null;
        for (const item of items) {
          delete item.current_period_start;
          delete item.current_period_end;
        }
        const [only, ...others] = items;
        subscription.quantity = others.length === 0 ? (only?.quantity ?? null) : null;
      },
      invoice(invoice, find) {
        restore(invoice, find, "charge", "discount", "payment_intent", "subscription");
        invoice.paid = invoice.status === "paid";
        delete invoice.parent;
        delete invoice.payments;
      },
    },
  },
];

/** Every version since 2020-08-27, by the name that its major release has. */
const RELEASED: { readonly [name: string]: string } = {
  "": "2020-08-27 2022-08-01 2022-11-15 2023-08-16 2023-10-16 2024-04-10 2024-06-20",
  ".acacia": "2024-09-30 2024-10-28 2024-11-20 2024-12-18 2025-01-27 2025-02-24",
  ".basil": "2025-03-31 2025-04-30 2025-05-28 2025-06-30 2025-07-30 2025-08-27",
  ".clover": "2025-09-30 2025-10-29 2025-11-17 2025-12-15 2026-01-28 2026-02-25",
  ".dahlia": "2026-03-25 2026-04-22 2026-05-27 2026-06-24 2026-07-29 2026-08-26",
  ".endive": "2026-09-30 2026-10-28",
};
const KNOWN = new Set(
  Object.entries(RELEASED).flatMap(([name, dates]) =>
    dates.split(" ").flatMap((date) => [`${date}${name}`, `${date}.preview`]),
  ),
);
/** Of the versions before it the double has no list: it takes any date. */
const OLDEST_KNOWN = "2020-08-27";

/** Whether Stripe released this version, as far as the double knows. */
export function isReleased(version: string): boolean {
  return KNOWN.has(version) || (/^\d{4}-\d{2}-\d{2}$/.test(version) && version < OLDEST_KNOWN);
}

/** Checks a version that a caller named, in the words Stripe uses for one it does not know. */
export function checkVersion(version: string): string {
  if (!isReleased(version)) throw invalid(`Invalid Stripe API version: ${version}`);
  return version;
}

/** Shows objects as this API version does; the objects themselves are left alone. */
export function atVersion(version: string, find: Finder): (object: object) => object {
  const undone = CHANGES.filter((change) => version.slice(0, 10) < change.since);
  if (undone.length === 0) return (object) => object;
  return (object) => downgrade(object, undone, find) as object;
}

function downgrade(value: unknown, changes: readonly VersionChange[], find: Finder): unknown {
  if (Array.isArray(value)) return value.map((item) => downgrade(item, changes, find));
  if (typeof value !== "object" || value === null) return value;
  // An event keeps the version that it was made at, whichever version asks for it.
  if ("object" in value && value.object === "event") return value;
  const copy: Json = Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, downgrade(inner, changes, find)]),
  );
  for (const change of changes) {
    if (typeof copy.object === "string") change.undo[copy.object]?.(copy, find);
  }
  return copy;
}
