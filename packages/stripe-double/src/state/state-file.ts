/**
 * A double's journal in a file, one JSON value a line: first the seed and the version that wrote it,
 * then each entry. A line is written before the answer is sent, so that nothing that a caller saw is
 * lost, however the double ends.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { DoubleError } from "../api/errors.js";
import { LATEST_VERSION } from "../api/versions.js";
import { newSeed } from "../world/random.js";
import type { Journal, JournalEntry } from "./journal.js";

/** The format of the file, and of what a replay of it means. */
const FORMAT = 2;
const FRESH = "Start anew with `fresh`, which forgets what it holds, or use another file.";

interface StateOptions {
  readonly path: string;
  readonly fresh: boolean;
  readonly seed: string | number | undefined;
  readonly apiVersion: string | undefined;
}

export interface StateFile extends Journal {
  readonly path: string;
  readonly seed: string | number;
  close(): void;
}

interface Head {
  readonly format: number;
  readonly api_version: string;
  readonly seed: string | number;
}

export function openState(options: StateOptions): StateFile {
  const path = resolve(options.path);
  mkdirSync(dirname(path), { recursive: true });
  const unlock = lock(path);
  const begin = (seed: string | number) => {
    const head: Head = { format: FORMAT, api_version: options.apiVersion ?? LATEST_VERSION, seed };
    writeFileSync(path, `${JSON.stringify(head)}\n`, { mode: 0o600 });
  };
  try {
    if (options.fresh) rmSync(path, { force: true });
    const lines = existsSync(path) ? readLines(path) : [];
    const known = lines[0] as Head | undefined;
    if (known !== undefined) check(path, known, options);
    const seed = known?.seed ?? options.seed ?? newSeed();
    if (known === undefined) begin(seed);
    return {
      path,
      seed,
      entries: lines.slice(1) as JournalEntry[],
      append: (entry) => appendFileSync(path, `${JSON.stringify(entry)}\n`),
      clear: begin,
      close: unlock,
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** A last line that was cut off is dropped: its request was never answered. */
function readLines(path: string): unknown[] {
  const text = readFileSync(path, "utf8");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole.length < text.length) truncateSync(path, Buffer.byteLength(whole));
  try {
    return whole
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as unknown);
  } catch (error) {
    throw new DoubleError(`${path} is not the state of a double of Stripe. ${FRESH}`, {
      cause: error,
    });
  }
}

function check(
  path: string,
  head: Head,
  { seed, apiVersion = LATEST_VERSION }: StateOptions,
): void {
  if (head.format !== FORMAT) {
    throw new DoubleError(`${path} was written by another version of the double. ${FRESH}`);
  }
  if (seed !== undefined && String(seed) !== String(head.seed)) {
    throw new DoubleError(`${path} holds a state of the seed ${head.seed}, not ${seed}. ${FRESH}`);
  }
  if (head.api_version !== apiVersion) {
    throw new DoubleError(
      `${path} was written with Stripe's API version ${head.api_version}, not ${apiVersion}. ${FRESH}`,
    );
  }
}

/** Two doubles that write to one file would leave a state that neither of them had. */
function lock(path: string): () => void {
  const file = `${path}.lock`;
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: "wx" });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as { code?: unknown }).code !== "EEXIST") throw error;
      const holder = Number(readFileSync(file, "utf8"));
      if (isAlive(holder)) {
        throw new DoubleError(
          `${path} is in use by the double with the process id ${holder}. Stop that one, or use another file.`,
        );
      }
      rmSync(file, { force: true });
    }
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: unknown }).code === "EPERM";
  }
}
