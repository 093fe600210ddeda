/**
 * What follows from the resource table: names, row types, and which event does what. Pure; it
 * knows neither a database nor a network.
 */
import type Stripe from "stripe";
import type { Plain } from "./plain.js";
import type { CustomerEvent, Listing, Mirrorable, StripeTypeOf } from "./resource.js";
import { resources, usual } from "./resources.js";

/** The catalogue's type: every resource by its name. */
export type Resources = typeof resources;
/** The name of a resource that can be mirrored, such as `customers`. */
export type ResourceName = keyof Resources;

/** The name of a resource that is mirrored unless the application says otherwise. */
export type DefaultResource = keyof typeof usual;
/** What to mirror: a list of names, or everything in the catalogue. */
export type ResourceChoice<N extends ResourceName = ResourceName> = readonly N[] | "all";

/** The Stripe object behind a resource, as it is stored. */
export type StripeObject<N extends ResourceName> = Plain<StripeTypeOf<Resources[N]>>;

type EmptyRow<N extends ResourceName> = Resources[N] extends { emptyRowPer: string } ? null : never;

type ColumnValue<C> = C extends { nullable: true } ? string | null : string;

/**
 * A row of a mirrored table, with the specification's field names.
 *
 * @example
 * ```ts
 * import type { Row } from "backend-billing";
 *
 * const label = (row: Row<"products">): string => `${row.productId}: ${row.stripe.name}`;
 * ```
 */
export type Row<N extends ResourceName> = {
  _id: string;
  stripe: StripeObject<N> | EmptyRow<N>;
  last_synced_at: number;
} & { [K in Resources[N]["idField"]]: string | EmptyRow<N> } & {
  -readonly [K in keyof Resources[N]["columns"]]: ColumnValue<Resources[N]["columns"][K]>;
};

/** Every resource there is, in the order of the table. */
export const resourceNames = Object.keys(resources) as readonly ResourceName[];

/** What is mirrored by default: what the specification names, and what a billing page shows. */
export const defaultResources = Object.keys(usual) as readonly DefaultResource[];

/** The names that a choice stands for. */
export const namesOf = (choice: ResourceChoice = defaultResources): readonly ResourceName[] =>
  choice === "all" ? resourceNames : choice;

/** How Stripe lists a resource for each object of another one. */
export interface ListsPerOwner {
  readonly owner: ResourceName;
  readonly list: (owner: string) => Listing<Mirrorable>;
  readonly eventful: boolean;
  readonly relistedBy?: readonly CustomerEvent[];
  readonly ownerOf?: (stripe: Stripe, object: Mirrorable) => Promise<string>;
}

/** How that is, of a resource which has no list of everything. */
export function listsPerOwner(name: ResourceName): ListsPerOwner | undefined {
  const entry = resources[name];
  return "listsPer" in entry ? (entry.listsPer as unknown as ListsPerOwner) : undefined;
}

/** The owner that a row of such a resource names; null if it is not one that was listed so. */
export function ownerIn(name: ResourceName, row: object | undefined): string | null {
  const per = listsPerOwner(name);
  if (per === undefined || row === undefined) return null;
  const owner = (row as { readonly [field: string]: unknown })[resources[per.owner].idField];
  return typeof owner === "string" ? owner : null;
}

/** A field of a row beside its id. */
export interface Column {
  readonly field: string;
  /** Where it is inside the object, as a dotted path; `link` and `owner` are not in the object. */
  readonly from: string;
  readonly nullable: boolean;
}

const columns = new Map(
  resourceNames.map((name): [ResourceName, readonly Column[]] => {
    const entries: { readonly [field: string]: { from: string; nullable?: true } } =
      resources[name].columns;
    return [
      name,
      Object.entries(entries).map(([field, { from, nullable = false }]) => ({
        field,
        from,
        nullable,
      })),
    ];
  }),
);

/** The row fields of a resource beside its id, and where each comes from. */
export const columnsOf = (name: ResourceName): readonly Column[] => columns.get(name) ?? [];

const ownerFields = new Map(
  resourceNames.map((name) => [name, columnsOf(name).find(({ from }) => from === "owner")?.field]),
);

/** The row field with the owner of what does not name it itself; undefined for everything else. */
export const ownerFieldOf = (name: ResourceName): string | undefined => ownerFields.get(name);

/** What an event asks of the mirror. */
export type Effect =
  | { readonly kind: "upsert" | "delete"; readonly resource: ResourceName }
  | { readonly kind: "refresh"; readonly resource: ResourceName }
  | { readonly kind: "relist"; readonly resource: ResourceName }
  | { readonly kind: "touch"; readonly resource: ResourceName; readonly field: string };

/** The effects of each event type on the chosen resources. An event that is not a key has none. */
export function effectsByEvent(
  chosen: readonly ResourceName[] = defaultResources,
): ReadonlyMap<Stripe.Event.Type, readonly Effect[]> {
  const effects = new Map<Stripe.Event.Type, Effect[]>();
  const add = (types: readonly Stripe.Event.Type[], effect: Effect) => {
    for (const type of types) effects.set(type, [...(effects.get(type) ?? []), effect]);
  };
  for (const name of chosen) {
    const entry = resources[name];
    const refreshedBy: readonly CustomerEvent[] = "refreshedBy" in entry ? entry.refreshedBy : [];
    add(entry.upsertedBy, { kind: "upsert", resource: name });
    // mutant "deletions are not followed"
    add(entry.deletedBy, { kind: "delete", resource: name });
    add(refreshedBy, { kind: "refresh", resource: name });
    add(listsPerOwner(name)?.relistedBy ?? [], { kind: "relist", resource: name });
    if ("touchedBy" in entry) {
      const { events, field } = entry.touchedBy;
      // mutant "an event of another object is not followed"
      add(events, { kind: "touch", resource: name, field });
    }
  }
  return effects;
}

/**
 * The event types to enable on the webhook endpoint for the chosen resources, sorted.
 *
 * @example
 * ```ts
 * import { enabledEvents } from "backend-billing";
 *
 * const events = enabledEvents(["products", "prices"]); // ["price.created", "price.deleted", …]
 * ```
 */
export function enabledEvents(
  chosen: readonly ResourceName[] = defaultResources,
): readonly Stripe.Event.Type[] {
  return [...effectsByEvent(chosen).keys()].sort();
}
