/** What the model's objects look like, whole and as Stripe shows them, and the events that carry them. */
import type { ResourceName } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import type { EventPlan } from "./history.js";
import { traitsOf } from "./traits.js";

export const API_VERSION = "2026-10-28.endive";
/** How many elements of a list Stripe shows inside an object, and on a page of the rest. */
export const SHOWN = 2;

export type Content = { readonly id: string; readonly [field: string]: unknown };

interface Inner {
  readonly object: "list";
  readonly has_more: boolean;
  readonly data: readonly { readonly id: string }[];
}

export interface Making {
  readonly resource: ResourceName;
  readonly id: string;
  readonly value: number;
  /** Elements of its list beside the first. */
  readonly items: number;
  /** When it was made, in milliseconds. */
  readonly born: number;
  readonly isEnded: boolean;
  /** The id of the object of another resource that it names. */
  named(resource: ResourceName, nullable: boolean): string | null;
}

/** The object, whole. It has the fields that its lists and columns go by, and no others. */
export function contentOf({ resource, id, value, items, born, isEnded, named }: Making): Content {
  const { entry, sides, references, ended, cutList, ownerOf } = traitsOf(resource);
  return {
    id,
    object: entry.object,
    ...(entry.listsByCreated ? { created: Math.floor(born / 1000) } : {}),
    livemode: false,
    metadata: { value: String(value) },
    ...(sides === undefined ? {} : { [sides.field]: sides.values[value < 2 ? 0 : 1] }),
    ...Object.fromEntries(
      references.map(({ field, to, nullable }) => [field, named(to, nullable)]),
    ),
    ...(ownerOf === undefined ? {} : { [ownerOf.field]: `the_owner_of_${id}` }),
    ...(ended === undefined ? {} : { status: isEnded ? "canceled" : "active" }),
    ...(cutList === undefined ? {} : { [cutList]: innerList(items + 1, value) }),
  };
}

const innerList = (length: number, quantity: number): Inner => ({
  object: "list",
  has_more: false,
  data: Array.from({ length }, (_, n) => ({ id: `item_${n}`, object: "item", quantity })),
});

export const writtenIn = (content: Content): number =>
  Number((content.metadata as { readonly value: string }).value);

/** The object as Stripe shows it: a long list inside it is cut. */
export function shown(resource: ResourceName, content: Content): Content {
  const { cutList = "" } = traitsOf(resource);
  const list = content[cutList] as Inner | undefined;
  if (list === undefined || list.data.length <= SHOWN) return content;
  return { ...content, [cutList]: { ...list, data: list.data.slice(0, SHOWN), has_more: true } };
}

/** All elements of the list inside it. */
export const innerOf = (resource: ResourceName, content: Content): Inner["data"] =>
  (content[traitsOf(resource).cutList ?? ""] as Inner | undefined)?.data ?? [];

export interface Told {
  readonly id: string;
  readonly type: string;
  /** In seconds. */
  readonly created: number;
  /** As Stripe shows it; some have no id. */
  readonly content: Partial<Content>;
}

/** An event as Stripe would post it. */
export function bodyOf(told: Told, form: EventPlan["form"]): object {
  if (form !== "thin") return fullBody(told, form === "other version");
  const { id, type, created, content } = told;
  return {
    id,
    object: "v2.core.event",
    type: `v1.${type}`,
    created: new Date(created * 1000).toISOString(),
    livemode: false,
    related_object: { id: content.id, type: content.object },
  };
}

export function fullBody({ id, type, created, content }: Told, isOld: boolean) {
  return {
    id,
    object: "event",
    type,
    created,
    livemode: false,
    api_version: isOld ? "2024-06-20" : API_VERSION,
    request: null,
    // What another version looks like cannot be known: here it is all different.
    data: { object: isOld ? { ...content, metadata: { written: "otherwise" } } : content },
  };
}
