/**
 * The one door through which events enter the mirror, whether a webhook brought them or the event
 * list: what an event means, and its commit. When this returns, everything the event asks for is
 * stored or durably asked for.
 */
import type Stripe from "stripe";
import { ENTITY_KEY, forgetCustomer, observeCustomer } from "./customers.js";
import { ASK_DELAY } from "./mirror.js";
import type { Runtime } from "./runtime.js";
import { type ReceivedEvent, sightOfEvent } from "./sight.js";
import type { RecordWish, Snapshot } from "./store.js";

/** `ignored`: nothing in the mirror depends on such an event. */
export type Received = "handled" | "duplicate" | "ignored";

export async function receiveEvent(runtime: Runtime, event: ReceivedEvent): Promise<Received> {
  const effects = runtime.effects.get(event.type as Stripe.Event.Type);
  if (effects === undefined) return "ignored";
  const snapshots: Snapshot[] = [];
  const wishes: RecordWish[] = [];
  for (const effect of effects) {
    if (effect.kind === "refresh") wishes.push(...refreshWish(runtime, event));
    else {
      const snapshot = sightOfEvent(runtime, event, effect);
      if (snapshot !== undefined) snapshots.push(snapshot);
    }
  }
  const { id: eventId, type, created, object } = event;
  const receipt = { eventId, type, created, objectId: object.id ?? null };
  const result = await runtime.store.commit({
    now: runtime.now(),
    units: [{ receipt, snapshots, wishes }],
  });
  if (!result.committed) throw new Error("A commit without records cannot conflict");
  const [unit] = result.units;
  // Also for a duplicate: whoever handled it first may have died before this.
  await followCustomer(runtime, event);
  if (unit === undefined || unit.duplicate) return "duplicate";
  if (unit.outcomes.some(({ act }) => act === "ask")) runtime.wake(ASK_DELAY);
  if (wishes.length > 0) runtime.wake(runtime.timing.refreshDelay);
  return "handled";
}

/** Events about invoices, payments and checkouts refresh the subscriptions of their customer. */
function refreshWish(runtime: Runtime, event: ReceivedEvent): RecordWish[] {
  const { customer } = event.object;
  if (typeof customer !== "string") return [];
  const due = runtime.now() + runtime.timing.refreshDelay;
  return [{ kind: "refresh", id: customer, due, data: {} }];
}

/** Keeps the links between entities and customers in step with what happens to customers. */
async function followCustomer(runtime: Runtime, event: ReceivedEvent): Promise<void> {
  const { id, metadata } = event.object;
  if (id === undefined) return;
  if (event.type === "customer.deleted") await forgetCustomer(runtime, id);
  if (event.type !== "customer.created" && event.type !== "customer.updated") return;
  const entityId = (metadata as { [key: string]: string } | undefined)?.[ENTITY_KEY];
  if (!entityId) return;
  await observeCustomer(runtime, { id, entityId, idempotencyKey: event.idempotencyKey });
}
