/**
 * What is to be told of one change, to whom, and what must be stored along with it. It reads what it
 * needs, writes nothing, and says the same of the same database: a platform calls the handlers and
 * stores the rest.
 */
import type { ResourceName, StripeObject } from "../../catalogue/catalogue.js";
import { accessRequest, changeId, changeRecord } from "../../mirror/changes.js";
import { rawName } from "../../mirror/listening.js";
import type { SubscriptionFacts } from "../../mirror/store.js";
import { DEFAULT_GROUP } from "../../subscriptions/group.js";
import {
  type StateOptions,
  type SubscriptionState,
  subscriptionState,
  subscriptionStates,
} from "../../subscriptions/state.js";
import type { Delivery } from "../delivery.js";
import { accessAfter, accessFrom, accessSteps, accessWrite } from "./access-record.js";
import type { Follows, Telling, TellingContext, Tellings } from "./context.js";
import { entityOfCustomer, ownerOf } from "./entity.js";
import { accessFollows, contentThen, knownAccess, trialFollows } from "./follow.js";
import { withFormer } from "./former.js";
import { changeName } from "./handlers.js";
import { eventsOf } from "./payloads.js";

/** Of a change that waits. */
export async function tellingsOf(context: TellingContext, change: Delivery): Promise<Tellings> {
  const { all, writes = [], requests = [] } = await ofOccasion(context, change);
  const late = (payload: object) => (change.late ? { ...payload, late: true } : payload);
  return { all: all.map((each) => ({ ...each, payload: late(each.payload) })), writes, requests };
}

type Found = Partial<Follows> & Pick<Tellings, "all">;

function ofOccasion(context: TellingContext, change: Delivery): Promise<Found> | Found {
  switch (change.resource) {
    case "link":
      return ofLink(context, change);
    case "access":
      return ofAccess(context, change);
    case "trial":
      return ofTrial(context, change);
    case "event":
      return ofEvent(context, change);
    default:
      return ofRow(context, change, change.resource);
  }
}

async function ofRow(
  context: TellingContext,
  change: Delivery,
  resource: ResourceName,
): Promise<Found> {
  const { key, id, at } = change;
  // What an entity has when it is linked is news for the entity, and no change of the row.
  const isPresent = change.before === null && change.after === null;
  const before = change.before;
  const after = isPresent
    ? await contentThen(context.reads, resource, id, changeId(resource, id))
    : change.after;
  const owner = await ownerOf(context, { ...change, after }, resource);
  const entityId = owner?.entityId ?? null;
  const raw = changeName(resource);
  const rows: readonly Telling[] =
    isPresent || !context.names.has(raw)
      ? []
      : [{ name: raw, to: raw, payload: { key, id, entityId, before, after } }];
  if (owner === null || (before === null && after === null)) return { all: rows };
  if (!isPresent && (await isPresentWaiting(context, resource, id))) return { all: rows };
  const step = { resource, id, before, after, ...owner };
  const facts = await context.reads.subscribed(owner.entityId);
  const seen = await withFormer(context, facts, step);
  const events = (await eventsOf(context, step, seen)).map(({ name, group, carries }) => {
    const subscription = stateIn(context, owner.entityId, facts, group);
    const payload = { name, key: `${key}.${name}`, entityId, at, subscription, ...carries };
    return { name, to: name, payload };
  });
  const [access, trial] = await Promise.all([
    accessFollows(context, change, owner, seen),
    trialFollows(context, step, at),
  ]);
  return {
    all: [...rows, ...events],
    writes: access.writes,
    requests: [...access.requests, ...trial],
  };
}

/**
 * Whether what the entity has by a link is still to be told, which goes before all else: the customer was
 * linked since this change was taken up. What that tells has this change in it.
 */
async function isPresentWaiting(
  { reads }: TellingContext,
  resource: ResourceName,
  id: string,
): Promise<boolean> {
  if (resource !== "subscriptions") return false;
  const present = await reads.record("change", changeId(resource, id));
  return present !== undefined && present.due !== null;
}

const optionsOf = ({ catalogue }: TellingContext, entityId: string): StateOptions => ({
  entityId,
  catalogue,
});

const stateIn = (
  context: TellingContext,
  entityId: string,
  facts: SubscriptionFacts,
  group: string | undefined,
): SubscriptionState => subscriptionState(facts, { ...optionsOf(context, entityId), group });

/** The customer was linked, if it still is its entity's. What it has is told by changes of its own. */
async function ofLink(context: TellingContext, change: Delivery): Promise<Found> {
  const { id, entityId, key, at } = change;
  const isStill = entityId !== undefined && (await entityOfCustomer(context, id)) === entityId;
  if (!isStill) return { all: [] };
  const facts = await context.reads.subscribed(entityId);
  const name = "customer.linked";
  const subscription = stateIn(context, entityId, facts, DEFAULT_GROUP);
  const payload = { name, key: `${key}.${name}`, entityId, at, subscription, customerId: id };
  // The entity may have had another customer before.
  const known = await context.reads.record("access", entityId);
  return {
    all: context.names.has(name) ? [{ name, to: name, payload }] : [],
    requests: known === undefined ? [] : [accessRequest(entityId, key, at)],
  };
}

/** The difference between what an entity has, and what was last told of it. */
async function ofAccess(context: TellingContext, change: Delivery): Promise<Found> {
  const { id: entityId, key, at } = change;
  const { reads, names } = context;
  const record = await reads.record("access", entityId);
  const facts = await reads.subscribed(entityId);
  // Nothing is stored of it where the end of a grace is the first that is looked at.
  const from = { key, isGraceOver: true };
  const known = await knownAccess(context, record, entityId, facts, from);
  // What is told has its key from the record, which is stored before. Earlier versions stored none in it.
  if (record?.data.key === undefined) {
    const write = accessWrite(entityId, record, { ...known, key });
    const again = changeRecord({ ...change, key: `${key}.access` }); // each look has a key of its own
    return { all: [], writes: [write], requests: [again] };
  }
  const now = accessFrom(facts, optionsOf(context, entityId), key);
  const steps = accessSteps(known, now);
  const isListened = ({ event }: (typeof steps)[number]) => names.has(event.name);
  const silent = steps.filter((step) => !isListened(step));
  const after = (...those: typeof steps) =>
    accessWrite(entityId, record, accessAfter(known, now, [...silent, ...those]));
  const all = steps.filter(isListened).map((step): Telling => {
    const { name, group } = step.event;
    const none = stateIn(context, entityId, { ...facts, subscriptions: [] }, group);
    const carries = { before: step.before ?? none, after: step.after ?? none };
    const subscription = stateIn(context, entityId, facts, group);
    const payload = { name, key: step.key, entityId, at, subscription, ...carries };
    return { name: `${name} ${group}`, to: name, payload, writes: [after(step)] };
  });
  return { all, writes: all.length === 0 && silent.length > 0 ? [after()] : [] };
}

/** The trial ends soon, if it still does. */
async function ofTrial(context: TellingContext, { id, key, at }: Delivery): Promise<Found> {
  const name = "trial.ending";
  const row = await context.reads.row("subscriptions", id);
  const content = row?.stripe as StripeObject<"subscriptions"> | undefined;
  const entityId = row && (await entityOfCustomer(context, row.customerId ?? ""));
  if (!entityId || content?.status !== "trialing" || !context.names.has(name)) return { all: [] };
  const facts = await context.reads.subscribed(entityId);
  const states = subscriptionStates(facts, optionsOf(context, entityId));
  const after = states.find(({ subscriptionId }) => subscriptionId === id);
  if (after === undefined) return { all: [] };
  const subscription = stateIn(context, entityId, facts, after.group);
  const payload = { name, key: `${key}.${name}`, entityId, at, subscription, after };
  return { all: [{ name, to: name, payload }] };
}

/** An event of Stripe's, as it came. */
function ofEvent({ names }: TellingContext, { after }: Delivery): Found {
  const name = rawName((after as { type?: string } | null)?.type ?? "");
  return names.has(name) && after !== null
    ? { all: [{ name, to: name, payload: after }] }
    : { all: [] };
}
