/** The command `status`: how current the tables are, and what is under way. It changes nothing. */
import type { Command } from "commander";
import { type ErasureFacts, erasureFacts } from "../../core/erase/report.js";
import type { RecordKind } from "../../core/mirror/store.js";
import { setAsideNow } from "../../core/runtime/commit/asides.js";
import { routePath } from "../../core/runtime/config.js";
import type { RunReport, SetAsideReport } from "../../core/runtime/reports.js";
import { paceNow } from "../../core/stripe/pacer.js";
import { eventsReadTo } from "../../core/sync/run/open.js";
import { latestRuns } from "../../core/sync/run/report.js";
import {
  type Connected,
  type ConnectOptions,
  connected,
  hasKey,
  webhookPlace,
  withConnectOptions,
} from "../connect.js";
import { type ConvexOptions, convexRun, convexStore, withConvexOptions } from "../convex.js";
import { type EndpointHealth, endpointProblems, ourEndpoints } from "../endpoint-health.js";
import { type ReactionFacts, reactionFacts } from "../reactions.js";
import { asksOutstanding, receivedSince, type StoredReceipt } from "../receipts.js";
import { count, counted, duration, moment } from "../terminal/format.js";
import type { Io } from "../terminal/io.js";
import { driftTotal, printSetAside, rowsOf } from "../terminal/progress.js";
import { type UsageFacts, usageFacts } from "../usage.js";

interface Options extends ConnectOptions, ConvexOptions {
  readonly runs?: string;
}

interface Status {
  readonly lastEvent: (StoredReceipt & { readonly lagMs: number }) | null;
  readonly receipts: { readonly lastDay: number };
  readonly eventsReadTo: number | null;
  readonly asks: { readonly number: number; readonly oldestDue: number | null };
  readonly refreshes: number;
  /** Entities whose seats are to be counted, or could not be sent yet. */
  readonly seats: number;
  /** Entities that are not erased yet; of these, how many failed, and why the last of them did. */
  readonly erasures: ErasureFacts;
  readonly reactions: ReactionFacts;
  readonly usage: UsageFacts;
  /** Objects that are at Stripe and cannot be stored. */
  readonly setAside: SetAsideReport;
  readonly runs: readonly RunReport[];
  /** Requests a second that the background may make now; null if it has not asked Stripe yet. */
  readonly pace: { readonly perSecond: number; readonly limit: number } | null;
  /** Null without a key. */
  readonly endpoints: readonly EndpointHealth[] | null;
}

const DAY = 86_400_000;

export function addStatusCommand(program: Command, io: Io): void {
  const command = program
    .command("status")
    .description("show how current the tables are, what is under way, and the endpoint's health")
    .option("--url <url>", "look at the endpoint of this address only")
    .option("--runs <n>", "how many runs to show, at most 100 (default: 5)");
  withConvexOptions(withConnectOptions(command)).action((options: Options) =>
    options.convex ? statusOnConvex(io, options) : runStatus(io, options),
  );
}

async function runStatus(io: Io, options: Options): Promise<void> {
  await connected(io, options, async (at) => {
    const status = await readStatus(at, options);
    io.emit(status);
    if (!io.json) printStatus(io, status);
  });
}

async function readStatus(at: Connected, options: Options): Promise<Status> {
  const { runtime } = at;
  const now = runtime.now();
  const { last, number } = await receivedSince(at, now - DAY);
  const read = await eventsReadTo(runtime);
  return {
    lastEvent: last === undefined ? null : { ...last, lagMs: last.receivedAt - last.created },
    receipts: { lastDay: number },
    eventsReadTo: read === undefined ? null : read * 1000,
    asks: await asksOutstanding(at),
    refreshes: await numberOf(at, "refresh"),
    seats: await numberOf(at, "seats"),
    erasures: await erasureFacts(runtime.store),
    reactions: await reactionFacts(at.pool, at.schema),
    usage: await usageFacts(runtime.store, now),
    setAside: await setAsideNow(runtime.store),
    runs: await latestRuns(runtime, Number(options.runs ?? 5)),
    pace: await paceOf(at),
    endpoints: hasKey(runtime) ? await ourEndpoints(runtime, endpointUrl(at, options)) : null,
  };
}

function endpointUrl({ runtime }: Connected, { url }: Options): string | undefined {
  if (url === undefined) return undefined;
  return `${webhookPlace(url).base}${routePath(runtime.config)}/webhook`;
}

async function numberOf({ runtime }: Connected, kind: RecordKind): Promise<number> {
  let number = 0;
  for (let after = ""; ; ) {
    const page = await runtime.store.records(kind, after, 1000);
    number += page.length;
    const last = page.at(-1);
    if (last === undefined) return number;
    after = last.id;
  }
}

async function paceOf({ runtime }: Connected): Promise<Status["pace"]> {
  if (!hasKey(runtime)) return null;
  const pace = await paceNow(runtime);
  return pace && { perSecond: Math.round(pace.rate * 10) / 10, limit: pace.limit };
}

function printStatus(io: Io, status: Status): void {
  const now = Date.now();
  const ago = (at: number) => `${duration(Math.max(0, now - at))} ago`;
  const { lastEvent, asks, refreshes, seats, erasures, pace } = status;
  const late = asks.oldestDue === null ? 0 : now - asks.oldestDue;
  io.table([
    [
      "last event",
      lastEvent === null
        ? "none received yet"
        : `${lastEvent.type} ${lastEvent.eventId}, ${ago(lastEvent.receivedAt)}, ${duration(Math.max(0, lastEvent.lagMs))} after it happened`,
    ],
    ["receipts", `${count(status.receipts.lastDay)} in the last 24 hours`],
    [
      "events read to",
      status.eventsReadTo === null ? "never: run sync" : `${moment(status.eventsReadTo)} UTC`,
    ],
    [
      "outstanding",
      `${count(asks.number)} asks${late > 60_000 ? ` (the oldest is ${duration(late)} late)` : ""}, ${count(refreshes)} refreshes, ${count(seats)} counts of seats, ${erasureText(erasures)}`,
    ],
    ...reactionLine(status.reactions),
    ...usageLine(status.usage),
    ["pace", pace === null ? "not known" : `${pace.perSecond} requests/s of ${pace.limit} in all`],
  ]);
  printSetAside(io, status.setAside);
  printEndpoints(io, status.endpoints);
  printRuns(io, status.runs);
}

const erasureText = ({ number, failing, reason }: ErasureFacts): string =>
  `${counted(number, "erasure")}${failing === 0 ? "" : ` (${count(failing)} failing${reason === null ? "" : `: ${reason}`})`}`;

/** Nothing where nothing is listened to, and nothing is left of what was. */
function reactionLine({ listens, waiting, failing, parked, oldest }: ReactionFacts): string[][] {
  if (!listens && waiting + failing + parked.number === 0) return [];
  const late = oldest?.milliseconds ?? 0;
  const waited = late > 60_000 ? ` (the oldest is ${duration(late)} late)` : "";
  const numbers = `${count(waiting)} waiting${waited}, ${count(failing)} failing, ${count(parked.number)} parked`;
  return [["reactions", numbers]];
}

/** Nothing where no usage was ever sent, or all of it as it should. */
function usageLine({ underWay, reported, uncounted }: UsageFacts): string[][] {
  if (underWay + reported.number + uncounted.number === 0) return [];
  const numbers = `${count(underWay)} under way, ${count(reported.number)} reported, ${counted(uncounted.number, "event")} not counted`;
  return [["usage", numbers]];
}

function printEndpoints(io: Io, endpoints: Status["endpoints"]): void {
  if (endpoints === null) io.print("endpoint        not looked at: there is no STRIPE_SECRET_KEY");
  else if (endpoints.length === 0) {
    io.print("endpoint        none at Stripe. Make it: npx backend-billing sync --webhook --url …");
  }
  for (const endpoint of endpoints ?? []) {
    const problems = endpointProblems(endpoint);
    const mark = problems.length === 0 ? io.paint("green", "✓") : io.paint("yellow", "!");
    const { id, url, status, apiVersion } = endpoint;
    const version = apiVersion ?? "the account's version";
    io.print(`endpoint        ${mark} ${status} ${url} (${id}, ${version})`);
    for (const problem of problems) io.print(`                  ${problem}`);
  }
}

function printRuns(io: Io, runs: readonly RunReport[]): void {
  io.print();
  if (runs.length === 0) {
    io.print("No runs yet.");
    return;
  }
  io.table([
    ["run", "state", "begun (UTC)", "took", "objects", "phase"].map((word) =>
      io.paint("dim", word),
    ),
    ...runs.map((run) => [
      run.kind,
      io.paint(run.state === "failed" ? "red" : run.state === "done" ? "green" : "cyan", run.state),
      moment(run.startedAt),
      run.finishedAt === null ? "" : duration(run.finishedAt - run.startedAt),
      count(rowsOf(run)),
      run.state === "running" ? run.phase : "",
    ]),
  ]);
  for (const run of runs) {
    const drift = driftTotal(run);
    const word = run.kind === "verify" ? "found to differ" : "repaired";
    if (drift > 0) io.print(`${run.kind} of ${moment(run.startedAt)}: ${count(drift)} ${word}`);
    if (run.error !== undefined) io.print(`${run.kind}: ${run.error}`);
    if (run.setAside !== undefined) {
      const number = counted(run.setAside.count, "object");
      io.print(`${run.kind} of ${moment(run.startedAt)}: ${number} could not be stored`);
    }
  }
}

async function statusOnConvex(io: Io, options: Options): Promise<void> {
  const line =
    "export const runs = internalAction({ args: {}, handler: (ctx) => billing.runs(ctx) });";
  const runs = (await convexRun(io, options, "runs", {}, line)) as RunReport[];
  const usage = await usageFacts(await convexStore(io, options), Date.now());
  io.emit({ usage, runs });
  if (io.json) return;
  io.table(usageLine(usage));
  printRuns(io, runs);
}
