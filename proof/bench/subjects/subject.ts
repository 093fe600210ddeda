/** What is measured: one way to keep a copy of Stripe's data in PostgreSQL. */
import type { Delivery, Kind } from "../data.js";

export interface Place {
  /** A database of the subject's own, empty at first, on the server that all share. */
  readonly databaseUrl: string;
  /** Where the list server is. */
  readonly listPort: number;
}

/** Requests to Stripe at the same time, of all that can be told. */
export const CONCURRENCY = 8;

/** What a handler has written down. */
export interface Told {
  /** How often it was told, as far as that was committed. */
  readonly times: number;
  /** Of how many different updates. */
  readonly updates: number;
}

export interface Subject {
  /**
   * Takes a delivery as a server hands it over, and answers what handles it to its end, which is
   * what is measured. That throws if the delivery is refused.
   */
  accept?(delivery: Delivery): () => Promise<void>;
  /** Handles all deliveries as it likes, where they need not be answered one by one. */
  deliverAll?(deliveries: readonly Delivery[]): Promise<void>;
  /** Fills the table with so many objects, not measured. Customers first. */
  store(kind: Kind, count: number): Promise<void>;
  /** Stores a hundred customers that are new, by their numbers, as a page of a list. */
  storePage?(from: number): Promise<void>;
  /** How many objects there are, to see that the work was done. */
  count(kind: Kind): Promise<number>;
  /** Forgets everything, not measured. */
  clear(): Promise<void>;
  /** Copies everything from the list server. */
  backfill?(): Promise<void>;
  /** Copies everything too, and resolves once the lists of these resources have been read. */
  backfillFirst?(some: readonly string[]): Promise<{ readonly whole: Promise<void> }>;
  /** Calls by name whose cost is compared with the bare call. */
  readonly calls?: { readonly [name: string]: () => Promise<unknown> };
  /** Where it has a handler that is told of what changes. */
  readonly reactions?: {
    /** Resolves once nothing is left to tell. */
    settled(): Promise<void>;
    told(): Promise<Told>;
  };
  close(): Promise<void>;
}

export type Open = (place: Place) => Promise<Subject>;
