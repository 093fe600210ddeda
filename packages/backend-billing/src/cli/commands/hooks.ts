/** The command `hooks`: changes that the application could not be told of, and what becomes of them. */
import type { Command } from "commander";
import type { StoredRecord } from "../../core/mirror/store.js";
import { deliveryIn } from "../../core/reactions/delivery.js";
import { type Held, heldIn } from "../../core/reactions/settle/held.js";
import {
  changesOf,
  heldChanges,
  retryChange,
  retryParked,
  skipChange,
} from "../../core/reactions/settle/settle.js";
import { BillingError } from "../../core/runtime/errors.js";
import { createRuntime, type Runtime } from "../../core/runtime/runtime.js";
import { billingConfig, type ConnectOptions, connected, withConnectOptions } from "../connect.js";
import { type ConvexOptions, convexStore, withConvexOptions } from "../convex.js";
import { isConfirmed } from "../terminal/confirm.js";
import { count, counted, duration, moment } from "../terminal/format.js";
import { EXIT, type Io } from "../terminal/io.js";

type Options = ConnectOptions & ConvexOptions;
type Work = (runtime: Runtime) => Promise<void>;

export function addHooksCommand(program: Command, io: Io): void {
  const hooks = program
    .command("hooks")
    .description("settle changes that your application could not be told of");
  const add = (name: string, description: string) =>
    withConvexOptions(withConnectOptions(hooks.command(name).description(description)));
  add("list", "the changes that failed or are parked")
    .option("--parked", "only those that are parked")
    .action((given: Options & { parked?: true }) => over(io, given, list(io, given.parked)));
  add("show", "one change, with what was before and after it")
    .argument("<change>", "its key, or the id of its object")
    .action((name: string, given: Options) => over(io, given, show(io, name)));
  add("retry", "has a change told again, from now on")
    .argument("[change]", "its key, or the id of its object")
    .option("--all-parked", "all that are parked")
    .action((name: string | undefined, given: Options & { allParked?: true }) =>
      over(io, given, retry(io, name, given.allParked)),
    );
  add("skip", "removes a change, which is never told then")
    .argument("<change>", "its key, or the id of its object")
    .option("--yes", "do not ask")
    .action((name: string, given: Options & { yes?: true }) =>
      over(io, given, skip(io, name, given.yes)),
    );
}

async function over(io: Io, options: Options, work: Work): Promise<void> {
  if (!options.convex) return connected(io, options, ({ runtime }) => work(runtime));
  const store = await convexStore(io, options);
  return work(createRuntime(billingConfig(io, options), { store, baseUrl: () => "", wake() {} }));
}

const time = (at: number | null): string => (at === null ? "" : moment(at));

const list =
  (io: Io, onlyParked = false): Work =>
  async ({ store }) => {
    const all = await heldChanges(store);
    const parked = all.filter(({ standing }) => standing === "parked");
    const changes = onlyParked ? parked : all;
    io.emit({ changes });
    if (changes.length === 0) {
      io.print(`No change ${onlyParked ? "is parked" : "failed or is parked"}.`);
      return;
    }
    const head = ["change", "object", "attempts", "since (UTC)", "next try (UTC)", "told"];
    io.table([
      head.map((word) => io.paint("dim", word)),
      ...changes.map(({ key, object, standing, attempts, since, due, done }) => [
        key,
        object,
        count(attempts),
        time(since),
        standing === "parked" ? io.paint("red", "parked") : time(due),
        done.join(", "),
      ]),
    ]);
    io.print();
    io.print(`${counted(changes.length, "change")}, ${count(parked.length)} parked.`);
    io.print("To have one told again: npx backend-billing hooks retry <change>");
    io.print("To give one up:         npx backend-billing hooks skip <change>");
  };

/** The one change that is meant. */
async function chosen({ store }: Runtime, name: string): Promise<StoredRecord> {
  const found = await changesOf(store, name);
  const [only, ...others] = found;
  if (only === undefined) {
    const message = `No change is left that has the key or the object ${name}. What was told is not kept.`;
    throw new BillingError("invalid_argument", message);
  }
  if (others.length === 0) return only;
  const keys = found.map((record) => `\n  ${deliveryIn(record).key} (${heldIn(record).standing})`);
  const message = `${count(found.length)} changes of ${name} are left. Give the key of one:${keys.join("")}`;
  throw new BillingError("invalid_argument", message);
}

const show =
  (io: Io, name: string): Work =>
  async (runtime) => {
    const record = await chosen(runtime, name);
    const held = heldIn(record);
    const { before, after } = deliveryIn(record);
    io.emit({ ...held, before, after });
    const { key, object, standing, attempts, since, due, at, done, late } = held;
    io.table([
      ["change", key],
      ["object", object],
      ["stored", `${moment(at)} UTC`],
      ["state", `${standing}${late ? ", late: it was parked before" : ""}`],
      ["attempts", attempts === 0 ? "none" : `${count(attempts)} since ${time(since)} UTC`],
      ["next try", due === null ? "never" : due <= runtime.now() ? "now" : `${moment(due)} UTC`],
      ["told", done.join(", ") || "nothing yet"],
    ]);
    for (const [word, content] of Object.entries({ before, after })) {
      io.print();
      io.print(`${word}: ${JSON.stringify(content, null, 2)}`);
    }
  };

const retry =
  (io: Io, name: string | undefined, allParked = false): Work =>
  async (runtime) => {
    if ((name === undefined) !== allParked) {
      throw new BillingError("invalid_argument", "Give one change, or --all-parked.");
    }
    const changes =
      name === undefined ? await retryParked(runtime) : [await retryOne(runtime, name)];
    io.emit({ retried: changes });
    for (const each of changes) io.print(`${io.paint("green", "✓")} ${described(each)}: due now`);
    if (changes.length === 0) io.print("No change is parked.");
  };

async function retryOne(runtime: Runtime, name: string): Promise<Held> {
  const before = await retryChange(runtime, await chosen(runtime, name));
  if (before !== undefined) return before;
  const message = `The change ${name} has not failed: it is told when its turn comes, or was told just now.`;
  throw new BillingError("invalid_argument", message);
}

const skip =
  (io: Io, name: string, yes = false): Work =>
  async (runtime) => {
    const record = await chosen(runtime, name);
    const what = described(heldIn(record));
    if (!yes && !(await isConfirmed(io, `Skip ${what}? It is never told then.`))) {
      io.print("Nothing was skipped.");
      io.exit(EXIT.interrupted);
      return;
    }
    const skipped = (await skipChange(runtime, record)) ?? null;
    io.emit({ skipped });
    if (skipped === null) io.print(`${what} was told just now, and is not there to be skipped.`);
    else io.print(`${io.paint("green", "✓")} ${what} is never told`);
  };

function described({ key, object, done, standing, attempts, since }: Held): string {
  const tried =
    attempts === 0 || since === null
      ? []
      : [`tried ${count(attempts)} times in ${duration(Math.max(0, Date.now() - since))}`];
  const known = done.length === 0 ? [] : [`${done.join(", ")} told before`];
  return `${object} (${[key, standing, ...tried, ...known].join(", ")})`;
}
