/** What a scenario is given, and what it answers. */
import type { Tools } from "./tools.js";

export interface Scene {
  readonly tools: Tools;
  readonly seed: string;
  readonly isShort: boolean;
  /** Breaks what the scenario guards, to show that it notices. */
  readonly isBroken: boolean;
  say(line: string): void;
}

/** A figure, and what it has to be where that is a promise. */
export type Row = readonly [name: string, value: string | number, bound?: string];

export interface Outcome {
  readonly rows: readonly Row[];
  readonly wrong: readonly string[];
  readonly notes?: readonly string[];
  /** Why nothing was tried, where that is so: then nothing is shown either. */
  readonly notRun?: string;
}

export type Scenario = (scene: Scene) => Promise<Outcome>;

/** What was found wrong of one kind, with how many there were. */
export const found = (what: string, all: readonly unknown[]): string[] =>
  all.length === 0 ? [] : [`${all.length} ${what}: ${all.slice(0, 3).map(String).join("; ")}`];

export const sum = (numbers: Iterable<number>): number => {
  let all = 0;
  for (const each of numbers) all += each;
  return all;
};

export const described = (counts: ReadonlyMap<unknown, number>): string =>
  [...counts].map(([what, n]) => `${n} × ${what}`).join(", ") || "none";
