/**
 * Work that must not overlap, though it is begun together. Calls in one transaction, as by `Promise.all`,
 * are such: a transaction keeps others away and not itself, so both would read the same, and the second
 * would write over what the first one wrote.
 */

const last = new WeakMap<object, Promise<unknown>>();

/**
 * Runs `work` when what was begun before on the same object is over, however that ended. Work may not
 * begin such work and wait for it.
 */
export function oneAtATime<T>(on: object, work: () => Promise<T>): Promise<T> {
  const mine = (last.get(on) ?? Promise.resolve()).then(work);
  last.set(
    on,
    mine.catch(() => {}), // the caller gets the rejection from `mine`
  );
  return mine;
}
