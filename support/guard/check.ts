/** Looks for a history of the guard that ends wrong, and tells the smallest that it finds. */
import { stream } from "../../packages/stripe-double/src/world/random.js";
import { findFailure, type Search, withChance } from "../histories.js";
import { history } from "./arbitrary.js";
import type { History } from "./history.js";
import { emptyTally, type Tally, type Verdict } from "./judge.js";
import { runHistory } from "./run.js";
import type { OpenGuardStore } from "./stores/memory.js";

export interface Result {
  readonly histories: number;
  readonly tally: Tally;
  readonly failure?: { readonly path: string; readonly report: string };
}

export async function search(store: OpenGuardStore, options: Search): Promise<Result> {
  const tally = emptyTally();
  const run = async (each: History) => {
    const verdict = await runOnce(store, each);
    for (const name of Object.keys(tally) as (keyof Tally)[]) tally[name] += verdict.tally[name];
    return verdict.wrong;
  };
  const { histories, failure } = await findFailure(history, run, options);
  if (failure === undefined) return { histories, tally };
  const report = await told(store, failure.smallest);
  return { histories, tally, failure: { path: failure.path, report } };
}

export const runOnce = (store: OpenGuardStore, each: History, trace?: string[]): Promise<Verdict> =>
  withChance(stream("guard"), async () => runHistory(each, await store.fresh(), trace));

/** What happened, and what came of it. */
async function told(store: OpenGuardStore, found: History): Promise<string> {
  const trace: string[] = [];
  const { wrong } = await runOnce(store, found, trace).catch((error: unknown) => ({
    wrong: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
  }));
  return [
    "What happened, in seconds:",
    ...trace.slice(0, MOST_LINES),
    ...(trace.length > MOST_LINES ? [`… and ${trace.length - MOST_LINES} lines more`] : []),
    "",
    "What is wrong:",
    ...wrong.map((line) => `  ${line}`),
    "",
    `The history: ${JSON.stringify(found)}`,
  ].join("\n");
}

const MOST_LINES = 160;
