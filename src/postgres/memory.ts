/**
 * The versions of objects as this process last saw them. A commit that is judged by them saves the
 * read; it is right all the same, because the write takes effect only if the stored version is
 * still this very one. Where other processes change the same objects it would mostly be refused,
 * so the memory is used only as long as it proves right.
 */
import type { Version } from "../core/mirror.js";

export interface Memory {
  /** What is remembered, if it is to be trusted. */
  recall(key: string): Version | undefined;
  /** What was read, which also shows whether what is remembered was right. */
  compare(key: string, stored: Version | undefined): void;
  /** What was written. */
  keep(key: string, written: Version): void;
  /** A write that was judged by what is remembered was refused. */
  mistaken(key: string): void;
}

/** A wrong memory costs a round trip and a right one saves one, so it must be right more often. */
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
    recall: (key) => (trust > 0 ? versions.get(key) : undefined),
    compare(key, stored) {
      const remembered = versions.get(key);
      if (remembered !== undefined) prove(remembered.revision === stored?.revision ? 1 : MISTAKE);
      if (stored === undefined) versions.delete(key);
      else keep(key, stored);
    },
    keep,
    mistaken(key) {
      prove(MISTAKE);
      versions.delete(key);
    },
  };
}
