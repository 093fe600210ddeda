/**
 * Customers that were erased: whose an object is, and what is stored of it then. Nothing of this is
 * looked up where none was erased. Pure.
 */
import { ownerFieldOf, type ResourceName } from "../catalogue/catalogue.js";
import { namedIn, parentsOf } from "../catalogue/kin.js";
import { resources } from "../catalogue/resources.js";
import { fieldAt } from "../catalogue/row.js";
import { isEventRequest, type StoredChange } from "./changes.js";
import type { Known } from "./facts.js";
import { isScrubbed, scrubbed } from "./scrub.js";
import type { RecordKey, RecordRequest, Snapshot } from "./store.js";
import { type Judged, keyOf } from "./writes.js";

/** The record that says that a customer was erased. */
export const erasedKey = (customerId: string): RecordKey => ({
  kind: "erased",
  id: `customer ${customerId}`,
});

/** What a batch knows of its objects. */
export interface Erasing {
  readonly objects: ReadonlyMap<string, Judged>;
  readonly chosen: readonly ResourceName[];
  readonly facts: Known;
}

/** What is to be stored of a snapshot; undefined if that is not known yet. */
export function storedPart(
  snapshot: Snapshot,
  object: Judged,
  erasing: Erasing,
): Snapshot | undefined {
  const { content, usable } = snapshot;
  if (content === null && !usable) return snapshot; // a hint stores nothing
  const any = erasing.facts.listened("erased");
  if (any === undefined) return undefined;
  if (any === null) return snapshot;
  const isOne = isOfErased(snapshot, content ?? {}, object, erasing);
  if (isOne === undefined) return undefined;
  if (!isOne) return snapshot;
  object.isErased = true; // also of one that is gone: what it was may be told
  return content === null ? snapshot : { ...snapshot, content: scrubbed(content) };
}

/** Undefined if that is not known yet. */
function isOfErased(
  { resource, id, owner }: Snapshot,
  content: object,
  object: Judged,
  erasing: Erasing,
): boolean | undefined {
  const { facts } = erasing;
  const named = customerIn(resource, id, content) ?? ownerIn(resource, owner);
  if (named !== undefined) return isErased(named, facts);
  // A payment method that is detached names its customer no more, and what was scrubbed stays so.
  const stored = object.before?.state === "live" ? facts.content(resource, id) : null;
  return anyOf([
    ofContent(resource, id, stored, facts),
    ...parentsOf(resource).map((parent) => {
      const other = fieldAt({ stripe: content }, parent.field);
      return other === null ? false : isParentErased(parent.resource, other, erasing);
    }),
  ]);
}

function isParentErased(
  resource: ResourceName,
  id: string,
  { objects, chosen, facts }: Erasing,
): boolean | undefined {
  if (!chosen.includes(resource)) return false;
  const content = objects.get(keyOf(resource, id))?.content ?? facts.content(resource, id);
  return ofContent(resource, id, content, facts);
}

function ofContent(
  resource: ResourceName,
  id: string,
  content: object | null | undefined,
  facts: Known,
): boolean | undefined {
  if (content === undefined) return undefined;
  if (content === null) return false;
  if (isScrubbed(content)) return true;
  const named = customerIn(resource, id, content);
  return named === undefined ? false : isErased(named, facts);
}

function isErased(customerId: string, facts: Known): boolean | undefined {
  const { kind, id } = erasedKey(customerId);
  const known = facts.record(kind, id);
  return known === undefined ? undefined : known !== null;
}

/** True if one is, undefined if one may be. */
const anyOf = (all: readonly (boolean | undefined)[]): boolean | undefined =>
  all.includes(true) || (all.includes(undefined) ? undefined : false);

/** The customer that an object names, or is. */
export function customerIn(
  resource: ResourceName | undefined,
  id: string,
  content: object,
): string | undefined {
  if (resource === "customers") return id;
  const { customer } = content as { readonly customer?: unknown };
  if (typeof customer === "string") return customer;
  const whole = (customer as { readonly id?: unknown } | null | undefined)?.id;
  return typeof whole === "string" ? whole : undefined;
}

/** The customer that is known to have an object which does not say so. */
const ownerIn = (resource: ResourceName, owner: string | undefined): string | undefined =>
  ownerFieldOf(resource) === resources.customers.idField ? owner : undefined;

/** The same requests; of an event that is told as it came, so much as is stored of its object. */
export function storedRequests(
  requests: readonly RecordRequest[],
  erasing: Erasing,
): readonly RecordRequest[] {
  if (!requests.some(isEventRequest) || erasing.facts.listened("erased") == null) return requests;
  return requests.map((request) => {
    const event = isEventRequest(request) ? (request.data as unknown as StoredChange).after : null;
    if (event === null || !isEventOfErased(event, erasing)) return request;
    return { ...request, data: { ...request.data, after: scrubbedEvent(event) } };
  });
}

/** By the customer that its object names, or by what else it names. */
function isEventOfErased(event: object, erasing: Erasing): boolean | undefined {
  const customer = customerOfEvent(event);
  if (customer !== undefined) return isErased(customer, erasing.facts);
  return anyOf(
    namedByEvent(event).map(({ resource, id }) => isParentErased(resource, id, erasing)),
  );
}

interface EventShown {
  readonly data?: {
    readonly object?: { readonly object?: string; readonly id?: string };
    readonly previous_attributes?: object | null;
  };
}

/** The customer that the object of an event names, or is, or named before: a card that is detached names none. */
export function customerOfEvent(event: object): string | undefined {
  const { object, previous_attributes: before } = (event as EventShown).data ?? {};
  if (object === undefined) return undefined;
  const { object: noun, id = "" } = object;
  const named = customerIn(noun === "customer" ? "customers" : undefined, id, object);
  return named ?? customerIn(undefined, "", before ?? {});
}

/** What the object of an event names of what belongs to customers. */
export const namedByEvent = (event: object): ReturnType<typeof namedIn> =>
  namedIn((event as EventShown).data?.object ?? {});

/** An event with nothing of its object that says who the customer was. */
export function scrubbedEvent(event: object): object {
  const { data } = event as EventShown;
  const { object, ...others } = data ?? {};
  const rest = Object.keys(others).length === 0 ? {} : scrubbed(others);
  return {
    ...event,
    data: { ...rest, ...(object === undefined ? {} : { object: scrubbed(object) }) },
  };
}
