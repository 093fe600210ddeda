/** What a change comes to for a subscription as it is: prices are looked up, items are chosen. */
import type { StripeObject } from "../../catalogue/catalogue.js";
import { isPerSeat } from "../../catalogue/seats.js";
import { BillingError, provider } from "../../runtime/errors.js";
import type { Runtime } from "../../runtime/runtime.js";
import { groupIn } from "../group.js";
import { namedBy } from "../keys.js";
import { soldPrices } from "../offers.js";
import { seatsOf } from "../seats/count.js";
import {
  afterChanges,
  type Item,
  type ItemChange,
  isMetered,
  itemChanges,
  mainItem,
  productOf,
  type Wanted,
} from "../terms/items.js";
import { isActive, isPlanning, mayTouch, plansAnother } from "../terms/schedule.js";
import { isEnding } from "../terms/steps.js";
import { DEFAULT_PRORATION, type Proration, type Standing } from "../terms/update.js";
import { type ChangeArgs, invalid } from "./args.js";
import { itemsBefore, type Quoted } from "./quote.js";
import type { Subject } from "./subject.js";

export interface Decision {
  readonly subject: Subject;
  readonly standing: Standing;
  readonly at: "now" | "period_end";
  readonly proration: Proration;
  /** The id of the item that is changed. */
  readonly main: string;
  /** Empty if the subscription is as wanted already. */
  readonly changes: readonly ItemChange[];
  /** The items as they are afterwards. */
  readonly after: ReturnType<typeof afterChanges<Item>>;
  /** Whether the caller asked for another quantity alone. */
  readonly isQuantity: boolean;
  /** Seconds: when the period of what is changed ends. */
  readonly periodEnd: number;
  /** What a quote for this is bound to. */
  readonly quoted: Quoted;
}

export async function decide(
  runtime: Runtime,
  subject: Subject,
  args: ChangeArgs,
): Promise<Decision> {
  const { subscription, schedule } = subject;
  checkSchedule(subject);
  checkEnd(subject, args);
  const wanted = await wantedOf(runtime, subject, args);
  const items = subscription.items.data;
  const changes = itemChanges(items, wanted, subject.products);
  const prices = [wanted.price, ...(wanted.metered ?? [])];
  const after = afterChanges<Item>(items, changes, (id) => prices.find((each) => each?.id === id));
  const main = mainItem(items, wanted, subject.products);
  checkPlanned(subject, args, after, main.id);
  const { at = "now", proration = DEFAULT_PRORATION } = args;
  return {
    subject,
    standing: { ...subscription, isScheduled: isPlanning(schedule) },
    at,
    proration,
    main: main.id,
    changes,
    after,
    isQuantity: wanted.price === undefined,
    periodEnd: items.find(({ id }) => id === main.id)?.current_period_end ?? 0,
    quoted: {
      entityId: subject.entityId,
      subscriptionId: subscription.id,
      at,
      proration,
      before: itemsBefore(items),
      changes,
    },
  };
}

/** Refuses to go on where others have planned more than the library can keep. */
export function checkSchedule({ schedule, subscription }: Subject): void {
  if (schedule === null || !isActive(schedule) || mayTouch(schedule)) return;
  throw new BillingError(
    "schedule_not_ours",
    `The subscription ${subscription.id} follows the schedule ${schedule.id}, which was not made here and plans more than one change. Change it where it was made, or release it at Stripe.`,
  );
}

/** Refuses a change that would take back a scheduled end without a word. */
function checkEnd({ subscription, schedule }: Subject, args: ChangeArgs): void {
  if (args.at === "period_end" && isEnding(subscription, schedule)) {
    throw invalid(
      `The subscription ${subscription.id} has a scheduled end, which a change at the end of the period would take back. Nothing was changed: call \`resume\` first, or change it at once.`,
    );
  }
  // Another price takes the place of what is scheduled, and the schedule's end would go with it.
  if (namesPrice(args) && isPlanning(schedule) && schedule.end_behavior === "cancel") {
    throw invalid(
      `The schedule ${schedule.id} plans a change of the subscription ${subscription.id} and then its end, which another price would take back. Nothing was changed: call \`resume\` first, which takes back both, or \`cancel\`, which ends it with this period.`,
    );
  }
}

/** Refuses a change that would take back what is scheduled for another item. */
function checkPlanned(
  { subscription, schedule }: Subject,
  args: ChangeArgs,
  sold: Decision["after"],
  main: string,
): void {
  const replaces = namesPrice(args) || args.at === "period_end";
  if (!replaces || !isPlanning(schedule) || !plansAnother(schedule, sold, main)) return;
  throw invalid(
    `Another item of the subscription ${subscription.id} changes with the end of its period, which this change would take back. Nothing was changed: call \`resume\` first, which takes that back, or make this change afterwards.`,
  );
}

const namesPrice = ({ priceId, lookupKey }: ChangeArgs): boolean =>
  (priceId ?? lookupKey) !== undefined;

async function wantedOf(
  runtime: Runtime,
  { entityId, subscription, group }: Subject,
  args: ChangeArgs,
): Promise<Wanted> {
  const { quantity, itemId } = args;
  if (!namesPrice(args)) return { quantity, itemId };
  const { priceId, usage, isWhole } = await namedBy(runtime, args);
  const sold = await soldPrices(runtime, [priceId, ...usage]);
  const price = sold.get(priceId);
  if (price === undefined) throw invalid(`There is no price ${priceId}.`);
  const product = await runtime.store.row("products", productOf(price));
  const owner = product?.stripe as StripeObject<"products"> | undefined;
  const of = groupIn(owner ? [owner] : [], productOf(price), runtime.config.catalogue);
  if (itemId === undefined && of !== group) {
    throw invalid(
      `The price ${priceId} is of the group "${of}", and this is the subscription of "${group}". Give \`group\`, or \`itemId\` to put it in the place of an item.`,
    );
  }
  const isSeated = !isMetered(price) && isPerSeat(price, owner);
  const isCounted = quantity === undefined && isSeated;
  const follows = !isWhole && subscription.items.data.some((item) => isMetered(item.price));
  return {
    price,
    isPerSeat: isSeated,
    quantity: isCounted ? await seatsOf(runtime, entityId) : quantity,
    itemId,
    ...(follows ? { metered: await meteredOf(runtime, productOf(price)) } : {}),
    ...(isWhole ? { metered: usage.flatMap((id) => sold.get(id) ?? []), isWhole } : {}),
  };
}

/** The metered prices that a product is sold with. */
async function meteredOf(runtime: Runtime, product: string): Promise<readonly Item["price"][]> {
  const { data } = await runtime
    .stripe()
    .prices.list({ product, active: true, type: "recurring", limit: 100 })
    .catch(provider);
  return data.filter((price) => isMetered(price as Item["price"])) as unknown as Item["price"][];
}
