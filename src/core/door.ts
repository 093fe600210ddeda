/**
 * The one door through which events enter the mirror, whether a webhook brought them or the event
 * list: what an event means, and its commit. When this returns, everything the event asks for is
 * stored or durably asked for.
 */
import type Stripe from "stripe";
import { ENTITY_KEY } from "./carrier.js";
import { forgetCustomer, observeCustomer } from "./customers.js";
import { ASK_DELAY } from "./mirror.js";
import { type EventOutcome, eventOutcome, tellEvent } from "./observe.js";
import type { Runtime } from "./runtime.js";
import { type ReceivedEvent, sightOfEvent, sightOfHint } from "./sight.js";
import type { Receipt, RecordWish, Snapshot, Unit, UnitOutcome } from "./store.js";

/** `ignored`: nothing in the mirror depends on such an event. */
export type Received = "handled" | "duplicate" | "ignored";

/** `heard` is told more finely what became of the event. */
export async function receiveEvent(
  runtime: Runtime,
  event: ReceivedEvent,
  heard?: (outcome: EventOutcome) => void,
): Promise<Received> {
  const effect = effectOf(runtime, event);
  if (effect === undefined) {
    heard?.("ignored");
    tellEvent(runtime, "webhook", receiptOf(event), "ignored");
    return "ignored";
  }
  const result = await runtime.store.commit({ now: runtime.now(), units: [effect.unit] });
  if (!result.committed) throw new Error("A commit without records cannot conflict");
  // Also for a duplicate: whoever handled it first may have died before this.
  if (effect.carried !== undefined) await follow(runtime, effect.carried);
  wakeAfter(runtime, result.units, [effect.unit]);
  const outcome = eventOutcome(effect.unit, result.units[0]);
  heard?.(outcome);
  tellEvent(runtime, "webhook", effect.unit.receipt, outcome);
  return result.units[0]?.duplicate === false ? "handled" : "duplicate";
}

/** What an event asks for: what is committed at once, and what is to be followed afterwards. */
export interface EventEffect {
  readonly unit: Unit & { readonly receipt: Receipt };
  readonly carried: Carried | undefined;
}

/** Undefined when nothing in the mirror depends on such an event. */
export function effectOf(runtime: Runtime, event: ReceivedEvent): EventEffect | undefined {
  const effects = runtime.effects.get(event.type as Stripe.Event.Type);
  if (effects === undefined) return undefined;
  const snapshots: Snapshot[] = [];
  const wishes: RecordWish[] = [];
  for (const effect of effects) {
    const snapshot =
      effect.kind === "refresh"
        ? sightOfHint(runtime, event)
        : sightOfEvent(runtime, event, effect);
    if (snapshot !== undefined) snapshots.push(snapshot);
    else if (effect.kind === "refresh") wishes.push(...refreshWish(runtime, event));
  }
  return { unit: { receipt: receiptOf(event), snapshots, wishes }, carried: carriedBy(event) };
}

function receiptOf({ id, type, created, object }: ReceivedEvent): Receipt {
  return { eventId: id, type, created, objectId: object.id ?? null };
}

/** Has the background look after what these units left to do. */
export function wakeAfter(
  runtime: Runtime,
  outcomes: readonly UnitOutcome[],
  units: readonly Unit[],
): void {
  const fresh = units.filter((_, index) => outcomes[index]?.duplicate === false);
  const asked = outcomes.some(
    (unit) => !unit.duplicate && unit.outcomes.some(({ act }) => act === "ask"),
  );
  if (asked) runtime.wake(ASK_DELAY);
  if (fresh.some(({ wishes = [] }) => wishes.length > 0)) runtime.wake(runtime.timing.refreshDelay);
}

/**
 * Events about invoices, payments and checkouts refresh the subscription that they name. Those that
 * name none refresh all of their customer's.
 */
function refreshWish(runtime: Runtime, event: ReceivedEvent): RecordWish[] {
  const { customer } = event.object;
  if (typeof customer !== "string") return [];
  const due = runtime.now() + runtime.timing.refreshDelay;
  return [{ kind: "refresh", id: customer, due, data: {} }];
}

/** What happened to a customer that the links between entities and customers must follow. */
export type Carried =
  | { readonly forget: string }
  | { readonly observe: Parameters<typeof observeCustomer>[1] };

function carriedBy(event: ReceivedEvent): Carried | undefined {
  const { id, metadata } = event.object;
  if (id === undefined) return undefined;
  if (event.type === "customer.deleted") return { forget: id };
  if (event.type !== "customer.created" && event.type !== "customer.updated") return undefined;
  const entityId = (metadata as { [key: string]: string } | undefined)?.[ENTITY_KEY];
  if (!entityId) return undefined;
  const { idempotencyKey, created } = event;
  return { observe: { id, entityId, idempotencyKey, at: created } };
}

/** Keeps the links in step. Doing it twice does no harm. */
export async function follow(runtime: Runtime, carried: Carried): Promise<void> {
  if ("forget" in carried) await forgetCustomer(runtime, carried.forget);
  else await observeCustomer(runtime, carried.observe);
}
