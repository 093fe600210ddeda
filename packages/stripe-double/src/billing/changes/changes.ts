/** Changing what a subscription consists of, and what that costs within its period. */
import { invalid, refused } from "../../api/errors.js";
import { mergeMetadata } from "../../resources/common.js";
import type { World } from "../../world/world.js";
import type { Draft } from "../invoices/draft.js";
import {
  composeInvoiceItem,
  createInvoiceItem,
  type NewInvoiceItem,
} from "../invoices/invoice-items.js";
import { collectInvoice, finalizeInvoice } from "../invoices/invoices.js";
import { rehearsePayment } from "../invoices/rehearsal.js";
import { sameLength } from "../period.js";
import { planOf } from "../plan.js";
import { isMetered } from "../prices/rates.js";
import { billSubscription, draftFor, upcomingDraft } from "../subscriptions/bills.js";
import {
  checkItems,
  checkMetered,
  checkSellable,
  makeItem,
  type SubscriptionItem,
} from "../subscriptions/items.js";
import {
  cycleOf,
  inPeriod,
  isUniform,
  periodFor,
  type Subscription,
  startingAt,
} from "../subscriptions/subscription.js";
import type { PaymentBehavior } from "../subscriptions/subscriptions.js";
import type { TaxRate } from "../taxes/taxes.js";
import { noteMetered, type Used, usedItem, usedUntil } from "../usage/metered.js";
import { discardUpdate, updateExpiry } from "./pending-update.js";
import { prorations } from "./prorations.js";

export interface ItemChange {
  readonly id?: string | undefined;
  readonly price?: string | undefined;
  readonly quantity?: number | undefined;
  readonly metadata?: { readonly [key: string]: string } | null | undefined;
  readonly deleted?: boolean | undefined;
  readonly tax_rates?: readonly TaxRate[] | undefined;
}

/** The items after a change: those named are altered, new ones added, deleted ones left out. */
export function changeItems(
  world: World,
  subscription: Subscription,
  changes: readonly ItemChange[],
): SubscriptionItem[] {
  let items = [...subscription.items.data];
  changes.forEach((change, index) => {
    const param = `items[${index}]`;
    if (change.price !== undefined) checkSellable(world, change.price, `${param}[price]`);
    if (change.id === undefined) {
      const { price, quantity, metadata, tax_rates } = change;
      if (price === undefined) throw invalid("Missing required param: price.", `${param}[price]`);
      checkMetered(world.find("price", price), quantity, param);
      const item = { price, quantity, metadata: mergeMetadata({}, metadata), tax_rates };
      const period = periodFor(subscription, world.find("price", price), world.now());
      items.push(makeItem(world, subscription.id, item, period));
      return;
    }
    const known = items.find(({ id }) => id === change.id);
    if (known === undefined) {
      const message = `No such subscription item: '${change.id}'`;
      throw refused(message, `${param}[id]`, "resource_missing");
    }
    const next = change.price === undefined ? known.price : world.find("price", change.price);
    checkMetered(next, change.quantity, param);
    items = change.deleted
      ? items.filter(({ id }) => id !== known.id)
      : items.map((item) =>
          item.id === known.id ? changeItem(world, subscription, known, change) : item,
        );
  });
  if (items.length === 0) {
    throw refused(
      "A subscription must have at least one active plan. To remove the last one, cancel the subscription.",
      "items",
    );
  }
  checkItems(
    world,
    items.map(({ price }) => ({ price: price.id })),
    subscription.billing_mode,
    subscription.currency,
  );
  return items;
}

function changeItem(
  world: World,
  subscription: Subscription,
  item: SubscriptionItem,
  change: ItemChange,
): SubscriptionItem {
  const price = change.price === undefined ? item.price : world.find("price", change.price);
  const placed = sameLength(cycleOf(item), cycleOf({ price }))
    ? item
    : inPeriod(item, periodFor(subscription, price, world.now()));
  const { quantity, ...rest } = placed;
  return {
    ...rest,
    price,
    plan: planOf(price),
    // Another price starts with one of it, unless the request says how many.
    ...(isMetered(price)
      ? {}
      : { quantity: change.quantity ?? (price.id === item.price.id ? (quantity ?? 1) : 1) }),
    metadata: mergeMetadata(item.metadata, change.metadata),
    tax_rates: [...(change.tax_rates ?? item.tax_rates ?? [])],
  };
}

export interface ReplaceOptions {
  readonly proration: "always_invoice" | "create_prorations" | "none";
  readonly behavior: PaymentBehavior;
  /** The moment from which on the difference counts, if it is not now. */
  readonly at?: number | undefined;
  /** Whether all periods begin anew, or stay where they are even if the interval changes. */
  readonly anchor?: "now" | "unchanged" | undefined;
  /** What is billed with the difference, or waits with it. */
  readonly extras?: readonly NewInvoiceItem[] | undefined;
}

/** What new items mean for a subscription and its invoices, before any of it is done. */
interface Change {
  readonly change: Partial<Subscription>;
  /** Credits and charges for the difference, and what comes with it. */
  readonly parts: readonly NewInvoiceItem[];
  /** Whether it is invoiced now; otherwise the parts wait for the next invoice. */
  readonly bills: boolean;
  /** The items that begin a new period now, and what was used in those that end with it. */
  readonly begun: readonly SubscriptionItem[];
  readonly used: readonly Used[] | undefined;
}

/**
 * A change of the interval starts a new period now and bills it at once; otherwise the difference
 * waits for the next invoice, unless it is to be invoiced now. In flexible mode that is so for a
 * new anchor too: the new period is billed at once only if all differences are.
 */
function changeOf(
  world: World,
  before: Subscription,
  items: readonly SubscriptionItem[],
  { proration, behavior, at, anchor, extras = [] }: ReplaceOptions,
): Change {
  const now = world.now();
  const running = before.status !== "trialing";
  const changes = changesInterval(before.items.data, items);
  const restarts = running && anchor !== "unchanged" && (changes || anchor === "now");
  const waits = before.billing_mode.type === "flexible" && proration !== "always_invoice";
  const billsPeriod = restarts && (changes || !waits);
  const placed = restarts ? startingAt(items, now) : [...items];
  // Nothing was debited for the new periods yet.
  const anew = { ...before, billing_cycle_anchor: now, items: { ...before.items, data: [] } };
  const used = usedUntil(world, before, now);
  // In classic billing mode, what was used at a price that is given up is not billed.
  const given =
    before.billing_mode.type === "flexible" && !restarts
      ? used.filter(({ item }) => !items.some((kept) => isSame(kept, item)))
      : [];
  const parts = [
    ...[...given, ...(restarts && !billsPeriod ? used : [])]
      .filter(({ free }) => !free)
      .map((each) => usedItem(world, before, each))
      .filter(({ quantity }) => quantity !== 0),
    ...prorations(world, before, items, { restarts, at }),
    ...(restarts && !billsPeriod ? prorations(world, anew, placed) : []),
  ];
  return {
    change: {
      items: { ...before.items, data: placed },
      ...(restarts ? { billing_cycle_anchor: now } : {}),
      // What ends with the period ends with the new one.
      ...(restarts && before.cancel_at_period_end
        ? { cancel_at: placed[0]?.current_period_end ?? null }
        : {}),
    },
    parts: [...extras, ...(proration === "none" ? [] : parts)],
    bills:
      running &&
      (billsPeriod || proration === "always_invoice" || behavior === "pending_if_incomplete"),
    begun: billsPeriod ? placed : [],
    used: billsPeriod ? used : undefined,
  };
}

const isSame = (a: SubscriptionItem, b: SubscriptionItem): boolean =>
  a.id === b.id && a.price.id === b.price.id;

const usedOf = ({ used }: Change): { used?: readonly Used[] } => (used ? { used } : {});

/** The invoice that a change makes now or, if it makes none, the next one, with the difference. */
export function draftOfChange(
  world: World,
  before: Subscription,
  items: readonly SubscriptionItem[],
  options: ReplaceOptions,
): Draft {
  const planned = changeOf(world, before, items, options);
  const { change, parts, bills, begun } = planned;
  const after = { ...before, ...change };
  const more = parts.map((part) => composeInvoiceItem(world, "", part));
  return bills
    ? draftFor(world, after, "subscription_update", { items: begun, more, ...usedOf(planned) })
    : upcomingDraft(world, after, more);
}

/** Puts new items in the place of the old, with what that costs. */
export function replaceItems(
  world: World,
  id: string,
  items: readonly SubscriptionItem[],
  options: ReplaceOptions,
): Subscription {
  const before = world.find("subscription", id);
  const { behavior } = options;
  const planned = changeOf(world, before, items, options);
  const { change, parts, bills, begun } = planned;
  if (bills && behavior === "error_if_incomplete") {
    rehearsePayment(world, draftOfChange(world, before, items, options));
  }
  // A new update takes the place of one that waits (docs: pending updates, "change").
  discardUpdate(world, before);
  for (const part of parts) createInvoiceItem(world, part);
  const after = world.patch("subscription", id, change);
  noteMetered(world, before.items.data, after.items.data);
  if (!bills) return after;
  const invoice = billSubscription(world, after, "subscription_update", {
    items: begun,
    ...usedOf(planned),
  });
  const { status } = finalizeInvoice(world, invoice.id);
  if (status === "paid") return world.find("subscription", id);
  const waits = behavior === "default_incomplete";
  if (!waits && collectInvoice(world, invoice.id) === "paid") return world.find("subscription", id);
  if (behavior !== "pending_if_incomplete") {
    return world.patch("subscription", id, { status: "past_due" });
  }
  return world.patch("subscription", id, {
    ...pick(before),
    pending_update: {
      billing_cycle_anchor: change.billing_cycle_anchor ?? null,
      cancel_at_period_end: null,
      discount: null,
      discounts: null,
      expires_at: updateExpiry(world, before),
      metadata: null,
      subscription_items: after.items.data,
      trial_end: null,
      trial_from_plan: null,
    },
  });
}

/** What a change that is not paid for leaves as it was. */
function pick({ items, billing_cycle_anchor, cancel_at }: Subscription): Partial<Subscription> {
  return { items, billing_cycle_anchor, cancel_at };
}

/** Whether items that all had one interval all have another one. */
function changesInterval(
  before: readonly SubscriptionItem[],
  after: readonly SubscriptionItem[],
): boolean {
  const [from, to] = [before[0], after[0]];
  if (!from || !to || !isUniform(before) || !isUniform(after)) return false;
  return !sameLength(cycleOf(from), cycleOf(to));
}

/** What the end of a trial now changes: the first real period begins. */
export function endedTrial(
  { items }: Subscription,
  now: number,
): Pick<Subscription, "status" | "trial_end" | "billing_cycle_anchor" | "items"> {
  return {
    status: "active",
    trial_end: now,
    billing_cycle_anchor: now,
    items: { ...items, data: startingAt(items.data, now) },
  };
}

/** Ends a trial now, and bills the first real period at once. */
export function endTrial(world: World, id: string): Subscription {
  const before = world.find("subscription", id);
  const after = world.patch("subscription", id, endedTrial(before, world.now()));
  const invoice = billSubscription(world, after, "subscription_update");
  const { status } = finalizeInvoice(world, invoice.id);
  const paid = status === "paid" || collectInvoice(world, invoice.id) === "paid";
  return paid
    ? world.find("subscription", id)
    : world.patch("subscription", id, { status: "past_due" });
}
