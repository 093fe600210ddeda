/**
 * What was used lately, for caches: two generations, of which the older one is forgotten as a whole. So it
 * takes no more than what is going on needs, and nothing has to look for what is old.
 */
export interface Recent<T> {
  get(key: string): T | undefined;
  /** At a time, in milliseconds of any clock. */
  set(key: string, value: T, now: number): void;
  delete(key: string): void;
}

export interface RecentOptions {
  /** How many are kept at least, and at most twice as many. */
  readonly size: number;
  /** Milliseconds after which what was not set again may be forgotten; all is after twice as long. */
  readonly life: number;
}

export function createRecent<T>({ size, life }: RecentOptions): Recent<T> {
  let lately = new Map<string, T>();
  let before = new Map<string, T>();
  let begun = Number.NEGATIVE_INFINITY;
  const turn = (now: number): void => {
    before = lately;
    lately = new Map();
    begun = now;
  };
  return {
    get: (key) => lately.get(key) ?? before.get(key),
    set(key, value, now) {
      if (now - begun >= 2 * life) lately.clear();
      if (now - begun >= life) turn(now);
      lately.set(key, value);
      if (lately.size >= size) turn(now);
    },
    delete(key) {
      lately.delete(key);
      before.delete(key);
    },
  };
}
