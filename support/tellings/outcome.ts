/** What came of random lives. */
import type { Life } from "./script.js";

export interface Outcome {
  readonly lives: number;
  readonly events: number;
  /** How often each name was to be told. */
  readonly names: ReadonlyMap<string, number>;
  /** How often each act was done or refused. */
  readonly acts: ReadonlyMap<string, number>;
  /** Failures of a payment that the invoice shows nothing of, and so nothing can tell. */
  readonly unseen: number;
  /** The lives of which something else was told, each with what. */
  readonly wrong: readonly string[];
}

export function tally(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** A life with what is wrong of it; nothing if all is well. */
export function reportOf(life: Life, wrong: readonly string[]): readonly string[] {
  if (wrong.length === 0) return [];
  const acts = life.acts.map(
    ({ at, entity: _, ...act }) => `  ${timeOf(at)} ${JSON.stringify(act)}`,
  );
  return [[`entity ${life.entity}`, ...acts, ...wrong.map((each) => `  ${each}`)].join("\n")];
}

const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString();
