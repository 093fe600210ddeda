/**
 * The shape of one entry of the resource table, and the checks the compiler makes of it: an event
 * of another object, a misspelt event, field or index path does not compile.
 */
import type Stripe from "stripe";
import type { Plain } from "./plain.js";

/** A Stripe object that can be mirrored: it has an id and says what it is. */
export type Mirrorable = { id: string; object: string };

/** One page of a listing. `created` is only used where Stripe's list can filter on it. */
export interface Page {
  readonly limit?: number;
  readonly starting_after?: string;
  readonly ending_before?: string;
  readonly created?: Stripe.RangeQueryParam;
}

export type Listing<S> = (
  stripe: Stripe,
  page: Page,
  options?: Stripe.RequestOptions,
) => Promise<Stripe.Response<Stripe.ApiList<S>>>;

/**
 * Answers the object, or Stripe's mark of a deleted one; a missing object is a 404 error. The owner is
 * given where the object does not name it.
 */
export type Retrieval<S extends Mirrorable> = (
  stripe: Stripe,
  id: string,
  options?: Stripe.RequestOptions,
  owner?: string,
) => Promise<Stripe.Response<S | { id: string; object: S["object"]; deleted: true }>>;

/** The event types whose object is `S`. */
export type EventOf<S> = Extract<Stripe.Event, { data: { object: S } }>["type"];

/** The event types whose object names a customer, and so can refresh what that customer owns. */
export type CustomerEvent = Extract<
  Stripe.Event,
  { data: { object: { customer: unknown } } }
>["type"];

/** Dotted paths to the scalar fields of `T`, down to three levels, never through an array. */
type Path<T, Depth extends 0[] = []> = Depth["length"] extends 3
  ? never
  : {
      [K in keyof T & string]: NonNullable<T[K]> extends string | number | boolean
        ? K
        : NonNullable<T[K]> extends readonly unknown[]
          ? never
          : NonNullable<T[K]> extends object
            ? `${K}.${Path<NonNullable<T[K]>, [...Depth, 0]>}`
            : never;
    }[keyof T & string];

export type FieldPath<S> = Path<Plain<S>>;

/** What a path leads to, with `null` where any field on the way may be missing or null. */
type ValueAt<T, P extends string> = P extends `${infer K}.${infer Rest}`
  ? K extends keyof T
    ? ValueAt<NonNullable<T[K]>, Rest> | Nothing<T[K]>
    : never
  : P extends keyof T
    ? NonNullable<T[P]> | Nothing<T[P]>
    : never;
type Nothing<V> = null extends V ? null : undefined extends V ? null : never;

type CopiedFrom<S, P extends FieldPath<S>> = P extends string
  ? null extends ValueAt<Plain<S>, P>
    ? { readonly from: P; readonly nullable: true }
    : { readonly from: P; readonly nullable?: never }
  : never;

/**
 * A row field beside the id: a copy of one of the object's fields; the owner of an object that does
 * not name it, which is known from the list that showed it; or of customers the link to an entity,
 * which no Stripe field decides and only the claim machine writes. A copy must be nullable exactly
 * where Stripe's type says that the field may be null or missing.
 */
export type Column<S> =
  | CopiedFrom<S, FieldPath<S>>
  | { readonly from: "owner"; readonly nullable?: never }
  | (S extends Stripe.Customer ? { readonly from: "link"; readonly nullable: true } : never);

/** The embedded lists of `S`, which Stripe may cut. */
type CutList<S> = {
  [K in keyof S & string]: NonNullable<S[K]> extends Stripe.ApiList<infer E>
    ? { readonly path: K; readonly rest: (id: string) => Listing<E> }
    : never;
}[keyof S & string];

/** The part of Stripe's client that has the objects. */
export interface Api<S extends Mirrorable> {
  list(page: Page, options?: Stripe.RequestOptions): Stripe.ApiListPromise<S>;
  retrieve(id: string, params: object, options?: Stripe.RequestOptions): ReturnType<Retrieval<S>>;
}

/** What an entry has whether or not it is written down. */
export interface Filled<S extends Mirrorable> {
  /** Listings that together show every object: nothing inactive, canceled or released is hidden. */
  readonly lists: readonly Listing<S>[];
  /** Whether the listings can filter on `created`, and so be split into ranges of time. */
  readonly listsByCreated: boolean;
  readonly retrieve: Retrieval<S>;
  readonly deletedBy: readonly EventOf<S>[];
}

/** Where nothing else is written: one list of everything, by time of creation, and no deletions. */
export interface Definition<S extends Mirrorable> extends Partial<Filled<S>> {
  readonly table: `backend_billing_${string}`;
  /** Stripe's `object` value. */
  readonly object: S["object"];
  /** The row field that holds the object's id. */
  readonly idField: string;
  readonly columns: { readonly [field: string]: Column<S> };
  /** Index name to the row field or the path inside `stripe` that it covers. */
  readonly indexes: { readonly [name: string]: string };
  /**
   * The indexed fields whose text may be thousands of characters long. PostgreSQL refuses a row with
   * more than 2,704 bytes under one index, so only the beginning of these is indexed there.
   */
  readonly longTexts?: readonly string[];
  /** Needed where `lists` and `retrieve` are not both written down. */
  readonly api?: (stripe: Stripe) => Api<S>;
  /**
   * The listing of what belongs to one object of another resource, where Stripe has no list of all:
   * it is read for each of those objects that the mirror has. An object names its owner in the column
   * that is called as the owner's id.
   */
  readonly listsPer?: {
    readonly owner: string;
    readonly list: (owner: string) => Listing<S>;
    /**
     * Events tell of every change, so that the scheduled reconcile, which would take a request for
     * each owner, leaves these lists out.
     */
    readonly eventful: boolean;
    /** Events that name the owner, or are of it: its list is read again then, whole. What that lacks is gone. */
    readonly relistedBy?: readonly CustomerEvent[];
    /** Finds the owner of an object that no list has shown yet. */
    readonly ownerOf?: (stripe: Stripe, object: S) => Promise<string>;
  };
  /** What the listings do not show all the same, in words. */
  readonly hides?: string;
  readonly upsertedBy: readonly EventOf<S>[];
  /**
   * Events of other objects that name one of these, in that field: it changed with them, and has no
   * event of its own.
   */
  readonly touchedBy?: { readonly events: readonly Stripe.Event.Type[]; readonly field: string };
  /** Of what Stripe sends no event, in words: it is found when everything is listed. */
  readonly silent?: string;
  /** Other resources, of which the listings are read to their end before this one's are. */
  readonly listedAfter?: string;
  /**
   * Of subscriptions alone, since only they are read anew customer by customer: events of other
   * objects after which the subscriptions of that event's customer are refreshed.
   */
  readonly refreshedBy?: S extends Stripe.Subscription ? readonly CustomerEvent[] : never;
  /** Ids are chosen by the object's maker, so a deleted one can come back under the same id. */
  readonly idsReturn?: true;
  readonly cutLists?: readonly CutList<S>[];
  /** A row of nulls stands for each object of that resource that has none of these. */
  readonly emptyRowPer?: string;
}

/** An entry, whatever its Stripe type. */
export type Entry = Definition<Mirrorable> & Filled<Mirrorable>;

/** What an index may cover: the id, a column, or a field inside `stripe`. */
type Indexable<S, D extends { idField: string; columns: object }> =
  | D["idField"]
  | (keyof D["columns"] & string)
  | `stripe.${FieldPath<S>}`;

/** The Stripe type of an entry, carried for inference and never present at run time. */
declare const stripeType: unique symbol;
export type Described<S, D> = D & { readonly [stripeType]?: S };
export type StripeTypeOf<R> = R extends { readonly [stripeType]?: infer S }
  ? NonNullable<S>
  : never;

/** Checks one entry against its Stripe type `S`, keeps its literal types, and fills in the rest. */
export const resource =
  <S extends Mirrorable>() =>
  <const D extends Definition<S>>(
    definition: D & {
      readonly indexes: { readonly [N in keyof D["indexes"]]: Indexable<S, D> };
      readonly longTexts?: readonly D["indexes"][keyof D["indexes"]][];
    },
  ): Described<S, D & Filled<S>> => {
    const api = (stripe: Stripe): Api<S> => {
      if (definition.api === undefined) throw new RangeError(`${definition.table} has no api`);
      return definition.api(stripe);
    };
    const filled: Filled<S> = {
      lists: [(stripe, page, options) => api(stripe).list(page, options)],
      listsByCreated: true,
      retrieve: (stripe, id, options) => api(stripe).retrieve(id, {}, options),
      deletedBy: [],
    };
    return { ...filled, ...definition };
  };
