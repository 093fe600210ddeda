/** Looks for a random history that ends wrong, and makes it as small as it can. */
import fc from "fast-check";

export interface Search {
  readonly histories: number;
  readonly seed: number;
  /** Of a history that was found before: only that one is run. */
  readonly path?: string;
  /** Whether to look for a smaller one; otherwise the first is good enough. */
  readonly shrinks?: boolean;
  /** Milliseconds after which the smallest history so far is good enough. */
  readonly patience?: number;
  onProgress?(histories: number): void;
  /** Hears of the first that ends wrong, before a smaller one is looked for. */
  onFailure?(histories: number, wrong: readonly string[]): void;
}

/** Milliseconds for which a smaller one is looked for. */
const SHRINKING = 300_000;

export interface Found<H> {
  readonly histories: number;
  readonly failure?: { readonly path: string; readonly smallest: H };
}

/** `run` answers what is wrong with how a history ended; nothing if all is well. */
export async function findFailure<H>(
  made: fc.Arbitrary<H>,
  run: (history: H) => Promise<readonly string[]>,
  { histories, seed, path, shrinks = true, patience, onProgress, onFailure }: Search,
): Promise<Found<H>> {
  let done = 0;
  let failedAt = Infinity;
  const property = fc.asyncProperty(made, async (each) => {
    if (performance.now() > failedAt + SHRINKING) return; // so no smaller one is found
    const wrong = await run(each);
    if (failedAt === Infinity) {
      done++;
      onProgress?.(done);
    }
    if (wrong.length === 0) return;
    if (failedAt === Infinity) {
      failedAt = performance.now();
      onFailure?.(done, wrong);
    }
    throw new Error(wrong.join("\n"));
  });
  const found = await fc.check(property, {
    seed,
    ...(patience === undefined ? {} : { interruptAfterTimeLimit: patience }),
    ...(path === undefined
      ? { numRuns: histories, endOnFailure: !shrinks }
      : { path, numRuns: 1, endOnFailure: true }),
  });
  if (!found.failed) return { histories: done };
  const [smallest] = found.counterexample ?? [];
  if (smallest === undefined) throw new Error("It failed without a history", { cause: found });
  return {
    histories: found.numRuns,
    failure: { path: found.counterexamplePath ?? "0", smallest },
  };
}

/** Runs with what the core leaves to chance decided here, so that it runs the same way again. */
export async function withChance<T>(chance: () => number, run: () => Promise<T>): Promise<T> {
  const { random } = Math;
  Math.random = chance;
  try {
    return await run();
  } finally {
    Math.random = random;
  }
}

/** What two runs of each of some random histories told, in pairs. The ids of syncs are random. */
export async function* toldTwice<H>(
  made: fc.Arbitrary<H>,
  numRuns: number,
  run: (history: H, trace: string[]) => Promise<unknown>,
): AsyncGenerator<readonly [string, string]> {
  const told = async (history: H): Promise<string> => {
    const trace: string[] = [];
    await run(history, trace);
    return trace.join("\n").replaceAll(/run_\w+/g, "a run");
  };
  for (const each of fc.sample(made, { seed: 7, numRuns })) {
    yield [await told(each), await told(each)];
  }
}
