/**
 * The versions of objects as this process last saw them. A commit that is judged by them saves the
 * read; it is right all the same, because the write takes effect only if the stored version is
 * still this very one. Where other processes change the same objects it would mostly be refused,
 * so the memory is used only as long as it proves right.
 */
import type { Version } from "../../core/mirror/rule.js";

export interface Memory {
  /** What is remembered, if it is to be trusted and there is something for every key. */
  recall(keys: readonly string[]): Remembered | undefined;
  /** What was read for a commit, which also shows whether what is remembered was right. */
  compare(stored: ReadonlyMap<string, Version | undefined>): void;
  /** What was written. */
  keep(key: string, written: Version): void;
  /** What was written, if it is remembered: so much else would drive out what is used. */
  renew(key: string, written: Version): void;
}

export type Remembered = ReadonlyMap<string, Version>;

/** A commit by a wrong memory costs a round trip and by a right one saves one; so right must be more frequent. */
const MISTAKE = -2;
const MOST_TRUST = 20;
const LEAST_TRUST = -20;

/** Remembers so many versions at least, and at most twice as many: what was used lately. */
export function createMemory(least: number): Memory {
  let lately = new Map<string, Version>();
  let before = new Map<string, Version>();
  let trust = 0;
  const prove = (change: number): void => {
    trust = Math.min(MOST_TRUST, Math.max(LEAST_TRUST, trust + change));
  };
  const keep = (key: string, version: Version): void => {
    lately.set(key, version);
    if (lately.size < least) return;
    before = lately;
    lately = new Map();
  };
  const find = (key: string) => lately.get(key) ?? before.get(key);
  return {
    recall(keys) {
      if (trust <= 0) return undefined;
      const found = new Map<string, Version>();
      for (const key of keys) {
        const version = find(key);
        if (version === undefined) return undefined;
        found.set(key, version);
      }
      return found;
    },
    compare(stored) {
      let usable = stored.size > 0;
      let right = true;
      for (const [key, version] of stored) {
        const remembered = find(key);
        if (remembered === undefined) usable = false;
        else if (remembered.revision !== version?.revision) right = false;
        if (version !== undefined) keep(key, version);
        else if (remembered !== undefined) forget(key);
      }
      if (!right) prove(MISTAKE);
      else if (usable) prove(1);
    },
    keep,
    renew(key, version) {
      if (find(key) !== undefined) keep(key, version);
    },
  };

  function forget(key: string): void {
    lately.delete(key);
    before.delete(key);
  }
}
