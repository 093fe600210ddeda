/**
 * What was set lately, for caches: two generations, of which the older one is forgotten as a whole, by the first
 * `set` after its time. So it takes no more than what is going on needs, and nothing has to look for what is old.
 */
export interface Recent<T> {
  get(key: string): T | undefined;
  /** At a time, in milliseconds of any clock. */
  set(key: string, value: T, now: number): void;
  /** Of a key that is there; it is forgotten when it would have been. */
  replace(key: string, value: T): void;
  delete(key: string): void;
}

export interface RecentOptions {
  /** How many are kept within their time; at most twice as many are. */
  readonly size: number;
  /** Milliseconds after which a `set` may forget what was not set again, and after twice as long does. */
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
    replace(key, value) {
      const own = lately.has(key) ? lately : before;
      if (own.has(key)) own.set(key, value);
    },
    delete(key) {
      lately.delete(key);
      before.delete(key);
    },
  };
}
