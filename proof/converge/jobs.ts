/** Many histories by several processes at once, in parts that each have a seed of their own. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Result } from "../../support/convergence/check.js";
import { addPlayed, nothingPlayed } from "../../support/convergence/played.js";

/** Histories of one process: few enough to say now and then how far it is. */
const PART = 5_000;

export interface Jobs {
  readonly histories: number;
  readonly seed: number;
  readonly jobs: number;
  /** Arguments that every process is given. */
  readonly args: readonly string[];
  onProgress(histories: number): void;
}

/** The result of all, or of the first that ended wrong, with its seed. */
export async function inParts({ histories, seed, jobs, args, onProgress }: Jobs) {
  const played = nothingPlayed();
  const sum = { histories: 0, events: 0, calls: 0, played };
  let wrong: (NonNullable<Result["failure"]> & { readonly seed: number }) | undefined;
  let next = 0;
  const lane = async () => {
    while (wrong === undefined && next * PART < histories) {
      const part = next++;
      const own = seed + part;
      const size = Math.min(PART, histories - part * PART);
      const { failure, ...result } = await runPart([
        ...args,
        "--histories",
        String(size),
        "--seed",
        String(own),
      ]);
      sum.histories += result.histories;
      sum.events += result.events;
      sum.calls += result.calls;
      addPlayed(played, result.played);
      onProgress(sum.histories);
      if (failure) wrong ??= { ...failure, seed: own };
    }
  };
  await Promise.all(Array.from({ length: jobs }, lane));
  return { ...sum, failure: wrong };
}

async function runPart(args: readonly string[]): Promise<Result> {
  const script = ["--import", "tsx", "proof/converge.ts", "--json", "--shrink", ...args];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, script, {
    maxBuffer: 2 ** 26,
  }).catch((error: unknown) => error as { stdout: string; stderr: string });
  const line = stdout.trim().split("\n").at(-1) ?? "";
  if (!line.startsWith("{")) throw new Error(`A part did not run: ${stderr || stdout}`);
  return JSON.parse(line) as Result;
}
