/** Items of a subscription: which prices go together, and what an item is made of. */
import type Stripe from "stripe";
import { invalid, refused } from "../../api/errors.js";
import { referenced } from "../../resources/common.js";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { fitTogether, sameLength } from "../period.js";
import { planOf } from "../plan.js";
import { amountOf, commonCurrency, hasCurrency, isMetered } from "../prices/rates.js";
import { isOpen } from "../schedules/schedule.js";
import type { TaxRate } from "../taxes/taxes.js";
import type { BillingMode } from "./billing-mode.js";

export type SubscriptionItem = Plain<Stripe.SubscriptionItem>;

export interface NewItem {
  readonly price: string;
  readonly quantity?: number | undefined;
  readonly metadata?: { [key: string]: string } | undefined;
  readonly tax_rates?: readonly TaxRate[] | undefined;
}

/** Checks the prices of a subscription's items together. Intervals differ only in flexible mode. */
export function checkItems(
  world: World,
  items: readonly Pick<NewItem, "price">[],
  mode: BillingMode,
  currency: string,
): void {
  const param = "items";
  if (items.length > 20) throw invalid("A subscription can have up to 20 items.", param);
  const prices = items.map(({ price }, index) =>
    referenced(world, "price", price, `${param}[${index}][price]`),
  );
  const [first] = prices;
  const cycle = first?.recurring;
  for (const price of prices) {
    const { id, recurring } = price;
    if (recurring === null || !cycle) throw oneTime(param);
    if (prices.filter((other) => other.id === id).length > 1) {
      throw refused(`Cannot add multiple subscription items with the same plan: ${id}`, param);
    }
    if (mode.type === "classic" && !sameLength(recurring, cycle)) {
      throw refused(
        "Currently, all prices in a subscription must have the same `recurring.interval` and `recurring.interval_count`.",
        param,
      );
    }
    // docs: billing mode, "Limitations": usage that is not counted by a meter
    if (mode.type === "flexible" && isMetered(price) && !recurring.meter) {
      throw refused(
        "Metered prices without a meter cannot be used in a subscription with `billing_mode=flexible`.",
        param,
      );
    }
    if (!hasCurrency(world, price, currency)) {
      throw refused(
        prices.every((each) => each.currency === first?.currency)
          ? `The price specified only supports \`${price.currency}\`. This doesn't match the expected currency: \`${currency}\`.`
          : "All prices in a subscription must use the same currency.",
        param,
      );
    }
  }
  if (!cycle) throw invalid("Missing required param: items.", param, "parameter_missing");
  if (!fitTogether(prices.flatMap(({ recurring }) => recurring ?? []))) {
    throw refused(
      "The intervals of all prices in a subscription must be multiples of the shortest of them.",
      param,
    );
  }
}

/** The currency of a new subscription: the one asked for, or one that all its prices have. */
export function currencyOf(
  world: World,
  items: readonly Pick<NewItem, "price">[],
  { asked, customer }: { asked: string | undefined; customer: Plain<Stripe.Customer> },
): string {
  const prices = items.flatMap(({ price }) => world.objects.price.get(price) ?? []);
  return commonCurrency(world, prices, { asked, customer: customer.currency });
}

const oneTime = (param: string) =>
  refused(
    "The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`.",
    param,
  );

/** Refuses a currency other than that of what the customer has now. */
export function checkCurrency(world: World, customer: string, wanted: string): void {
  const taken = [
    ...world.objects.subscription
      .where("customer", customer)
      .filter(({ ended_at: ended }) => ended === null),
    ...world.objects.subscription_schedule
      .where("customer", customer)
      .flatMap((schedule) => (isOpen(schedule) ? schedule.phases : [])),
    ...world.objects.invoiceitem
      .where("customer", customer)
      .filter(({ invoice }) => invoice === null),
  ].find(({ currency }) => currency !== wanted);
  if (taken === undefined) return;
  throw refused(
    `You cannot combine currencies on a single customer. This customer has an active subscription, subscription schedule, discount, quote, or invoice item with currency ${taken.currency}.`,
    "customer",
  );
}

/** Refuses a price that is paid once, or may not be sold any more. What has it already keeps it. */
export function checkSellable(world: World, id: string, param: string): void {
  const price = referenced(world, "price", id, param);
  if (price.recurring === null) throw oneTime(param);
  if (price.active || world.inline.has(id)) return;
  throw refused("The price specified is inactive. This field only accepts active prices.", param);
}

export function makeItem(
  world: World,
  subscription: string,
  { price, quantity, metadata, tax_rates: rates }: NewItem,
  period: { start: number; end: number },
): SubscriptionItem {
  const whole = world.find("price", price);
  return {
    id: world.id("si"),
    object: "subscription_item",
    billing_thresholds: null,
    created: world.now(),
    current_period_end: period.end,
    current_period_start: period.start,
    current_trial: null,
    discounts: [],
    metadata: metadata ?? {},
    plan: planOf(whole),
    price: whole,
    ...(isMetered(whole) ? {} : { quantity: quantity ?? 1 }),
    subscription,
    tax_rates: [...(rates ?? [])],
  };
}

/** Whether any of them is not free. */
export function costs(world: World, items: readonly NewItem[], currency: string): boolean {
  return items.some(({ price, quantity = 1 }) => {
    const whole = world.find("price", price);
    return isMetered(whole) || amountOf(world, whole, quantity, currency) > 0;
  });
}

/** A metered price is billed by what was used, so it has no quantity. */
export function checkMetered(
  price: { readonly recurring: { readonly usage_type?: string | undefined } | null },
  quantity: number | undefined,
  at: string,
): void {
  if (price.recurring?.usage_type !== "metered" || quantity === undefined) return;
  throw invalid(
    `Quantity should not be specified where usage_type is \`metered\`. Remove quantity from \`${at}\``,
    `${at}[quantity]`,
  );
}
