/** The subscription that a call is about: found in the mirror, and read from Stripe as it is now. */
import type Stripe from "stripe";
import type { StripeObject } from "../../catalogue/catalogue.js";
import { isPerSeat } from "../../catalogue/seats.js";
import { customerIdOf } from "../../customers/setup.js";
import { refreshCustomer } from "../../events/refresh.js";
import { plain } from "../../mirror/snapshot.js";
import { BillingError, provider } from "../../runtime/errors.js";
import type { Runtime } from "../../runtime/runtime.js";
import { checkPlace } from "../../stripe/account.js";
import { DEFAULT_GROUP, groupIn } from "../group.js";
import { isLive, type Subscribed, subscriptionState, subscriptionStates } from "../state.js";
import { type Products, productOf } from "../terms/items.js";
import type { Schedule } from "../terms/schedule.js";
import type { OfEntity } from "./args.js";

export type Subscription = StripeObject<"subscriptions">;

export interface Subject {
  readonly entityId: string;
  readonly group: string;
  /** As Stripe has it now. */
  readonly subscription: Subscription;
  readonly schedule: Schedule | null;
  readonly products: Products;
}

/** The running subscription of an entity in a group; `not_subscribed` if there is none. */
export async function subjectOf(
  runtime: Runtime,
  { entityId, group = DEFAULT_GROUP }: OfEntity,
): Promise<Subject> {
  await checkPlace(runtime);
  // The tables may not know a purchase yet, or may name a subscription that has ended.
  const answer =
    (await runningIn(runtime, entityId, group)) ??
    ((await refreshEntity(runtime, entityId))
      ? await runningIn(runtime, entityId, group)
      : undefined);
  if (answer === undefined) throw notSubscribed(entityId, group);
  const { schedule } = answer;
  const products = answer.items.data.flatMap(({ price: { product } }) =>
    typeof product === "object" && !product.deleted ? [product] : [],
  );
  const productBy = (id: string) => products.find((product) => product.id === id);
  return {
    entityId,
    group,
    subscription: plain({
      ...answer,
      schedule: typeof schedule === "object" ? (schedule?.id ?? null) : schedule,
      items: { ...answer.items, data: answer.items.data.map(withProductId) },
    }) as Subscription,
    schedule: scheduleIn(answer),
    products: {
      isInGroup: (id) => groupIn(products, id, runtime.config.catalogue) === group,
      isPerSeat: (price) => isPerSeat(price, productBy(productOf(price))),
    },
  };
}

function withProductId({ price, ...item }: Stripe.SubscriptionItem): object {
  const { product } = price;
  return {
    ...item,
    price: { ...price, product: typeof product === "string" ? product : product.id },
  };
}

export const asPlain = (schedule: Stripe.SubscriptionSchedule): Schedule =>
  plain(schedule) as Schedule;

/** The schedule that a subscription follows; null if it follows none, or it was not expanded. */
export const scheduleIn = ({ schedule }: Stripe.Subscription): Schedule | null =>
  typeof schedule === "object" && schedule !== null ? asPlain(schedule) : null;

/** The subscription that the tables name, as Stripe has it now; undefined if it does not run. */
async function runningIn(
  runtime: Runtime,
  entityId: string,
  group: string,
): Promise<Stripe.Subscription | undefined> {
  const facts = await runtime.store.subscribed(entityId);
  const state = subscriptionState(facts, {
    entityId,
    group,
    catalogue: runtime.config.catalogue,
  });
  if (state.status === "none" || !isLive(state.status)) return undefined;
  const answer = await runtime
    .stripe()
    .subscriptions.retrieve(state.subscriptionId, {
      expand: ["schedule", "items.data.price.product"],
    })
    .catch(provider);
  return isLive(answer.status) ? answer : undefined;
}

/** Reads the entity's subscriptions from Stripe; false if it has no customer there. */
async function refreshEntity(runtime: Runtime, entityId: string): Promise<boolean> {
  try {
    await refreshCustomer(runtime, await customerIdOf(runtime, entityId), { awaited: true });
    return true;
  } catch (error) {
    if (error instanceof BillingError && error.code === "customer_not_found") return false;
    return provider(error);
  }
}

/** The subscription as the next read shows it. */
export async function stateAfter(
  runtime: Runtime,
  { entityId, group, subscription }: Subject,
): Promise<Subscribed> {
  const facts = await runtime.store.subscribed(entityId);
  const options = { entityId, catalogue: runtime.config.catalogue };
  const state = subscriptionStates(facts, options).find(
    ({ subscriptionId }) => subscriptionId === subscription.id,
  );
  if (state !== undefined) return { ...state, group };
  throw new BillingError(
    "store_error",
    `The subscription ${subscription.id} is not in the tables. If \`resources\` leaves out subscriptions, add them.`,
  );
}

const notSubscribed = (entityId: string, group: string): BillingError =>
  new BillingError(
    "not_subscribed",
    `The entity ${entityId} has no running subscription${group === DEFAULT_GROUP ? "" : ` in the group "${group}"`}. Sell it one first.`,
  );
