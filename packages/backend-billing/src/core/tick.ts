/**
 * Everything that is due, within a budget of time: what a host without workers calls from a schedule
 * of its own. Any number of processes may do so at once, beside workers too: who does what is decided
 * by the leases in the store.
 */
import { workOnce } from "./background.js";
import { claimLease } from "./customers/setup.js";
import { eraseLease } from "./erase/erase.js";
import { askLease } from "./events/refetch.js";
import { refreshLease } from "./events/refresh.js";
import { ASK_DELAY } from "./mirror/rule.js";
import type { Store } from "./mirror/store.js";
import { argsOf, shown } from "./runtime/arguments.js";
import { setAsideNow } from "./runtime/commit/asides.js";
import { BillingError } from "./runtime/errors.js";
import { records } from "./runtime/records/records.js";
import { type Runtime, workersOf } from "./runtime/runtime.js";
import { checkPlace } from "./stripe/account.js";
import { lapseLease } from "./subscriptions/grace.js";
import { seatsLease } from "./subscriptions/seats/follow.js";
import { deferRecords } from "./sync/work/deferred.js";
import { workPages } from "./sync/work/loop.js";
import { prune } from "./sync/work/prune.js";
import { openScheduled, openWanted } from "./sync/work/scheduled.js";
import { creditsLease } from "./usage/credits/follow.js";
import { batchLease, sendsUsage } from "./usage/outbox/outbox.js";
import { shareLease } from "./usage/shares/follow.js";

/** What `tick` takes. */
export interface TickOptions {
  /** Milliseconds after which nothing new is begun; a page under way is finished. Default 10,000. */
  readonly budget?: number;
}

/** What `tick` answers. */
export interface Ticked {
  /** Whether something was still due when the budget was used up. Then call it again. */
  readonly more: boolean;
}

const BUDGET = 10_000;

export async function tick(runtime: Runtime, options: TickOptions = {}): Promise<Ticked> {
  const { budget = BUDGET } = argsOf("tick", options);
  if (typeof budget !== "number" || !(budget >= 0)) {
    const message = `\`budget\` must be a number of milliseconds, not ${shown(budget)}.`;
    throw new BillingError("invalid_argument", message);
  }
  const end = runtime.now() + budget;
  await prune(runtime);
  await openWanted(runtime);
  return workUntil(runtime, end);
}

/** Milliseconds after which questions are asked again, though there are pages to do. */
const ROUND = 1_000;

/** Does what is due, until nothing is or the time is over. */
async function workUntil(runtime: Runtime, end: number): Promise<Ticked> {
  const hasTime = () => runtime.now() < end;
  const workers = workersOf(runtime);
  // In turns: a page leaves questions behind, and their answers may end a run. What waits for Stripe comes last,
  // because it may take all the time.
  for (;;) {
    const half = runtime.now() + (end - runtime.now()) / 2;
    const delivered = (await runtime.reactions?.deliver(half)) ?? 0;
    const turn = Math.min(end, runtime.now() + ROUND);
    const isStopped = () => runtime.now() >= turn;
    const pages = await workPages(runtime, { workers, isStopped, patience: 0 });
    const worked = await workOnce(runtime);
    if (!hasTime()) return { more: true };
    if (worked === 0 && delivered === 0 && pages === 0) return { more: false };
  }
}

/**
 * Opens the run that a schedule wants and works at it for a while, with few calls of the store: the
 * run's records are written once, at the end. What is left then is done by the workers of partitions.
 */
export async function tickScheduled(
  store: Store,
  runtimeOver: (store: Store) => Runtime,
  wanted: "catch-up" | "reconcile",
): Promise<void> {
  const deferred = deferRecords(store);
  const runtime = runtimeOver(deferred.store);
  const end = runtime.now() + BUDGET;
  // Together, because a store may do in one go what is asked of it at the same moment.
  const begun = [
    openScheduled(runtime, wanted),
    checkPlace(runtime),
    prune(runtime),
    deferred.takeAhead(leases(runtime)),
    readAhead(runtime),
  ];
  await Promise.allSettled(begun); // none of them may go on after an error
  await Promise.all(begun);
  await workUntil(runtime, end);
  if (await deferred.flush(runtime.now())) return;
  const line = "Another process opened a run at the same time; this one is not recorded";
  runtime.log?.info({ kind: wanted }, line);
}

/** What the end of a run would take: whatever is in doubt now or soon. */
const leases = (runtime: Runtime) => ({
  asks: askLease(runtime, undefined, ASK_DELAY),
  refresh: refreshLease(runtime, undefined, runtime.timing.refreshDelay),
  claim: claimLease(runtime),
  erased: eraseLease(runtime),
  lapse: lapseLease(runtime),
  ...(runtime.seats === undefined ? {} : { seats: seatsLease(runtime) }),
  ...(sendsUsage(runtime) ? { batch: batchLease(runtime) } : {}),
  ...(runtime.credits === undefined ? {} : { credits: creditsLease(runtime) }),
  ...(runtime.shares === undefined ? {} : { share: shareLease(runtime) }),
});

/** Reads what the run needs later: the store that defers its records reads each of them once. */
async function readAhead(runtime: Runtime): Promise<void> {
  const watermarks = [...runtime.resources, "events" as const].map(records.watermark);
  const settings = [records.account, records.pace, ...watermarks];
  await Promise.all([
    ...settings.map((record) => record.read(runtime)),
    setAsideNow(runtime.store),
  ]);
}
