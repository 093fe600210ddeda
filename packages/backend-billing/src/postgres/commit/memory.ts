/**
 * The versions of objects as this process last saw them. A commit that is judged by them saves the
 * read; it is right all the same, because the write takes effect only if the stored version is
 * still this very one. Where other processes change the same objects it would mostly be refused,
 * so the memory is used only as long as it proves right.
 */
import type { Version } from "../../core/mirror/rule.js";
import { createRecent } from "../../core/runtime/recent.js";

export interface Memory {
  /** What is remembered, if it is to be trusted and there is something for every key. */
  recall(keys: readonly string[]): Remembered | undefined;
  /** What was read for a commit, which also shows whether what is remembered was right. */
  compare(stored: ReadonlyMap<string, Version | undefined>): void;
  /** What was written. */
  keep(key: string, written: Version): void;
  /** What was written, if it is remembered, and for no longer: so much else would drive out what is used. */
  renew(key: string, written: Version): void;
}

export type Remembered = ReadonlyMap<string, Version>;

/** A commit by a wrong memory costs a round trip and by a right one saves one; so right must be more frequent. */
const MISTAKE = -2;
const MOST_TRUST = 20;
const LEAST_TRUST = -20;

/** Milliseconds for which a version is of use: objects change a few times in a row, and then for long not. */
const LIFE = 10 * 60_000;

/** Remembers so many versions of late, and at most twice as many. */
export function createMemory(size: number, now: () => number = () => performance.now()): Memory {
  const recent = createRecent<Version>({ size, life: LIFE });
  const keep = (key: string, version: Version) => recent.set(key, version, now());
  let trust = 0;
  const prove = (change: number): void => {
    trust = Math.min(MOST_TRUST, Math.max(LEAST_TRUST, trust + change));
  };
  return {
    recall(keys) {
      if (trust <= 0) return undefined;
      const found = new Map<string, Version>();
      for (const key of keys) {
        const version = recent.get(key);
        if (version === undefined) return undefined;
        found.set(key, version);
      }
      return found;
    },
    compare(stored) {
      let usable = stored.size > 0;
      let right = true;
      for (const [key, version] of stored) {
        const remembered = recent.get(key);
        if (remembered === undefined) usable = false;
        else if (remembered.revision !== version?.revision) right = false;
        if (version !== undefined) keep(key, version);
        else if (remembered !== undefined) recent.delete(key);
      }
      if (!right) prove(MISTAKE);
      else if (usable) prove(1);
    },
    keep,
    renew: recent.replace,
  };
}
