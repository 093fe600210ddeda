/**
 * What an application sells, as plain data for random edits: neither the library's catalogue nor
 * what becomes of it at Stripe is known here.
 */

export interface ShopPrice {
  readonly name: string;
  /** In cents; yen have none. */
  readonly cents: number;
  readonly interval: "day" | "week" | "month" | "year";
  readonly count: number;
  readonly perSeat: boolean;
}

/** What a plan says of a metered feature. */
export interface ShopUsage {
  readonly included: number;
  /** A price in thousandths of a cent; null if what is included is the limit. */
  readonly mills: number | null;
  readonly cap: number | null;
}

export interface ShopPlan {
  readonly name: string;
  /** Its first name, if that is another. */
  readonly was: string | null;
  readonly label: string;
  readonly currency: "usd" | "eur" | "gbp";
  readonly group: string | null;
  readonly isDefault: boolean;
  readonly isRetired: boolean;
  readonly trialDays: number | null;
  readonly prices: readonly ShopPrice[];
  readonly sso: boolean | null;
  readonly projects: number | "unlimited" | null;
  readonly calls: ShopUsage | null;
  readonly credits: number | null;
}

export interface ShopPack {
  readonly name: string;
  readonly label: string;
  readonly cents: number;
  readonly calls: number;
}

export interface Shop {
  readonly app: string;
  readonly tax: "inclusive" | "exclusive" | null;
  readonly plans: readonly ShopPlan[];
  readonly packs: readonly ShopPack[];
}

export type Next = () => number;

const upTo = (next: Next, most: number): number => Math.floor(next() * most);
const pick = <T>(next: Next, from: readonly T[]): T => from[upTo(next, from.length)] as T;

const NAMES = ["basic", "pro", "team", "max", "plus", "addon-a", "x", "Business"];
const PRICES = ["monthly", "yearly", "weekly", "quarterly"];

export const firstName = ({ name, was }: ShopPlan): string => was ?? name;

function newPrice(next: Next, name: string): ShopPrice {
  const rhythm = pick(next, [
    ["month", 1],
    ["year", 1],
    ["week", 2],
    ["month", 3],
    ["day", 30],
  ] as const);
  return {
    name,
    cents: upTo(next, 6) * 500 + upTo(next, 2) * 99,
    interval: rhythm[0],
    count: rhythm[1],
    perSeat: next() < 0.3,
  };
}

const newUsage = (next: Next): ShopUsage => {
  const included = upTo(next, 3) * 100;
  const mills = next() < 0.7 ? 1 + upTo(next, 5) * 125 : null;
  return { included, mills, cap: mills !== null && next() < 0.5 ? included + 50 : null };
};

/** A name that no plan has or had. */
function freeName(next: Next, { plans }: Shop): string | undefined {
  const taken = new Set(plans.flatMap(({ name, was }) => [name, was]));
  const free = NAMES.filter((name) => !taken.has(name));
  return free.length === 0 ? undefined : pick(next, free);
}

function newPlan(next: Next, name: string): ShopPlan {
  const names = PRICES.filter(() => next() < 0.5);
  const prices = names.map((each) => newPrice(next, each));
  return fitted({
    name,
    was: null,
    label: pick(next, ["Plan", "Ünïcode 计划", 'A "quoted" one', "Tiny"]),
    currency: pick(next, ["usd", "eur", "gbp"]),
    group: next() < 0.25 ? "addons" : null,
    isDefault: false,
    isRetired: false,
    trialDays: next() < 0.3 ? 7 + upTo(next, 3) : null,
    prices,
    sso: pick(next, [true, false, null]),
    projects: pick(next, [0, 10, "unlimited", null]),
    calls: next() < 0.6 ? newUsage(next) : null,
    credits: next() < 0.3 ? upTo(next, 4) * 10 : null,
  });
}

/** What only a plan with prices can have is taken away from one without. */
function fitted(plan: ShopPlan): ShopPlan {
  if (plan.prices.length > 0) return { ...plan, isDefault: false };
  const calls = plan.calls && { ...plan.calls, mills: null, cap: null };
  return { ...plan, trialDays: null, calls, isDefault: plan.isDefault && !plan.isRetired };
}

export function newShop(next: Next, app: string): Shop {
  const shop: Shop = { app, tax: pick(next, [null, null, "exclusive"]), plans: [], packs: [] };
  const free = { ...newPlan(next, "free"), group: null, prices: [], isDefault: true };
  const plans = [1, 2, 3].filter((at) => at === 1 || next() < 0.5);
  const filled = plans.reduce<Shop>((now) => addPlan(next, now), {
    ...shop,
    plans: [fitted(free)],
  });
  return next() < 0.6 ? addPack(next, filled) : filled;
}

function addPlan(next: Next, shop: Shop): Shop {
  const name = freeName(next, shop);
  if (name === undefined) return shop;
  return { ...shop, plans: [...shop.plans, newPlan(next, name)] };
}

function addPack(next: Next, shop: Shop): Shop {
  const name = pick(next, ["small", "large", "pro"]);
  const cents = 500 + upTo(next, 3) * 100;
  const pack = { name, label: `Pack ${name}`, cents, calls: 1 + upTo(next, 3) * 100 };
  return { ...shop, packs: [...shop.packs.filter((each) => each.name !== name), pack] };
}

type Edit = (next: Next, shop: Shop) => Shop;

const changed =
  (change: (next: Next, plan: ShopPlan, shop: Shop) => ShopPlan): Edit =>
  (next, shop) => {
    if (shop.plans.length === 0) return shop;
    const chosen = pick(next, shop.plans);
    const after = fitted(change(next, chosen, shop));
    return { ...shop, plans: shop.plans.map((plan) => (plan === chosen ? after : plan)) };
  };

/** Keeps some of a list, and turns it round sometimes. */
const fewer = <T>(next: Next, list: readonly T[]): readonly T[] => {
  const kept = list.filter(() => next() < 0.6);
  return next() < 0.5 ? kept : [...kept].reverse();
};

const repriced = changed((next, plan) => ({
  ...plan,
  prices: plan.prices.map((price) => (next() < 0.6 ? newPrice(next, price.name) : price)),
}));

const EDITS: { readonly [name: string]: Edit } = {
  "add a plan": addPlan,
  "add a pack": addPack,
  "remove a plan": (next, shop) => ({
    ...shop,
    plans: shop.plans.filter((plan) => plan.name === "free" || next() < 0.6),
  }),
  "remove packs": (next, shop) => ({ ...shop, packs: fewer(next, shop.packs) }),
  "other amounts": repriced,
  "other amounts again": repriced,
  "add a price": changed((next, plan) => {
    const name = PRICES.find((each) => !plan.prices.some((price) => price.name === each));
    return name === undefined ? plan : { ...plan, prices: [...plan.prices, newPrice(next, name)] };
  }),
  "remove prices": changed((next, plan) => ({ ...plan, prices: fewer(next, plan.prices) })),
  "another currency": changed((next, plan) => ({
    ...plan,
    currency: pick(next, ["usd", "eur", "gbp"]),
  })),
  "a new name": changed((next, plan, shop) => {
    const name = plan.name === "free" ? undefined : freeName(next, shop);
    return name === undefined ? plan : { ...plan, name, was: firstName(plan) };
  }),
  "a new label": changed((next, plan) => ({ ...plan, label: `Label ${upTo(next, 3)}` })),
  "retire or not": changed((_, plan) => ({
    ...plan,
    isRetired: !plan.isRetired && !plan.isDefault,
  })),
  "other features": changed((next, plan) => ({
    ...plan,
    ...{ sso: pick(next, [true, false, null]), projects: pick(next, [5, "unlimited", null]) },
  })),
  "other usage": changed((next, plan) => ({
    ...plan,
    calls: next() < 0.7 ? newUsage(next) : null,
  })),
  "another group": changed((_, plan) => ({
    ...plan,
    group: plan.group === null && !plan.isDefault ? "addons" : null,
  })),
  "other taxes": (next, shop) => ({ ...shop, tax: pick(next, [null, "inclusive", "exclusive"]) }),
};

const editNames = Object.keys(EDITS);

/** One to three edits at once, as people commit them; and sometimes back to what was. */
export function edited(next: Next, shop: Shop, earlier: readonly Shop[]): [Shop, string[]] {
  if (earlier.length > 0 && next() < 0.2) return [pick(next, earlier), ["back to what was"]];
  const names = Array.from({ length: 1 + upTo(next, 3) }, () => pick(next, editNames));
  const after = names.reduce((now, name) => (EDITS[name] as Edit)(next, now), shop);
  return [withoutSwaps(after), names];
}

/** A name that another plan had first is no longer free for one that has it now. */
function withoutSwaps(shop: Shop): Shop {
  const firsts = new Set<string>();
  const names = new Set(shop.plans.map(({ name }) => name));
  const plans = shop.plans.filter((plan) => {
    const first = firstName(plan);
    const isFree = !firsts.has(first) && (plan.was === null || !names.has(plan.was));
    firsts.add(first);
    return isFree;
  });
  return { ...shop, plans };
}
