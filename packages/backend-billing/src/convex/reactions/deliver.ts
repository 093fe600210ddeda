/**
 * Tells the changes of rows to the application, one in a mutation. `begin` counts an attempt at an
 * object's oldest change and schedules `tell`, which goes by what it reads: a mutation is serialisable,
 * so the revision of the record is all that is needed for one delivery at a time. What a handler writes
 * is committed together with the mark that it was told, and taken back where it throws. Where the whole
 * mutation fails, the attempt stays counted, and `begin` is scheduled for when it is due again.
 */
import type { GenericDataModel, GenericMutationCtx, Scheduler } from "convex/server";
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import { isDue } from "../../core/mirror/due.js";
import type { RecordRequest, RecordWrite } from "../../core/mirror/store.js";
import type { AnyCatalogue } from "../../core/plans/catalogue.js";
import {
  attempt,
  DELIVERY_TIMING,
  type Delivery,
  type DeliveryTiming,
  deliveryIn,
} from "../../core/reactions/delivery.js";
import { afterTelling, type Became, beforeTelling } from "../../core/reactions/telling/became.js";
import type { Telling } from "../../core/reactions/telling/context.js";
import type { Handlers } from "../../core/reactions/telling/handlers.js";
import { tellingsOf } from "../../core/reactions/telling/tellings.js";
import type { Logger } from "../../core/runtime/config.js";
import { type Delivering, observeDelivery } from "../../core/runtime/telemetry/observe.js";
import type { Telemetry } from "../../core/runtime/telemetry/telemetry.js";
import { decode, encode } from "../calls/encode.js";
import type { OperationOf } from "../calls/operations.js";
import type { StoreReference } from "../schedule.js";
import { type RecordDocument, recordAt } from "../store/records.js";
import { waitingOf } from "../store/waiting.js";
import type { Db } from "../tables/database.js";
import type { HandlerReference } from "./reactions.js";
import { readsIn } from "./reads.js";

export interface DeliveryOptions {
  readonly handlers: Handlers<HandlerReference>;
  readonly catalogue?: AnyCatalogue | undefined;
  readonly log?: Logger | undefined;
  readonly telemetry?: Telemetry | undefined;
  readonly timing?: DeliveryTiming;
}

/** One transaction of the `store` mutation. */
export interface Deliverer {
  readonly options: DeliveryOptions;
  readonly resources: readonly ResourceName[];
  readonly db: Db;
  readonly scheduler: Scheduler;
  readonly store: StoreReference;
  readonly runMutation: GenericMutationCtx<GenericDataModel>["runMutation"];
  /** Stores what follows from what was told, and schedules what that leaves to be done. */
  follow(writes: readonly RecordWrite[], requests: readonly RecordRequest[]): Promise<void>;
}

/** Counts an attempt at an object's oldest change, unless one is under way, and has it told. */
export async function begin(on: Deliverer, ref: string): Promise<void> {
  const { db, options } = on;
  const now = Date.now();
  for (;;) {
    const head = await waitingOf(db, ref);
    if (head === null || !isTellable(head, now)) return;
    const change = deliveryIn(head);
    const tried = attempt(change, now, options.timing ?? DELIVERY_TIMING);
    const counted = { revision: head.revision + 1, due: tried.due, data: { ...tried.next } };
    await db.patch(head._id, counted);
    if (!tried.isParked) return scheduleTell(on, { ...head, ...counted }, tried.due, tried.pause);
    observe(on, change, { outcome: "parked", name: change.resource });
  }
}

/** What was not tried yet is told in its turn; what was is under way, or waits for its next attempt. */
const isTellable = (head: RecordDocument, now: number): boolean =>
  deliveryIn(head).attempts === undefined || isDue("change", head.due, now);

/** And an attempt after it, which `tell` takes back: a mutation that fails leaves nothing behind. */
async function scheduleTell(
  { scheduler, store }: Deliverer,
  { recordId: id, revision, ref }: RecordDocument,
  due: number,
  pause: number,
): Promise<void> {
  const next = { type: "deliver", ref } as const;
  const again = await scheduler.runAt(due, store, { operation: next });
  const operation = { type: "tell", id, revision, pause, again } as const;
  await scheduler.runAfter(0, store, { operation });
}

/** Tells the next thing of a change whose attempt was counted, unless it has moved on meanwhile. */
export async function tell(on: Deliverer, asked: OperationOf<"tell">): Promise<void> {
  const { db, scheduler, store } = on;
  const record = await recordAt(db, "change", asked.id);
  if (record === null || record.ref === null || record.revision !== asked.revision) return;
  await scheduler.cancel(asked.again as never);
  // Present states are told first, and may have come in between.
  if ((await waitingOf(db, record.ref))?._id !== record._id) return putBack(on, record);
  const change = decode(deliveryIn(record));
  const result = await tried(on, change);
  observe(on, change, result);
  if (result.outcome === "failed") {
    const due = Date.now() + asked.pause;
    await db.patch(record._id, { due });
    const operation = { type: "deliver", ref: record.ref } as const;
    await scheduler.runAt(due, store, { operation });
    return;
  }
  await mark(on, record, result.became);
  await begin(on, record.ref);
}

/** Takes back an attempt at a change whose turn has not come: it is due as soon as that of another is over. */
async function putBack(on: Deliverer, record: RecordDocument): Promise<void> {
  const { attempts = 1, ...change } = deliveryIn(record);
  await on.db.patch(record._id, {
    revision: record.revision + 1,
    due: Date.now(),
    data: { ...change, attempts: attempts - 1 },
  });
  if (record.ref !== null) await begin(on, record.ref);
}

type Tried =
  | { readonly outcome: "told"; readonly became: Became; readonly next: Telling | undefined }
  | { readonly outcome: "failed"; readonly name: string; readonly error: unknown };

/** Calls the handler. What it wrote is taken back where it throws, and nothing else is. */
async function tried(on: Deliverer, change: Delivery): Promise<Tried> {
  const { db, resources, options, runMutation } = on;
  const { handlers, catalogue } = options;
  let name: string = change.resource;
  try {
    const names = new Set(handlers.keys());
    const reads = readsIn(db, resources);
    const tellings = await tellingsOf({ reads, names, resources, catalogue }, change);
    const first = beforeTelling(change, tellings);
    if (first !== undefined) return { outcome: "told", became: first, next: undefined };
    const next = tellings.all.find((each) => !change.done?.includes(each.name));
    const handler = next && handlers.get(next.to);
    if (next !== undefined && handler !== undefined) {
      name = next.name;
      await runMutation(handler, argumentsOf(next));
    }
    return { outcome: "told", became: afterTelling(change, tellings, next), next };
  } catch (error) {
    return { outcome: "failed", name, error };
  }
}

const argumentsOf = ({ to, payload }: Telling): { [name: string]: unknown } =>
  to.startsWith("change ") ? { change: encode(payload) } : { event: encode(payload) };

/** Stores that something was told, with what follows; after the last the change is gone. */
async function mark(
  { db, follow }: Deliverer,
  record: RecordDocument,
  { left, writes, requests }: Became,
): Promise<void> {
  if (left === null) await db.delete(record._id);
  else {
    const { before, after } = deliveryIn(record); // as Convex takes them
    const data = { ...left, before, after };
    await db.patch(record._id, { revision: record.revision + 1, data });
  }
  await follow(writes, requests);
}

function observe({ options }: Deliverer, change: Delivery, became: Tried | Delivering): void {
  const { log, telemetry } = options;
  if (!("became" in became)) observeDelivery({ log, telemetry }, change, became);
  else if (became.next !== undefined) {
    const { outcome, next } = became;
    observeDelivery({ log, telemetry }, change, { outcome, name: next.name });
  }
}
