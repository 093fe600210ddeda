/** The command `usage`: what an entity has, and batches of usage that a person settles. */
import type { Command } from "commander";
import type { StoredRecord } from "../../core/mirror/store.js";
import { BillingError } from "../../core/runtime/errors.js";
import {
  batchIn,
  dropBatch,
  type NamedBatch,
  type Resent,
  sendAnew,
  wasCounted,
} from "../../core/usage/books/batches.js";
import { type Connected, type ConnectOptions, connected, withConnectOptions } from "../connect.js";
import { withCatalogueOption } from "../plans/load.js";
import { printBatches } from "../terminal/batches.js";
import { isConfirmed } from "../terminal/confirm.js";
import { count, moment } from "../terminal/format.js";
import { EXIT, type Io } from "../terminal/io.js";
import { allBatches } from "../usage.js";
import { type ShowOptions, showUsage } from "../usage-show.js";

type Settling = ConnectOptions & { readonly yes?: true; readonly counted?: true };

export function addUsageCommand(program: Command, io: Io): void {
  const usage = program
    .command("usage")
    .description("show what an entity has of features with a balance, and settle reported batches");
  const add = (name: string, description: string, isDefault = false) =>
    withConnectOptions(usage.command(name, { isDefault }).description(description));
  withCatalogueOption(add("show", "balances, grants, holds and batches of an entity", true))
    .argument("<entity>", "its id")
    .action((entity: string, given: ShowOptions) => showUsage(io, entity, given));
  add("batches", "batches of usage that are reported or under way").action(
    (given: ConnectOptions) => connected(io, given, (at) => list(io, at)),
  );
  add("send", "sends a reported batch anew, under a new identifier")
    .argument("<batch>", "its id")
    .option("--yes", "do not ask")
    .action((id: string, given: Settling) => connected(io, given, (at) => send(io, at, id, given)));
  add("drop", "closes a reported batch, which is never sent then")
    .argument("<batch>", "its id")
    .option("--counted", "Stripe has counted it; without this it is not billed by its meter")
    .option("--yes", "do not ask")
    .action((id: string, given: Settling) => connected(io, given, (at) => drop(io, at, id, given)));
}

async function list(io: Io, { runtime }: Connected): Promise<void> {
  const batches = await allBatches(runtime.store);
  io.emit({ batches });
  if (batches.length === 0) {
    io.print("No batch is reported or under way.");
    return;
  }
  printBatches(io, batches);
  const reported = batches.filter(({ problem }) => problem !== undefined).length;
  io.print();
  io.print(`Batches: ${count(batches.length)}, of which ${count(reported)} reported.`);
  if (reported === 0) return;
  io.print("What its meter lacks:   npx backend-billing usage send <batch>");
  io.print("To close one otherwise: npx backend-billing usage drop <batch>");
}

async function chosen({ runtime }: Connected, id: string): Promise<StoredRecord> {
  const record = await runtime.store.record("batch", id);
  if (record !== undefined) return record;
  const message = `There is no batch ${id}: what was sent is not kept. See: npx backend-billing usage batches`;
  throw new BillingError("invalid_argument", message);
}

const described = ({ id, value, meter, customerId, timestamp, problem }: NamedBatch): string =>
  `${id} (${problem ?? "under way"}: ${count(value)} of ${meter} for ${customerId}, ${moment(timestamp * 1000)} UTC)`;

async function isMeant(io: Io, { yes }: Settling, question: string): Promise<boolean> {
  if (yes || (await isConfirmed(io, question))) return true;
  io.print("Nothing was changed.");
  io.exit(EXIT.interrupted);
  return false;
}

async function send(io: Io, at: Connected, id: string, given: Settling): Promise<void> {
  const record = await chosen(at, id);
  const question = `Send ${described(batchIn(record))} anew? Stripe bills it then.`;
  if (!(await isMeant(io, given, question))) return;
  const resent = await sendAnew(at.runtime, record);
  io.emit({ resent });
  printResent(io, resent);
}

function printResent(io: Io, { id, outcome, code }: Resent): void {
  if (outcome === "sent") io.print(`${io.paint("green", "✓")} It was sent, as ${id}`);
  else if (outcome === "under_way") {
    io.print(`Stripe did not answer. Your application goes on to send it, as ${id}.`);
  } else {
    const why = code === undefined ? outcome : `${outcome}: ${code}`;
    io.print(`${io.paint("red", "✗")} It is reported again, as ${id} (${why})`);
    io.exit(EXIT.findings);
  }
}

async function drop(io: Io, at: Connected, id: string, given: Settling): Promise<void> {
  const record = await chosen(at, id);
  const batch = batchIn(record);
  const isCounted = given.counted === true || wasCounted(batch);
  const then = isCounted ? "It counts as sent." : "Its meter does not bill it then.";
  if (!(await isMeant(io, given, `Close ${described(batch)}? ${then}`))) return;
  await dropBatch(at.runtime, record, isCounted);
  io.emit({ dropped: batch, counted: isCounted });
  io.print(`${io.paint("green", "✓")} ${id} is closed: ${isCounted ? "sent" : "not billed"}`);
}
