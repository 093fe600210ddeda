/** The command `adopt`: takes over the customers of a file of pairs. */
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { BillingError } from "../../core/runtime/errors.js";
import { checkKey } from "../../core/stripe/account.js";
import { csvOf } from "../adopt/csv.js";
import { type Pairs, type Refused, readPairs } from "../adopt/pairs.js";
import { type Adopted, adoptAll } from "../adopt/work.js";
import { type Connected, type ConnectOptions, connected, withConnectOptions } from "../connect.js";
import { count, counted, duration, roughly } from "../terminal/format.js";
import { EXIT, type Io } from "../terminal/io.js";
import { lookEvery } from "../terminal/progress.js";
import { listenForInterruption } from "../work.js";

interface Options extends ConnectOptions {
  readonly dryRun?: boolean;
  readonly report?: string;
}

/** Pairs at once: as many as Stripe's limit needs at its usual speed. */
const AT_ONCE = 12;

export function addAdoptCommand(program: Command, io: Io): void {
  const command = program
    .command("adopt")
    .description("take over customers that you have already, by a file of pairs")
    .argument("<file>", "comma-separated, with the first line entityId,customerId")
    .option("--dry-run", "say what would be refused, and change nothing")
    .option("--report <file>", "write the pairs that were refused, with the reasons, to this file")
    .option("--concurrency <pairs>", `pairs at once (default: ${AT_ONCE})`)
    .option("--rate <requests>", "requests a second at most (default: Stripe's limit)");
  withConnectOptions(command).action((file: string, options: Options) => run(io, file, options));
}

async function run(io: Io, file: string, options: Options): Promise<void> {
  const { pairs, refused } = readPairs(textOf(io, file));
  await connected(io, options, (at) => adopt(io, at, { pairs, refused }, options));
}

function textOf(io: Io, file: string): string {
  try {
    return readFileSync(resolve(io.cwd, file), "utf8");
  } catch (error) {
    const message = `The file ${file} cannot be read: ${(error as Error).message}`;
    throw new BillingError("invalid_argument", message, { cause: error });
  }
}

async function adopt(
  io: Io,
  { runtime }: Connected,
  { pairs, refused }: Pairs,
  { dryRun: isDry = false, report }: Options,
): Promise<void> {
  if (!isDry) await checkKey(runtime); // what is wrong with the key is no pair's fault
  const began = Date.now();
  const adopted: Adopted = { linked: 0, refused: [...refused], failed: 0 };
  const progress = showProgress(io, adopted, refused.length, pairs.length, began);
  const interruption = listenForInterruption(io, progress.clear, "pairs");
  try {
    await adoptAll(runtime, pairs, adopted, {
      isDry,
      concurrency: runtime.config.concurrency ?? AT_ONCE,
      isOver: () => interruption.isAsked,
    });
  } finally {
    progress.end();
    interruption.end();
    if (report !== undefined) writeReport(io, report, adopted.refused);
  }
  const done = adopted.linked + adopted.refused.length - refused.length;
  const result = { ...resultOf(adopted), left: pairs.length - done };
  io.emit({ dryRun: isDry, ...result, milliseconds: Date.now() - began });
  conclude(io, adopted, { isDry, left: result.left, report, milliseconds: Date.now() - began });
}

const byLine = (refused: readonly Refused[]): readonly Refused[] =>
  [...refused].sort((a, b) => a.line - b.line);

const resultOf = ({ linked, refused, failed }: Adopted) => ({
  linked,
  failed,
  refused: byLine(refused),
});

function writeReport(io: Io, file: string, refused: readonly Refused[]): void {
  const rows = byLine(refused).map(({ line, entityId, customerId, code, reason }) => [
    String(line),
    entityId,
    customerId,
    code,
    reason,
  ]);
  const head = ["line", "entityId", "customerId", "code", "reason"];
  writeFileSync(resolve(io.cwd, file), csvOf([head, ...rows]));
}

/** Says how far it is, now and then. */
function showProgress(io: Io, adopted: Adopted, before: number, total: number, began: number) {
  let isDrawn = false;
  const clear = () => {
    if (isDrawn) io.write("\r\u001b[K");
    isDrawn = false;
  };
  const show = () => {
    const { linked, refused } = adopted;
    const done = linked + refused.length - before;
    const elapsed = Date.now() - began;
    const left = done === 0 ? undefined : ((total - done) * elapsed) / done / 1000;
    io.emit({ progress: { pairs: total, done, linked, refused: refused.length } });
    const line = [
      `${count(done)} of ${counted(total, "pair")}`,
      `${count(refused.length)} refused`,
      ...(left === undefined ? [] : [`${roughly(left)} left`]),
    ].join(" · ");
    if (!io.isTerminal) return io.print(line);
    clear();
    io.write(line.slice(0, io.width - 1));
    isDrawn = true;
  };
  const timer = setInterval(show, lookEvery(io));
  const end = () => {
    clearInterval(timer);
    clear();
  };
  return { clear, end };
}

interface Ending {
  readonly isDry: boolean;
  /** Pairs that were not looked at. */
  readonly left: number;
  readonly report: string | undefined;
  readonly milliseconds: number;
}

/** Refusals that are printed one by one. */
const SHOWN = 20;

function conclude(io: Io, { linked, refused, failed }: Adopted, ending: Ending): void {
  const { isDry, left, report, milliseconds } = ending;
  const what = isDry ? "could be linked" : "linked";
  io.print(
    `${io.paint("green", "✓")} ${counted(linked, "pair")} ${what}, in ${duration(milliseconds)}`,
  );
  if (refused.length > 0) {
    io.print(`${io.paint("red", "✗")} ${counted(refused.length, "pair")} refused:`);
    for (const { line, entityId, customerId, code, reason } of byLine(refused).slice(0, SHOWN)) {
      io.print(`  line ${line}: ${entityId}, ${customerId}: ${code}: ${reason}`);
    }
    const more = refused.length - SHOWN;
    if (more > 0)
      io.print(
        `  and ${count(more)} more${report === undefined ? "; see them all: --report refused.csv" : ""}`,
      );
    if (report !== undefined) io.print(`All of them: ${report}`);
    io.exit(failed > 0 ? EXIT.failed : EXIT.findings);
  }
  if (failed > 0) {
    const some = counted(failed, "pair");
    io.print(`${some} of these failed at no fault of theirs. Run the same command again.`);
  }
  if (left === 0) return;
  io.print(`Stopped. ${counted(left, "pair")} left. Run the same command again, and it goes on.`);
  io.exit(EXIT.interrupted);
}
