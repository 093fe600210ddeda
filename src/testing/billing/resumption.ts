/** Taking a paused subscription up again: it stays paused until the invoice for that is paid. */
import { refused } from "../errors.js";
import type { World } from "../world.js";
import { HOUR, later } from "./dunning.js";
import { collectInvoice, finalizeInvoice, voidInvoice } from "./invoices.js";
import { watchSubscription } from "./lifecycle.js";
import { cycleEnd } from "./period.js";
import { billSubscription, type Subscription } from "./subscriptions.js";

interface Resumption {
  readonly invoice: string;
  /** What the subscription becomes once it is paid. */
  readonly change: Pick<Subscription, "items" | "billing_cycle_anchor">;
}

const resumptions = new WeakMap<World, Map<string, Resumption>>();

function resumptionsOf(world: World): Map<string, Resumption> {
  const known = resumptions.get(world) ?? new Map<string, Resumption>();
  resumptions.set(world, known);
  return known;
}

/** Bills a new period that begins now. */
export function resumeSubscription(world: World, id: string): Subscription {
  const before = world.find("subscription", id);
  const cycle = before.items.data[0]?.price.recurring;
  if (before.status !== "paused" || !cycle) {
    throw refused("The subscription is not paused, so it cannot be resumed.");
  }
  if (before.collection_method !== "charge_automatically") {
    throw refused("Only a subscription that is charged automatically can be resumed.");
  }
  const now = world.now();
  const period = { current_period_start: now, current_period_end: cycleEnd(now, cycle, now) };
  const data = before.items.data.map((item) => ({ ...item, ...period }));
  const change = { items: { ...before.items, data }, billing_cycle_anchor: now };
  const bill = billSubscription(world, { ...before, ...change }, "subscription_update");
  resumptionsOf(world).set(id, { invoice: bill.id, change });
  const { status } = finalizeInvoice(world, bill.id);
  const outcome = status === "paid" ? "paid" : collectInvoice(world, bill.id);
  if (outcome === "paid") concludeResumption(world, id, bill.id);
  else {
    world.raise("customer.subscription.updated", world.find("subscription", id), before);
    later(world, 23 * HOUR, () => giveUp(world, bill.id));
  }
  return world.find("subscription", id);
}

/** Ends the pause, if this is the invoice that it waited for. */
export function concludeResumption(world: World, id: string, invoice: string): void {
  const resumption = resumptionsOf(world).get(id);
  if (resumption?.invoice !== invoice) return;
  resumptionsOf(world).delete(id);
  const before = world.find("subscription", id);
  const after = world.patch("subscription", id, { ...resumption.change, status: "active" });
  world.raise("customer.subscription.updated", after, before);
  world.raise("customer.subscription.resumed", after);
  watchSubscription(world, id);
}

function giveUp(world: World, invoice: string): void {
  if (world.find("invoice", invoice).status === "open") voidInvoice(world, invoice);
}
