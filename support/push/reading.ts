/**
 * An independent reading of what Stripe should hold for a shop. It knows nothing of the library:
 * ids, keys, metadata and amounts are spelled out here once more.
 */
import type Stripe from "stripe";
import { firstName, type Shop, type ShopPlan, type ShopPrice } from "./shop.js";

/** Everything of an account that can be sold. */
export interface Account {
  readonly products: readonly Stripe.Product[];
  readonly prices: readonly Stripe.Price[];
  readonly meters: readonly Stripe.Billing.Meter[];
}

export async function accountOf(stripe: Stripe): Promise<Account> {
  const all = <T>(list: { autoPagingToArray(options: { limit: number }): Promise<T[]> }) =>
    list.autoPagingToArray({ limit: 10_000 });
  const [products, sold, archived, meters] = await Promise.all([
    all(stripe.products.list({ limit: 100 })),
    all(stripe.prices.list({ active: true, limit: 100 })),
    all(stripe.prices.list({ active: false, limit: 100 })),
    all(stripe.billing.meters.list({ limit: 100 })),
  ]);
  return { products, prices: [...sold, ...archived], meters };
}

/** What is not as the shop says, in words. `held` are products that must stay for subscribers. */
export function wrongIn(shop: Shop, account: Account, held: ReadonlySet<string>): string[] {
  const ids = new Set([
    ...shop.plans.map((plan) => `${shop.app}_${firstName(plan)}`),
    ...shop.packs.map(({ name }) => `${shop.app}_pack_${name}`),
  ]);
  const left = account.products.filter(
    ({ id, metadata }) => metadata.billing_app === shop.app && !ids.has(id),
  );
  return [
    ...shop.plans.flatMap((plan) => wrongPlan(shop, plan, account)),
    ...shop.packs.flatMap((pack) => wrongPack(shop, pack, account)),
    ...left.flatMap(({ id, active }) => {
      if (held.has(id)) return [];
      const sold = account.prices.filter((price) => price.product === id && price.active);
      return active || sold.length > 0 ? [`${id} left the shop and is still sold`] : [];
    }),
  ];
}

function wrongPlan(shop: Shop, plan: ShopPlan, account: Account): string[] {
  const id = `${shop.app}_${firstName(plan)}`;
  const product = account.products.find((each) => each.id === id);
  if (product === undefined) return [`${id} is missing`];
  const expected: { [key: string]: string } = {
    billing_app: shop.app,
    billing_plan: plan.name,
    ...(plan.group === null ? {} : { billing_group: plan.group }),
    ...(plan.isDefault ? { billing_default: "true" } : {}),
    ...(plan.trialDays === null ? {} : { billing_trial_days: String(plan.trialDays) }),
    ...(plan.sso === null ? {} : { feature_sso: String(plan.sso) }),
    ...(plan.projects === null ? {} : { feature_projects: String(plan.projects) }),
    ...(plan.calls === null ? {} : { feature_calls: usageText(plan) }),
    ...(plan.credits === null ? {} : { feature_credits: `included ${plan.credits}` }),
  };
  const wrong = [
    ...differ(`${id}.name`, product.name, plan.label),
    ...differ(`${id}.active`, product.active, !plan.isRetired),
    ...differ(`${id}.metadata`, told(product.metadata), told(expected)),
  ];
  if (plan.isRetired) return wrong;
  const keys = plan.prices.map(({ name }) => `${shop.app}:${plan.name}:${name}`);
  const usage = plan.calls?.mills ? keys.map((key) => `${key}:calls`) : [];
  const first = account.prices.find(({ lookup_key: key }) => key !== null && key === keys[0]);
  return [
    ...wrong,
    ...differ(`${id}.default_price`, product.default_price, first?.id ?? null),
    ...soldKeys(id, account, [...keys, ...usage]),
    ...plan.prices.flatMap((price) => wrongPrice(shop, plan, price, account)),
  ];
}

function wrongPrice(shop: Shop, plan: ShopPlan, price: ShopPrice, account: Account): string[] {
  const key = `${shop.app}:${plan.name}:${price.name}`;
  const rhythm = `every ${price.count} ${price.interval}`;
  const tax = shop.tax ?? "unspecified";
  const seats = price.perSeat ? "seats" : "one";
  const plain = `${price.cents} ${plan.currency} ${rhythm} licensed - ${tax} ${seats}`;
  const wrong = differ(key, seen(account, key), plain);
  const mills = plan.calls?.mills;
  if (!mills) return wrong;
  const metered = `${mills / 1000} ${plan.currency} ${rhythm} metered api_calls ${tax} one`;
  return [...wrong, ...differ(`${key}:calls`, seen(account, `${key}:calls`), metered)];
}

function wrongPack(shop: Shop, pack: Shop["packs"][number], account: Account): string[] {
  const id = `${shop.app}_pack_${pack.name}`;
  const product = account.products.find((each) => each.id === id);
  if (product === undefined) return [`${id} is missing`];
  const key = `${shop.app}:${pack.name}`;
  return [
    ...differ(`${id}.name`, product.name, pack.label),
    ...differ(`${id}.active`, product.active, true),
    ...differ(`${id}.calls`, product.metadata.feature_calls, String(pack.calls)),
    ...differ(key, seen(account, key), `${pack.cents} usd once ${shop.tax ?? "unspecified"} one`),
    ...soldKeys(id, account, [key]),
  ];
}

/** The keys of the prices of a product that are active: these and no others. */
function soldKeys(id: string, { prices }: Account, keys: readonly string[]): string[] {
  const active = prices.filter((price) => price.product === id && price.active);
  const sold = active.map(({ lookup_key: key }) => String(key));
  return differ(`sold of ${id}`, sold.sort().join(" "), [...keys].sort().join(" "));
}

function seen({ prices, meters }: Account, key: string): string {
  const price = prices.find(({ lookup_key: each, active }) => each === key && active);
  if (price === undefined) return "none";
  const { recurring } = price;
  const meter = meters.find(({ id }) => id === recurring?.meter);
  const rhythm = recurring
    ? `every ${recurring.interval_count} ${recurring.interval} ${recurring.usage_type} ${
        recurring.usage_type === "metered" ? `${meter?.event_name}` : "-"
      }`
    : "once";
  const seats = price.metadata.billing_per_seat === "true" ? "seats" : "one";
  const amount = Number(String(price.unit_amount_decimal));
  return `${amount} ${price.currency} ${rhythm} ${price.tax_behavior} ${seats}`;
}

function usageText({ calls, currency }: ShopPlan): string {
  if (calls === null) return "";
  const { included, mills, cap } = calls;
  const overage = mills === null ? "" : `, overage ${mills / 100_000} ${currency}`;
  return `included ${included}${overage}${cap === null ? "" : `, cap ${cap}`}`;
}

/** Metadata that the shop says something of, in one order, numbers read as numbers. */
function told(metadata: { readonly [key: string]: string }): string {
  const kept = Object.entries(metadata).filter(
    ([key]) => !["billing_pushed", "billing_default_price", "billing_kinds"].includes(key),
  );
  const plain = (value: string) => value.replace(/\d+\.\d+/g, (number) => String(Number(number)));
  return kept
    .map(([key, value]) => `${key}=${plain(value)}`)
    .sort()
    .join("; ");
}

const differ = (what: string, is: unknown, should: unknown): string[] =>
  is === should ? [] : [`${what} is ${String(is)}, not ${String(should)}`];
