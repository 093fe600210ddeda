/** Sends a count of seats to Stripe: to a subscription, and to what is planned for it. */
import type Stripe from "stripe";
import { isPerSeat } from "../../catalogue/seats.js";
import { storedAnswer } from "../../events/answers.js";
import { isFollowing } from "../../runtime/commit/seats.js";
import { BillingError } from "../../runtime/errors.js";
import type { Runtime } from "../../runtime/runtime.js";
import { paced } from "../../stripe/pacer.js";
import { partsOfSchedule, partsOfSubscription } from "../change/parts.js";
import { asPlain } from "../change/subject.js";
import { offersOf } from "../offers.js";
import type { Item } from "../terms/items.js";
import { isActive, mayTouch, quantityParams, type Schedule } from "../terms/schedule.js";
import { isSeated, seatParams } from "./terms.js";

/** One worker's turn at an entity's seats. */
interface Turn {
  /** Whether something may have been changed at Stripe. */
  readonly isSent: boolean;
  /** How a request is sent, so that it ends within the turn. */
  readonly options: Stripe.RequestOptions;
  /** The same for a request that changes an object: the SDK may send it twice, and it counts once. */
  once(id: string): Stripe.RequestOptions;
  /** The seats, counted once a turn. */
  count(): Promise<number>;
  /** To be called before a request that changes something: refuses one that could outlast the turn. */
  begin(): void;
  /** Whether something can still be sent: there is time, and the count did not fail. */
  goesOn(): boolean;
}

/** Milliseconds that Stripe has for an answer. */
const PATIENCE = 20_000;

/** A turn that lasts until a moment, after which another worker may have its own. */
export function turnUntil(runtime: Runtime, until: number, count: () => Promise<number>): Turn {
  const timeout = Math.min(PATIENCE, Math.round(runtime.timing.seatsLease / 3));
  // A second attempt of the SDK's would begin when the turn may be over.
  const options = { timeout, maxNetworkRetries: 0 };
  const hasTime = () => runtime.now() + timeout <= until;
  let counted: Promise<number> | undefined;
  let isCountable = true;
  let isSent = false;
  return {
    get isSent() {
      return isSent;
    },
    options,
    once: (id) => ({ ...options, idempotencyKey: `seats ${id} ${until}` }),
    count: () => {
      counted ??= count().catch((error: unknown) => {
        isCountable = false;
        throw error;
      });
      return counted;
    },
    begin: () => {
      if (!hasTime()) {
        throw new BillingError("store_error", "Counting and sending the seats took too long.");
      }
      isSent = true;
    },
    goesOn: () => isCountable && hasTime(),
  };
}

/**
 * Makes the quantities of subscriptions the count; false if one must be tried again later. What fails
 * of one keeps nothing from the others, and is thrown after them.
 */
export async function sendSeats(
  runtime: Runtime,
  subscriptions: readonly string[],
  turn: Turn,
): Promise<boolean> {
  let isFollowed = true;
  const failures: unknown[] = [];
  for (const id of subscriptions) {
    try {
      const isDone = await sendTo(runtime, id, turn);
      isFollowed &&= isDone;
    } catch (error) {
      failures.push(error);
      if (!turn.goesOn()) break;
    }
  }
  if (failures.length > 0) throw failures[0];
  return isFollowed;
}

/** With what is needed to tell items by the seat, and to see what is planned. */
const EXPAND = ["schedule", "items.data.price.product"];

async function sendTo(runtime: Runtime, id: string, turn: Turn): Promise<boolean> {
  const { subscriptions } = runtime.stripe();
  const current = await paced(runtime, "GET subscriptions/{id}", () =>
    subscriptions.retrieve(id, { expand: EXPAND }, turn.options),
  );
  if (!isFollowing(current)) return true;
  const schedule = followed(current);
  if (schedule !== undefined && !mayTouch(schedule)) {
    const line = "Seats are not sent: the subscription follows a schedule that was not made here";
    runtime.log?.warn({ object: id }, line);
    return true;
  }
  const planned = await plannedIn(runtime, schedule);
  const items = current.items.data as readonly Item[];
  if (planned.size === 0 && !items.some(({ price }) => isSeated(price, EXPANDED))) return true;
  if (current.pending_update !== null) {
    runtime.log?.info({ object: id }, "Seats wait for a change that is not paid for yet");
    return false;
  }
  const quantity = await turn.count();
  const params = seatParams(items, quantity, EXPANDED);
  const answer = params === undefined ? current : await update(runtime, id, params, turn);
  await sendPlanned(runtime, followed(answer), { quantity, planned, turn });
  return true;
}

/** Products as they are in prices that were expanded. */
const EXPANDED = {
  isPerSeat: (price: Item["price"]): boolean =>
    isPerSeat(
      price,
      typeof price.product === "string" ? undefined : (price.product as Stripe.Product),
    ),
};

/** The schedule that a subscription follows, where it was expanded. */
function followed({ schedule }: Stripe.Subscription): Schedule | undefined {
  if (schedule === null || typeof schedule === "string") return undefined;
  const found = asPlain(schedule);
  return isActive(found) ? found : undefined;
}

/** The prices by the seat of a schedule's phases. */
async function plannedIn(
  runtime: Runtime,
  schedule: Schedule | undefined,
): Promise<ReadonlySet<string>> {
  if (schedule === undefined) return new Set();
  const prices = schedule.phases.flatMap(({ items }) => items.map(({ price }) => String(price)));
  const offers = await offersOf(runtime, [...new Set(prices)]);
  const seated = offers.filter(({ price, product }) =>
    isSeated(price, { isPerSeat: () => isPerSeat(price, product) }),
  );
  return new Set(seated.map(({ price }) => price.id));
}

async function update(
  runtime: Runtime,
  id: string,
  params: Stripe.SubscriptionUpdateParams,
  turn: Turn,
): Promise<Stripe.Subscription> {
  const { subscriptions } = runtime.stripe();
  const asked = { ...params, expand: ["latest_invoice", "schedule"] };
  const answer = await paced(runtime, "POST subscriptions/{id}", () => {
    turn.begin();
    const send = () => subscriptions.update(id, asked, turn.once(id));
    return storedAnswer(runtime, send, partsOfSubscription);
  });
  const quantity = params.items?.[0]?.quantity;
  runtime.log?.info({ object: id, quantity }, "The number of seats was sent");
  return answer;
}

/** Gives the phases of a schedule the quantity too, where they do not have it. */
async function sendPlanned(
  runtime: Runtime,
  schedule: Schedule | undefined,
  {
    quantity,
    planned,
    turn,
  }: { readonly quantity: number; readonly planned: ReadonlySet<string>; readonly turn: Turn },
): Promise<void> {
  if (schedule === undefined) return;
  const params = quantityParams(schedule, quantity, (price) => planned.has(price));
  if (params === undefined) return;
  await paced(runtime, "POST subscription_schedules/{id}", () => {
    turn.begin();
    const send = () =>
      runtime.stripe().subscriptionSchedules.update(schedule.id, params, turn.once(schedule.id));
    return storedAnswer(runtime, send, partsOfSchedule);
  });
}
