/** Chance that can be repeated: one stream of numbers for each case of each family. */
import { stream } from "../../packages/stripe-double/src/world/random.js";

export interface Dice {
  /** A whole number from 0, below `most`. */
  below(most: number): number;
  pick<T>(all: readonly T[]): T;
  /** True once in so many times. */
  oneIn(times: number): boolean;
}

export function diceOf(...words: (string | number)[]): Dice {
  const next = stream(...words);
  const below = (most: number) => Math.floor(next() * most);
  return {
    below,
    // There is one, unless the list is empty.
    pick: <T>(all: readonly T[]) => all[below(all.length)] as T,
    oneIn: (times) => below(times) === 0,
  };
}
