/**
 * The time of a test clock: it stands still until it is moved, and what falls due on the way runs
 * then, each at its own time.
 */
import type { Timer } from "./clock.js";

export interface TestTime extends Timer {
  /** Moves it forward, running what falls due in order. */
  moveTo(at: number): void;
  /** Forgets what is still to come. */
  stop(): void;
}

interface Task {
  readonly at: number;
  readonly run: () => void;
}

/** `soon` runs something after the current request; `within` runs it by this time. */
export function createTestTime(
  start: number,
  soon: (act: () => void) => void,
  within: (time: Timer, act: () => void) => void,
): TestTime {
  let now = start;
  // In the order in which they were asked for, which is that of tasks for the same moment.
  const tasks = new Set<Task>();

  function next(until: number): Task | undefined {
    let first: Task | undefined;
    for (const task of tasks) {
      if (task.at <= until && (first === undefined || task.at < first.at)) first = task;
    }
    return first;
  }

  function moveTo(at: number): void {
    for (let task = next(at); task !== undefined; task = next(at)) {
      tasks.delete(task);
      now = Math.max(now, task.at);
      within(time, task.run);
    }
    now = Math.max(now, at);
  }

  const time: TestTime = {
    now: () => now,
    seconds: () => Math.floor(now / 1000),
    schedule(at, run) {
      const task = { at, run };
      tasks.add(task);
      if (at <= now) soon(() => moveTo(now));
      return () => {
        tasks.delete(task);
      };
    },
    moveTo,
    stop: () => tasks.clear(),
  };
  return time;
}
