/**
 * One account in one mode: its objects, what happened to them and when. Handlers change a world
 * and raise the events that Stripe would raise; they run to their end without interruption, so a
 * request is atomic.
 */
import type Stripe from "stripe";
import { type ApiError, missing } from "../api/errors.js";
import type { Scheduler, Timer } from "./clock.js";
import { Collection, type Stored } from "./collection.js";
import { withCurrentPrices } from "./fresh.js";
import type { Plain } from "./plain.js";
import { same } from "./same.js";

/** Every kind of object that the double keeps, by Stripe's `object`. */
export interface Objects {
  account: Plain<Stripe.Account>;
  "apps.secret": Plain<Stripe.Apps.Secret>;
  balance_transaction: Plain<Stripe.BalanceTransaction>;
  "billing.credit_balance_transaction": Plain<Stripe.Billing.CreditBalanceTransaction>;
  "billing.credit_grant": Plain<Stripe.Billing.CreditGrant>;
  "billing.meter": Plain<Stripe.Billing.Meter>;
  "billing_portal.configuration": Plain<Stripe.BillingPortal.Configuration>;
  "billing_portal.session": Plain<Stripe.BillingPortal.Session>;
  charge: Plain<Stripe.Charge>;
  "checkout.session": Plain<Stripe.Checkout.Session>;
  coupon: Plain<Stripe.Coupon>;
  credit_note: Plain<Stripe.CreditNote>;
  customer: Plain<Stripe.Customer>;
  customer_balance_transaction: Plain<Stripe.CustomerBalanceTransaction>;
  dispute: Plain<Stripe.Dispute>;
  "entitlements.active_entitlement": Plain<Stripe.Entitlements.ActiveEntitlement>;
  "entitlements.feature": Plain<Stripe.Entitlements.Feature>;
  invoice: Plain<Stripe.Invoice>;
  invoice_payment: Plain<Stripe.InvoicePayment>;
  invoiceitem: Plain<Stripe.InvoiceItem> & { readonly created?: number };
  payment_intent: Plain<Stripe.PaymentIntent>;
  payment_link: Plain<Stripe.PaymentLink>;
  payment_method: Plain<Stripe.PaymentMethod>;
  payout: Plain<Stripe.Payout>;
  price: Plain<Stripe.Price>;
  product: Plain<Stripe.Product>;
  product_feature: Plain<Stripe.ProductFeature>;
  promotion_code: Plain<Stripe.PromotionCode>;
  quote: Plain<Stripe.Quote>;
  "radar.value_list": Plain<Stripe.Radar.ValueList>;
  "radar.value_list_item": Plain<Stripe.Radar.ValueListItem>;
  "radar.early_fraud_warning": Plain<Stripe.Radar.EarlyFraudWarning>;
  refund: Plain<Stripe.Refund>;
  review: Plain<Stripe.Review>;
  setup_attempt: Plain<Stripe.SetupAttempt>;
  setup_intent: Plain<Stripe.SetupIntent>;
  subscription: Plain<Stripe.Subscription>;
  subscription_schedule: Plain<Stripe.SubscriptionSchedule>;
  tax_id: Plain<Stripe.TaxId>;
  tax_rate: Plain<Stripe.TaxRate>;
  transfer: Plain<Stripe.Transfer>;
  "test_helpers.test_clock": Plain<Stripe.TestHelpers.TestClock>;
  webhook_endpoint: Plain<Stripe.WebhookEndpoint>;
}
/** The name of an object that the double knows, as in its field `object`. */
export type Kind = keyof Objects;

/** The fields that lists filter on and that never change after creation. */
const INDEXED: { readonly [K in Kind]?: readonly (keyof Objects[K] & string)[] } = {
  balance_transaction: ["source"],
  "billing.credit_balance_transaction": ["credit_grant"],
  "billing.credit_grant": ["customer"],
  charge: ["customer", "payment_intent"],
  credit_note: ["customer", "invoice"],
  customer_balance_transaction: ["customer"],
  dispute: ["charge", "payment_intent"],
  invoice: ["customer"],
  invoice_payment: ["invoice"],
  invoiceitem: ["customer"],
  payment_intent: ["customer"],
  price: ["product"],
  "radar.early_fraud_warning": ["charge"],
  refund: ["charge", "payment_intent"],
  setup_attempt: ["setup_intent"],
  subscription: ["customer"],
  subscription_schedule: ["customer"],
  tax_id: ["customer"],
};

const KINDS: readonly Kind[] = [
  "account",
  "apps.secret",
  "balance_transaction",
  "billing.credit_balance_transaction",
  "billing.credit_grant",
  "billing.meter",
  "billing_portal.configuration",
  "billing_portal.session",
  "charge",
  "checkout.session",
  "coupon",
  "credit_note",
  "customer",
  "customer_balance_transaction",
  "dispute",
  "entitlements.active_entitlement",
  "entitlements.feature",
  "invoice",
  "invoice_payment",
  "invoiceitem",
  "payment_intent",
  "payment_link",
  "payment_method",
  "payout",
  "price",
  "product",
  "product_feature",
  "promotion_code",
  "quote",
  "radar.value_list",
  "radar.value_list_item",
  "radar.early_fraud_warning",
  "refund",
  "review",
  "setup_attempt",
  "setup_intent",
  "subscription",
  "subscription_schedule",
  "tax_id",
  "tax_rate",
  "transfer",
  "test_helpers.test_clock",
  "webhook_endpoint",
];

/** Seconds after which Stripe lets go of an event. */
export const EVENT_LIFE = 30 * 86_400;

export type EventType = Stripe.Event.Type;
/** The object that an event of this type carries. */
export type EventObject<T extends EventType> = Plain<
  Extract<Stripe.Event, { type: T }>["data"]["object"]
>;

/** Events that Stripe sends only as notifications, with what they say kept for those who fetch them. */
export type NoticeType =
  | "v1.billing.meter.error_report_triggered"
  | "v1.billing.meter.no_meter_found";
export interface Notice {
  readonly data: object;
  readonly related_object: RelatedObject | null;
}
/** What a notification is about. */
export interface RelatedObject {
  readonly id: string;
  readonly type: string;
  readonly url: string;
}

/** An event as it happened; it is rendered for each reader at that reader's API version. */
export interface StoredEvent extends Stored {
  readonly type: EventType | NoticeType;
  /** Of a notification only. */
  readonly notice?: Notice;
  /** Its true place in history, finer than any clock. */
  readonly order: number;
  /** Milliseconds of its true time. */
  readonly at: number;
  /** The true second, by which the list is ordered. */
  readonly created: number;
  /** The second that Stripe shows, which may be off by one. */
  readonly shown: number;
  readonly object: object;
  readonly before: object | undefined;
  readonly request: Cause | null;
  /** Endpoints that have not answered 2xx yet. */
  pending: number;
  /** Those of them that were tried, and will be tried again. */
  failing: number;
}

/** The request that caused an event; both are null for what Stripe does on its own. */
export interface Cause {
  readonly id: string | null;
  readonly idempotency_key: string | null;
}

/** What time does on its own, from the moment at which it is asked for. */
export interface Due {
  /** Sets the task for whatever happens to this subscription next. */
  subscription(id: string): void;
  /** Sets the task for the start of this schedule. */
  schedule(id: string): void;
  /** Tells the invoice or the checkout that this payment intent collects what became of it. */
  intent(id: string): void;
  /** Finalizes this draft of an invoice in an hour, and collects it. */
  draft(id: string): void;
}

export interface World {
  readonly account: string;
  readonly livemode: boolean;
  /** The time by which things happen now: the double's own, or within `livingBy` that of a test clock. */
  readonly clock: Timer;
  readonly objects: { readonly [K in Kind]: Collection<Objects[K]> };
  readonly events: Collection<StoredEvent>;
  /** Events that are sent as notifications and are in no list of events of version 1. */
  readonly notices: Collection<StoredEvent>;
  /** By id, the fields that Stripe shows only when expanded: tiers, currency options, line items. */
  readonly hidden: Map<string, { readonly [field: string]: unknown }>;
  /** Objects that are gone but that Stripe still knows, with what they were. */
  readonly deleted: Map<string, Kind>;
  /** By id, objects of kinds that the double does not model: http/stand-in.ts. */
  readonly standIns: Map<string, { readonly id: string; readonly object: string }>;
  /** Prices made on the spot, which no list shows. */
  readonly inline: Set<string>;
  /** Where the double listens; the hosted pages are there too. */
  readonly origin: string;
  /** The API version of the account, at which events are kept and unversioned requests answered. */
  readonly version: string;
  readonly embeddedLimit: number;
  /** The rate of automatic tax, in percent. */
  readonly taxPercentage: number;
  /** What is to happen by time, asked for by the files that time does not concern. */
  readonly due: Due;
  /** A new id with Stripe's prefix. */
  id(prefix: string): string;
  /** The moment in whole seconds, by `clock`. */
  now(): number;
  /** The moment in whole seconds by the double's own time, whatever `clock` is. */
  ownNow(): number;
  /** Stripe's error for an object that is not there; it says so if the other mode has it. */
  missing(kind: Kind, id: string, param?: string): ApiError;
  /** The object, or Stripe's error for one that is not there. */
  find<K extends Kind>(kind: K, id: string, param?: string): Objects[K];
  /** Replaces some fields and answers the object as it is now; no event is raised. */
  patch<K extends Kind>(kind: K, id: string, changes: Partial<Objects[K]>): Objects[K];
  raise<T extends EventType>(type: T, object: EventObject<T>, before?: EventObject<T>): StoredEvent;
  /** Sends a notification, which says what it is about and leaves the rest to be fetched. */
  notify(type: NoticeType, data: object, about?: RelatedObject): void;
  /** Replaces some fields and raises the event, if anything changed. */
  change<K extends Kind>(
    kind: K,
    id: string,
    changes: Partial<Objects[K]>,
    type: EventTypeOf<K>,
  ): Objects[K];
  /** Runs `act` as the effect of this request, so that its events name it. */
  causedBy<R>(cause: Cause, act: () => R): R;
  /** Runs `act` by another time; by the double's own if there is none. */
  livingBy<R>(clock: Timer | undefined, act: () => R): R;
  onEvent(listen: (event: StoredEvent) => void): void;
}

type EventTypeOf<K extends Kind> = {
  [T in EventType]: EventObject<T> extends { object: Objects[K]["object"] } ? T : never;
}[EventType];

/** Stripe tells what a field was before in events of a change, and in these two. */
function tellsBefore(type: EventType): boolean {
  return (
    type.endsWith(".updated") || type === "charge.refunded" || type === "payment_method.detached"
  );
}

export interface WorldOptions {
  readonly account: string;
  readonly livemode: boolean;
  readonly clock: Scheduler;
  readonly version: string;
  readonly embeddedLimit: number;
  readonly taxPercentage?: number;
  /** Whether the account has this object in its other mode. */
  readonly existsElsewhere?: (kind: Kind, id: string) => boolean;
  readonly id: (prefix: string) => string;
  readonly origin: () => string;
  /** By how many milliseconds the next event's `created` is off. */
  readonly skew: () => number;
  /** Who does what is due: `dues` of billing/subscriptions/lifecycle.ts. */
  readonly dues: { readonly [D in keyof Due]: (world: World, id: string) => void };
}

export function createWorld(options: WorldOptions): World {
  const { clock } = options;
  const listeners: ((event: StoredEvent) => void)[] = [];
  let cause: Cause = { id: null, idempotency_key: null };
  let order = 0;
  let current: Timer = clock;

  const collections = Object.fromEntries(
    KINDS.map((kind) => [
      kind,
      new Collection<Stored>(clock.now, (INDEXED[kind] ?? []) as never[]),
    ]),
  );
  const objects = collections as unknown as World["objects"];

  const happening = () => {
    const at = clock.now();
    return {
      order: order++,
      at,
      created: Math.floor(at / 1000),
      shown: Math.floor((at + options.skew()) / 1000),
      pending: 0,
      failing: 0,
    };
  };

  const world: World = {
    ...options,
    taxPercentage: options.taxPercentage ?? 0,
    objects,
    events: new Collection<StoredEvent>(clock.now),
    notices: new Collection<StoredEvent>(clock.now),
    hidden: new Map(),
    deleted: new Map(),
    standIns: new Map(),
    inline: new Set(),
    due: {
      subscription: (id) => options.dues.subscription(world, id),
      schedule: (id) => options.dues.schedule(world, id),
      intent: (id) => options.dues.intent(world, id),
      draft: (id) => options.dues.draft(world, id),
    },
    get origin() {
      return options.origin();
    },
    get clock() {
      return current;
    },
    now: () => current.seconds(),
    ownNow: clock.seconds,
    missing(kind, id, param) {
      const [own, other] = options.livemode ? ["live", "test"] : ["test", "live"];
      const hint = `; a similar object exists in ${other} mode, but a ${own} mode key was used to make this request.`;
      return missing(kind, id, param, options.existsElsewhere?.(kind, id) ? hint : "");
    },
    find(kind, id, param) {
      const found = objects[kind].get(id);
      if (found === undefined) throw world.missing(kind, id, param);
      return found as Objects[typeof kind];
    },
    patch(kind, id, changes) {
      const collection = objects[kind] as unknown as Collection<Stored>;
      return collection.replace({ ...world.find(kind, id), ...changes }) as never;
    },
    raise(type, object, before) {
      const event: StoredEvent = {
        ...happening(),
        id: options.id("evt"),
        type,
        object: withCurrentPrices(world.objects.price, object as object),
        before:
          before && tellsBefore(type)
            ? withCurrentPrices(world.objects.price, before as object)
            : undefined,
        request: cause,
      };
      world.events.forget(event.created - EVENT_LIFE);
      world.events.add(event);
      for (const listen of listeners) listen(event);
      return event;
    },
    notify(type, data, about) {
      const event: StoredEvent = {
        ...happening(),
        id: options.id(options.livemode ? "evt" : "evt_test"),
        type,
        notice: { data, related_object: about ?? null },
        object: {},
        before: undefined,
        request: null,
      };
      world.notices.forget(event.created - EVENT_LIFE);
      world.notices.add(event);
      for (const listen of listeners) listen(event);
    },
    change(kind, id, changes, type) {
      const before = world.find(kind, id);
      const changed = (Object.keys(changes) as (keyof typeof changes)[]).some(
        (field) => !same(before[field], changes[field]),
      );
      if (!changed) return before;
      const after = world.patch(kind, id, changes);
      world.raise(type, after as never, before as never);
      return after;
    },
    causedBy(next, act) {
      const outer = cause;
      cause = next;
      try {
        return act();
      } finally {
        cause = outer;
      }
    },
    livingBy(next, act) {
      const outer = current;
      current = next ?? clock;
      try {
        return act();
      } finally {
        current = outer;
      }
    },
    onEvent: (listen) => {
      listeners.push(listen);
    },
  };
  return world;
}
