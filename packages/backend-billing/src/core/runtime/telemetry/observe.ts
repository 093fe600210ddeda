/** The log lines and metrics of events, customers, reactions and commits. */

import type { Batch, Receipt, Snapshot, Store, Unit, UnitOutcome } from "../../mirror/store.js";
import type { Logger } from "../config.js";
import { factsOf } from "../error-facts.js";
import { type Attributes, observed, type Telemetry } from "./telemetry.js";

/** Where lines and measurements go; a runtime has both. */
interface Observer {
  readonly log: Logger | undefined;
  readonly telemetry: Telemetry | undefined;
}

/** Where an event was read: posted by Stripe, or found in its list of events. */
export type EventSource = "webhook" | "list";

/**
 * `stored`: the mirror took it, or it is to be told. `asked`: something changed, and Stripe is asked what. `older`: more
 * is known already. `duplicate`: the same event came before. `ignored`: nothing depends on it.
 * `set_aside`: its object cannot be stored, which is remembered.
 */
export type EventOutcome = "stored" | "asked" | "older" | "duplicate" | "ignored" | "set_aside";

const LINES: { readonly [outcome in EventOutcome]: string } = {
  stored: "An event was stored",
  asked: "An event was noted, and Stripe is asked about it",
  older: "An event was older than what is known",
  duplicate: "An event was known already",
  ignored: "An event was ignored: nothing depends on it",
  set_aside: "An event's object cannot be stored and was set aside",
};

export function eventOutcome(unit: Unit, outcome: UnitOutcome | undefined): EventOutcome {
  if (outcome === undefined || outcome.duplicate) return "duplicate";
  const did = (...acts: readonly string[]) =>
    outcome.outcomes.some(({ act }) => acts.includes(act));
  if (did("aside")) return "set_aside";
  if (did("ask")) return "asked";
  if (did("write", "touch")) return "stored";
  const requests = unit.requests ?? [];
  if (requests.some(({ kind }) => kind === "change")) return "stored";
  if (requests.length > 0) return "asked";
  return outcome.outcomes.length > 0 ? "older" : "ignored";
}

/** Logs and measures one event. Duplicates from the list of events are expected and not logged. */
export function logEvent(
  { log, telemetry, now }: Observer & { now(): number },
  source: EventSource,
  { eventId, objectId, type, created }: Receipt,
  outcome: EventOutcome,
): void {
  if (source === "webhook" || outcome !== "duplicate") {
    log?.info({ event: eventId, object: objectId, type, source, outcome }, LINES[outcome]);
  }
  if (telemetry === undefined) return;
  telemetry.measure("events", 1, { source, type, outcome });
  if (outcome === "duplicate" || outcome === "ignored") return;
  telemetry.measure("event.lag", Math.max(0, now() / 1000 - created), { source, type });
}

/** Logs and measures the events of a page, once it is committed. */
export function logListed(
  runtime: Observer & { now(): number },
  units: readonly Unit[],
  outcomes: readonly UnitOutcome[],
): void {
  if (runtime.log === undefined && runtime.telemetry === undefined) return;
  for (const [index, unit] of units.entries()) {
    if (unit.receipt === undefined) continue;
    logEvent(runtime, "list", unit.receipt, eventOutcome(unit, outcomes[index]));
  }
}

/** An object that cannot be stored. The reason quotes nothing of it. */
export function logAside(
  { log, telemetry }: Observer,
  { resource, id }: Pick<Snapshot, "resource" | "id">,
  reason: string,
): void {
  const line = { object: id.slice(0, 100), resource, reason };
  log?.error(line, "An object cannot be stored and was set aside; `doctor` says what to do");
  telemetry?.measure("set_aside", 1, { resource });
}

/** Names the customer only: an entity's id may be an email address. */
export function logLinked({ log, telemetry }: Observer, customer: string | null): void {
  log?.info({ object: customer ?? undefined }, "A customer was linked to its entity");
  telemetry?.measure("customers.linked", 1, {});
}

/** One look at a change: a handler was called, or the change was parked. */
export interface Delivering {
  readonly outcome: "told" | "failed" | "parked";
  /** What is told, or was to be told next. */
  readonly name: string;
  /** For which the handler ran. */
  readonly milliseconds?: number;
  readonly error?: unknown;
}

/**
 * Logs and measures it. `change` is as it was read before. What is about an entity is named without
 * its id, which may be an email address.
 */
export function observeDelivery(
  { log, telemetry }: Observer,
  change: { readonly resource: string; readonly id: string; readonly attempts?: number },
  { outcome, name, milliseconds, error }: Delivering,
): void {
  const { resource, id, attempts = 0 } = change;
  const about = { object: resource === "access" ? undefined : id, resource, reaction: name };
  if (outcome === "failed") {
    const line = { ...about, attempts: attempts + 1, ...factsOf(error) };
    log?.warn(line, "A handler failed; it is called again later");
  } else if (outcome === "parked") {
    const line = { ...about, attempts };
    log?.error(line, "A change could not be told for too long and was parked; `hooks` settles it");
  }
  // A group is named behind the event.
  const attributes = { name: name.split(" ", 1)[0], outcome };
  telemetry?.measure("reactions", 1, attributes);
  if (milliseconds !== undefined) {
    telemetry?.measure("reaction.duration", milliseconds / 1000, attributes);
  }
}

/** The store, with every transaction of a commit observed. */
export function observedStore(store: Store, telemetry: Telemetry): Store {
  return {
    ...store,
    commit: (batch) =>
      observed(telemetry, "commit", async (annotate) => {
        const about = attributesOf(batch);
        annotate?.(about);
        const result = await store.commit(batch);
        annotate?.({ outcome: result.committed ? "committed" : "conflict" });
        telemetry.measure("commit.objects", Number(about.objects), {});
        return result;
      }),
  };
}

/**
 * Sizes, and ids where there is but one. Ids of records are left out: they name entities and links.
 */
function attributesOf({ units, records = [] }: Batch): Attributes {
  const snapshots = units.flatMap((unit) => unit.snapshots ?? []);
  const [only] = snapshots;
  return {
    units: units.length,
    objects: snapshots.length,
    records: records.length,
    event: units.length === 1 ? units[0]?.receipt?.eventId : undefined,
    object: snapshots.length === 1 ? only?.id : undefined,
  };
}
