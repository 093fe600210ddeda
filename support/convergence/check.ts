/** Looks for a history that ends wrong, and tells the smallest that it finds so that one can read it. */

import type { ResourceName } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { findFailure, type Search, withChance } from "../histories.js";
import { history, historyOf } from "./arbitrary.js";
import { summary } from "./fake-stripe.js";
import type { History } from "./history.js";
import { createModel, START } from "./model.js";
import { countPlayed, nothingPlayed, type Played } from "./played.js";
import { type Outcome, runHistory } from "./run.js";
import type { OpenStore } from "./stores/memory.js";
import { stories } from "./stories.js";

export interface Result {
  readonly histories: number;
  readonly events: number;
  readonly calls: number;
  readonly played: Played;
  readonly failure?: { readonly path: string; readonly report: string };
}

/** `resources`: those that are played; without them the usual few, as often as they are of use. */
export async function search(
  store: OpenStore,
  { resources, ...options }: Search & { readonly resources?: readonly ResourceName[] },
): Promise<Result> {
  let [events, calls] = [0, 0];
  const played = nothingPlayed();
  const run = async (each: History) => {
    const outcome = await runOnce(store, each);
    events += outcome.events;
    calls += outcome.calls;
    countPlayed(played, outcome.model);
    return outcome.differences;
  };
  const made = resources === undefined ? history : historyOf(resources);
  const { histories, failure } = await findFailure(made, run, options);
  if (failure === undefined) return { histories, events, calls, played };
  const report = await told(store, failure.smallest);
  return { histories, events, calls, played, failure: { path: failure.path, report } };
}

/** Runs one history, always in the same way. */
export const runOnce = (store: OpenStore, each: History, trace?: string[]): Promise<Outcome> =>
  withChance(
    () => 0.5,
    async () => runHistory(each, await store.fresh(), trace),
  );

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
