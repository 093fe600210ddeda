/** How a quote ends: it is accepted, and becomes a subscription or an invoice; or it is canceled. */
import { refused } from "../../api/errors.js";
import type { World } from "../../world/world.js";
import { draftOnce } from "../checkout/draft-once.js";
import type { LineItem } from "../checkout/lines.js";
import { lineItems } from "../checkout/session.js";
import {
  assignDiscount,
  type DiscountSource,
  discountsFrom,
  findDiscount,
} from "../invoices/discounts.js";
import { DAY } from "../later.js";
import type { BillingMode } from "../subscriptions/billing-mode.js";
import { createSubscription } from "../subscriptions/subscriptions.js";
import { type Quote, recurs } from "./computed.js";

/** Refuses what can be done to a quote in other statuses only. */
export function quoteIn(world: World, id: string, verb: string, ...allowed: string[]): Quote {
  const quote = world.find("quote", id);
  if (allowed.includes(quote.status)) return quote;
  throw refused(
    `You cannot ${verb} a quote that is in the \`${quote.status}\` status. It must be ${allowed.map((each) => `\`${each}\``).join(" or ")}.`,
  );
}

/** Cancels the quote at its time, unless it was decided or given more time until then. */
export function cancelInTime(world: World, { id, expires_at: end }: Quote): void {
  world.clock.schedule(end * 1000, () => {
    const quote = world.objects.quote.get(id);
    const waits = quote?.status === "draft" || quote?.status === "open";
    if (quote === undefined || !waits || quote.expires_at > end) return;
    world.causedBy({ id: null, idempotency_key: null }, () => cancelQuote(world, id));
  });
}

export function cancelQuote(world: World, id: string): Quote {
  const before = quoteIn(world, id, "cancel", "draft", "open");
  const canceled = world.patch("quote", id, {
    status: "canceled",
    status_transitions: { ...before.status_transitions, canceled_at: world.now() },
  });
  world.raise("quote.canceled", canceled);
  return canceled;
}

/** Accepts a quote: what recurs is subscribed to; without it, there is an invoice. */
export function acceptQuote(world: World, id: string): Quote {
  const before = quoteIn(world, id, "accept", "open");
  const customer = world.find("customer", before.customer ?? "", "customer").id;
  const items = lineItems(world, id);
  const made = items.some(recurs)
    ? subscribe(world, before, customer, items)
    : { invoice: bill(world, before, customer, items) };
  const accepted = world.patch("quote", id, {
    ...made,
    status: "accepted",
    status_transitions: { ...before.status_transitions, accepted_at: world.now() },
  });
  world.raise("quote.accepted", accepted);
  return accepted;
}

function sourcesOf(world: World, { discounts }: Quote): DiscountSource[] {
  return discounts.flatMap((each) => {
    const known = findDiscount(world, each);
    if (known === undefined) return [];
    const { promotion_code, source } = known;
    return promotion_code ? { promotion_code } : { coupon: source.coupon ?? undefined };
  });
}

const methodOf = ({ collection_method: method }: Quote) =>
  method === "send_invoice" ? "send_invoice" : "charge_automatically";

function subscribe(world: World, quote: Quote, customer: string, items: readonly LineItem[]) {
  const plan = quote.subscription_data;
  const days = plan.trial_period_days;
  const sold = items.flatMap(({ price, quantity }) =>
    price ? { price, quantity: quantity ?? undefined } : [],
  );
  const subscription = createSubscription(world, {
    customer,
    currency: quote.currency ?? undefined,
    billing_mode: modeOf(plan.billing_mode),
    items: sold
      .filter(({ price }) => price.recurring)
      .map(({ price, quantity }) => ({ price: price.id, quantity })),
    add_invoice_items: sold
      .filter(({ price }) => !price.recurring)
      .map(({ price, quantity }) => ({ price: price.id, quantity })),
    collection_method: methodOf(quote),
    days_until_due: quote.invoice_settings.days_until_due ?? undefined,
    description: plan.description,
    discount_sources: sourcesOf(world, quote),
    metadata: plan.metadata ?? {},
    trial_end: days === null ? undefined : world.now() + days * DAY,
    draftsFirst: true,
  });
  return { subscription: subscription.id, invoice: subscription.latest_invoice };
}

/** The mode as a subscription shows it. */
function modeOf({ flexible, type }: Quote["subscription_data"]["billing_mode"]): BillingMode {
  return { flexible: flexible ?? null, type };
}

/** The draft of an invoice for what is paid once. It stays a draft until it is asked for. */
function bill(world: World, quote: Quote, customer: string, items: readonly LineItem[]): string {
  const currency = quote.currency ?? "usd";
  const discounts = discountsFrom(world, sourcesOf(world, quote), { customer, currency });
  const { id } = draftOnce(world, items, {
    customer,
    currency,
    billing_reason: "quote_accept",
    quote: quote.id,
    collection_method: methodOf(quote),
    days_until_due: quote.invoice_settings.days_until_due,
    discounts,
    auto_advance: false,
  });
  for (const discount of discounts) assignDiscount(world, discount, { invoice: id });
  return id;
}
