/**
 * Virtual time, and who runs when. Everything that a process does stops at gates, before and after
 * each call of a store or of Stripe; one gate opens at a time, in the order of virtual time. So one
 * history always runs in the same way, whatever the machine, and a process can be killed at any
 * gate: what stood there never goes on.
 */
import { setImmediate } from "node:timers"; // not everywhere is it a global

/** One run of one server process, from its start until it is killed. */
export interface Process {
  readonly name: string;
  isAlive: boolean;
  /** How many gates it has come to. */
  gates: number;
  /** Whoever waits for work of it hears of its end here. */
  readonly onDeath: Set<() => void>;
}

export interface Time {
  /** Milliseconds. */
  now(): number;
  /** Does something at a moment; not part of any process. */
  at(moment: number, act: () => void): void;
  /** Lets a process wait. It never returns if the process is killed meanwhile. */
  pause(process: Process, milliseconds: number): Promise<void>;
  /** Starts work in a process. What it throws ends the run. */
  start(process: Process, work: () => Promise<void>): void;
  /** Something that takes real time, such as a query: virtual time stands still until it is over. */
  real<T>(work: () => Promise<T>): Promise<T>;
  /** Something that may come to gates, and wait for others: it is over before the run is. */
  part<T>(process: Process, work: () => Promise<T>): Promise<T>;
  kill(process: Process): void;
  /** Runs until nothing is left to happen. */
  run(): Promise<void>;
}

export const startProcess = (name: string): Process => ({
  name,
  isAlive: true,
  gates: 0,
  onDeath: new Set(),
});

interface Due {
  readonly moment: number;
  readonly order: number;
  readonly act: () => void;
}

/** More than any history takes. */
const MOST_STEPS = 50_000;
/** Milliseconds that a store pauses at most, by far. */
const MOST_PAUSES = 60_000;

export interface TimeOptions {
  /** Milliseconds. */
  readonly start: number;
  /** Turns of the event loop in which everybody comes to his next gate. */
  readonly turns: number;
  /** Hears of every gate that a process comes to, and may kill it there. */
  beforeGate(process: Process): void;
}

export function createTime({ start, turns, beforeGate }: TimeOptions): Time {
  const due: Due[] = []; // a binary heap
  let now = start;
  let order = 0;
  let real = 0;
  const parts = new Map<Process, number>();
  /** How many gates a process stands at. */
  const waiting = new Map<Process, number>();
  let failure: { readonly error: unknown } | undefined;
  let whenOver = () => {};

  const precedes = (a: Due, b: Due) =>
    a.moment < b.moment || (a.moment === b.moment && a.order < b.order);

  function push(when: number, act: () => void): void {
    const moment = Math.ceil(when); // clocks show whole milliseconds, whatever a pause was to take
    const added = { moment, order: order++, act };
    let i = due.length;
    for (let parent = (i - 1) >> 1; i > 0 && precedes(added, due[parent]!); parent = (i - 1) >> 1) {
      due[i] = due[parent]!;
      i = parent;
    }
    due[i] = added;
  }

  function pop(): Due {
    const first = due[0]!;
    const last = due.pop()!;
    if (due.length === 0) return first;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= due.length) break;
      if (child + 1 < due.length && precedes(due[child + 1]!, due[child]!)) child++;
      if (precedes(last, due[child]!)) break;
      due[i] = due[child]!;
      i = child;
    }
    due[i] = last;
    return first;
  }

  const turn = () => new Promise((resolve) => setImmediate(resolve));

  /** Until everybody has come to a gate, or to the end. */
  async function settle(): Promise<void> {
    let pauses = 0;
    for (let left = turns; left > 0; left--) {
      await turn();
      if (left === 1 && isBusy()) {
        if (pauses++ > MOST_PAUSES) throw new Error("A store never answers");
        await new Promise((resolve) => setTimeout(resolve, 1));
        left = turns + 1;
      }
      if (real === 0) continue;
      await new Promise<void>((resolve) => {
        whenOver = resolve;
      });
      left = turns + 1;
    }
  }

  /**
   * Whether a living process waits for something that is not at a gate: for a pause of its store's
   * own, say, before a commit is tried again. That takes real time, too.
   */
  const isBusy = () =>
    [...parts].some(
      ([process, count]) => process.isAlive && count > 0 && (waiting.get(process) ?? 0) === 0,
    );

  const pause = (process: Process, milliseconds: number) =>
    new Promise<void>((resolve) => {
      process.gates++;
      beforeGate(process);
      waiting.set(process, (waiting.get(process) ?? 0) + 1);
      push(now + milliseconds, () => {
        waiting.set(process, (waiting.get(process) ?? 0) - 1);
        if (process.isAlive) resolve();
      });
    });

  return {
    now: () => now,
    at: (moment, act) => push(Math.max(moment, now), act),
    pause,
    start(process, work) {
      push(now, () => {
        if (!process.isAlive) return;
        work().catch((error: unknown) => {
          failure ??= { error };
        });
      });
    },
    async real(work) {
      real++;
      try {
        return await work();
      } finally {
        real--;
        if (real === 0) whenOver();
      }
    },
    async part(process, work) {
      parts.set(process, (parts.get(process) ?? 0) + 1);
      try {
        return await work();
      } finally {
        parts.set(process, (parts.get(process) ?? 0) - 1);
      }
    },
    kill(process) {
      if (!process.isAlive) return;
      process.isAlive = false;
      for (const tell of process.onDeath) tell();
    },
    async run() {
      for (let steps = 0; failure === undefined && due.length > 0; steps++) {
        if (steps > MOST_STEPS) throw new Error("It never comes to rest");
        const next = pop();
        now = next.moment;
        next.act();
        await settle();
      }
      if (failure !== undefined) throw failure.error;
    },
  };
}
