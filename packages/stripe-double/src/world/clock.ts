/**
 * The double's time, in milliseconds, and what is due when. Either it runs with the wall clock or,
 * given a start, it stands still until a test moves it. Tasks run in the order of their times.
 */

export type Instant = number | string | Date;

/** A length of time; its parts are added. */
export interface Duration {
  readonly days?: number;
  readonly hours?: number;
  readonly minutes?: number;
  readonly seconds?: number;
  readonly milliseconds?: number;
}

/** The double's clock. */
export interface Clock {
  /** Milliseconds since the epoch, as Stripe's servers would see them. */
  now(): number;
  /** Whole seconds, the finest that Stripe shows. */
  seconds(): number;
  /** Moves time forward, running whatever falls due on the way, in order, and waits for it. */
  advance(by: Duration): Promise<void>;
  /** Like `advance`, to a moment. A moment in the past is an error: time does not run back. */
  advanceTo(moment: Instant): Promise<void>;
}

/** A time, and what is due by it. */
export interface Timer extends Pick<Clock, "now" | "seconds"> {
  /** Runs the task when its time comes; answers a function that takes it back. */
  schedule(at: number, run: () => void): () => void;
}

export interface Scheduler extends Clock, Timer {
  /** Runs what is due now, and waits for it, until nothing is due. */
  drain(): Promise<void>;
  /** Like `advanceTo`, but at once: what falls due runs at its own time, and is not waited for. */
  stepTo(moment: number): void;
  /** The wall clock's time, with what `advance` moved this clock ahead of it. */
  wall(): number;
  /** Moves at once, as an `advance` from one moment to another did that is being replayed. */
  moved(from: number, to: number): void;
  /** From now on a still clock steps by itself whenever something falls due by `wall`. */
  follow(): void;
  /** Waited for after each task while time is being moved: deliveries under way. */
  onStep(wait: () => Promise<void>): void;
  stop(): void;
}

interface Task {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

const UNITS = {
  days: 86_400_000,
  hours: 3_600_000,
  minutes: 60_000,
  seconds: 1_000,
  milliseconds: 1,
};
const LONGEST_TIMER = 2 ** 31 - 1;

export function milliseconds(duration: Duration): number {
  let total = 0;
  for (const unit of Object.keys(UNITS) as (keyof typeof UNITS)[]) {
    total += (duration[unit] ?? 0) * UNITS[unit];
  }
  return total;
}

function instant(moment: Instant): number {
  const at = new Date(moment).getTime();
  if (Number.isNaN(at)) throw new RangeError(`Not a moment in time: ${String(moment)}`);
  return at;
}

export function createClock(start?: Instant): Scheduler {
  const running = start === undefined;
  let base = start === undefined ? Date.now() : instant(start);
  let since = Date.now();
  let order = 0;
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;
  let stopped = false;
  let following = running;
  let ahead = 0;
  let settle: () => Promise<void> = async () => {};
  const tasks: Task[] = []; // a binary heap by (at, order)

  const now = () => (running ? base + (Date.now() - since) : base);
  const set = (at: number) => {
    base = at;
    since = Date.now();
  };
  const wall = () => Date.now() + ahead;

  function push(task: Task): void {
    let i = tasks.length;
    tasks.push(task);
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (before(tasks[parent] as Task, task)) break;
      tasks[i] = tasks[parent] as Task;
      i = parent;
    }
    tasks[i] = task;
  }

  function pop(): Task | undefined {
    const top = tasks[0];
    const last = tasks.pop();
    if (top === undefined || last === undefined || tasks.length === 0) return top;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= tasks.length) break;
      const right = tasks[child + 1];
      if (right !== undefined && before(right, tasks[child] as Task)) child++;
      if (before(last, tasks[child] as Task)) break;
      tasks[i] = tasks[child] as Task;
      i = child;
    }
    tasks[i] = last;
    return top;
  }

  const isDue = () => !stopped && (tasks[0]?.at ?? Infinity) <= now();

  /**
   * Tasks that are already due run as soon as the current request is over: before the next one can
   * arrive, so that the order of things does not depend on how fast the machine is.
   */
  function arm(): void {
    const next = tasks[0];
    if (next === undefined || stopped) return;
    if (isDue()) {
      immediate ??= setImmediate(() => {
        immediate = undefined;
        runDue();
      });
      return;
    }
    if (!following) return; // time stands still: only `advance` gets there
    clearTimeout(timer);
    const [wake, left] = running
      ? [runDue, next.at - now()]
      : [() => stepTo(wall()), next.at - wall()];
    timer = setTimeout(wake, Math.max(0, Math.min(left, LONGEST_TIMER)));
    timer.unref();
  }

  function stepTo(moment: number): void {
    runDue();
    for (let next = tasks[0]; next !== undefined && next.at <= moment; next = tasks[0]) {
      set(Math.max(next.at, now()));
      runDue();
    }
    set(Math.max(moment, now()));
    arm();
  }

  function runDue(): void {
    for (let next = tasks[0]; next !== undefined && next.at <= now() && !stopped; next = tasks[0]) {
      pop();
      next.run();
    }
    arm();
  }

  async function drain(): Promise<void> {
    do {
      runDue();
      await settle();
    } while (isDue());
  }

  async function advanceTo(moment: Instant): Promise<void> {
    const target = instant(moment);
    if (target < now()) throw new RangeError("The double's clock cannot be moved back.");
    const from = now();
    await drain();
    for (let next = tasks[0]; next !== undefined && next.at <= target; next = tasks[0]) {
      pop();
      if (next.at > now()) set(next.at);
      next.run();
      await settle();
    }
    if (target > now()) set(target);
    // Not before: a request on the way steps to `wall`, and may not skip what is still to come.
    ahead += target - from;
    arm();
  }

  return {
    now,
    seconds: () => Math.floor(now() / 1000),
    advance: (by) => advanceTo(now() + milliseconds(by)),
    advanceTo,
    stepTo,
    wall,
    moved: (from, to) => {
      ahead += to - from;
      stepTo(to);
    },
    follow: () => {
      following = true;
      arm();
    },
    drain,
    onStep: (wait) => {
      settle = wait;
    },
    schedule(at, run) {
      let wanted = true;
      push({ at, order: order++, run: () => wanted && run() });
      arm();
      return () => {
        wanted = false;
      };
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      clearImmediate(immediate);
      tasks.length = 0;
    },
  };
}

function before(a: Task, b: Task): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
