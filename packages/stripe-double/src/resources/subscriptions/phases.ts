/** The phases of a schedule, as requests name them and as the schedule shows them. */
import { invalid, notModelled } from "../../api/errors.js";
import {
  flag,
  group,
  integer,
  listOf,
  metadata,
  oneOf,
  type Parsed,
  required,
  text,
  word,
} from "../../api/params.js";
import { couponFor } from "../../billing/invoices/discounts.js";
import { checkExtras } from "../../billing/invoices/extras.js";
import type { Cycle } from "../../billing/period.js";
import { isMetered } from "../../billing/prices/rates.js";
import type { Phase, Schedule } from "../../billing/schedules/schedule.js";
import { type AskedTimes, MOST_PHASES, phaseTimes } from "../../billing/schedules/times.js";
import { checkItems, checkMetered, checkSellable } from "../../billing/subscriptions/items.js";
import { checkOwner } from "../../billing/subscriptions/subscriptions.js";
import type { World } from "../../world/world.js";
import { createInlinePrice } from "../catalogue/prices.js";
import { pricedExtras } from "./extras.js";
import { collectionMethod, extraShape, itemShape, prorationBehavior } from "./shapes.js";

const anchorShape = oneOf("automatic", "phase_start");
const daysShape = group({ days_until_due: integer });
/** A moment in seconds, or "now". */
export const momentShape = word;

/** What holds for all phases that do not say otherwise. */
export const settingsShape = {
  billing_cycle_anchor: anchorShape,
  collection_method: collectionMethod,
  default_payment_method: word,
  description: text,
  invoice_settings: daysShape,
};

export const phaseShape = {
  add_invoice_items: listOf(group(extraShape)),
  billing_cycle_anchor: anchorShape,
  collection_method: collectionMethod,
  currency: word,
  default_payment_method: word,
  description: text,
  discounts: listOf(group({ coupon: word, discount: word, promotion_code: word })),
  duration: group({
    interval: required(oneOf("day", "week", "month", "year")),
    interval_count: integer,
  }),
  end_date: momentShape,
  invoice_settings: daysShape,
  items: required(listOf(group(itemShape))),
  /** Until 2025-09-30 instead of `duration`: so many intervals of its price. */
  iterations: integer,
  metadata,
  proration_behavior: prorationBehavior,
  start_date: momentShape,
  trial: flag,
  trial_end: momentShape,
};
type Asked = Parsed<typeof phaseShape>;

/** A moment that a request names. */
export function momentOf(world: World, value: string, param: string): number {
  if (value === "now") return world.now();
  if (!/^\d+$/.test(value)) throw invalid(`Invalid timestamp: ${value}`, param);
  return Number(value);
}

export interface PhaseOptions {
  readonly customer: string;
  readonly mode: Schedule["billing_mode"];
  /** Where the first phase begins. */
  readonly first: number;
  /** The end of the trial that the subscription is in; only its first phase may name another. */
  readonly trial: { readonly isFree: boolean; readonly end: number | null };
}

/** Checks all phases of a request before any of them is kept. */
export function readPhases(
  world: World,
  asked: readonly Asked[],
  { customer, mode, first, trial }: PhaseOptions,
): Phase[] {
  if (asked.length === 0) throw invalid("Missing required param: phases.", "phases");
  const lines = asked.map((phase, index) => itemsOf(world, phase, index, mode));
  const times = phaseTimes(
    first,
    asked.map((phase, index) => askedTimes(world, phase, lines[index]?.cycle, index)),
  );
  if (times.filter(({ end }) => end > world.now()).length > MOST_PHASES) {
    throw invalid(`A schedule can have up to ${MOST_PHASES} current and future phases.`, "phases");
  }
  return asked.map((phase, index) => {
    const param = `phases[${index}]`;
    const { start = 0, end = 0 } = times[index] ?? {};
    const { items = [], currency = "usd" } = lines[index] ?? {};
    if (phase.default_payment_method !== undefined) {
      const where = `${param}[default_payment_method]`;
      checkOwner(world, phase.default_payment_method, customer, where);
    }
    const trialEnd = phase.trial
      ? end
      : phase.trial_end === undefined
        ? null
        : momentOf(world, phase.trial_end, `${param}[trial_end]`);
    if (trialEnd !== null && (index > 0 || !trial.isFree) && trialEnd !== trial.end) {
      throw notModelled("a trial in a phase that does not begin the subscription", param);
    }
    return {
      add_invoice_items: extrasOf(world, phase, param),
      application_fee_percent: null,
      billing_cycle_anchor: phase.billing_cycle_anchor ?? null,
      billing_thresholds: null,
      collection_method: phase.collection_method ?? null,
      currency,
      default_payment_method: phase.default_payment_method ?? null,
      default_tax_rates: [],
      description: phase.description ?? null,
      discounts: discountsOf(world, phase, customer, param),
      end_date: end,
      invoice_settings: phase.invoice_settings
        ? {
            account_tax_ids: null,
            custom_fields: null,
            days_until_due: phase.invoice_settings.days_until_due ?? null,
            description: null,
            footer: null,
            issuer: null,
          }
        : null,
      items,
      metadata: { ...phase.metadata },
      on_behalf_of: null,
      proration_behavior: phase.proration_behavior ?? "create_prorations",
      start_date: start,
      transfer_data: null,
      trial_end: trialEnd,
    };
  });
}

function itemsOf(world: World, phase: Asked, index: number, mode: Schedule["billing_mode"]) {
  const items = phase.items.map((item, place): Phase["items"][number] => {
    const param = `phases[${index}][items][${place}]`;
    const price = item.price_data
      ? createInlinePrice(world, item.price_data, `${param}[price_data]`).id
      : item.price;
    if (price === undefined) {
      throw invalid("Missing required param: price.", `${param}[price]`, "parameter_missing");
    }
    checkSellable(world, price, `${param}[price]`);
    checkMetered(world.find("price", price), item.quantity, param);
    return {
      billing_thresholds: null,
      discounts: [],
      metadata: { ...item.metadata },
      plan: price,
      price,
      ...(isMetered(world.find("price", price)) ? {} : { quantity: item.quantity ?? 1 }),
      tax_rates: [],
    };
  });
  const [first] = items.map(({ price }) => world.find("price", price));
  checkItems(world, items, mode, first?.currency ?? "usd");
  return { items, currency: first?.currency, cycle: first?.recurring ?? undefined };
}

function askedTimes(
  world: World,
  { start_date: start, end_date: end, duration, iterations }: Asked,
  usual: Cycle = { interval: "month", interval_count: 1 },
  index = 0,
): AskedTimes {
  const moment = (value: string | undefined, name: string) =>
    value === undefined ? undefined : momentOf(world, value, `phases[${index}][${name}]`);
  const repeated = iterations && {
    interval: usual.interval,
    interval_count: usual.interval_count * iterations,
  };
  const length = duration && {
    interval: duration.interval,
    interval_count: duration.interval_count ?? 1,
  };
  return {
    start: moment(start, "start_date"),
    end: moment(end, "end_date"),
    length: length ?? (repeated || undefined),
    usual,
  };
}

function extrasOf(world: World, phase: Asked, param: string): Phase["add_invoice_items"] {
  const extras = pricedExtras(world, phase.add_invoice_items ?? [], `${param}[add_invoice_items]`);
  checkExtras(world, extras);
  return extras.map(({ price, quantity, metadata: data }) => ({
    discountable: null,
    discounts: [],
    metadata: { ...data },
    period: { end: { type: "min_item_period_end" }, start: { type: "max_item_period_start" } },
    price,
    quantity: quantity ?? 1,
    tax_rates: [],
  }));
}

function discountsOf(
  world: World,
  { discounts = [] }: Asked,
  customer: string,
  param: string,
): Phase["discounts"] {
  return discounts.map(({ coupon, discount, promotion_code: code }, index) => {
    if (discount === undefined) {
      couponFor(
        world,
        { coupon, promotion_code: code },
        { customer },
        `${param}[discounts][${index}]`,
      );
    }
    return {
      coupon: coupon ?? null,
      discount: discount ?? null,
      promotion_code: code ?? null,
    };
  });
}
