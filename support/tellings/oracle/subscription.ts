/**
 * What Stripe's log says of subscriptions, by the words of the table of named events: from the types
 * of events and from what they say that fields were before. Nothing of the library is used.
 */
import type { Fields, Logged } from "../log.js";

interface Item {
  readonly price: { readonly id: string; readonly product: string };
  readonly quantity?: number;
}

/** A subscription as far as the table goes by it, on one side of an event. */
interface Side {
  readonly status: string;
  readonly ends: boolean;
  readonly isPaused: boolean;
  readonly sold: readonly Item[];
}

/** Follows one subscription from its first event on. */
export class SubscriptionReader {
  private isStarted = false;
  /** When `trial.ending` was last told, in seconds. */
  private announcedAt = -Infinity;

  /** What is to be told of the next event. */
  read({ type, created, object, previous }: Logged): readonly string[] {
    const is = sideOf(object);
    switch (type) {
      case "customer.subscription.created":
        return this.begin(is);
      case "customer.subscription.updated":
        return this.update(beforeOf(object, previous), is);
      case "customer.subscription.deleted": {
        const had = this.isStarted;
        this.isStarted = false;
        return had ? ["subscription.ended"] : [];
      }
      case "customer.subscription.trial_will_end":
        return this.announce(created, object);
      default:
        return [];
    }
  }

  private begin(is: Side): readonly string[] {
    if (is.status === "incomplete" || is.status === "incomplete_expired") return [];
    this.isStarted = true;
    return [
      "subscription.started",
      ...(is.ends ? ["subscription.canceling"] : []),
      ...(owes(is) ? ["subscription.past_due"] : []),
      ...(is.isPaused ? ["subscription.paused"] : []),
    ];
  }

  private update(was: Side, is: Side): readonly string[] {
    if (!this.isStarted) return was.status === is.status ? [] : this.begin(is);
    const told: string[] = [];
    if (!sameSold(was.sold, is.sold, (item) => `${item.price.id} ${item.price.product}`)) {
      told.push("subscription.changed");
    } else if (!sameSold(was.sold, is.sold, (item) => `${item.price.id} ${item.quantity}`)) {
      told.push("subscription.resized");
    }
    if (was.ends !== is.ends) told.push(is.ends ? "subscription.canceling" : "subscription.kept");
    if (owes(was) !== owes(is)) {
      told.push(owes(is) ? "subscription.past_due" : "subscription.recovered");
    }
    if (was.isPaused !== is.isPaused) {
      told.push(is.isPaused ? "subscription.paused" : "subscription.resumed");
    }
    return told;
  }

  /**
   * Three days before, once. Stripe also announces a trial that was never that long, one that is made
   * shorter a second time, and one that is ended at this very moment.
   */
  private announce(created: number, object: Fields): readonly string[] {
    const [start, end] = [Number(object.trial_start), Number(object.trial_end)];
    const opens = end - 3 * 86_400;
    if (end <= created || opens < start || this.announcedAt >= opens) return [];
    this.announcedAt = created;
    return ["trial.ending"];
  }
}

const owes = ({ status }: Side): boolean => status === "past_due" || status === "unpaid";

function sideOf(object: Fields): Side {
  return {
    status: String(object.status),
    ends: object.cancel_at_period_end === true || object.cancel_at !== null,
    isPaused: object.status === "paused" || object.pause_collection !== null,
    sold: (object.items as { readonly data: readonly Item[] }).data,
  };
}

/** The other side: the fields that the event says to have changed, with what they were. */
function beforeOf(object: Fields, previous: Fields): Side {
  const items = previous.items as { readonly data?: readonly Item[] } | undefined;
  return sideOf({ ...object, ...previous, items: items?.data ? items : object.items });
}

/** Whether both sell the same, whatever the order. */
function sameSold(
  was: readonly Item[],
  is: readonly Item[],
  wordsOf: (item: Item) => string,
): boolean {
  const words = (items: readonly Item[]) => items.map(wordsOf).sort().join();
  return words(was) === words(is);
}
