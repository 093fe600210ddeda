/**
 * What an entity's subscription is now, from what the mirror knows: one state that applications read
 * in place of Stripe's JSON. Pure, and without a clock: access that ends by time ends by a record.
 */
import type { StripeObject } from "../catalogue/catalogue.js";
import { endedStatuses } from "../mirror/reads/reads.js";
import type { SubscriptionFacts } from "../mirror/store.js";
import { hasAccess, policyOf } from "../plans/access.js";
import type { AnyCatalogue } from "../plans/catalogue.js";
import { planFor } from "../plans/gates.js";
import { ownKey } from "../plans/names.js";
import { DEFAULT_GROUP, groupIn, groupsOf } from "./group.js";
import { isLapsed, pastDueSince } from "./lapse.js";
import { type Change, scheduledChange, scheduledEnd } from "./scheduled.js";

/**
 * Stripe's statuses, closed: the SDK's own type admits any string, so that comparing it with "none"
 * would narrow nothing.
 */
export type Status =
  | "active"
  | "canceled"
  | "incomplete"
  | "incomplete_expired"
  | "past_due"
  | "paused"
  | "trialing"
  | "unpaid";

/** One item of a subscription. */
export interface SubscribedItem {
  readonly itemId: string;
  readonly priceId: string;
  readonly productId: string;
  readonly lookupKey: string | null;
  /** Null for a metered price, which has none. */
  readonly quantity: number | null;
}

/** A change that waits for the end of the period. */
export interface NextChange<P = string | null> {
  /** Milliseconds. */
  readonly at: number;
  readonly plan: P;
  readonly priceId: string;
  readonly lookupKey: string | null;
  readonly quantity: number;
}

/** A subscription of an entity. Times are milliseconds. */
export interface Subscribed<P = string | null> {
  readonly entityId: string;
  readonly group: string;
  /**
   * The plan whose features apply now: without access the default plan, and null without plans in
   * code. What was bought is below.
   */
  readonly plan: P;
  /** Whether the entity may use what it bought. */
  readonly access: boolean;
  readonly status: Status;
  readonly subscriptionId: string;
  /** Of the licensed item; metered ones are in `items`, with the quantity null. */
  readonly priceId: string;
  readonly productId: string;
  readonly lookupKey: string | null;
  readonly quantity: number;
  readonly items: readonly SubscribedItem[];
  /** When the trial ends, while it lasts. */
  readonly trialEndsAt: number | null;
  /** When the next period begins; null where none will. */
  readonly renewsAt: number | null;
  /** When it ends, if that is decided, or when it has ended. */
  readonly endsAt: number | null;
  /** Since when it is past due or unpaid: when the oldest open invoice was finalised. */
  readonly pastDueSince: number | null;
  readonly next: NextChange<P> | null;
}

type Always = "entityId" | "group" | "plan";

/** An entity that never had a subscription of the group. */
export type NotSubscribed<P = string | null> = Pick<Subscribed<P>, Always> & {
  readonly status: "none";
  readonly access: false;
  readonly items: readonly [];
} & {
  readonly [K in Exclude<keyof Subscribed, Always | "status" | "access" | "items">]: null;
};

/** What an entity has of a group. */
export type SubscriptionState<P = string | null> = Subscribed<P> | NotSubscribed<P>;

/** Whether a subscription can still become, be or stay active: Stripe never revives the others. */
export const isLive = (status: string): boolean => !endedStatuses.has(status);

type Subscription = StripeObject<"subscriptions">;
type Item = Subscription["items"]["data"][number];

export interface StateOptions {
  readonly entityId: string;
  /** The application's own: who keeps access, and which product is which plan. */
  readonly catalogue?: AnyCatalogue | undefined;
}

/** The state of an entity in a group: of several subscriptions access first, then live, then newest. */
export function subscriptionState(
  facts: SubscriptionFacts,
  { group = DEFAULT_GROUP, ...options }: StateOptions & { readonly group?: string | undefined },
): SubscriptionState {
  const { entityId, catalogue } = options;
  const states = newestFirst(facts.subscriptions)
    .filter((subscription) => groupsOf(subscription, facts.products, catalogue).has(group))
    .map((subscription) => stateOf(facts, subscription, group, options))
    .sort((a, b) => rank(a) - rank(b)); // stable: among equals the newest stays first
  const plan = planOf(catalogue, states, group);
  return states[0] === undefined ? notSubscribed(entityId, group, plan) : { ...states[0], plan };
}

/** The states of all of an entity's subscriptions, ended ones too, newest first. */
export function subscriptionStates(
  facts: SubscriptionFacts,
  options: StateOptions,
): readonly Subscribed[] {
  return newestFirst(facts.subscriptions).map((subscription) => {
    const product = mainItem(subscription.items.data)?.price.product ?? "";
    const group = groupIn(facts.products, product, options.catalogue);
    return stateOf(facts, subscription, group, options);
  });
}

/** The plan that these subscriptions give, the best of them first. */
function planOf(
  catalogue: AnyCatalogue | undefined,
  states: readonly Pick<Subscribed, "access" | "items">[],
  group: string,
): string | null {
  if (catalogue === undefined) return null;
  const held = states.filter(({ access }) => access).flatMap(({ items }) => items);
  return planFor(
    catalogue,
    held.map(({ productId }) => productId),
    group,
  );
}

const rank = ({ access, status }: Subscribed): number => (access ? 0 : isLive(status) ? 1 : 2);

const newestFirst = (all: readonly Subscription[]): Subscription[] =>
  [...all].sort((a, b) => b.created - a.created || (a.id < b.id ? 1 : -1));

const isMetered = ({ price }: Item): boolean => price.recurring?.usage_type === "metered";

/** The item that stands for the subscription: the first licensed one, else the first. */
function mainItem(items: readonly Item[]): Item | undefined {
  return items.find((item) => !isMetered(item)) ?? items[0];
}

function stateOf(
  facts: SubscriptionFacts,
  subscription: Subscription,
  group: string,
  { entityId, catalogue }: StateOptions,
): Subscribed {
  const items = subscription.items.data;
  const ofGroup = items.filter(
    ({ price }) => groupIn(facts.products, price.product, catalogue) === group,
  );
  const main = mainItem(ofGroup) ?? mainItem(items);
  const status = subscription.status as Status;
  const since = pastDueSince(facts, subscription);
  const endsAt = endOf(facts, subscription, main);
  const bought = {
    priceId: main?.price.id ?? "",
    productId: main?.price.product ?? "",
    lookupKey: ownKey(catalogue, main?.price.lookup_key ?? null),
    quantity: main?.quantity ?? 1,
  };
  const access = hasAccess(status, policyOf(catalogue), () =>
    isLapsed(facts, subscription.id, since),
  );
  const own = items.map((item) => ({
    itemId: item.id,
    priceId: item.price.id,
    productId: item.price.product,
    lookupKey: ownKey(catalogue, item.price.lookup_key),
    quantity: isMetered(item) ? null : (item.quantity ?? 1),
  }));
  const change = isLive(status) ? scheduledChange(facts, subscription, bought) : null;
  return {
    entityId,
    group,
    plan: planOf(catalogue, [{ access, items: own }], group),
    access,
    status,
    subscriptionId: subscription.id,
    ...bought,
    items: own,
    trialEndsAt: status === "trialing" ? milliseconds(subscription.trial_end) : null,
    renewsAt: renewalOf(status, milliseconds(main?.current_period_end), endsAt),
    endsAt,
    pastDueSince: since,
    next: change && nextOf(change, group, catalogue),
  };
}

function nextOf(
  { productId, lookupKey, ...change }: Change,
  group: string,
  catalogue: AnyCatalogue | undefined,
): NextChange {
  const plan = catalogue ? planFor(catalogue, productId === null ? [] : [productId], group) : null;
  return { ...change, plan, lookupKey: ownKey(catalogue, lookupKey) };
}

/** However it was decided: at a time, at the period's end, by a schedule; or when it was over. */
function endOf(
  facts: SubscriptionFacts,
  subscription: Subscription,
  main: Item | undefined,
): number | null {
  const { ended_at, cancel_at, cancel_at_period_end, status } = subscription;
  if (!isLive(status)) return milliseconds(ended_at ?? subscription.canceled_at);
  if (cancel_at !== null) return milliseconds(cancel_at);
  if (cancel_at_period_end) return milliseconds(main?.current_period_end);
  return milliseconds(scheduledEnd(facts, subscription));
}

const RENEWING: ReadonlySet<Status> = new Set(["active", "trialing", "past_due", "unpaid"]);

function renewalOf(status: Status, at: number | null, endsAt: number | null): number | null {
  if (!RENEWING.has(status) || at === null) return null;
  return endsAt !== null && endsAt <= at ? null : at;
}

const milliseconds = (seconds: number | null | undefined): number | null =>
  seconds == null ? null : seconds * 1000;

const notSubscribed = (entityId: string, group: string, plan: string | null): NotSubscribed => ({
  entityId,
  group,
  plan,
  status: "none",
  access: false,
  items: [],
  subscriptionId: null,
  priceId: null,
  productId: null,
  lookupKey: null,
  quantity: null,
  trialEndsAt: null,
  renewsAt: null,
  endsAt: null,
  pastDueSince: null,
  next: null,
});
