/** Changing a subscription, as a request or the portal asks for it: all at once, with one event. */

import { invalid, notModelled, refused } from "../../api/errors.js";
import type { Parsed } from "../../api/params.js";
import {
  changeItems,
  endTrial,
  type ItemChange,
  type ReplaceOptions,
  replaceItems,
} from "../../billing/changes/changes.js";
import { discountsFrom, tellOfDiscounts } from "../../billing/invoices/discounts.js";
import { checkExtras, extraItems } from "../../billing/invoices/extras.js";
import { createInvoiceItem, type NewInvoiceItem } from "../../billing/invoices/invoice-items.js";
import { splitPhase } from "../../billing/schedules/course.js";
import { scheduleOf } from "../../billing/schedules/schedule.js";
import { endSubscription } from "../../billing/subscriptions/end.js";
import { endWithoutMethod, pauseSubscription } from "../../billing/subscriptions/resumption.js";
import {
  endingAt,
  isOver,
  isUniform,
  type Subscription,
} from "../../billing/subscriptions/subscription.js";
import { checkOwner, type PaymentBehavior } from "../../billing/subscriptions/subscriptions.js";
import { automaticTax, ratesNamed } from "../../billing/taxes/rates.js";
import { same } from "../../world/same.js";
import type { World } from "../../world/world.js";
import type { inlinePriceShape } from "../catalogue/price-shapes.js";
import { createInlinePrice } from "../catalogue/prices.js";
import { given, mergeMetadata } from "../common.js";
import { type AutomaticTax, taxTerms } from "../tax/terms.js";
import { pricedExtras } from "./extras.js";
import { checkPending, holdMetadata } from "./pending.js";
import { type AnchorChange, anchorOf, type extraShape } from "./shapes.js";
import { checkFuture, checkTrial, movedTrial } from "./trials.js";

export interface SubscriptionChange {
  readonly add_invoice_items?: readonly Parsed<typeof extraShape>[] | undefined;
  readonly billing_cycle_anchor?: AnchorChange | undefined;
  readonly cancel_at?: number | string | null | undefined;
  readonly cancel_at_period_end?: boolean | undefined;
  readonly cancellation_details?:
    | { readonly comment: string | null | undefined; readonly feedback: string | undefined }
    | undefined;
  readonly collection_method?: "charge_automatically" | "send_invoice" | undefined;
  readonly days_until_due?: number | undefined;
  readonly automatic_tax?: AutomaticTax | undefined;
  readonly default_payment_method?: string | null | undefined;
  readonly default_tax_rates?: readonly string[] | undefined;
  readonly description?: string | null | undefined;
  readonly discounts?:
    | readonly {
        readonly coupon: string | undefined;
        readonly promotion_code: string | undefined;
      }[]
    | undefined;
  readonly items?: readonly (Omit<ItemChange, "tax_rates"> & {
    readonly tax_rates?: readonly string[] | undefined;
    readonly price_data?: Parsed<typeof inlinePriceShape> | undefined;
  })[];
  readonly metadata?: { readonly [key: string]: string } | null | undefined;
  readonly pause_collection?:
    | {
        readonly behavior: "keep_as_draft" | "mark_uncollectible" | "void";
        readonly resumes_at: number | undefined;
      }
    | null
    | undefined;
  readonly payment_behavior?: PaymentBehavior | undefined;
  readonly payment_settings?:
    | { readonly save_default_payment_method: "off" | "on_subscription" | undefined }
    | undefined;
  readonly proration_behavior?: ReplaceOptions["proration"] | undefined;
  readonly proration_date?: number | undefined;
  readonly trial_end?: string | undefined;
  readonly trial_settings?:
    | {
        readonly end_behavior:
          | { readonly missing_payment_method: "cancel" | "create_invoice" | "pause" | undefined }
          | undefined;
      }
    | undefined;
}

/** What may still be said about a subscription that is over. */
const AFTERWARDS: readonly string[] = ["cancellation_details", "metadata"];

/** And about one that was never paid for. */
const BEFOREHAND: readonly string[] = ["default_payment_method", "metadata"];

export function updateSubscription(
  world: World,
  id: string,
  params: SubscriptionChange,
  version = world.version,
): Subscription {
  const before = world.find("subscription", id);
  const names = Object.entries(params).flatMap(([name, value]) =>
    value === undefined || name === "expand" ? [] : name,
  );
  if (isOver(before) && names.some((name) => !AFTERWARDS.includes(name))) {
    throw refused("A canceled subscription can only update its cancellation_details and metadata.");
  }
  if (before.status === "incomplete" && names.some((name) => !BEFOREHAND.includes(name))) {
    throw refused("An incomplete subscription can only update its metadata and payment method.");
  }
  if (params.payment_behavior === "pending_if_incomplete") checkPending(before, names, version);
  const { default_payment_method: method, trial_end: trial } = params;
  if (method) checkOwner(world, method, before.customer);
  checkCancellation(world, before, params);
  if (trial !== undefined) checkTrial(world, before, trial);

  // Before what is billed now, so that the new terms count for it.
  if (params.automatic_tax || params.default_tax_rates) changeTaxes(world, before, params);
  const restarts = anchorOf(params.billing_cycle_anchor) === "now";
  const asked = pricedExtras(world, params.add_invoice_items ?? []);
  checkExtras(world, asked);
  const extras = extraItems(world, before, asked);
  if (params.items !== undefined || restarts || invoicesExtras(before, params)) {
    changeSubscriptionItems(world, before, params, extras);
  } else for (const extra of extras) createInvoiceItem(world, extra);
  const without = trial === "now" ? endWithoutMethod(world, before) : undefined;
  if (trial === "now" && without === undefined) endTrial(world, id);
  const held = holdMetadata(world, before, params);
  const end = endOf(world.find("subscription", id), params);
  if (end !== undefined) changeEnd(world, id, end, params);
  const current = world.find("subscription", id);
  const discounts =
    params.discounts &&
    discountsFrom(world, params.discounts, {
      customer: before.customer,
      currency: before.currency,
      subscription: id,
    });
  const after = world.patch("subscription", id, {
    ...settings(current, held ? { ...params, metadata: undefined } : params),
    ...(discounts === undefined ? {} : { discounts }),
    ...cancellation(world, current, params, end),
    ...(without === undefined ? {} : { trial_end: world.now() }),
    ...(trial === undefined || trial === "now" ? {} : movedTrial(current, Number(trial))),
  });
  tellOfDiscounts(world, current.discounts, after.discounts);
  if (trial === "now") world.raise("customer.subscription.trial_will_end", after);
  if (without === "pause") {
    pauseSubscription(world, id, "trial_end_without_payment_method", before);
  } else if (!same(before, after)) world.raise("customer.subscription.updated", after, before);
  if (without === "cancel") endSubscription(world, id);
  const schedule = scheduleOf(world, after);
  if (schedule && !same(before.items, after.items)) splitPhase(world, schedule, after);
  world.due.subscription(id);
  return world.find("subscription", id);
}

/** In classic mode extras alone are invoiced at once where all differences are; else they wait. */
const invoicesExtras = (
  { billing_mode: mode }: Subscription,
  { add_invoice_items: extras = [], proration_behavior: proration }: SubscriptionChange,
): boolean => mode.type === "classic" && proration === "always_invoice" && extras.length > 0;

function changeTaxes(world: World, before: Subscription, params: SubscriptionChange): void {
  const customer = world.find("customer", before.customer);
  const { automatic, defaults } = taxTerms(world, customer, params, {
    automatic: before.automatic_tax.enabled,
    defaults: before.default_tax_rates ?? [],
  });
  world.patch("subscription", before.id, {
    automatic_tax: automaticTax(automatic),
    default_tax_rates: [...defaults],
  });
}

function changeSubscriptionItems(
  world: World,
  before: Subscription,
  params: SubscriptionChange,
  extras: readonly NewInvoiceItem[],
): void {
  const { items = [], proration_behavior: proration, payment_behavior: behavior } = params;
  const changes = items.map(({ price_data: data, tax_rates: rates, ...item }, index) => ({
    ...item,
    tax_rates: rates && ratesNamed(world, rates, `items[${index}][tax_rates]`),
    price: data ? createInlinePrice(world, data, `items[${index}][price_data]`).id : item.price,
  }));
  replaceItems(world, before.id, changeItems(world, before, changes), {
    proration: proration ?? "create_prorations",
    behavior: behavior ?? "allow_incomplete",
    at: prorationDate(before, params.proration_date),
    anchor: anchorOf(params.billing_cycle_anchor),
    extras,
  });
}

/** The moment from which on a change is prorated; it must lie in the period. */
export function prorationDate(
  { items }: Subscription,
  date: number | undefined,
): number | undefined {
  const within = items.data.every(
    ({ current_period_start: start, current_period_end: end }) =>
      date === undefined || (start <= date && date <= end),
  );
  if (within) return date;
  throw refused(
    "Invalid proration date: it must lie within the current period of the subscription.",
    "proration_date",
  );
}

/** The fields that are simply replaced. */
function settings(current: Subscription, params: SubscriptionChange): Partial<Subscription> {
  const { pause_collection: pause } = params;
  const save = params.payment_settings?.save_default_payment_method;
  const missing = params.trial_settings?.end_behavior?.missing_payment_method;
  return given({
    collection_method: params.collection_method,
    days_until_due: params.days_until_due,
    default_payment_method: params.default_payment_method,
    description: params.description,
    metadata:
      params.metadata === undefined ? undefined : mergeMetadata(current.metadata, params.metadata),
    pause_collection: pause && {
      behavior: pause.behavior,
      resumes_at: pause.resumes_at ?? null,
    },
    payment_settings:
      save && current.payment_settings
        ? { ...current.payment_settings, save_default_payment_method: save }
        : undefined,
    trial_settings: missing && {
      end_behavior: { billing_cycle_anchor: null, missing_payment_method: missing },
    },
  });
}

function checkCancellation(world: World, before: Subscription, params: SubscriptionChange): void {
  const { cancel_at: at, cancel_at_period_end: atPeriodEnd = before.cancel_at_period_end } = params;
  const changes = at !== undefined && at !== before.cancel_at;
  const schedule = scheduleOf(world, before);
  if (schedule && (changes || atPeriodEnd !== before.cancel_at_period_end)) {
    throw refused(
      `The subscription is managed by the subscription schedule \`${schedule.id}\`, and updating any cancelation behavior directly is not allowed. Please update the schedule instead.`,
    );
  }
  if (at === undefined || at === null) return;
  if (params.cancel_at_period_end) {
    throw invalid("You may only set one of `cancel_at` and `cancel_at_period_end`.", "cancel_at");
  }
  if (at !== "min_period_end" && at !== "max_period_end") {
    checkFuture(world, String(at), "cancel_at");
  }
}

/** When the subscription ends after this change: null for never, undefined if nothing is said. */
function endOf(
  current: Subscription,
  { cancel_at: at, cancel_at_period_end: atPeriodEnd }: SubscriptionChange,
): number | null | undefined {
  if (atPeriodEnd === false || at === null) return null;
  if (!atPeriodEnd && at === undefined) return undefined;
  const items = current.items.data;
  if (atPeriodEnd && !isUniform(items)) {
    throw notModelled("cancel_at_period_end for items with different intervals");
  }
  if (!atPeriodEnd && at !== "min_period_end" && at !== "max_period_end") return Number(at);
  const trial = current.status === "trialing";
  const ends = (trial ? items : endingAt(current, null)).map((item) => item.current_period_end);
  return at === "max_period_end" ? Math.max(...ends) : Math.min(...ends);
}

/** Ends the items' periods with the subscription, or when they would, and prorates the difference. */
function changeEnd(
  world: World,
  id: string,
  end: number | null,
  { proration_behavior: proration, payment_behavior: behavior }: SubscriptionChange,
): void {
  const current = world.find("subscription", id);
  if (current.status === "trialing" || proration === "none") return;
  const items = endingAt(current, end);
  if (same(items, current.items.data)) return;
  replaceItems(world, id, items, {
    proration: proration ?? "create_prorations",
    behavior: behavior ?? "allow_incomplete",
  });
}

function cancellation(
  world: World,
  current: Subscription,
  params: SubscriptionChange,
  end: number | null | undefined,
): Partial<Subscription> {
  const details = params.cancellation_details;
  const said = details && {
    comment: details.comment ?? null,
    feedback: details.feedback ?? null,
    feedback_option: null,
    reason: current.cancellation_details?.reason ?? null,
  };
  const asked = (at: number | null, atPeriodEnd: boolean): Partial<Subscription> => ({
    cancel_at: at,
    cancel_at_period_end: atPeriodEnd,
    canceled_at: at === null ? null : world.now(),
    cancellation_details: {
      comment: null,
      feedback: null,
      feedback_option: null,
      ...(said ?? current.cancellation_details),
      reason: at === null ? null : "cancellation_requested",
    },
  });
  if (end !== undefined) return asked(end, params.cancel_at_period_end ?? false);
  return said ? { cancellation_details: said } : {};
}
