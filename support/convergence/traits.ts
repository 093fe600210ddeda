/**
 * What the model has to know of a resource, read from its entry in the catalogue and from nowhere
 * else: a resource that is added there is played without a line here.
 */
import type Stripe from "stripe";
import {
  columnsOf,
  effectsByEvent,
  type ResourceName,
  resourceNames,
} from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import type { Entry } from "../../packages/backend-billing/src/core/catalogue/resource.js";
import { resources } from "../../packages/backend-billing/src/core/catalogue/resources.js";
import { type Call, called, idsIn } from "./client.js";

export interface Traits {
  readonly name: ResourceName;
  readonly entry: Entry;
  /** The types of its events. Without one, Stripe does not tell of such a thing. */
  readonly created: string | undefined;
  readonly changed: readonly string[];
  readonly deleted: string | undefined;
  /** The object stays when it comes to its end, and this is told. */
  readonly ended: string | undefined;
  /** A field by which its lists are told apart, as `active`, with the value of each list. */
  readonly sides: { readonly field: string; readonly values: readonly unknown[] } | undefined;
  /** The lists without a filter that must be asked for, as `status: "all"`, leave out what ended. */
  readonly asksForAll: string | undefined;
  /** Its fields that name objects of other resources. */
  readonly references: readonly Reference[];
  /** The resource for each of whose objects it is listed. */
  readonly owner: ResourceName | undefined;
  readonly listsWithoutOwner: boolean;
  /** Stripe is silent of none that has an owner. */
  readonly toldOfOwned: boolean;
  /** Events that say only that its owner's list changed. */
  readonly relistedBy: readonly string[];
  /** Where an object is shown without its owner, whom another object of Stripe's names. */
  readonly ownerOf: { readonly path: string; readonly field: string } | undefined;
  /** Whether it ever comes to an end: it is told, or found out by the scheduled reconcile. */
  readonly ends: boolean;
  /** Whether it ever changes: there is an event of it, or it is said that there is none. */
  readonly changes: boolean;
  /** A list inside the object that Stripe cuts. */
  readonly cutList: string | undefined;
  readonly touchedBy: { readonly events: readonly string[]; readonly field: string } | undefined;
}

interface PerOwner {
  readonly eventful?: boolean;
  readonly relistedBy?: readonly string[];
  readonly ownerOf?: (stripe: Stripe, object: object) => unknown;
}

interface Reference {
  readonly field: string;
  readonly to: ResourceName;
  readonly nullable: boolean;
}

/** The words in which Stripe tells that something which can still be read came to its end. */
const ENDINGS = ["deleted", "detached", "closed", "voided", "canceled", "expired"];

/** Columns that are no copies of a field. */
const NOT_IN_OBJECT = ["link", "owner"];

const lastWord = (type: string) => type.slice(type.lastIndexOf(".") + 1);

/** Parameters that every list takes. */
export const PAGING: readonly string[] = ["limit", "starting_after", "ending_before", "created"];

function traitsFrom(name: ResourceName): Traits {
  const entry = resources[name] as unknown as Entry;
  const { upsertedBy, deletedBy, listsPer, cutLists = [], touchedBy, lists } = entry;
  const types: readonly string[] = upsertedBy;
  const created = types.find((type) => lastWord(type) === "created") ?? types[0];
  const ended =
    deletedBy.length > 0
      ? undefined
      : ENDINGS.flatMap((word) => types.filter((type) => lastWord(type) === word))[0];
  const filters = lists.map((list) => filtersOf(called((stripe) => list(stripe, {}, {}))));
  const [field] = Object.keys(filters[0] ?? {});
  const values = field === undefined ? [] : filters.map((each) => each[field]);
  const owner = listsPer?.owner as ResourceName | undefined;
  const { eventful = false, relistedBy = [], ownerOf } = (listsPer ?? {}) as PerOwner;
  const changed = types.filter((type) => type !== created && type !== ended);
  return {
    name,
    entry,
    created,
    changed,
    deleted: deletedBy[0],
    ended: ended === created ? undefined : ended,
    sides: field === undefined || values.length < 2 ? undefined : { field, values },
    asksForAll: values.length === 1 && values[0] === "all" ? field : undefined,
    references: columnsOf(name).flatMap((column) => referenceIn(name, column)),
    owner,
    listsWithoutOwner: lists.length > 0,
    toldOfOwned: eventful,
    relistedBy,
    ownerOf: ownerOf && finding(ownerOf),
    ends: ended !== undefined || deletedBy.length > 0 || relistedBy.length > 0 || !eventful,
    changes: changed.length > 0 || entry.silent !== undefined || relistedBy.length > 0,
    cutList: (cutLists as readonly { readonly path: string }[])[0]?.path,
    touchedBy,
  };
}

/** Which method an entry asks for the owner of an object, with the value of which of its fields. */
function finding(ownerOf: NonNullable<PerOwner["ownerOf"]>): Traits["ownerOf"] {
  const object = new Proxy({}, { get: (_, field) => String(field) });
  const { path, args } = called((stripe) => ownerOf(stripe, object));
  return { path, field: idsIn(args)[0] ?? "" };
}

function referenceIn(
  name: ResourceName,
  column: { readonly field: string; readonly from: string; readonly nullable: boolean },
): readonly Reference[] {
  const to = resourceNames.find((other) => resources[other].idField === column.field);
  const isInObject = !NOT_IN_OBJECT.includes(column.from) && !column.from.includes(".");
  if (to === undefined || to === name || !isInObject) return [];
  return [{ field: column.from, to, nullable: column.nullable }];
}

/** What a list asks for beside its page. */
function filtersOf({ args }: Call): Readonly<Record<string, unknown>> {
  const params = args.find((each) => typeof each === "object" && each !== null) ?? {};
  return Object.fromEntries(Object.entries(params).filter(([key]) => !PAGING.includes(key)));
}

const all = new Map(resourceNames.map((name) => [name, traitsFrom(name)]));

export const traitsOf = (name: ResourceName): Traits => all.get(name)!;

const effects = effectsByEvent(resourceNames);

/** The resource whose object an event carries. */
export const carriedBy = (type: string): ResourceName | undefined =>
  effects.get(type as never)?.find(({ kind }) => kind === "upsert")?.resource;

/** Resources that have to do with each other: one names, owns, waits for or tells of the other. */
export function related(name: ResourceName): readonly ResourceName[] {
  return resourceNames.filter(
    (other) => other !== name && (mentions(name).has(other) || mentions(other).has(name)),
  );
}

function mentions(name: ResourceName): ReadonlySet<ResourceName> {
  const { entry, owner, references } = traitsOf(name);
  const { listedAfter, emptyRowPer, touchedBy, refreshedBy } = entry as Entry & {
    readonly refreshedBy?: readonly string[];
  };
  const tellers = [...(touchedBy?.events ?? []), ...(refreshedBy ?? [])].map(carriedBy);
  const found = [owner, listedAfter, emptyRowPer, ...references.map(({ to }) => to), ...tellers];
  return new Set(found.filter((each) => each !== undefined) as ResourceName[]);
}
