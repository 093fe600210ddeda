/**
 * The life of one instance of the library: what it has under way, and its end. After `close` nothing
 * of it uses the database any more.
 */

import { BillingError } from "../core/runtime/errors.js";

/** Milliseconds that `close` waits for what is under way. */
const PATIENCE = 10_000;

export interface Life {
  /** True once `close` was called: nothing new is begun. */
  readonly isClosing: boolean;
  /** Runs a call; it is refused once `close` was called, and `close` waits for it. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Runs what has begun elsewhere, such as a request; `close` waits for it. */
  track<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Runs work after a delay, unless `close` comes first, or what it answers is called. It does not keep
   * the process alive.
   */
  later(delay: number, work: () => Promise<void>): () => void;
  /** Has `close` call this. */
  atClose(end: () => Promise<void>): void;
  /** Stops what runs by itself and waits for what is under way, at most ten seconds. Safe twice. */
  close(): Promise<void>;
  /** The store, whose calls are refused once `close` has ended. */
  guard<S extends object>(store: S): S;
}

export function createLife(patience = PATIENCE): Life {
  const timers = new Set<NodeJS.Timeout>();
  const ends: (() => Promise<void>)[] = [];
  let underWay = 0;
  let whenIdle: (() => void) | undefined;
  let closing: Promise<void> | undefined;
  let isOver = false;

  const left = () => {
    underWay--;
    if (underWay === 0) whenIdle?.();
  };
  const track = <T>(work: () => Promise<T>): Promise<T> => {
    underWay++;
    return work().finally(left);
  };
  const idle = () =>
    new Promise<void>((resolve) => {
      whenIdle = resolve;
      if (underWay === 0) resolve();
    });
  const end = async (): Promise<void> => {
    for (const timer of timers) clearTimeout(timer);
    timers.clear();
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patience);
    });
    try {
      await Promise.race([Promise.all(ends.map((each) => each())).then(idle), enough]);
    } finally {
      isOver = true;
      clearTimeout(timer);
    }
  };

  return {
    get isClosing() {
      return closing !== undefined;
    },
    run: async (work) => {
      if (closing !== undefined) throw closed();
      return track(work);
    },
    track,
    later(delay, work) {
      if (closing !== undefined) return () => {};
      const timer = setTimeout(() => {
        timers.delete(timer);
        void track(work);
      }, delay);
      timer.unref();
      timers.add(timer);
      return () => {
        clearTimeout(timer);
        timers.delete(timer);
      };
    },
    atClose: (each) => {
      if (closing === undefined) ends.push(each);
      else void track(each); // what was begun before has come too late to be ended with the rest
    },
    close: () => {
      closing ??= Promise.resolve().then(end);
      return closing;
    },
    guard: (store) => {
      const guarded = Object.entries(store).map(([name, member]) => {
        if (typeof member !== "function") return [name, member];
        const call = async (...args: unknown[]): Promise<unknown> => {
          if (isOver) throw closed();
          return track(() => member(...args));
        };
        return [name, call];
      });
      return Object.fromEntries(guarded) as typeof store;
    },
  };
}

function closed(): BillingError {
  return new BillingError(
    "store_error",
    "This instance was closed by `close()`. Make the call before that, or create another instance on a pool that is open.",
  );
}
