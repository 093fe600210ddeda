/**
 * Receives every event, from a webhook, a queue or the list of events: whether it is ours, what it means
 * for the mirror, and its commit. When `receiveEvent` returns, everything the event asks for is stored or durably
 * requested.
 */
import type Stripe from "stripe";
import { entityInMetadata } from "../catalogue/carrier.js";
import { forgetCustomer } from "../customers/claim/record.js";
import { observeCustomer } from "../customers/setup.js";
import { recordStrangers, strangerBy } from "../customers/strangers.js";
import { eventRequest } from "../mirror/changes.js";
import { wellFormed } from "../mirror/content/text.js";
import {
  type ReceivedEvent,
  snapshotOfEvent,
  snapshotOfHint,
  snapshotOfTouch,
} from "../mirror/snapshot.js";
import type { Receipt, RecordRequest, Snapshot, Unit } from "../mirror/store.js";
import { commit } from "../runtime/commit/commit.js";
import { idProblem } from "../runtime/commit/set-aside.js";
import { isLive } from "../runtime/config.js";
import type { Stranger } from "../runtime/records/records.js";
import type { Runtime } from "../runtime/runtime.js";
import { type EventOutcome, eventOutcome, logEvent } from "../runtime/telemetry/observe.js";
import type { Annotate } from "../runtime/telemetry/telemetry.js";
import { checkPlace, isOwnAccount } from "../stripe/account.js";
import { eventCame } from "./first.js";
import { meterErrorRequests } from "./meter-errors.js";
import { relistRequest } from "./owner.js";
import { takesRaw } from "./raw.js";

/** `ignored`: nothing in the mirror depends on such an event, and no handler takes it. */
export type Received = "handled" | "duplicate" | "ignored";

/** `other_mode`: a test event for a live key, or the reverse; nothing was stored. */
type Taken = Received | "other_mode";

/** Takes an event whose sender is proven, if it is of this account and this mode. */
export async function takeEvent(
  runtime: Runtime,
  event: ReceivedEvent,
  annotate?: Annotate,
): Promise<Taken> {
  // First, because a live endpoint is also sent test events of connected accounts.
  if (event.account !== undefined && !(await isOwnAccount(runtime, event.account))) {
    annotate?.({ outcome: "ignored" });
    runtime.log?.info(lineOf(event), "An event of another account was ignored");
    return "ignored";
  }
  if (event.livemode !== isLive(runtime.config)) {
    annotate?.({ "error.type": "livemode_mismatch" });
    runtime.log?.error(lineOf(event), "An event of the other mode was refused");
    return "other_mode";
  }
  eventCame(runtime);
  await checkPlace(runtime);
  return receiveEvent(runtime, event, annotate && ((outcome) => annotate({ outcome })));
}

export const otherMode = ({ livemode }: ReceivedEvent): string =>
  `This is a ${livemode ? "live" : "test"} event, but \`secret_key\` is of the other mode.`;

/** What a line in the log says of an event. */
export const lineOf = ({ id, type, object }: ReceivedEvent) => ({
  event: id,
  object: object.id,
  type,
});

/** `onOutcome` is called with the finer outcome, for telemetry. */
export async function receiveEvent(
  runtime: Runtime,
  event: ReceivedEvent,
  onOutcome?: (outcome: EventOutcome) => void,
): Promise<Received> {
  const known = effectOf(runtime, event);
  const isRaw = known === undefined && (await takesRaw(runtime, event));
  const effect = withMeterErrors(runtime, event, isRaw ? asItCame(runtime, event) : known);
  if (effect === undefined) {
    onOutcome?.("ignored");
    logEvent(runtime, "webhook", receiptOf(event), "ignored");
    return "ignored";
  }
  const result = await commit(runtime, { source: "event", units: [effect.unit] });
  // Also for a duplicate: the process that handled it first may have died before this.
  if (effect.followUp !== undefined) await follow(runtime, effect.followUp);
  if (effect.stranger !== undefined) await recordStrangers(runtime, [effect.stranger]);
  const outcome = eventOutcome(effect.unit, result.units[0]);
  onOutcome?.(outcome);
  logEvent(runtime, "webhook", effect.unit.receipt, outcome);
  return result.units[0]?.duplicate === false ? "handled" : "duplicate";
}

/** The effect of an event: the unit to commit, and what to do after the commit. */
export interface EventEffect {
  readonly unit: Unit & { readonly receipt: Receipt };
  readonly followUp: FollowUp | undefined;
  readonly stranger: Stranger | undefined;
}

/** Undefined when nothing in the mirror depends on such an event. */
export function effectOf(runtime: Runtime, event: ReceivedEvent): EventEffect | undefined {
  const effects = runtime.effects.get(event.type as Stripe.Event.Type);
  if (effects === undefined) return undefined;
  const snapshots: Snapshot[] = [];
  const requests: RecordRequest[] = [];
  for (const effect of effects) {
    if (effect.kind === "relist") {
      requests.push(...relistRequest(runtime, event, effect.resource));
      continue;
    }
    // mutant "a hint that names its subscription has a list read": snapshotOfHint(runtime, event) -> undefined
    const snapshot =
      effect.kind === "refresh"
        ? snapshotOfHint(runtime, event)
        : effect.kind === "touch"
          ? snapshotOfTouch(runtime, event, effect)
          : snapshotOfEvent(runtime, event, effect);
    if (snapshot !== undefined) snapshots.push(snapshot);
    else if (effect.kind === "refresh") requests.push(...refreshRequest(runtime, event));
  }
  requests.push(...linesRequest(runtime, event));
  const unit = { receipt: receiptOf(event), snapshots, requests };
  return { unit, ...followUpOf(runtime, event) };
}

/** The effect of an event that a handler takes as it comes: it is told once, for its receipt. */
export function asItCame(runtime: Runtime, event: ReceivedEvent): EventEffect {
  const requests = [eventRequest(event.id, event.raw, runtime.now())];
  const unit = { receipt: receiptOf(event), requests };
  return { unit, followUp: undefined, stranger: undefined };
}

/** With a request to fetch what a thin event tells of usage that was not counted. */
function withMeterErrors(
  runtime: Runtime,
  event: ReceivedEvent,
  effect: EventEffect | undefined,
): EventEffect | undefined {
  const more = meterErrorRequests(runtime, event);
  if (more.length === 0) return effect;
  const unit = effect?.unit ?? { receipt: receiptOf(event) };
  const requests = [...(unit.requests ?? []), ...more];
  return { followUp: undefined, stranger: undefined, ...effect, unit: { ...unit, requests } };
}

function receiptOf({ id, type, created, object }: ReceivedEvent): Receipt {
  const objectId = object.id === undefined ? null : wellFormed(object.id);
  return { eventId: id, type, created, objectId };
}

/**
 * Events about invoices, payments and checkouts refresh the subscription that they name. Those that
 * name none refresh all of their customer's.
 */
function refreshRequest(runtime: Runtime, event: ReceivedEvent): RecordRequest[] {
  const { customer } = event.object;
  if (typeof customer !== "string" || idProblem(customer) !== undefined) return [];
  const due = runtime.now() + runtime.timing.refreshDelay;
  // mutant "a hint is not followed": { kind: "refresh", id: customer, due, data: {} } ->
  return [{ kind: "refresh", id: customer, due, data: {} }];
}

/** A page on which something was bought once: what it was, the event does not say. */
function linesRequest(
  runtime: Runtime,
  { type, thin, object: { id, mode } }: ReceivedEvent,
): RecordRequest[] {
  if (type !== "checkout.session.completed" || !runtime.resources.includes("checkout_sessions")) {
    return [];
  }
  if (id === undefined || idProblem(id) !== undefined || !(thin || mode === "payment")) return [];
  return [{ kind: "refresh", id, due: runtime.now() + runtime.timing.refreshDelay, data: {} }];
}

/** What a change of a customer means for the link to its entity, done after the commit. */
export type FollowUp =
  | { readonly forget: string }
  | { readonly observe: Parameters<typeof observeCustomer>[1] };

function followUpOf(runtime: Runtime, event: ReceivedEvent): Omit<EventEffect, "unit"> {
  const { id, metadata } = event.object;
  const nothing = { followUp: undefined, stranger: undefined };
  if (id === undefined) return nothing;
  if (event.type === "customer.deleted") return { ...nothing, followUp: { forget: id } };
  if (event.type !== "customer.created" && event.type !== "customer.updated") return nothing;
  const entity = entityInMetadata(metadata, runtime.app);
  const { idempotencyKey, created: at } = event;
  // A creation may be that of a claim which was made before the application had its name.
  const mayBeOurs =
    entity.is === "ours" || (entity.is === "foreign" && event.type === "customer.created");
  return {
    followUp: mayBeOurs
      ? { observe: { id, entityId: entity.entityId, idempotencyKey, at } }
      : undefined,
    stranger: strangerBy(entity, id),
  };
}

/** Does the follow-up of a customer's change. Idempotent. */
export async function follow(runtime: Runtime, followUp: FollowUp): Promise<void> {
  if ("forget" in followUp) await forgetCustomer(runtime, followUp.forget);
  else await observeCustomer(runtime, followUp.observe);
}
