/** Operations in several processes: each has a clock of its own, which it turns. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Choice, Outcome } from "./run.js";

export interface Part {
  readonly server: string;
  /** The operation's name. */
  readonly operation: string;
  readonly choice: Choice;
}

const path = fileURLToPath(new URL("part.ts", import.meta.url));

export async function runPart(part: Part): Promise<Outcome> {
  const child = fork(path, [JSON.stringify(part)], { execArgv: ["--import", "tsx"] });
  let outcome: Outcome | undefined;
  child.on("message", (message) => {
    outcome = message as Outcome;
  });
  const [code] = (await once(child, "exit")) as [number | null];
  if (outcome === undefined) throw new Error(`${part.operation} ended with ${code}`);
  return outcome;
}

/** So many at a time, in their order. */
export async function runParts(
  parts: readonly Part[],
  jobs: number,
  onOutcome: (part: Part, outcome: Outcome) => void,
): Promise<void> {
  const left = [...parts];
  const worker = async () => {
    for (let part = left.shift(); part !== undefined; part = left.shift()) {
      onOutcome(part, await runPart(part));
    }
  };
  await Promise.all(Array.from({ length: jobs }, worker));
}

/** The points of an operation, one after the other, dealt to parts; none has only the first ones. */
export const dealt = (server: string, operation: string, every: number, parts: number): Part[] =>
  Array.from({ length: parts }, (_, index) => ({
    server,
    operation,
    choice: { first: 1 + index * every, every: every * parts },
  }));
