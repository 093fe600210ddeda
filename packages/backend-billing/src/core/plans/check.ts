/**
 * What a catalogue says that cannot be: each problem with its place in the file and what to change.
 * Types refuse most of it; this is for what they cannot see, and for files in JavaScript.
 */
import type { AnyCatalogue, AnyPlan, FeatureKind, Metered } from "./catalogue.js";
import { kindOf } from "./kind.js";
import type { Money, RecurringPrice } from "./money.js";
import { groupOfPlan, MAIN_GROUP } from "./names.js";

/** A catalogue that cannot be used: its message lists every problem. */
export class CatalogueError extends Error {
  override readonly name = "CatalogueError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    const lines = problems.map((problem) => `- ${problem}`).join("\n");
    const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
    super(`The catalogue has ${count}:\n${lines}`);
    this.problems = problems;
  }
}

/** Names of plans, prices, packs and groups: no underscore and no colon, which separate them in ids. */
const NAME = /^[A-Za-z][A-Za-z0-9-]{0,39}$/;
/** With `feature_` before it, it fits into a key of Stripe's metadata. */
const FEATURE = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;
const APP = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,38}[A-Za-z0-9])?$/;
const METER = /^[A-Za-z0-9_.-]{1,100}$/;

const NAMED = "begins with a letter and has at most 40 letters, digits and hyphens";

/** The most days of grace: a longer one is `past_due: true`. */
const MOST_DAYS = 365;
const MOST_TRIAL_DAYS = 730;
/** Stripe's metadata has 50 keys, and ten are kept for the library. */
const MOST_FEATURES = 40;
/** The most that Stripe takes for one price, in smallest units. */
const MOST_AMOUNT = 99_999_999;
const LONGEST_NAME = 250;
/** Three years, as Stripe counts them. */
const MOST_INTERVALS = { day: 1095, week: 156, month: 36, year: 3 } as const;

const quoted = (text: unknown): string => JSON.stringify(text) ?? String(text);

/** All that is wrong with a catalogue. */
export function problemsOf(catalogue: AnyCatalogue): readonly string[] {
  const { features, plans, packs } = catalogue;
  return [
    ...appProblems(catalogue),
    ...accessProblems(catalogue),
    ...Object.entries(features).flatMap(([name, kind]) => featureProblems(name, kind)),
    ...sharedMeters(catalogue),
    ...Object.entries(plans).flatMap(([name, plan]) => planProblems(name, plan, catalogue)),
    ...groupProblems(catalogue),
    ...renameProblems(catalogue),
    ...Object.entries(packs).flatMap(([name]) => packProblems(name, catalogue)),
  ];
}

function appProblems({ app, plans, packs, taxBehavior }: AnyCatalogue): string[] {
  const tax =
    taxBehavior === null || taxBehavior === "inclusive" || taxBehavior === "exclusive"
      ? []
      : [`taxBehavior: ${quoted(taxBehavior)} must be "inclusive" or "exclusive".`];
  if (app === null) {
    const isNeeded = Object.keys(plans).length + Object.keys(packs).length > 0;
    if (!isNeeded) return tax;
    return [
      ...tax,
      'app: give the catalogue a name, such as app: "acme". Products at Stripe carry it, so that two applications on one account do not meet.',
    ];
  }
  if (APP.test(app)) return tax;
  return [
    ...tax,
    `app: ${quoted(app)} must have at most 40 letters, digits, dots, underscores and hyphens, and begin and end with a letter or a digit.`,
  ];
}

function accessProblems({ access: { past_due: kept } }: AnyCatalogue): string[] {
  if (typeof kept === "boolean") return [];
  const days = kept?.days;
  if (Number.isFinite(days) && days >= 0 && days <= MOST_DAYS) return [];
  return [
    `access.past_due.days: ${String(days)} must be from 0 to ${MOST_DAYS}. For more, \`past_due: true\` keeps access.`,
  ];
}

function featureProblems(name: string, kind: FeatureKind): string[] {
  const place = `features.${name}`;
  const problems: string[] = [];
  if (!FEATURE.test(name)) {
    problems.push(
      `${place}: a feature's name begins with a letter and has at most 32 letters, digits, underscores and hyphens.`,
    );
  }
  if (kindOf(kind) === undefined) {
    problems.push(
      `${place}: ${quoted(kind)} is no kind of feature. Write "boolean", "limit", "credits" or { meter: "name_of_the_event" }.`,
    );
  }
  if (typeof kind === "object" && "meter" in kind && !METER.test(kind.meter)) {
    problems.push(
      `${place}.meter: ${quoted(kind.meter)} must have at most 100 letters, digits, underscores, dots and hyphens: it is the event's name at Stripe.`,
    );
  }
  return problems;
}

function sharedMeters({ features }: AnyCatalogue): string[] {
  const owners = new Map<string, string>();
  return Object.entries(features).flatMap(([name, kind]) => {
    if (typeof kind !== "object" || !("meter" in kind)) return [];
    const other = owners.get(kind.meter);
    owners.set(kind.meter, name);
    if (other === undefined) return [];
    return [
      `features.${name}.meter: ${quoted(kind.meter)} is the meter of ${other} too. Give each feature a meter of its own, or both would be billed for the same event.`,
    ];
  });
}

function planProblems(name: string, plan: AnyPlan, catalogue: AnyCatalogue): string[] {
  const place = `plans.${name}`;
  const prices = Object.entries(plan.prices ?? {});
  return [
    ...nameProblems(place, name, plan.name),
    ...(plan.group === undefined || NAME.test(plan.group)
      ? []
      : [`${place}.group: ${quoted(plan.group)}: a group's name ${NAMED}.`]),
    ...prices.flatMap(([key, price]) => priceProblems(`${place}.prices.${key}`, key, price)),
    ...trialProblems(place, plan),
    ...roleProblems(place, plan),
    ...valueProblems(place, plan, catalogue),
  ];
}

function nameProblems(place: string, key: string, name: unknown): string[] {
  return [
    ...(NAME.test(key) ? [] : [`${place}: its name in the catalogue ${NAMED}.`]),
    ...(typeof name === "string" && name.trim() !== "" && name.length <= LONGEST_NAME
      ? []
      : [`${place}.name: give it a name that people read, of at most ${LONGEST_NAME} characters.`]),
  ];
}

function priceProblems(place: string, key: string, price: RecurringPrice): string[] {
  const problems = NAME.test(key) ? [] : [`${place}: the name of a price ${NAMED}.`];
  const most = (MOST_INTERVALS as { readonly [interval: string]: number })[price?.interval];
  if (most === undefined) {
    return [
      ...problems,
      `${place}: say how often it is charged, such as usd("20").monthly() or usd("50").every(3, "month").`,
    ];
  }
  const count = price.intervalCount;
  if (!Number.isInteger(count) || count < 1 || count > most) {
    problems.push(
      `${place}: every ${count} ${price.interval}s is not possible; Stripe takes whole numbers up to three years (${most}).`,
    );
  }
  return [...problems, ...amountProblems(place, price)];
}

function amountProblems(place: string, { amount }: Pick<Money, "amount">): string[] {
  if (Number.isInteger(amount) && amount >= 0 && amount <= MOST_AMOUNT) return [];
  return [
    `${place}: ${amount} of the smallest unit is not possible; Stripe takes whole ones up to ${MOST_AMOUNT}.`,
  ];
}

function trialProblems(place: string, { trialDays, prices, retired }: AnyPlan): string[] {
  if (trialDays === undefined) return [];
  const isPossible = Number.isInteger(trialDays) && trialDays >= 1 && trialDays <= MOST_TRIAL_DAYS;
  if (!isPossible) {
    return [
      `${place}.trialDays: ${trialDays} must be a whole number from 1 to ${MOST_TRIAL_DAYS}.`,
    ];
  }
  if (prices !== undefined || retired === true) return [];
  return [`${place}.trialDays: a plan without prices has no trial. Give it prices, or remove it.`];
}

function roleProblems(place: string, plan: AnyPlan): string[] {
  if (plan.default !== true) return [];
  const problems: string[] = [];
  if (Object.keys(plan.prices ?? {}).length > 0) {
    problems.push(
      `${place}.default: entities have this plan without paying, so it has no prices. Remove them, or sell them as a plan of its own.`,
    );
  }
  if (plan.retired === true) {
    problems.push(
      `${place}.retired: the default plan of a group is never bought, so it cannot be retired. Make another plan the default.`,
    );
  }
  return problems;
}

function valueProblems(place: string, plan: AnyPlan, { features }: AnyCatalogue): string[] {
  const values = Object.entries(plan.features ?? {});
  const many =
    values.length > MOST_FEATURES
      ? [`${place}.features: ${values.length} are too many; Stripe can hold ${MOST_FEATURES}.`]
      : [];
  return [
    ...many,
    ...values.flatMap(([feature, value]) => {
      const at = `${place}.features.${feature}`;
      const kind = kindOf(features[feature]);
      if (kind === undefined) {
        const known = Object.keys(features).join(", ") || "none so far";
        return [`${at}: there is no such feature. Add it to \`features\` (${known}).`];
      }
      return VALUE_PROBLEMS[kind](at, value, plan);
    }),
  ];
}

const isWhole = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

const VALUE_PROBLEMS = {
  boolean: (at: string, value: unknown) =>
    typeof value === "boolean" ? [] : [`${at}: ${quoted(value)} must be true or false.`],
  limit: (at: string, value: unknown) =>
    value === "unlimited" || isWhole(value)
      ? []
      : [`${at}: ${quoted(value)} must be a whole number from 0, or "unlimited".`],
  credits: (at: string, value: unknown) =>
    isWhole((value as Metered | null)?.included)
      ? []
      : [`${at}: write { included: 100 }, a whole number from 0.`],
  meter: meteredProblems,
} as const;

function meteredProblems(at: string, value: unknown, { prices, retired }: AnyPlan): string[] {
  if (typeof value !== "object" || value === null) {
    return [`${at}: write { included: 1000 }, and \`overage\` for what each unit beyond costs.`];
  }
  const { included = 0, overage, cap } = value as Metered;
  const problems: string[] = [];
  if (!isWhole(included)) {
    problems.push(`${at}.included: ${quoted(included)} must be a whole number from 0.`);
  }
  if (cap !== undefined && overage === undefined) {
    problems.push(
      `${at}.cap: without \`overage\`, what is included is the limit. Remove \`cap\`, or say what each unit beyond costs.`,
    );
  } else if (cap !== undefined && !(isWhole(cap) && cap >= included)) {
    problems.push(`${at}.cap: ${quoted(cap)} must be a whole number, at least \`included\`.`);
  }
  if (overage === undefined) return problems;
  const sold = Object.entries(prices ?? {});
  // The subscribers of a retired plan have its prices; the catalogue need not.
  if (sold.length === 0 && retired !== true) {
    problems.push(
      `${at}.overage: a plan without prices has no invoice on which usage could stand. Remove \`overage\`, or give the plan a price.`,
    );
  }
  if (overage.isPerSeat) problems.push(`${at}.overage: usage has no seats. Remove .perSeat().`);
  for (const [key, { currency }] of sold) {
    if (currency === overage.currency) continue;
    problems.push(
      `${at}.overage: it is in ${overage.currency} and the price ${key} in ${currency}; one invoice has one currency. Use a plan for each currency.`,
    );
  }
  return problems;
}

function groupProblems({ plans }: AnyCatalogue): string[] {
  const defaults = new Map<string, string>();
  return Object.entries(plans).flatMap(([name, plan]) => {
    if (plan.default !== true) return [];
    const group = groupOfPlan(plan);
    const other = defaults.get(group);
    defaults.set(group, name);
    if (other === undefined) return [];
    const where = group === MAIN_GROUP ? "the plans" : `the group ${group}`;
    return [`plans.${name}.default: ${other} is the default of ${where} already.`];
  });
}

function renameProblems({ plans }: AnyCatalogue): string[] {
  const taken = new Map(Object.keys(plans).map((name) => [name, name]));
  return Object.entries(plans).flatMap(([name, { was }]) => {
    if (was === undefined) return [];
    if (!NAME.test(was)) return [`plans.${name}.was: ${quoted(was)}: a plan's name ${NAMED}.`];
    const other = taken.get(was);
    taken.set(was, name);
    if (other === undefined) return [];
    return [
      other === name
        ? `plans.${name}.was: it is the plan's own name. Remove it.`
        : `plans.${name}.was: ${was} is ${other === was ? "a plan of this catalogue" : `what ${other} was`}. Each plan has a product of its own.`,
    ];
  });
}

function packProblems(name: string, { packs, features }: AnyCatalogue): string[] {
  const place = `packs.${name}`;
  const pack = packs[name];
  if (pack === undefined) return [];
  const problems = nameProblems(place, name, pack.name);
  if (typeof pack.price?.amount !== "number" || "interval" in pack.price) {
    problems.push(`${place}.price: a pack is paid once; write usd("5").`);
  } else {
    problems.push(...amountProblems(`${place}.price`, pack.price));
    if (pack.price.isPerSeat) {
      problems.push(`${place}.price: a pack has no seats. Remove .perSeat().`);
    }
  }
  for (const [feature, amount] of Object.entries(pack.credits ?? {})) {
    const kind = kindOf(features[feature]);
    if (kind !== "credits" && kind !== "meter") {
      problems.push(
        `${place}.credits.${feature}: only "credits" and metered features have a balance.`,
      );
    } else if (!isWhole(amount) || amount === 0) {
      problems.push(
        `${place}.credits.${feature}: ${quoted(amount)} must be a whole number from 1.`,
      );
    }
  }
  return problems;
}
