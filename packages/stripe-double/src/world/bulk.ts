/**
 * Accounts of any size: objects that exist as a rule, made when they are looked at and kept only
 * once they are changed. Two million customers cost no memory until they are changed.
 */

import { blankCustomer } from "../resources/customers.js";
import type { Instant } from "./clock.js";
import type { Kind, Objects, World } from "./world.js";

const PREFIXES = {
  balance_transaction: "txn",
  charge: "ch",
  "checkout.session": "cs",
  credit_note: "cn",
  customer: "cus",
  dispute: "du",
  invoice: "in",
  invoice_payment: "inpay",
  invoiceitem: "ii",
  payment_intent: "pi",
  payment_link: "plink",
  payment_method: "pm",
  payout: "po",
  price: "price",
  product: "prod",
  promotion_code: "promo",
  quote: "qt",
  "radar.early_fraud_warning": "issfr",
  refund: "re",
  setup_intent: "seti",
  subscription: "sub",
  subscription_schedule: "sub_sched",
  tax_id: "txi",
  tax_rate: "txr",
  transfer: "tr",
} as const satisfies { readonly [K in Kind]?: string };

type PopulousKind = keyof typeof PREFIXES;

/** What every made object needs, whatever else it says. */
export interface Seed {
  readonly id: string;
  readonly created: number;
  readonly livemode: boolean;
}

/** So many objects of one kind, created evenly from one moment to another. */
export type Population = {
  readonly [K in PopulousKind]: {
    readonly object: K;
    readonly count: number;
    /** The first one's creation; a year before `to` when absent. */
    readonly from?: Instant;
    /** The last one's creation; now when absent. */
    readonly to?: Instant;
  } & (K extends "customer"
    ? { readonly make?: (index: number, seed: Seed) => Objects[K] }
    : { readonly make: (index: number, seed: Seed) => Objects[K] });
}[PopulousKind];

const DIGITS = 9;
const YEAR = 365 * 86_400;

export function populate(world: World, population: Population): void {
  const { object, count } = population;
  if (count >= 10 ** DIGITS) throw new RangeError(`At most ${10 ** DIGITS - 1} objects at once`);
  const to = population.to === undefined ? world.now() : seconds(population.to);
  const from = population.from === undefined ? to - YEAR : seconds(population.from);
  if (to > world.now()) throw new RangeError("Nothing can be created after the double's own time");
  // The ids of sessions say which mode they are of.
  const mode = object === "checkout.session" ? (world.livemode ? "_live" : "_test") : "";
  const lead = world.id(`${PREFIXES[object]}${mode}`).slice(0, -DIGITS);
  const id = (index: number) => `${lead}${String(index).padStart(DIGITS, "0")}`;
  const created = (index: number) =>
    count < 2 ? to : from + Math.floor(((to - from) * index) / (count - 1));
  const make = population.make ?? numberedCustomer;
  world.objects[object].addRange({
    count,
    id,
    index: (candidate) => {
      if (!candidate.startsWith(lead) || candidate.length !== lead.length + DIGITS)
        return undefined;
      const index = Number(candidate.slice(lead.length));
      return Number.isInteger(index) && index < count ? index : undefined;
    },
    created,
    make: (index: number) =>
      make(index, { id: id(index), created: created(index), livemode: world.livemode }) as never,
  });
}

function numberedCustomer(index: number, { id, created, livemode }: Seed): Objects["customer"] {
  return {
    ...blankCustomer(id, created, livemode),
    email: `customer-${index}@example.com`,
    name: `Customer ${index}`,
  };
}

function seconds(moment: Instant): number {
  return Math.floor(new Date(moment).getTime() / 1000);
}
