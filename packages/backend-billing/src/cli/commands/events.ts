/**
 * The command `events`: what Stripe says happened beside what was received, and the replaying of
 * what was missed. A replay is received as a webhook is: the receipt and the rule decide.
 */
import type { Command } from "commander";
import type Stripe from "stripe";
import { receiveEvent } from "../../core/events/receive.js";
import { settleNow } from "../../core/events/settle-now.js";
import { plain, readEvent } from "../../core/mirror/snapshot.js";
import { rawTypesSent } from "../../core/runtime/commit/listening.js";
import { BillingError, provider } from "../../core/runtime/errors.js";
import type { Runtime } from "../../core/runtime/runtime.js";
import { checkPlace } from "../../core/stripe/account.js";
import { type Connected, type ConnectOptions, connected, withConnectOptions } from "../connect.js";
import { type ConvexOptions, notOnConvex, withConvexOptions } from "../convex.js";
import { receiptsOf, type StoredReceipt } from "../receipts.js";
import { describeError } from "../terminal/describe-error.js";
import { duration, moment } from "../terminal/format.js";
import { EXIT, type Io } from "../terminal/io.js";

interface ListOptions extends ConnectOptions, ConvexOptions {
  readonly limit: string;
  readonly type?: string;
  readonly missing?: boolean;
}

type ShowOptions = ConnectOptions & ConvexOptions;

export function addEventsCommand(program: Command, io: Io): void {
  const events = program
    .command("events")
    .description("look at Stripe's events beside those received, and replay missed ones");
  const options = (command: Command) => withConvexOptions(withConnectOptions(command));
  options(
    events
      .command("list")
      .description("the latest events at Stripe, and whether they were received")
      .option("--limit <n>", "how many to look at, newest first", "20")
      .option("--type <type>", "only of this type, such as customer.updated")
      .option("--missing", "only those that should have been received and were not"),
  ).action((given: ListOptions) => onPostgres(io, given, (at) => list(io, at, given)));
  options(
    events.command("show").argument("<id>").description("one event, with its receipt"),
  ).action((id: string, given: ShowOptions) => onPostgres(io, given, (at) => show(io, at, id)));
  options(
    events
      .command("replay")
      .argument("<ids...>")
      .description("hand events over again, as the webhook would; those received are left alone"),
  ).action((ids: string[], given: ShowOptions) =>
    onPostgres(io, given, (at) => replay(io, at, ids)),
  );
}

async function onPostgres(
  io: Io,
  options: ShowOptions,
  work: (at: Connected) => Promise<void>,
): Promise<void> {
  if (options.convex) {
    throw notOnConvex(
      "events",
      "Your deployment reads Stripe's events by itself every five minutes; `reconcile --convex` makes it compare everything now.",
    );
  }
  await connected(io, options, work);
}

/** How an event stands with the mirror. */
type Standing = "received" | "missing" | "not mirrored";

function standingOf(
  { effects }: Runtime,
  taken: readonly string[],
  { type }: Stripe.Event,
  receipt: StoredReceipt | undefined,
): Standing {
  if (receipt !== undefined) return "received";
  return effects.has(type) || taken.includes(type) ? "missing" : "not mirrored";
}

const objectId = ({ data }: Stripe.Event): string | null =>
  (data.object as { id?: string }).id ?? null;

async function list(io: Io, at: Connected, options: ListOptions): Promise<void> {
  const limit = Number(options.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > 10_000) {
    const message = `--limit must be a whole number from 1 to 10000, not ${options.limit}.`;
    throw new BillingError("invalid_argument", message);
  }
  const events = await latestEvents(at.runtime, limit, options.type);
  const receipts = await receiptsOf(
    at,
    events.map(({ id }) => id),
  );
  const taken = await rawTypesSent(at.runtime);
  const rows = events
    .map((event) => {
      const { id, type } = event;
      const receipt = receipts.get(id);
      return {
        id,
        type,
        created: event.created * 1000,
        objectId: objectId(event),
        standing: standingOf(at.runtime, taken, event, receipt),
        receivedAt: receipt?.receivedAt ?? null,
      };
    })
    .filter(({ standing }) => !options.missing || standing === "missing");
  io.emit({ events: rows });
  if (rows.length === 0) {
    io.print("No such events at Stripe; it keeps them for 30 days.");
    return;
  }
  io.table([
    ["created (UTC)", "event", "type", "object", ""].map((word) => io.paint("dim", word)),
    ...rows.map(({ id, type, created, objectId: object, standing, receivedAt }) => [
      moment(created),
      id,
      type,
      object ?? "",
      standing === "missing"
        ? io.paint("yellow", standing)
        : receivedAt === null
          ? standing
          : `received after ${duration(Math.max(0, receivedAt - created))}`,
    ]),
  ]);
  const missing = rows.filter(({ standing }) => standing === "missing");
  if (missing.length > 0) {
    io.print();
    io.print("To hand over what is missing: npx backend-billing events replay <event>…");
  }
}

async function latestEvents(
  runtime: Runtime,
  limit: number,
  type: string | undefined,
): Promise<Stripe.Event[]> {
  const found: Stripe.Event[] = [];
  const page = { limit: Math.min(100, limit), ...(type === undefined ? {} : { type }) };
  try {
    for await (const event of runtime.stripe().events.list(page)) {
      found.push(event);
      if (found.length >= limit) break;
    }
  } catch (error) {
    provider(error);
  }
  return found;
}

async function show(io: Io, at: Connected, id: string): Promise<void> {
  const event = await at.runtime.stripe().events.retrieve(id).catch(provider);
  const receipt = (await receiptsOf(at, [id])).get(id) ?? null;
  const taken = await rawTypesSent(at.runtime);
  const standing = standingOf(at.runtime, taken, event, receipt ?? undefined);
  const version = objectId(event) === null ? [] : await versionsOf(at.runtime, event);
  io.emit({ event: plain(event), receipt, standing, mirror: version });
  io.table([
    ["event", id],
    ["type", event.type],
    ["created", `${moment(event.created * 1000)} UTC`],
    ["API version", event.api_version ?? "the account's"],
    ["object", objectId(event) ?? ""],
    ["standing", receipt === null ? standing : `received ${moment(receipt.receivedAt)} UTC`],
    ...version.map(({ resource, state, stale }) => [
      "mirror",
      `${resource}: ${state}${stale ? ", in doubt: Stripe will be asked" : ""}`,
    ]),
  ]);
  io.print();
  io.print(JSON.stringify(plain(event.data), null, 2));
}

/** What the mirror knows of the event's object, under each resource that the event is about. */
async function versionsOf(runtime: Runtime, event: Stripe.Event) {
  const id = objectId(event) ?? "";
  const effects = (runtime.effects.get(event.type) ?? []).filter(
    ({ kind }) => kind !== "refresh" && kind !== "relist",
  );
  return Promise.all(
    effects.map(async ({ resource }) => {
      const version = await runtime.store.version(resource, id);
      return { resource, state: version?.state ?? "never seen", stale: version?.stale ?? false };
    }),
  );
}

async function replay(io: Io, at: Connected, ids: readonly string[]): Promise<void> {
  const { runtime } = at;
  await checkPlace(runtime);
  const results: object[] = [];
  for (const id of ids) {
    try {
      const received = await replayOne(runtime, id);
      results.push({ id, received });
      io.print(`${io.paint("green", "✓")} ${id}: ${WORDS[received]}`);
    } catch (error) {
      const described = describeError(error);
      results.push({ id, error: described });
      io.print(`${io.paint("red", "✗")} ${id}: ${described.message}`);
      io.exit(EXIT.failed);
    }
  }
  const answered = await settleNow(runtime);
  if (answered > 0) io.print(`Stripe was asked about ${answered} of them, and its answer stored.`);
  const { seen, stored, unchanged, refused, deleted, asked } = at.tally.counts();
  io.emit({ events: results, process: { seen, stored, unchanged, refused, deleted, asked } });
}

const WORDS = {
  handled: "handled",
  duplicate: "received before, left alone; if a row is wrong, run reconcile",
  ignored: "nothing in the tables depends on such an event, and no handler takes it",
} as const;

async function replayOne(runtime: Runtime, id: string): Promise<keyof typeof WORDS> {
  const event = await runtime.stripe().events.retrieve(id).catch(provider);
  const read = readEvent(plain(event));
  if (read === undefined) {
    throw new BillingError("provider_error", `Stripe's answer for ${id} is not an event.`);
  }
  return receiveEvent(runtime, read);
}
