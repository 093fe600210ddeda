/** The catalogue of a shop, as an application would write it. */
import {
  type AnyCatalogue,
  type AnyPlan,
  defineCatalogue,
  type Money,
  money,
} from "../../packages/backend-billing/src/catalogue/index.js";
import type { Shop, ShopPlan, ShopPrice, ShopUsage } from "./shop.js";

const amount = (cents: number): string => (cents / 100).toFixed(2);

function priced(price: ShopPrice, currency: string) {
  const plain = money(amount(price.cents), currency);
  const one: Money = price.perSeat ? plain.perSeat() : plain;
  return one.every(price.count, price.interval);
}

const usage = ({ included, mills, cap }: ShopUsage, currency: string) => ({
  included,
  ...(mills === null ? {} : { overage: money((mills / 100_000).toFixed(5), currency) }),
  ...(cap === null ? {} : { cap }),
});

function planned(plan: ShopPlan): AnyPlan {
  const { label, group, was, isDefault, isRetired, trialDays, prices, currency } = plan;
  const entries = prices.map((price) => [price.name, priced(price, currency)] as const);
  return {
    name: label,
    ...(group === null ? {} : { group }),
    ...(was === null ? {} : { was }),
    ...(isDefault ? { default: true } : {}),
    ...(isRetired ? { retired: true } : {}),
    ...(trialDays === null ? {} : { trialDays }),
    ...(entries.length === 0 ? {} : { prices: Object.fromEntries(entries) }),
    features: {
      ...(plan.sso === null ? {} : { sso: plan.sso }),
      ...(plan.projects === null ? {} : { projects: plan.projects }),
      ...(plan.calls === null ? {} : { calls: usage(plan.calls, currency) }),
      ...(plan.credits === null ? {} : { credits: { included: plan.credits } }),
    },
  };
}

export function catalogueOf({ app, tax, plans, packs }: Shop): AnyCatalogue {
  return defineCatalogue({
    app,
    features: {
      sso: "boolean",
      projects: { limit: "highest" },
      calls: { meter: "api_calls" },
      credits: "credits",
    },
    plans: Object.fromEntries(plans.map((plan) => [plan.name, planned(plan)])) as never,
    packs: Object.fromEntries(
      packs.map(({ name, label, cents, calls }) => {
        return [name, { name: label, price: money(amount(cents), "usd"), credits: { calls } }];
      }),
    ) as never,
    ...(tax === null ? {} : { taxBehavior: tax }),
  });
}
