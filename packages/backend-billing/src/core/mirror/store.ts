/**
 * The port between the core and a database. It is coarse: one call is one transaction, because a
 * Convex action cannot hold a transaction open while a Convex mutation is one. No call takes a
 * callback, every call has a bounded size, and no lookup has an optional key.
 *
 * Beside the mirrored rows a store keeps, for each object, its {@link Version}; receipts of events;
 * and records: small documents with a revision and a time at which they are due. Claims, runs,
 * partitions, refreshes and settings are all records, so one kind of lease serves them all: to
 * take a record is to push its due time forward, and a worker that dies loses it by waiting.
 */
import type { ResourceName, Row, StripeObject } from "../catalogue/catalogue.js";
import type { SnapshotFacts, Version } from "./rule.js";

/** One object as a source showed it. `content` is null for a deletion and for unusable content. */
export interface Snapshot extends SnapshotFacts {
  readonly resource: ResourceName;
  readonly id: string;
  readonly content: StripeObject<ResourceName> | null;
  /** Whose it is, where the content does not say it. */
  readonly owner?: string;
}

/** An event that was handled. It saves work; nothing depends on it for being right. */
export interface Receipt {
  readonly eventId: string;
  readonly type: string;
  /** Stripe's `created`, in seconds. */
  readonly created: number;
  /** The object the event is about, where it has an id. */
  readonly objectId: string | null;
}

/** What a record is about. */
export type RecordKind =
  | "access"
  | "aside"
  | "batch"
  | "change"
  | "claim"
  | "credits"
  | "erased"
  | "guard"
  | "lapse"
  | "notice"
  | "partition"
  | "purchase"
  | "refresh"
  | "run"
  | "seats"
  | "setting"
  | "share"
  | "watermark";

/** A small document of the library's own, with a revision and a time at which it is due. */
export interface StoredRecord {
  readonly kind: RecordKind;
  readonly id: string;
  readonly revision: number;
  /** What the record points at: a claim its customer, a partition its run. */
  readonly ref: string | null;
  /** Milliseconds at which a worker takes it up; null for never. */
  readonly due: number | null;
  readonly data: RecordData;
}

/** Which record. */
export type RecordKey = Pick<StoredRecord, "kind" | "id">;

/** A claim, what is known of the customer that it points at, and other records, as of one moment. */
export interface Claimed {
  /** Undefined where there is no claim. */
  readonly record: StoredRecord | undefined;
  readonly version: Pick<Version, "state"> | undefined;
  readonly row: Row<"customers"> | undefined;
  /** The other records that were asked for, those of them that exist. */
  readonly beside: readonly StoredRecord[];
}

/** Plain JSON; each kind's own shape is the business of the code that writes it. */
export type RecordData = { readonly [field: string]: unknown };

/** Puts, replaces or removes a record, if it is still at the revision that was read (0: absent). */
export interface RecordWrite {
  readonly kind: RecordKind;
  readonly id: string;
  readonly expect: number;
  /**
   * The revision it has afterwards; one more than before, if left out. A counter repeats once a
   * database was set back to an earlier point, a random number does not.
   */
  readonly revision?: number;
  /** What was read at that revision, where the caller has it: it saves a store from reading it again. */
  readonly was?: Pick<StoredRecord, "ref" | "due">;
  readonly next: Pick<StoredRecord, "ref" | "due" | "data"> | null;
}

/** Requests a record: creates it, or raises the revision and replaces the data of an existing one. */
export interface RecordRequest {
  readonly kind: RecordKind;
  readonly id: string;
  readonly due: number;
  readonly data: RecordData;
  /** What it points at, where it is new. */
  readonly ref?: string;
}

/** What belongs together: an event's receipt with all that the event does. */
export interface Unit {
  /** When this receipt is known already, the whole unit is skipped. */
  readonly receipt?: Receipt;
  readonly snapshots?: readonly Snapshot[];
  readonly requests?: readonly RecordRequest[];
}

/**
 * Where a batch comes from: an event of Stripe's, a page of a listing, the answer to a retrieval, a
 * call of the application, or the library's own bookkeeping, which is records and nothing else.
 */
export type Source = "event" | "page" | "answer" | "call" | "record";

/** What one transaction is to do: snapshots to judge, a receipt, and records to write. */
export interface Batch {
  readonly source: Source;
  /** Milliseconds, the caller's clock: `last_synced_at`, and the base of due times. */
  readonly now: number;
  /** A random text, from which changes that the batch tells of have their keys. */
  readonly draw?: string;
  /** Whether the application's plans include something, so that what they included is kept (shares.ts). */
  readonly shares?: boolean;
  readonly units: readonly Unit[];
  /** Committed with the units or not at all. The units are judged by what was there before them. */
  readonly records?: readonly RecordWrite[];
}

/** What the rule said of a snapshot. */
export type Outcome = {
  /** `aside`: it cannot be stored, and a record says so. No store answers this, the core does. */
  readonly act: "drop" | "write" | "touch" | "ask" | "retry" | "aside";
  /** The object's revision afterwards; 0 where there is still nothing. */
  readonly revision: number;
  /** Whether Stripe is to be asked about the object, for what came before. */
  readonly isInDoubt?: boolean;
};

/** What became of one unit of a batch. */
export type UnitOutcome =
  | { readonly duplicate: true }
  | { readonly duplicate: false; readonly outcomes: readonly Outcome[] };

/** What happened to each snapshot of the units. */
export function outcomesOf(units: readonly UnitOutcome[]): readonly Outcome[] {
  return units.flatMap((unit) => (unit.duplicate ? [] : unit.outcomes));
}

/** What became of a batch. */
export type Committed =
  | { readonly committed: true; readonly units: readonly UnitOutcome[] }
  /** A record was not at the revision expected, and nothing at all was written. */
  | { readonly committed: false; readonly conflict: RecordKey };

/** An object that Stripe must be asked about. */
export interface Ask {
  readonly resource: ResourceName;
  readonly id: string;
  /** The answer counts only if the object is still at this revision. */
  readonly revision: number;
}

/** Work that was taken, and until when. */
export interface Lease {
  readonly now: number;
  /** Milliseconds until another worker may take it. */
  readonly lease: number;
  readonly limit: number;
}

/** Some of the rows that name something. */
export interface Related {
  readonly ids: readonly string[];
  /** Where to go on ("" is the beginning); null at the end. */
  readonly next: string | null;
}

/** An active product with its active prices. */
export interface Plan {
  readonly product: StripeObject<"products">;
  readonly prices: readonly StripeObject<"prices">[];
}

/** A price of the mirror, with its product where the mirror has it. */
export interface Offer {
  readonly price: StripeObject<"prices">;
  readonly product: StripeObject<"products"> | undefined;
}

/** What the mirror knows of an entity's subscriptions, as of one moment. */
export interface SubscriptionFacts {
  /** Those of the entity's customer: every one that is live, and the newest of those that ended. */
  readonly subscriptions: readonly StripeObject<"subscriptions">[];
  /** The products of their items, those that the mirror has. */
  readonly products: readonly StripeObject<"products">[];
  /** The open invoices of those subscriptions that wait for a payment, oldest first. */
  readonly invoices: readonly StripeObject<"invoices">[];
  /** The schedules that the live subscriptions name. */
  readonly schedules: readonly StripeObject<"subscription_schedules">[];
  /** The prices that these schedules name, those that the mirror has. */
  readonly prices: readonly StripeObject<"prices">[];
  /** The records of the kind `lapse`, by the subscription's id. */
  readonly lapses: readonly StoredRecord[];
}

/** A product that an entity is subscribed to. */
export interface HeldProduct {
  readonly id: string;
  /** Empty unless it was asked for. */
  readonly metadata: { readonly [key: string]: string };
  /** The lookup keys of Stripe's features that it has, where `product_features` are mirrored. */
  readonly features: readonly string[];
}

/** A subscription that may give access, as far as gates go by it. */
export interface Held {
  readonly id: string;
  readonly status: string;
  /** In seconds. */
  readonly created: number;
  /** Whether it is past due, and its grace is over. */
  readonly isLapsed: boolean;
  /** Those of its items. */
  readonly products: readonly HeldProduct[];
  /** The content, where it was asked for. */
  readonly whole?: StripeObject<"subscriptions">;
}

/** How `held` reads. */
export interface HeldOptions {
  /** With the metadata of products, and with Stripe's features. */
  readonly described?: boolean;
  /** With the contents of the subscriptions. */
  readonly whole?: boolean;
  /**
   * In a transaction of the application on PostgreSQL, others that ask for it wait until it has
   * ended. Elsewhere it does nothing.
   */
  readonly locked?: boolean;
}

/** A page of subscriptions, and whose they are. */
export interface SubscriptionPage {
  readonly facts: SubscriptionFacts;
  /** The entities by their customers. */
  readonly owners: ReadonlyMap<string, string>;
  /** Where the next page begins; null after the last one. */
  readonly next: string | null;
}

/** What the mirror knows of one purchase, as of one moment. */
export interface PurchaseFacts {
  readonly entityId: string;
  readonly session: StripeObject<"checkout_sessions">;
  readonly intent: StripeObject<"payment_intents"> | null;
  /** Those of the payment intent. */
  readonly charges: readonly StripeObject<"charges">[];
  /** What the record of the kind `purchase` says, under the session's id. */
  readonly data: RecordData | null;
}

/** Whose purchases are read, or which one. */
export type Purchased =
  | { readonly entityId: string; readonly limit: number }
  /** Of a customer that may be gone: the caller knows whose it is, or was. */
  | { readonly customerId: string; readonly owner: string; readonly limit: number }
  | { readonly sessionId: string }
  | { readonly referenceId: string };

/** What comes in each month in one currency. */
export interface Revenue {
  /** The plan, where a catalogue names it. */
  readonly plan: string | null;
  readonly currency: string;
  /** How many are active or past due. */
  readonly subscriptions: number;
  /** What those come to in a month, in the smallest unit of the currency. */
  readonly monthly: number;
  /** How many are in a trial. */
  readonly trialing: number;
  /** How many ended within the last thirty days that were more than a trial. */
  readonly churned: number;
}

/**
 * What applications read of their own database: on a store, or inside a transaction of their own. It
 * is no part of the port, because the core needs none of it.
 */
export interface LocalReads
  extends Pick<Store, "plans" | "customerOf" | "activeSubscriptionsOf" | "subscribed"> {
  /** The price that has a lookup key; of several that had it, the active one. */
  priceBy(by: { readonly lookupKey: string }): Promise<Row<"prices"> | undefined>;
  /** An entity's invoices, newest first: 50, or as many as `limit` says, up to 100. */
  invoicesOf(
    entityId: string,
    options?: { readonly limit?: number | undefined },
  ): Promise<readonly Row<"invoices">[]>;
  /** The payment methods that an entity's customer has now, newest first; as many as of invoices. */
  paymentMethodsOf(
    entityId: string,
    options?: { readonly limit?: number | undefined },
  ): Promise<readonly Row<"payment_methods">[]>;
  /** The refunds of what an entity's customer paid, newest first; as many as of invoices. */
  refundsOf(
    entityId: string,
    options?: { readonly limit?: number | undefined },
  ): Promise<readonly Row<"refunds">[]>;
  /** The checkout pages for one payment, of entities, newest first, and what became of each. */
  purchased(by: Purchased): Promise<readonly PurchaseFacts[]>;
  /** What comes in each month, by currency, as of a time in milliseconds; default now. */
  revenue(now?: number): Promise<readonly Revenue[]>;
  /**
   * The entity's subscriptions that are active, in trial or past due: the little of them that gates
   * go by, in one reading.
   */
  held(entityId: string, options?: HeldOptions): Promise<readonly Held[]>;
  /** The entities' subscriptions that have a status, after a cursor ("" for the first page). */
  subscribedBy(status: string, after: string, limit: number): Promise<SubscriptionPage>;
}

/** The port that a database is used through. */
export interface Store {
  /** The most that one call takes; callers split what is larger. */
  readonly limits: {
    readonly snapshots: number;
    readonly bytes: number;
    /** The largest sample that a run may keep in a record, where that is less than callers may ask for. */
    readonly sample?: number;
  };

  /**
   * Judges every snapshot by the convergence rule and writes what follows, all of it or nothing. It
   * throws a `BillingError` with the code `unstorable` where the content of a snapshot is to blame.
   */
  commit(batch: Batch): Promise<Committed>;

  /**
   * A content as this store gives it back. Left out by a store that gives back what it was given;
   * Convex leaves out what does not fit into a document.
   */
  kept?(content: object): object;

  /**
   * Takes asks that are due, oldest first, and pushes them forward by the lease. What `isDue` calls
   * due: also what a wrong clock put off further than anything is ever put off.
   */
  takeAsks(lease: Lease): Promise<readonly Ask[]>;
  /** Puts an ask off until a moment, unless it was settled or asked anew since. */
  postponeAsk(ask: Ask, until: number): Promise<void>;

  /** Reads a record. */
  record(kind: RecordKind, id: string): Promise<StoredRecord | undefined>;
  /**
   * A claim together with its customer and with the records `beside` it, as of one moment. Those of
   * `unlinked` are answered too, unless the claim points at a customer.
   */
  claimed(
    id: string,
    beside: readonly RecordKey[],
    unlinked: readonly RecordKey[],
  ): Promise<Claimed>;
  /** The records that point at `ref`, by id, after the given one ("" for the first page). */
  recordsOf(
    kind: RecordKind,
    ref: string,
    after: string,
    limit: number,
  ): Promise<readonly StoredRecord[]>;
  /** All records of a kind, by id, after the given one. */
  records(kind: RecordKind, after: string, limit: number): Promise<readonly StoredRecord[]>;
  /**
   * Takes records that are due as asks are, oldest first, and pushes them forward by the lease. It
   * raises their revisions, so that a worker that held one before cannot write it any more.
   */
  takeRecords(kind: RecordKind, lease: Lease): Promise<readonly StoredRecord[]>;

  /** What is known about the version of an object. */
  version(resource: ResourceName, id: string): Promise<Version | undefined>;
  /**
   * Objects not known to be gone (`live` or `unknown`) that nothing has confirmed since a second of
   * Stripe's time (`hi` is less), by id, after the given one.
   */
  unconfirmed(
    resource: ResourceName,
    since: number,
    after: string,
    limit: number,
  ): Promise<readonly { readonly id: string; readonly revision: number }[]>;

  /**
   * The ids of the rows that belong to an owner, of a resource whose objects do not name theirs, by
   * id, after the given one.
   */
  owned(
    resource: ResourceName,
    owner: string,
    after: string,
    limit: number,
  ): Promise<readonly string[]>;
  /**
   * The ids of rows that name something in a field which an index covers, such as `customerId` or
   * `stripe.charge`: some of them, at most so many, in an order of the store's own.
   */
  related(
    resource: ResourceName,
    field: string,
    value: string,
    after: string,
    limit: number,
  ): Promise<Related>;

  /** Forgets receipts older than a moment, at most `limit` of them; answers how many it forgot. */
  pruneReceipts(before: number, limit: number): Promise<number>;

  /** Reads a row by Stripe's id. */
  row<N extends ResourceName>(resource: N, id: string): Promise<Row<N> | undefined>;
  /** Rows in the order of `_id`, after the given `_id` ("" for the first page). */
  rows<N extends ResourceName>(
    resource: N,
    after: string,
    limit: number,
  ): Promise<readonly Row<N>[]>;
  /** Active products with their active prices: what can be bought. */
  plans(): Promise<readonly Plan[]>;
  /** Of these prices the ones that the mirror has, with their products, in one reading. */
  offers(priceIds: readonly string[]): Promise<readonly Offer[]>;
  /** The customer that an entity owns. */
  customerOf(entityId: string): Promise<Row<"customers"> | undefined>;
  /**
   * What is known of the entity's subscriptions, in one reading. Of those that ended no more than
   * `ENDED_READ`; of resources that are not mirrored, nothing.
   */
  subscribed(entityId: string): Promise<SubscriptionFacts>;
  /** The entity's subscriptions that are active or in trial. */
  activeSubscriptionsOf(entityId: string): Promise<readonly Row<"subscriptions">[]>;
}
