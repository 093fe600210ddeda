/**
 * What is read of an entity's subscriptions, and how much of it, as far as that does not depend on
 * the database. A store that can read all of it at once does so and keeps to the same bounds.
 */
import type { StripeObject } from "../../catalogue/catalogue.js";
import type { StoredRecord, SubscriptionFacts } from "../store.js";
import { endedStatuses, owingStatuses } from "./reads.js";

/** How many ended subscriptions of an entity are read, the newest. */
export const ENDED_READ = 50;
/** How many open invoices of one subscription are read, the oldest. */
export const INVOICES_READ = 100;

/** What a store reads that reads one thing after another. */
export interface FactReads {
  product(id: string): Promise<StripeObject<"products"> | undefined>;
  price(id: string): Promise<StripeObject<"prices"> | undefined>;
  /** All invoices of a subscription, or the newest of them. */
  invoices(subscriptionId: string): Promise<readonly StripeObject<"invoices">[]>;
  schedule(id: string): Promise<StripeObject<"subscription_schedules"> | undefined>;
  lapse(subscriptionId: string): Promise<StoredRecord | undefined>;
}

/** What `subscribed` answers, where it takes more than one reading in one transaction. */
export const readSubscribed = (
  all: readonly StripeObject<"subscriptions">[],
  reads: FactReads,
): Promise<SubscriptionFacts> => readFacts(withoutOldEnded(all), reads);

/** What is known of these subscriptions. */
export async function readFacts(
  subscriptions: readonly StripeObject<"subscriptions">[],
  reads: FactReads,
): Promise<SubscriptionFacts> {
  const live = subscriptions.filter(({ status }) => !endedStatuses.has(status));
  const owing = live.filter(({ status }) => owingStatuses.has(status));
  const [products, invoices, schedules, lapses] = await Promise.all([
    each(subscriptions.flatMap(productsOf), reads.product),
    Promise.all(owing.map(({ id }) => reads.invoices(id))),
    each(
      live.flatMap(({ schedule }) => schedule ?? []),
      reads.schedule,
    ),
    each(
      live.filter(({ status }) => status === "past_due").map(({ id }) => id),
      reads.lapse,
    ),
  ]);
  return {
    subscriptions,
    products,
    invoices: invoices.flatMap(oldestOpen),
    schedules,
    prices: await each(schedules.flatMap(pricesOf), reads.price),
    lapses,
  };
}

/** The subscription that an invoice is of. */
export function subscriptionOfInvoice(invoice: object | null): string | undefined {
  const { parent } = (invoice ?? {}) as Partial<StripeObject<"invoices">>;
  return parent?.subscription_details?.subscription;
}

/** Each of these ids once, those of them that are there. */
async function each<T>(
  ids: readonly string[],
  read: (id: string) => Promise<T | undefined>,
): Promise<readonly T[]> {
  const found = await Promise.all([...new Set(ids)].map(read));
  return found.filter((one) => one !== undefined);
}

const productsOf = ({ items }: StripeObject<"subscriptions">): readonly string[] =>
  items.data.map(({ price }) => price.product);

const pricesOf = ({ phases }: StripeObject<"subscription_schedules">): readonly string[] =>
  phases.flatMap(({ items }) => items.map(({ price }) => price));

function withoutOldEnded(
  all: readonly StripeObject<"subscriptions">[],
): readonly StripeObject<"subscriptions">[] {
  const newest = [...all].sort((a, b) => b.created - a.created || compare(b.id, a.id));
  const ended = newest.filter(({ status }) => endedStatuses.has(status)).slice(ENDED_READ);
  const left = new Set(ended.map(({ id }) => id));
  return newest.filter(({ id }) => !left.has(id));
}

/** The open ones of these invoices, the oldest first, as many as are read. */
export const oldestOpen = (
  all: readonly StripeObject<"invoices">[],
): readonly StripeObject<"invoices">[] =>
  all
    .filter(({ status }) => status === "open")
    .sort((a, b) => a.created - b.created || compare(a.id, b.id))
    .slice(0, INVOICES_READ);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
