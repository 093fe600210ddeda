/**
 * Where the emulator keeps its state: a file with one JSON value a line, first the seed and the
 * versions that wrote it, then each request that changed something. A line is written as soon as it
 * is answered, so that nothing is lost however the emulator ends.
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
import { dirname, join, resolve } from "node:path";
import Stripe from "stripe";
import { BillingError } from "../core/runtime/errors.js";
import type { Journal, JournalEntry } from "../testing/journal.js";

const FOLDER = ".backend-billing";
const FILE = "emulator.jsonl";
const FRESH = "Start anew with --fresh, which forgets what it holds, or use another file: --state";

interface StateOptions {
  /** A path, or undefined for the usual one below the current folder. */
  readonly path: string | undefined;
  readonly cwd: string;
  readonly fresh: boolean;
  readonly seed: string | undefined;
  readonly version: string;
}

export interface EmulatorState extends Journal {
  readonly path: string;
  readonly seed: string;
  /** Lets go of the file, so that another emulator may use it. */
  close(): void;
}

interface Head {
  readonly format: 1;
  readonly version: string;
  readonly stripe: string;
  readonly seed: string;
}

/** A seed that no other start has: ids, keys and the account come from it. */
export const newSeed = (): string => crypto.randomUUID();

export function openState(options: StateOptions): EmulatorState {
  const { cwd, fresh, version } = options;
  const path = resolve(cwd, options.path ?? join(FOLDER, FILE));
  makeFolder(path, options.path === undefined);
  const unlock = lock(path);
  try {
    if (fresh) rmSync(path, { force: true });
    const lines = existsSync(path) ? readLines(path) : [];
    const known = lines[0] as Head | undefined;
    if (known !== undefined) check(path, known, options);
    const seed = known?.seed ?? options.seed ?? newSeed();
    if (known === undefined) {
      const head: Head = { format: 1, version, stripe: Stripe.API_VERSION, seed };
      writeFileSync(path, `${JSON.stringify(head)}\n`, { mode: 0o600 });
    }
    return {
      path,
      seed,
      entries: lines.slice(1) as JournalEntry[],
      append: (entry) => appendFileSync(path, `${JSON.stringify(entry)}\n`),
      close: unlock,
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** The folder ignores itself: what is in it belongs to one machine. */
function makeFolder(path: string, isOurs: boolean): void {
  const folder = dirname(path);
  if (existsSync(folder)) return;
  mkdirSync(folder, { recursive: true });
  if (isOurs) writeFileSync(join(folder, ".gitignore"), "*\n");
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
    throw new BillingError("invalid_config", `${path} is not a state of the emulator. ${FRESH}`, {
      cause: error,
    });
  }
}

function check(path: string, head: Head, { seed, version }: StateOptions): void {
  if (seed !== undefined && seed !== head.seed) {
    const message = `${path} holds a state of the seed ${head.seed}, not ${seed}. ${FRESH}`;
    throw new BillingError("invalid_argument", message);
  }
  if (head.format === 1 && head.version === version && head.stripe === Stripe.API_VERSION) return;
  throw new BillingError(
    "invalid_config",
    `${path} was written by backend-billing ${head.version} with Stripe's API version ${head.stripe}; this is ${version} with ${Stripe.API_VERSION}, which may give other ids. ${FRESH}`,
  );
}

/** Two emulators that write to one file would leave a state that neither of them had. */
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
        throw new BillingError(
          "invalid_argument",
          `${path} is in use by the emulator with the process id ${holder}. Stop that one, or start with --no-state or --state <path>.`,
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
