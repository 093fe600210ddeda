/**
 * Pull: the text of a catalogue file from what push made for an application. Pure. What Stripe does
 * not hold, which is `access` and features that no plan mentions, is not in it.
 */
import type { FeatureKind, Metered } from "../core/plans/catalogue.js";
import type { Values } from "../core/plans/gates.js";
import { type Metadata, valuesIn } from "../core/plans/metadata.js";
import { amountText } from "../core/plans/money.js";
import { planProductId } from "../core/plans/names.js";
import { PACK_SLOT } from "./desired.js";
import {
  isOwn,
  isPutAway,
  type Observed,
  type ObservedPrice,
  type ObservedProduct,
} from "./observed.js";
import { type Code, codeText } from "./source-text.js";

/** The applications whose push made something in this account. */
export const appsIn = ({ products }: Pick<Observed, "products">): readonly string[] => [
  ...new Set(products.flatMap(({ metadata }) => metadata.billing_app ?? [])),
];

/** The file of a catalogue; with `push` of it nothing is left to do. */
export function catalogueText(app: string, observed: Observed): string {
  const own = observed.products.filter(
    (product) => product.metadata.billing_app === app && !isPutAway(product, observed.prices),
  );
  const plans = own.filter(({ metadata }) => metadata.billing_plan !== undefined);
  const packs = own.filter(({ metadata }) => metadata.billing_pack !== undefined);
  // The prices of retired plans stay as they are when taxes change.
  const sold = own.filter(({ active }) => active).map(({ id }) => id);
  const taxBehavior = observed.prices.find(
    (price) => sold.includes(price.product) && price.active && isOwn(price),
  )?.taxBehavior;
  const used = new Set(["defineCatalogue"]);
  const money = moneyWriter(used);
  const definition: Code = [
    ["app", quoted(app)],
    ...(taxBehavior === "inclusive" || taxBehavior === "exclusive"
      ? [["taxBehavior", quoted(taxBehavior)] as const]
      : []),
    ...section("features", featuresCode(own)),
    ...section(
      "plans",
      plans.map((product) => planCode(app, product, observed, money)),
    ),
    ...section(
      "packs",
      packs.map((product) => packCode(product, observed, money)),
    ),
  ];
  const names = [...used].sort().join(", ");
  return [
    `import { ${names} } from "backend-billing/catalogue";`,
    "",
    `export const catalogue = defineCatalogue(${codeText(definition)});`,
    "",
  ].join("\n");
}

type Entry = readonly [name: string, code: Code];
type Writer = (amount: number, currency: string) => string;

const quoted = (text: string): string => JSON.stringify(text);

const section = (name: string, entries: readonly Entry[]): readonly Entry[] =>
  entries.length === 0 ? [] : [[name, entries]];

/** Writes an amount, and remembers which function that takes. */
const moneyWriter =
  (used: Set<string>): Writer =>
  (amount, currency) => {
    const text = quoted(amountText(amount, currency));
    const isShort = currency === "usd" || currency === "eur";
    used.add(isShort ? currency : "money");
    return isShort ? `${currency}(${text})` : `money(${text}, ${quoted(currency)})`;
  };

/** What each feature is, by what products say of it. */
function featuresCode(products: readonly ObservedProduct[]): readonly Entry[] {
  const kinds = new Map<string, FeatureKind>();
  for (const { metadata } of products) {
    const named = kindsIn(metadata);
    const isPack = metadata.billing_pack !== undefined;
    for (const [feature, value] of Object.entries(valuesIn(metadata))) {
      const kind = named.get(feature) ?? kindOfValue(value, isPack);
      if (named.has(feature) || !kinds.has(feature)) kinds.set(feature, kind);
    }
  }
  return [...kinds].map(([feature, kind]) => {
    if (typeof kind === "string") return [feature, quoted(kind)];
    const [[name, value] = ["", ""]] = Object.entries(kind);
    return [feature, [[name, quoted(value)]]];
  });
}

/** `projects=highest, apiCalls=meter:api_calls`, as push writes it. */
function kindsIn({ billing_kinds: text = "" }: Metadata): ReadonlyMap<string, FeatureKind> {
  return new Map(
    text.split(", ").flatMap((part): (readonly [string, FeatureKind])[] => {
      const [feature = "", kind = ""] = part.split("=");
      if (kind === "highest") return [[feature, { limit: "highest" }]];
      return kind.startsWith("meter:") ? [[feature, { meter: kind.slice("meter:".length) }]] : [];
    }),
  );
}

function kindOfValue(value: Values[string], isPack: boolean): FeatureKind {
  if (typeof value === "boolean") return "boolean";
  return typeof value === "object" || isPack ? "credits" : "limit";
}

function planCode(app: string, product: ObservedProduct, observed: Observed, money: Writer): Entry {
  const { id, name, active, metadata } = product;
  const plan = metadata.billing_plan ?? id;
  const was = planProductId(app, plan, {}) === id ? undefined : id.slice(app.length + 1);
  const values = Object.entries(valuesIn(metadata));
  const prices = soldPrices(product, observed).filter(
    ({ recurring, currency }) => recurring?.meterId === null && (active || fits(values, currency)),
  );
  const given: readonly (Entry | false)[] = [
    ["name", quoted(name)],
    was !== undefined && ["was", quoted(was)],
    !active && ["retired", "true"],
    metadata.billing_default === "true" && ["default", "true"],
    metadata.billing_group !== undefined && ["group", quoted(metadata.billing_group)],
    metadata.billing_trial_days !== undefined && ["trialDays", metadata.billing_trial_days],
    ...section(
      "prices",
      prices.map((price) => [price.metadata.billing_price ?? "", priceCode(price, money)]),
    ),
    ...section(
      "features",
      values.map(([feature, value]) => [feature, valueCode(value, money)]),
    ),
  ];
  return [plan, given.filter((each) => each !== false)];
}

/** The prices of a retired plan stay though its overage gets another currency; one file has one. */
const fits = (values: readonly (readonly [string, Values[string]])[], currency: string): boolean =>
  values.every(([, value]) => {
    const overage = typeof value === "object" ? (value as Metered).overage : undefined;
    return overage === undefined || overage.currency === currency;
  });

/** The prices of a product that are sold, the default price first. */
function soldPrices(product: ObservedProduct, { prices }: Observed): readonly ObservedPrice[] {
  const rank = ({ id }: ObservedPrice) => (id === product.defaultPrice ? 0 : 1);
  const slot = ({ metadata }: ObservedPrice) => metadata.billing_price ?? "";
  return prices
    .filter((price) => price.product === product.id && isOwn(price))
    .filter((price) => price.active && price.amount !== null && price.key !== null)
    .sort((a, b) => rank(a) - rank(b) || a.created - b.created || (slot(a) < slot(b) ? -1 : 1));
}

function priceCode(price: ObservedPrice, money: Writer): string {
  const seats = price.metadata.billing_per_seat === "true" ? ".perSeat()" : "";
  const amount = `${money(Number(price.amount), price.currency)}${seats}`;
  const { interval = "month", intervalCount = 1 } = price.recurring ?? {};
  if (intervalCount === 1 && interval === "month") return `${amount}.monthly()`;
  if (intervalCount === 1 && interval === "year") return `${amount}.yearly()`;
  return `${amount}.every(${intervalCount}, ${quoted(interval)})`;
}

function valueCode(value: Values[string], money: Writer): Code {
  if (typeof value === "string") return quoted(value);
  if (typeof value !== "object") return String(value);
  const { included, overage, cap } = value as Metered;
  const given: readonly (Entry | false)[] = [
    included !== undefined && ["included", String(included)],
    overage !== undefined && ["overage", money(overage.amount, overage.currency)],
    cap !== undefined && ["cap", String(cap)],
  ];
  return given.filter((each) => each !== false);
}

function packCode(product: ObservedProduct, observed: Observed, money: Writer): Entry {
  const price = soldPrices(product, observed).find(
    ({ metadata }) => metadata.billing_price === PACK_SLOT,
  );
  const credits = Object.entries(valuesIn(product.metadata));
  return [
    product.metadata.billing_pack ?? product.id,
    [
      ["name", quoted(product.name)],
      ...(price === undefined
        ? []
        : [["price", money(Number(price.amount), price.currency)] as const]),
      ...section(
        "credits",
        credits.map(([feature, amount]) => [feature, String(amount)]),
      ),
    ],
  ];
}
