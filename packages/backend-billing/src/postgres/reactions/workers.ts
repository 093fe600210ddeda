/** Workers of one process: several lanes that tell what is due, each on a connection of its own. */
import { type Delivered, type DeliverOptions, deliverAllTo } from "./deliver.js";
import { dueObjects } from "./head.js";

/** What the numbers of a pool of `pg` say, where it is one. */
interface Counted {
  readonly options?: { readonly max?: number };
}

/** The most lanes of a process. */
const LANES = 4;
/** Milliseconds after which a lane that has nothing to tell looks again while another one tells something. */
const WAIT = 200;

/**
 * How many connections the handlers of a process may have at once: a quarter of the pool's, so that
 * they never take the application's last one, and one where the pool has so few.
 */
export function lanesOf(pool: object): number {
  const { max } = (pool as Counted).options ?? {};
  return Math.max(1, Math.min(LANES, Math.floor((max ?? 2 * LANES) / 4)));
}

/**
 * Tells what is due until nothing is, or until `isOver`; answers how much was told. A handler that
 * takes its time keeps its lane and no other: those look again meanwhile.
 */
export async function deliverDue<Tx>(
  options: DeliverOptions<Tx>,
  lanes: number,
  isOver: () => boolean = () => false,
): Promise<number> {
  let count = 0;
  let seen = -1;
  let queue: string[] = [];
  let looking: Promise<void> | undefined;
  /** Looks again, unless nothing became of what was found the last time: others have it. */
  const look = async (): Promise<void> => {
    if (count === seen) return;
    seen = count;
    queue = shuffled(await dueObjects(options));
  };
  const next = async (): Promise<string | undefined> => {
    if (queue.length === 0) {
      looking ??= look().finally(() => {
        looking = undefined;
      });
      await looking;
    }
    return queue.shift();
  };
  const counted = (delivered: Delivered): void => {
    if (delivered !== "nothing") count++;
  };
  let busy = 0;
  let waiting: Promise<void> | undefined;
  let wake = (): void => {};
  /** Until it is time to look again, or no lane is busy any more. */
  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        seen = -1; // something may have been committed
        wake();
      }, WAIT);
      wake = () => {
        clearTimeout(timer);
        waiting = undefined;
        resolve();
      };
    });
  const lane = async (): Promise<void> => {
    while (!isOver()) {
      const ref = await next();
      if (ref === undefined && busy === 0) return;
      if (ref === undefined) {
        waiting ??= pause();
        await waiting;
        continue;
      }
      busy++;
      await deliverAllTo(options, ref, isOver, counted).finally(() => {
        busy--;
        if (busy === 0) wake();
      });
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return count;
}

/** So that processes that find the same begin elsewhere. */
function shuffled<T>(all: readonly T[]): T[] {
  return all
    .map((each) => [Math.random(), each] as const)
    .sort(([a], [b]) => a - b)
    .map(([, each]) => each);
}
