/**
 * Schedules: a change that waits for the end of the period is a second phase. Pure. Whatever an update
 * of a schedule leaves out is unset, so every phase is sent with all of its parameters.
 */
import type Stripe from "stripe";
import type { StripeObject } from "../../catalogue/catalogue.js";
import { phasesAhead } from "../scheduled.js";
import { type Item, isMetered } from "./items.js";

export type Schedule = StripeObject<"subscription_schedules">;
type Phase = Schedule["phases"][number];
type PhaseParams = Stripe.SubscriptionScheduleUpdateParams.Phase;
type ItemParams = PhaseParams["items"][number];

/** The mark of schedules that `change` made. */
const MARK = "billing_change";

const isOurs = ({ metadata }: Pick<Schedule, "metadata">): boolean => metadata?.[MARK] === "1";

const currentPhase = ({ phases, current_phase: current }: Schedule): Phase | undefined =>
  phases.find(({ start_date: start }) => start === current?.start_date);

/** Whether the library may change or release it: its own, or one that plans at most one change. */
export const mayTouch = (schedule: Schedule): boolean =>
  isOurs(schedule) || phasesAhead(schedule).length <= 1;

/** Whether the subscription still follows it. */
export const isActive = ({ status }: Pick<Schedule, "status">): boolean => status === "active";

/** Whether a change waits in it. */
export const isPlanning = (schedule: Schedule | null): schedule is Schedule =>
  schedule !== null && isActive(schedule) && phasesAhead(schedule).length > 0;

const idOf = (ref: string | { readonly id: string }): string =>
  typeof ref === "string" ? ref : ref.id;

/** Without what is null or empty by default: Stripe takes neither as a parameter. */
function given<T extends object>(fields: T): { [K in keyof T]: NonNullable<T[K]> } {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  ) as { [K in keyof T]: NonNullable<T[K]> };
}

const discountParams = ({ coupon, discount, promotion_code: code }: Phase["discounts"][number]) =>
  discount !== null
    ? { discount: idOf(discount) }
    : code !== null
      ? { promotion_code: idOf(code) }
      : { coupon: coupon === null ? "" : idOf(coupon) };

const ratesOf = (rates: readonly { readonly id: string }[] | null | undefined) =>
  rates && rates.length > 0 ? rates.map(({ id }) => id) : undefined;

function itemParams(item: Phase["items"][number]): ItemParams {
  return given({
    price: idOf(item.price),
    quantity: item.quantity,
    metadata: item.metadata,
    discounts: item.discounts.length > 0 ? item.discounts.map(discountParams) : undefined,
    tax_rates: ratesOf(item.tax_rates),
    billing_thresholds: item.billing_thresholds && {
      usage_gte: item.billing_thresholds.usage_gte ?? 0,
    },
  }) as ItemParams;
}

type Liability = { readonly type: string; readonly account?: string | { readonly id: string } };

const liabilityParams = (liability: Liability | null | undefined) =>
  liability &&
  given({
    type: liability.type,
    account: liability.account === undefined ? undefined : idOf(liability.account),
  });

/** A phase as a request says it, with all that it is. */
function phaseParams(phase: Phase): PhaseParams {
  const { automatic_tax: tax, invoice_settings: invoices, transfer_data: transfer } = phase;
  return given({
    add_invoice_items:
      phase.add_invoice_items.length > 0
        ? phase.add_invoice_items.map((item) =>
            given({
              price: idOf(item.price),
              quantity: item.quantity,
              discounts: item.discounts.length > 0 ? item.discounts.map(discountParams) : undefined,
              tax_rates: ratesOf(item.tax_rates),
            }),
          )
        : undefined,
    application_fee_percent: phase.application_fee_percent,
    automatic_tax:
      tax && given({ enabled: tax.enabled, liability: liabilityParams(tax.liability) }),
    billing_cycle_anchor: phase.billing_cycle_anchor,
    billing_thresholds: phase.billing_thresholds && given(phase.billing_thresholds),
    collection_method: phase.collection_method,
    currency: phase.currency,
    default_payment_method: phase.default_payment_method && idOf(phase.default_payment_method),
    default_tax_rates: ratesOf(phase.default_tax_rates),
    description: phase.description,
    discounts: phase.discounts.length > 0 ? phase.discounts.map(discountParams) : undefined,
    end_date: phase.end_date,
    invoice_settings:
      invoices &&
      given({
        account_tax_ids: invoices.account_tax_ids?.map(idOf),
        custom_fields: invoices.custom_fields,
        days_until_due: invoices.days_until_due,
        description: invoices.description,
        footer: invoices.footer,
        issuer: liabilityParams(invoices.issuer),
      }),
    items: phase.items.map(itemParams),
    metadata: phase.metadata,
    on_behalf_of: phase.on_behalf_of && idOf(phase.on_behalf_of),
    proration_behavior: phase.proration_behavior,
    start_date: phase.start_date,
    transfer_data:
      transfer &&
      given({
        amount_percent: transfer.amount_percent,
        destination: idOf(transfer.destination),
      }),
    trial_end: phase.trial_end,
  }) as PhaseParams;
}

/** What an item is to be in the phase that begins when the period ends. */
export interface NextItem {
  /** The price that the item has now, by which the current phase names it; undefined if it is new. */
  readonly from: string | undefined;
  readonly price: Item["price"];
  readonly quantity?: number | undefined;
}

/**
 * The update that makes of a schedule: this phase until the period ends, then one interval of the
 * next, then nothing; the subscription goes on as it is then.
 */
export function laterParams(
  schedule: Schedule,
  next: readonly NextItem[],
  periodEnd: number,
): Stripe.SubscriptionScheduleUpdateParams {
  const current = currentPhase(schedule);
  if (current === undefined) throw new Error(`The schedule ${schedule.id} has no current phase`);
  const {
    add_invoice_items: _added,
    trial_end: _trial,
    start_date: _start,
    end_date: _end,
    ...lasting
  } = phaseParams(current);
  const longest = next.find(({ price }) => price.recurring)?.price.recurring;
  return {
    end_behavior: "release",
    metadata: { [MARK]: "1" },
    // The current phase stays what it is.
    proration_behavior: "none",
    phases: [
      { ...phaseParams(current), end_date: periodEnd },
      {
        ...lasting,
        items: next.map(({ from, price, quantity }) => {
          const known = current.items.find((item) => idOf(item.price) === from);
          const { quantity: _before, ...rest } = known ? itemParams(known) : {};
          return { ...rest, price: price.id, ...(quantity === undefined ? {} : { quantity }) };
        }),
        start_date: periodEnd,
        duration: {
          interval: longest?.interval ?? "month",
          interval_count: longest?.interval_count ?? 1,
        },
        proration_behavior: "none",
      },
    ],
  };
}

/** Whether an item of a phase is the one that is meant. */
export type IsItem = (priceId: string, phase: Phase) => boolean;

/** An item as a subscription has it. */
interface Sold {
  readonly item: { readonly id: string } | undefined;
  readonly price: Item["price"];
}

const has = ({ items }: Phase, priceId: string | undefined): boolean =>
  items.some(({ price }) => idOf(price) === priceId);

/** The prices of the licensed items beside one. */
const besides = (sold: readonly Sold[], main: string): readonly string[] =>
  sold
    .filter(({ item, price }) => item?.id !== main && !isMetered(price))
    .map(({ price }) => price.id);

/**
 * Which item of a phase an item of today has become: that with its price, or else what takes its place, where
 * every other item is still there. In a phase that changes another item none is known to be it. Pure.
 */
export function sameItem(
  sold: readonly Sold[],
  main: string,
  metered: ReadonlySet<string>,
): IsItem {
  const own = sold.find(({ item }) => item?.id === main)?.price.id;
  const others = besides(sold, main);
  return (priceId, phase) => {
    if (has(phase, own)) return priceId === own;
    const isKnown = others.every((other) => has(phase, other));
    return isKnown && !others.includes(priceId) && !metered.has(priceId);
  };
}

/** Whether a phase ahead has not every item beside the one that is meant: it changes another. */
export const plansAnother = (schedule: Schedule, sold: readonly Sold[], main: string): boolean =>
  phasesAhead(schedule).some((phase) => besides(sold, main).some((price) => !has(phase, price)));

/** The update that gives some items of the current and all later phases another quantity; undefined if they have it. */
export function quantityParams(
  schedule: Schedule,
  quantity: number,
  isThat: IsItem,
): Stripe.SubscriptionScheduleUpdateParams | undefined {
  const current = currentPhase(schedule);
  if (current === undefined) return undefined;
  const phases = [current, ...phasesAhead(schedule)];
  const differs = phases.some((phase) =>
    phase.items.some((item) => isThat(idOf(item.price), phase) && item.quantity !== quantity),
  );
  if (!differs) return undefined;
  return {
    proration_behavior: "none",
    phases: phases.map((phase) => ({
      ...phaseParams(phase),
      items: phase.items.map((item) => ({
        ...itemParams(item),
        ...(isThat(idOf(item.price), phase) ? { quantity } : {}),
      })),
    })),
  };
}
