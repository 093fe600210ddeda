/** Stripe's own log of events, read from its list while it still shows them. */
import type Stripe from "stripe";

export type Fields = { readonly [field: string]: unknown };

/** An event as Stripe's list shows it. */
export interface Logged {
  readonly type: string;
  /** Seconds. */
  readonly created: number;
  readonly object: Fields & { readonly id: string };
  /** What the fields that changed were before; empty where Stripe tells nothing of it. */
  readonly previous: Fields;
}

/** What is told to an application. */
export interface Telling {
  readonly name: string;
  /** What it is about: the id of an object, or `access <group>`. */
  readonly about: string;
  /** Seconds. */
  readonly at: number;
}

export interface Log {
  readonly events: readonly Logged[];
  /** Takes up what has happened since. Stripe forgets an event after 30 days. */
  read(): Promise<void>;
}

/** It is read by so many events at once. */
export function createLog(stripe: Stripe, limit = 100): Log {
  const events: Logged[] = [];
  let last: string | undefined;
  return {
    events,
    async read() {
      const found: Stripe.Event[] = [];
      for await (const event of stripe.events.list({ limit })) {
        if (event.id === last) break;
        found.push(event);
      }
      found.reverse(); // the list is newest first
      last = found.at(-1)?.id ?? last;
      events.push(...found.map(logged));
    },
  };
}

const logged = ({ type, created, data }: Stripe.Event): Logged => ({
  type,
  created,
  object: data.object as unknown as Logged["object"],
  previous: (data.previous_attributes ?? {}) as Fields,
});

/**
 * The log of each customer. Refunds and disputes name their charge alone; what names neither, such as
 * a product, is left out.
 */
export function byCustomer(events: readonly Logged[]): ReadonlyMap<string, readonly Logged[]> {
  const logs = new Map<string, Logged[]>();
  const owners = new Map<string, string>();
  for (const event of events) {
    const { object } = event;
    const { customer } = object;
    const owner =
      object.object === "customer"
        ? object.id
        : typeof customer === "string"
          ? customer
          : owners.get(String(object.charge));
    if (owner === undefined) continue;
    owners.set(object.id, owner);
    const log = logs.get(owner) ?? [];
    logs.set(owner, log);
    log.push(event);
  }
  return logs;
}
