/** A way to deliver changes, for the chaos test: how they are written, and what is left of them. */
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

export interface Way {
  /** The file of the process that tells. */
  readonly worker: URL;
  prepare(pool: pg.Pool): Promise<void>;
  /** Writes the next change of an object, the one with this number, or any up to the last; tries until it is written. */
  write(pool: pg.Pool, object: string, step: number, last: number): Promise<void>;
  waiting(pool: pg.Pool): Promise<{ readonly waiting: number; readonly parked: number }>;
  /** What is there at the end. */
  left(pool: pg.Pool): Promise<readonly Left[]>;
  end?(): Promise<void>;
}

export interface Left {
  readonly object: string;
  readonly name: string;
  readonly isParked: boolean;
}

/** What tells at once in a process, and the milliseconds that it waits when it found nothing. */
export const LANES = 4;
export const IDLE = 20;
/** Milliseconds for which a handler may take its time. */
export const LIMIT = 1_000;

/** Until it is done: PostgreSQL may be away. */
export async function surely<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch {
      await sleep(100);
    }
  }
}
