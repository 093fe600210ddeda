/** Reads a customer's log: what an application is to be told, of what, and in which order. */
import type { Logged, Telling } from "../log.js";
import { AccessReader } from "./access.js";
import { PaymentReader } from "./payments.js";
import { SubscriptionReader } from "./subscription.js";

export interface Reading {
  readonly tellings: readonly Telling[];
  /** Failures of a payment that the invoice shows nothing of, and so nothing can tell. */
  readonly unseen: number;
}

export interface ReadOptions {
  /** The second until which time goes on after the last event. */
  readonly until: number;
  readonly groupOf: (product: string) => string;
}

export function readLog(log: readonly Logged[], { until, groupOf }: ReadOptions): Reading {
  const tellings: Telling[] = [];
  let unseen = 0;
  let now = 0;
  const subscriptions = new Map<string, SubscriptionReader>();
  const payments = new Map<string, PaymentReader>();
  const access = new AccessReader(groupOf);

  /** Lets time pass: graces end in their order. */
  const passTo = (moment: number) => {
    for (let next = access.nextEnd(now); next <= moment; next = access.nextEnd(now)) {
      now = next;
      tellings.push(...access.tellAt(now));
    }
    now = moment;
  };

  for (const event of log) {
    const { type, object, created: at } = event;
    // What is paid in the very second in which its grace ends is paid in time.
    const before = at - 1;
    passTo(before);
    let names: readonly string[];
    if (type.startsWith("customer.subscription.")) {
      names = of(subscriptions, object.id, () => new SubscriptionReader()).read(event);
    } else {
      const told = of(payments, object.id, () => new PaymentReader()).read(event);
      names = told.names;
      if (told.isUnseen) unseen++;
    }
    for (const name of names) tellings.push({ name, about: object.id, at });
    access.read(event);
    tellings.push(...access.tellAt(at, before));
  }
  passTo(until);
  return { tellings, unseen };
}

function of<T>(all: Map<string, T>, key: string, make: () => T): T {
  const known = all.get(key) ?? make();
  all.set(key, known);
  return known;
}
