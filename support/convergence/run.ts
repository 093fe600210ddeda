/**
 * Runs one history: Stripe's model on one side, on the other two processes that run the real core
 * over a real store, and between them everything that can go wrong. When nothing happens any more,
 * it says where the tables differ from what Stripe would answer.
 */

import {
  effectsByEvent,
  type ResourceName,
} from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { receiveEvent } from "../../packages/backend-billing/src/core/events/receive.js";
import { answerAsks } from "../../packages/backend-billing/src/core/events/refetch.js";
import {
  refreshCustomer,
  refreshDue,
} from "../../packages/backend-billing/src/core/events/refresh.js";
import { TOLERANCES } from "../../packages/backend-billing/src/core/mirror/interval.js";
import { readEvent } from "../../packages/backend-billing/src/core/mirror/snapshot.js";
import type { Store } from "../../packages/backend-billing/src/core/mirror/store.js";
import { behindGateway } from "../../packages/backend-billing/src/core/runtime/commit/commit.js";
import { TIMING } from "../../packages/backend-billing/src/core/runtime/config.js";
import { localOf } from "../../packages/backend-billing/src/core/runtime/local.js";
import type { RunKind } from "../../packages/backend-billing/src/core/runtime/reports.js";
import type { Runtime } from "../../packages/backend-billing/src/core/runtime/runtime.js";
import type { Broken } from "./broken.js";
import { differences } from "./compare.js";
import { fakeStripe } from "./fake-stripe.js";
import { type History, PROCESSES } from "./history.js";
import { createModel, type Model, type ModelEvent, START } from "./model.js";
import { connection, StoreFault } from "./stores/faulty.js";
import { workAt, workAtScheduled } from "./syncing.js";
import { createTime, type Process, startProcess } from "./time.js";

/** What a store does that takes real time, and where others may come in between. */
export interface Gate {
  pause(): Promise<void>;
  real<T>(work: () => Promise<T>): Promise<T>;
}

/** An empty database, for one history. */
export interface Database {
  /** What one process holds. */
  connect(gate: Gate): Store;
  /** Turns of the event loop that a call takes at most until its next query. Default 1. */
  readonly turns?: number;
  /** What is broken around the core. */
  readonly broken?: Broken;
}

export interface Outcome {
  readonly differences: readonly string[];
  readonly calls: number;
  readonly events: number;
  /** What was true at Stripe. */
  readonly model: Model;
}

/** Milliseconds after which somebody looks whether work was left behind. */
const WATCHDOG = 5_000;
const RESTART = 300;
/** How long each part of a call takes once all is calm. */
const SWIFT = 40;
const REDELIVERY = 2_500;
/** By then even the slowest has come to its end; who has not never will. */
const PATIENCE = 600_000;
/** Milliseconds until the schedule has everything compared: longer than a list may lag. */
const LATER = 30_000;

/** Takes from a list for ever, in turn. */
function around<T>(list: readonly T[]): () => T {
  let next = 0;
  return () => list[next++ % list.length]!;
}

interface Slot {
  process: Process;
  runtime: Runtime;
  /** Over all its lives. */
  gates: number;
  wakesAt: number | undefined;
}

export async function runHistory(
  history: History,
  database: Database,
  trace?: string[],
): Promise<Outcome> {
  const model = createModel(history);
  const resources = [...new Set(model.objects.map(({ resource }) => resource))] as ResourceName[];
  const [wait, travel, dateSkew] = [history.waits, history.travels, history.dateSkews].map(around);
  const lag = around(history.lags);
  const answer = around(history.answers);
  const storeOutcome = around(history.stores);
  const slots: Slot[] = [];
  const observer = startProcess("observer");
  let unfinished = 0;
  let calls = 0;

  const beforeGate = (process: Process) => {
    const slot = slots.findIndex((each) => each.process === process);
    if (slot < 0) return;
    const gate = slots[slot]!.gates++;
    if (!history.crashes.some((crash) => crash.process === slot && crash.gate === gate)) return;
    log(process, "is killed");
    time.kill(process);
    time.at(time.now() + RESTART, () => {
      slots[slot] = open(slot, slots[slot]!.gates);
    });
  };
  const time = createTime({ start: START, turns: database.turns ?? 1, beforeGate });

  const log = (process: Process, line: string) =>
    trace?.push(`${((time.now() - START) / 1000).toFixed(3).padStart(8)} ${process.name} ${line}`);

  const caughtUpAt = Math.max(model.end + 14_000, START + 20_000);
  const { needsListing } = model;
  /** From here on nothing fails any more, and nothing new happens. */
  const calm = caughtUpAt + 20_000;

  function open(index: number, gates: number): Slot {
    const process = startProcess(`p${index + 1}`);
    const pause = () => time.pause(process, wait!());
    const inside = database.connect({ pause, real: time.real });
    const store = connection(inside, {
      pause,
      part: (work) => time.part(process, work),
      outcome: () => (time.now() < calm ? storeOutcome() : "good"),
      log: (line) => log(process, line),
    });
    const stripe = fakeStripe(model, {
      now: time.now,
      travel: () => time.pause(process, time.now() < calm ? travel!() : SWIFT),
      dateSkew: dateSkew!,
      lag,
      outcome: () => {
        calls++;
        return time.now() < calm ? answer() : "good";
      },
      log: (line) => log(process, line),
    });
    const unused = () => {
      throw new Error("The mirror needs no address");
    };
    const { broken = {} } = database;
    const itsStripe = broken.stripe?.(stripe) ?? stripe;
    const config = { secret_key: "sk_test_1", webhook_secret: "whsec_1", rate: false as const };
    const runtime: Runtime = {
      config,
      app: undefined,
      store: behindGateway(broken.store?.(store, inside) ?? store, () => {}),
      resources,
      effects: effectsByEvent(resources),
      tolerances: TOLERANCES,
      timing: TIMING,
      log: undefined,
      telemetry: undefined,
      local: localOf(config),
      seats: undefined,
      reactions: undefined,
      outbox: undefined,
      books: undefined,
      credits: undefined,
      shares: undefined,
      baseUrl: unused,
      stripe: () => itsStripe,
      now: time.now,
      sleep: (milliseconds) => time.pause(process, milliseconds),
      wake: (delay) => wake(slot, delay),
      isClosing: () => false,
    };
    const slot: Slot = { process, runtime, gates, wakesAt: undefined };
    return slot;
  }

  /** The background of a process: it looks once when it was woken, and again while it finds work. */
  function wake(slot: Slot, delay: number): void {
    const moment = time.now() + delay;
    if (slot.wakesAt !== undefined && slot.wakesAt <= moment) return;
    slot.wakesAt = moment;
    time.at(moment, () => {
      if (slot.wakesAt === moment) slot.wakesAt = undefined;
      time.start(slot.process, async () => {
        const done = await tolerant(slot.process, () => work(slot.runtime));
        if ((done ?? 0) === 0) return;
        wake(slot, 0);
      });
    });
  }

  const work = async (runtime: Runtime) => {
    const answered = await answerAsks(runtime);
    return answered + (await refreshDue(runtime));
  };

  /** A database that fails is part of the game; anything else is a bug. */
  async function tolerant<T>(process: Process, act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error;
      log(process, "gives up for now: the store failed");
      return undefined;
    }
  }

  /** Work that is done again, from its beginning, until a process has come to its end with it. */
  function untilDone(index: number, retry: number, act: (slot: Slot) => Promise<boolean>): void {
    unfinished++;
    const attempt = (number: number) => {
      const slot = slots[number % PROCESSES]!;
      let isOver = false;
      const again = () => {
        if (isOver) return;
        isOver = true;
        time.at(time.now() + retry, () => attempt(number + 1));
      };
      if (!slot.process.isAlive) {
        again();
        return;
      }
      slot.process.onDeath.add(again);
      time.start(slot.process, async () => {
        const isDone = await tolerant(slot.process, () => act(slot));
        slot.process.onDeath.delete(again);
        if (isDone !== true) again();
        else {
          isOver = true;
          unfinished--;
        }
      });
    };
    attempt(index);
  }

  const deliver = (event: ModelEvent, to: number) =>
    untilDone(to, REDELIVERY, async ({ runtime, process }) => {
      log(process, `is sent ${event.name}, ${event.title}`);
      const received = await receiveEvent(runtime, readEvent(event.body)!);
      log(process, `answers ${event.name}: ${received}`);
      return true;
    });

  const send = (event: ModelEvent, raised: number) => {
    for (const { delay, to } of event.plan.sent) {
      time.at(raised + delay, () => deliver(event, to));
    }
  };

  const run = (at: number, by: number, kind: RunKind | "scheduled reconcile", then = () => {}) =>
    time.at(at, () =>
      untilDone(by, REDELIVERY, async ({ runtime, process }) => {
        log(process, `works at a ${kind}`);
        const isDone = await (kind === "scheduled reconcile"
          ? workAtScheduled(runtime)
          : workAt(runtime, kind));
        log(process, `${isDone ? "is done with" : "has failed in"} a ${kind}`);
        if (isDone) then();
        return isDone;
      }),
    );

  for (let index = 0; index < PROCESSES; index++) slots.push(open(index, 0));
  const catchesUpByRun = history.fillsFirst && history.catchesUpByRun;
  const old = model.events.filter(({ raisedAt }) => raisedAt < START);
  model.events.forEach((event, index) => {
    const isOld = old.includes(event);
    if (!isOld || !history.fillsFirst) send(event, Math.max(event.raisedAt, START));
    const isCaughtUp = event.plan.sent.length === 0 || index % 3 === 0;
    if (!isCaughtUp || event.isLost || catchesUpByRun || (isOld && history.fillsFirst)) return;
    time.at(caughtUpAt + 30 * index, () => deliver(event, index));
  });
  if (catchesUpByRun || (needsListing && history.fillsFirst)) {
    // What is old comes when all that there is was listed.
    run(START, 0, "backfill", () => {
      for (const event of old) send(event, time.now());
      if (catchesUpByRun) run(Math.max(caughtUpAt, time.now()), 0, "catch-up");
    });
  } else if (needsListing) run(calm, 0, "reconcile");
  for (const { at, by, kind } of history.runs) run(START + 5_000 + at, by, kind);
  for (const { at, by } of history.returns) {
    time.at(START + 5_000 + at, () => {
      const { process, runtime } = slots[by % PROCESSES]!;
      time.start(process, async () => {
        log(process, "sends somebody back");
        await refreshCustomer(runtime, model.customer, { awaited: true }).catch(() => {});
      });
    });
  }

  const seen = database.connect({ pause: async () => {}, real: time.real });
  let turn = 0;
  let lastLook = calm + PATIENCE;
  const watch = () =>
    time.start(observer, async () => {
      const isCalm = time.now() >= calm && unfinished === 0;
      if (isCalm && (await time.part(observer, () => isSettled(seen, model.objects)))) return;
      if (time.now() > lastLook) return;
      wake(slots[turn++ % PROCESSES]!, 0);
      time.at(time.now() + WATCHDOG, watch);
    });
  const untilSettled = async () => {
    lastLook = Math.max(time.now(), calm) + PATIENCE;
    // Somebody slow may have raised a doubt after everything had seemed to be settled.
    do {
      watch();
      await time.run();
    } while (time.now() < lastLook && !(await isSettled(seen, model.objects)));
  };
  await untilSettled();
  // What Stripe did not tell of is right after the comparison that the schedule makes; all else is
  // right before it, so that the comparison cannot hide what is wrong with that.
  let found = await differences(seen, model, ({ id }) => !model.untold.has(id));
  if (model.untold.size > 0 && found.length === 0) {
    run(time.now() + LATER, 0, "scheduled reconcile");
    await untilSettled();
    found = await differences(seen, model);
  }
  return { differences: found, calls, events: model.events.length, model };
}

async function isSettled(
  store: Store,
  objects: readonly { readonly resource: ResourceName; readonly id: string }[],
): Promise<boolean> {
  for (const { resource, id } of objects) {
    if ((await store.version(resource, id))?.stale) return false;
  }
  return (await store.records("refresh", "", 1)).length === 0;
}
