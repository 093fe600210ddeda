/** Looks for a history that ends wrong, and tells the smallest that it finds so that one can read it. */
import fc from "fast-check";
import { history } from "./arbitrary.js";
import { summary } from "./fake-stripe.js";
import type { History } from "./history.js";
import { createModel, START } from "./model.js";
import { type Outcome, runHistory } from "./run.js";
import type { OpenStore } from "./stores/memory.js";
import { stories } from "./stories.js";

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
}

export interface Result {
  readonly histories: number;
  readonly events: number;
  readonly calls: number;
  readonly failure?: { readonly path: string; readonly report: string };
}

export async function search(store: OpenStore, options: Search): Promise<Result> {
  const { seed, path, shrinks = true, patience } = options;
  let [histories, events, calls] = [0, 0, 0];
  const run = async (each: History) => {
    const outcome = await runOnce(store, each);
    histories++;
    events += outcome.events;
    calls += outcome.calls;
    options.onProgress?.(histories);
    if (outcome.differences.length > 0) throw new Error(outcome.differences.join("\n"));
  };
  const found = await fc.check(fc.asyncProperty(history, run), {
    seed,
    ...(patience === undefined ? {} : { interruptAfterTimeLimit: patience }),
    ...(path === undefined
      ? { numRuns: options.histories, endOnFailure: !shrinks }
      : { path, numRuns: 1, endOnFailure: true }),
  });
  if (!found.failed) return { histories, events, calls };
  const [smallest] = found.counterexample ?? [];
  if (smallest === undefined) throw new Error("It failed without a history", { cause: found });
  const report = await told(store, smallest);
  const failure = { path: found.counterexamplePath ?? "0", report };
  return { histories: found.numRuns, events, calls, failure };
}

/** Runs one history, always in the same way: what the core leaves to chance is not left to it here. */
export async function runOnce(store: OpenStore, each: History, trace?: string[]): Promise<Outcome> {
  const { random } = Math;
  Math.random = () => 0.5;
  try {
    return await runHistory(each, await store.fresh(), trace);
  } finally {
    Math.random = random;
  }
}

/** The names of the stories that come to an end, and to a wrong one. */
export async function wrongStories(store: OpenStore): Promise<string[]> {
  const wrong: string[] = [];
  for (const [name, each] of Object.entries(stories)) {
    const outcome = await runOnce(store, each).catch(() => undefined);
    if (outcome !== undefined && outcome.differences.length > 0) wrong.push(name);
  }
  return wrong;
}

/** What was true, what happened, and what came of it. */
async function told(store: OpenStore, found: History): Promise<string> {
  const trace: string[] = [];
  const outcome = await runOnce(store, found, trace).catch((error: unknown) => ({
    differences: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
  }));
  const model = createModel(found);
  const truth = model.objects.flatMap(({ id }) =>
    model.versions(id).map(({ from, content }) => ({
      from,
      line: content === null ? `${id} deleted` : summary(content),
    })),
  );
  const lines = truth
    .sort((a, b) => a.from - b.from)
    .map(({ from, line }) => `${((from - START) / 1000).toFixed(3).padStart(8)} ${line}`);
  return [
    "At Stripe, in seconds:",
    ...lines,
    "",
    "What happened:",
    ...trace.slice(0, MOST_LINES),
    ...(trace.length > MOST_LINES ? [`… and ${trace.length - MOST_LINES} lines more`] : []),
    "",
    "How it ended:",
    ...outcome.differences.map((line) => `  ${line}`),
    "",
    `The history: ${JSON.stringify(found)}`,
  ].join("\n");
}

const MOST_LINES = 120;
