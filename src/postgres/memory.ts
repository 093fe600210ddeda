/**
 * The versions of objects as this process last saw them. A commit that is judged by them saves the
 * read; it is right all the same, because the write takes effect only if the stored version is
 * still this very one. Where other processes change the same objects it would mostly be refused,
 * so the memory is used only as long as it proves right.
 */
import type { Version } from "../core/mirror.js";

export interface Memory {
  /** What is remembered, if it is to be trusted and there is something for every key. */
  recall(keys: readonly string[]): Remembered | undefined;
  /** What was read for a commit, which also shows whether what is remembered was right. */
  compare(stored: ReadonlyMap<string, Version | undefined>): void;
  /** What was written. */
  keep(key: string, written: Version): void;
}

export type Remembered = ReadonlyMap<string, Version>;

/** A commit by a wrong memory costs a round trip and by a right one saves one; so right must be more frequent. */
const MISTAKE = -2;
const MOST_TRUST = 20;
const LEAST_TRUST = -20;

export function createMemory(most: number): Memory {
  const versions = new Map<string, Version>();
  let trust = 0;
  const prove = (change: number): void => {
    trust = Math.min(MOST_TRUST, Math.max(LEAST_TRUST, trust + change));
  };
  const keep = (key: string, version: Version): void => {
    versions.delete(key); // to the end of the line: what was not used for longest goes first
    versions.set(key, version);
    if (versions.size <= most) return;
    for (const oldest of versions.keys()) {
      versions.delete(oldest);
      return;
    }
  };
  return {
    recall(keys) {
      if (trust <= 0) return undefined;
      const found = new Map<string, Version>();
      for (const key of keys) {
        const version = versions.get(key);
        if (version === undefined) return undefined;
        found.set(key, version);
      }
      return found;
    },
    compare(stored) {
      let usable = stored.size > 0;
      let right = true;
      for (const [key, version] of stored) {
        const remembered = versions.get(key);
        if (remembered === undefined) usable = false;
        else if (remembered.revision !== version?.revision) right = false;
        if (version === undefined) versions.delete(key);
        else keep(key, version);
      }
      if (!right) prove(MISTAKE);
      else if (usable) prove(1);
    },
    keep,
  };
}
