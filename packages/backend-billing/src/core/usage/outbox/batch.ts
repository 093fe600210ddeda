/** Which unsent records make a batch, and what it says. Pure: a store reads, asks here, and stores it. */

import type { MeterBatch, Outbox } from "../../runtime/records/batches.js";
import type { Gathering } from "../../runtime/records/outbox.js";
import { DAY, freeMinute, MINUTE, withMinute } from "./minutes.js";
import { billedSpan, type Subscription } from "./period.js";

/** A record that Stripe bills and has not been sent. */
export interface Unsent {
  readonly key: string;
  /** Units beyond the balance. */
  readonly over: number;
  /** Milliseconds. */
  readonly at: number;
}

/** What is read of an entity and a feature, as of one moment. */
export interface OutboxFound {
  /** Undefined where it has none. */
  readonly customerId: string | undefined;
  /** Those of the customer, also such as have ended. */
  readonly subscriptions: readonly Subscription[];
  /** Whether a batch is under way. */
  readonly isOpen: boolean;
  readonly outbox: Outbox | undefined;
  /** The oldest first; there may be more. */
  readonly unsent: readonly Unsent[];
  /** Whether there are. */
  readonly hasMore: boolean;
}

/** What is to be stored, in one transaction with what was read. */
export interface Gathered {
  readonly outbox: Outbox;
  /** Undefined where there is no free minute, for now. */
  readonly batch: MeterBatch | undefined;
  /** The keys of its records. */
  readonly keys: readonly string[];
}

/** Milliseconds between two batches of one customer and meter, unless there is more to send. */
const PAUSE = MINUTE;
/** Stripe takes up to 15 digits. */
const MOST_VALUE = 999_999_999_999_999;

/** The next batch; undefined if there is nothing to do, or it must wait. */
export function gathered(
  found: OutboxFound,
  gathering: Omit<Gathering, "id" | "due">,
): Gathered | undefined {
  const { customerId, isOpen, outbox, unsent } = found;
  const { now, meter, entityId, feature, isUrgent = false } = gathering;
  const [first] = unsent;
  const { used = {}, nextAt = 0 } = outbox ?? {};
  if (first === undefined || customerId === undefined || isOpen) return undefined;
  if (!isUrgent && nextAt > now && nextAt <= now + PAUSE) return undefined;
  const period = billedSpan(found.subscriptions, first.at);
  const minute = freeMinute(used, period, first.at, now);
  if (minute === undefined && period.until > now && !isUrgent) {
    return { outbox: { used, nextAt: now + PAUSE }, batch: undefined, keys: [] };
  }
  const day = Math.floor(first.at / DAY) * DAY;
  const until = Math.min(day + DAY, period.until);
  const taken = upTo(
    unsent.filter(({ at }) => at < until),
    MOST_VALUE,
  );
  const isAll = taken.length === unsent.length && !found.hasMore;
  return {
    outbox: {
      used: withMinute(used, minute ?? Math.floor(first.at / MINUTE), now),
      nextAt: isAll ? now + PAUSE : now,
    },
    batch: {
      entityId,
      feature,
      customerId,
      meter,
      value: taken.reduce((sum, { over }) => sum + over, 0),
      ...timeOf(minute, first.at),
      closesAt: period.closesAt,
      firstAt: now,
      tries: 0,
    },
    keys: taken.map(({ key }) => key),
  };
}

/**
 * When Stripe is to count a batch: in the minute of its usage not before that, for what bills it may have begun
 * within the minute. A period that was over before it had a minute for each shares one, and so does what cannot wait.
 */
const timeOf = (
  minute: number | undefined,
  at: number,
): Pick<MeterBatch, "timestamp" | "isShared"> =>
  minute === undefined
    ? { timestamp: Math.floor(at / 1000), isShared: true }
    : { timestamp: Math.floor((Math.floor(at / MINUTE) === minute ? at : minute * MINUTE) / 1000) };

/** The first of them, at least one, up to a sum. */
function upTo(unsent: readonly Unsent[], most: number): readonly Unsent[] {
  let sum = 0;
  const over = unsent.findIndex((each, index) => {
    sum += each.over;
    return index > 0 && sum > most;
  });
  return over === -1 ? unsent : unsent.slice(0, over);
}
