/**
 * From what Stripe sent to what was seen: an event, an answer or a list page becomes a snapshot
 * with the interval in which it was true. Nothing else makes snapshots.
 */
import type Stripe from "stripe";
import {
  type Effect,
  ownerFieldOf,
  type ResourceName,
  type StripeObject,
} from "../catalogue/catalogue.js";
import { resources } from "../catalogue/resources.js";
import { leadsElsewhere } from "../catalogue/stripe-id.js";
import { isStorableText, plainOf, storable } from "./content/text.js";
import { type AnswerHeaders, headerOf } from "./headers.js";
import {
  answerInterval,
  eventInterval,
  type Interval,
  pageInterval,
  type Tolerances,
} from "./interval.js";
import type { Version } from "./rule.js";
import type { Snapshot } from "./store.js";

type Content = StripeObject<ResourceName>;

/** A Stripe object as plain data: decimals as text, nothing the SDK added. */
export function plain(object: object): Content {
  return plainOf(object) as Content;
}

/** Whether Stripe cut a list inside the object. */
function isCut(resource: ResourceName, object: object): boolean {
  const entry = resources[resource];
  const lists: readonly { path: string }[] = "cutLists" in entry ? entry.cutLists : [];
  return lists.some(({ path }) => {
    const list = (object as Record<string, { has_more?: boolean } | undefined>)[path];
    // mutant "a cut list believed": true -> null
    return list?.has_more === true;
  });
}

/** An event, full or thin, with only what is read of it. */
export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly created: number;
  readonly livemode: boolean;
  /** The account that the event names: a connected one, or one of an organisation. */
  readonly account: string | undefined;
  readonly apiVersion: string | null;
  readonly idempotencyKey: string | null;
  /** The object, as plain data; of a thin event only its id and type are known. */
  readonly object: { readonly id?: string; readonly [field: string]: unknown };
  readonly thin: boolean;
  /** All of it, with its type as it came. */
  readonly raw: { readonly type: string; readonly [field: string]: unknown };
}

/** Reads a verified body, or an event as plain data. Answers undefined for what is no event. */
export function readEvent(body: unknown): ReceivedEvent | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const fields = body as Record<string, unknown>;
  const { id, type } = fields;
  if (!isStorableText(id) || !isStorableText(type)) return undefined;
  const raw: ReceivedEvent["raw"] = { ...fields, type };
  const livemode = raw.livemode === true;
  if (raw.object === "v2.core.event") {
    const created = typeof raw.created === "string" ? Date.parse(raw.created) : Number.NaN;
    if (Number.isNaN(created)) return undefined;
    if (!hasReadableId(raw.related_object)) return undefined;
    const related = raw.related_object as { id?: string; type?: string } | null | undefined;
    return {
      id,
      livemode,
      account: typeof raw.context === "string" ? raw.context : undefined,
      type: type.replace(/^v1\./, ""),
      created: Math.floor(created / 1000),
      apiVersion: null,
      idempotencyKey: null,
      object: related?.id === undefined ? {} : { id: related.id },
      thin: true,
      raw,
    };
  }
  const data = raw.data as { object?: Record<string, unknown> } | undefined;
  const request = raw.request as { idempotency_key?: string | null } | null | undefined;
  if (raw.object !== "event" || !isSecond(raw.created) || !data?.object) return undefined;
  if (!hasReadableId(data.object)) return undefined;
  return {
    id,
    livemode,
    account: [raw.account, raw.context].find((named) => typeof named === "string"),
    type,
    created: raw.created,
    apiVersion: typeof raw.api_version === "string" ? raw.api_version : null,
    idempotencyKey: request?.idempotency_key ?? null,
    object: data.object,
    thin: false,
    raw,
  };
}

/** Whether what an event is about has an id that Stripe can be asked about, or none. */
function hasReadableId(object: unknown): boolean {
  const id = (object as { readonly id?: unknown } | null | undefined)?.id;
  return id === undefined || (typeof id === "string" && id !== "" && !leadsElsewhere(id));
}

const isSecond = (value: unknown): value is number => Number.isSafeInteger(value);

/** What dates a snapshot: this machine's clock, and by how much Stripe's times may be off. */
export interface Dating {
  readonly tolerances: Tolerances;
  now(): number;
}

/** What an event says about the object it carries. */
export function snapshotOfEvent(
  runtime: Dating & { stripe(): Stripe },
  event: ReceivedEvent,
  effect: Extract<Effect, { kind: "upsert" | "delete" }>,
): Snapshot | undefined {
  const { id } = event.object;
  if (id === undefined) return undefined; // an upcoming invoice has none, and is nothing to keep
  const deleted = effect.kind === "delete";
  const pinned = runtime.stripe().getApiField("version");
  const isWhole =
    ownerFieldOf(effect.resource) === undefined && !isCut(effect.resource, event.object);
  // mutant "another API version believed": event.apiVersion === pinned -> true
  const usable = deleted || (!event.thin && event.apiVersion === pinned && isWhole);
  const { lo, hi } = eventInterval(event.created, runtime.tolerances);
  return {
    resource: effect.resource,
    id,
    origin: "event",
    kind: deleted ? "deleted" : event.type.endsWith(".created") ? "created" : "changed",
    usable,
    lo,
    hi,
    content: deleted || !usable ? null : (storable(event.object) as Content),
  };
}

/**
 * What an invoice, a payment or a checkout says about a subscription that it names: that something
 * may have happened to it. Undefined if it names none.
 */
export function snapshotOfHint(runtime: Dating, event: ReceivedEvent): Snapshot | undefined {
  return doubt(runtime, event, "subscriptions", subscriptionIn(event.object));
}

/** What an event says about another object that changed with its own. */
export function snapshotOfTouch(
  runtime: Dating,
  event: ReceivedEvent,
  { resource, field }: Extract<Effect, { kind: "touch" }>,
): Snapshot | undefined {
  return doubt(runtime, event, resource, event.object[field]);
}

/** Something may have happened to the object of that id, if there is one. */
function doubt(
  runtime: Dating,
  event: ReceivedEvent,
  resource: ResourceName,
  id: unknown,
): Snapshot | undefined {
  if (typeof id !== "string") return undefined;
  return {
    resource,
    id,
    origin: "event",
    kind: "changed",
    usable: false,
    ...eventInterval(event.created, runtime.tolerances),
    content: null,
  };
}

/** A checkout names its subscription, and so did invoices before they had a parent. */
function subscriptionIn({ subscription, parent }: ReceivedEvent["object"]): string | undefined {
  const details = (parent as { subscription_details?: { subscription?: unknown } | null } | null)
    ?.subscription_details;
  return [subscription, details?.subscription].find((id) => typeof id === "string");
}

type Answered<T> = T & { readonly lastResponse?: { readonly headers: AnswerHeaders } };

/** When an answer was true, from its date and how long it took. */
export function answeredAt(runtime: Dating, answer: Answered<object>, startedAt: number): Interval {
  const date = headerOf(answer.lastResponse?.headers, "date");
  return answerInterval(date, runtime.now() - startedAt, runtime.tolerances);
}

/** When a page of a list was true. */
export function seenOnPage(runtime: Dating, page: Answered<object>, startedAt: number): Interval {
  const date = headerOf(page.lastResponse?.headers, "date");
  return pageInterval(date, runtime.now() - startedAt, runtime.tolerances);
}

/** What a list page says about each of its objects. */
export function snapshotsOfPage(
  runtime: Dating,
  resource: ResourceName,
  page: Answered<{ readonly data: readonly { readonly id: string }[]; readonly owner?: string }>,
  startedAt: number,
): Snapshot[] {
  const { owner } = page;
  const owned = owner === undefined || ownerFieldOf(resource) === undefined ? {} : { owner };
  const seen = seenOnPage(runtime, page, startedAt);
  return page.data.map((object) => ({
    ...snapshotOfPart(resource, plain(object), seen),
    ...owned,
  }));
}

/** What the whole list of an owner says of an object that it lacks: what a retrieval says that finds none. */
export function snapshotOfAbsence(
  resource: ResourceName,
  id: string,
  { lo, hi }: Interval,
): Snapshot {
  const seen = { origin: "page", kind: "missing", usable: true } as const;
  return { resource, id, ...seen, lo, hi, content: null };
}

/** What the answer to a creation says: its id was not known before, so it counts as a page of one. */
export function snapshotOfCreation(
  runtime: Dating,
  resource: ResourceName,
  object: Answered<{ readonly id: string }>,
  startedAt: number,
): Snapshot {
  return snapshotOfPart(resource, plain(object), answeredAt(runtime, object, startedAt));
}

/** What an answer or a page says of one of the objects in it, which was not asked about by its id alone. */
export function snapshotOfPart(resource: ResourceName, content: Content, seen: Interval): Snapshot {
  const { lo, hi } = seen;
  const { id } = content as { readonly id: string };
  const usable = !isCut(resource, content);
  const said = { origin: "page", kind: "changed", usable, lo, hi } as const;
  return { resource, id, ...said, content: usable ? content : null };
}

/** An object as it is stored, unless something came since: nothing was seen, so no time is another. */
export function snapshotOfStored(
  resource: ResourceName,
  id: string,
  { revision: askedAt, lo, hi }: Version,
  content: Content,
): Snapshot {
  const stored = { origin: "answer", kind: "changed", usable: true } as const;
  return { resource, id, ...stored, lo, hi, askedAt, content };
}

/** Stripe's own error of this status, whichever of its classes it is. */
export function stripeStatus(error: unknown): number | undefined {
  const status = (error as Partial<Stripe.errors.StripeError> | undefined)?.statusCode;
  return typeof status === "number" ? status : undefined;
}
