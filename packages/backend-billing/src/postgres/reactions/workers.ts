/** Workers of one process: several lanes that tell what is due, each on a connection of its own. */
import { type Delivered, type DeliverOptions, deliverAllTo } from "./deliver.js";
import { dueObjects } from "./head.js";

/** What the numbers of a pool of `pg` say, where it is one. */
interface Counted {
  readonly options?: { readonly max?: number };
}

/** The most lanes of a process. */
const LANES = 4;
/** Milliseconds after which another lane joins those that are still telling. */
const JOIN = 200;

/**
 * How many connections the handlers of a process may have at once: a quarter of the pool's, so that
 * they never take the application's last one, and one where the pool has so few.
 */
export function lanesOf(pool: object): number {
  const { max } = (pool as Counted).options ?? {};
  return Math.max(1, Math.min(LANES, Math.floor((max ?? 2 * LANES) / 4)));
}

/**
 * Tells what is due until nothing is, or until `isOver`; answers how much was told. It begins with one lane,
 * for the application has requests of its own to answer, and one is enough for handlers of a few
 * milliseconds. As long as something is being told others join, look what is due by then, and go when
 * nothing is: a handler that takes its time keeps its lane and no other.
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
  const failures: unknown[] = [];
  const isEnding = () => failures.length > 0 || isOver();
  const lane = async (): Promise<void> => {
    for (let ref = await next(); ref !== undefined; ref = await next()) {
      await deliverAllTo(options, ref, isEnding, counted);
      if (isEnding()) return;
    }
  };
  return new Promise((resolve, reject) => {
    let running = 0;
    const endIfDone = (): void => {
      if (running > 0) return;
      clearInterval(joining);
      if (failures.length > 0) reject(failures[0]);
      else resolve(count);
    };
    const join = (): void => {
      if (running >= lanes || isEnding()) return;
      seen = -1; // something may have been committed
      running++;
      void lane()
        .catch((error: unknown) => void failures.push(error))
        .finally(() => {
          running--;
          endIfDone();
        });
    };
    const joining = setInterval(join, JOIN);
    join();
    endIfDone();
  });
}

/** So that processes that find the same begin elsewhere. */
function shuffled<T>(all: readonly T[]): T[] {
  return all
    .map((each) => [Math.random(), each] as const)
    .sort(([a], [b]) => a - b)
    .map(([, each]) => each);
}
