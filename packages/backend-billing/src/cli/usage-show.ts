/** What an entity has of features with a balance, as it is now. Reads only. */
import type { AnyCatalogue } from "../core/plans/catalogue.js";
import { meterOf } from "../core/plans/usage.js";
import type { Unsent } from "../core/runtime/records/books.js";
import { batchIn, type NamedBatch } from "../core/usage/books/batches.js";
import { placeKey } from "../core/usage/outbox/place.js";
import { settledWallets } from "../core/usage/settled.js";
import { shownOf, type UsageBalance } from "../core/usage/usage.js";
import type { Grant, Hold } from "../core/usage/wallet.js";
import { usageOn } from "../postgres/usage/usage.js";
import { type Connected, type ConnectOptions, connected, placeOf, resourcesOf } from "./connect.js";
import { loadCatalogue } from "./plans/load.js";
import { printBatches } from "./terminal/batches.js";
import { count, counted, moment } from "./terminal/format.js";
import type { Io } from "./terminal/io.js";

export interface ShowOptions extends ConnectOptions {
  readonly catalogue?: string;
}

interface FeatureUsage {
  readonly feature: string;
  readonly balance: UsageBalance;
  /** Those that count now, or may again. */
  readonly grants: readonly Grant[];
  readonly holds: readonly Hold[];
  /** Of a feature with a meter: what waits to be sent, and batches that are reported or under way. */
  readonly unsent?: Unsent;
  readonly batches?: readonly NamedBatch[];
}

const MOST_BATCHES = 100;

export async function showUsage(io: Io, entityId: string, options: ShowOptions): Promise<void> {
  const { catalogue } = await loadCatalogue(io.cwd, options.catalogue);
  const work = async (at: Connected) => {
    const features = await readUsage(at, options, catalogue, entityId);
    io.emit({ entityId, features });
    if (!io.json) print(io, entityId, features);
  };
  await connected(io, options, work, catalogue);
}

async function readUsage(
  { runtime, pool }: Connected,
  options: ConnectOptions,
  catalogue: AnyCatalogue,
  entityId: string,
): Promise<readonly FeatureUsage[]> {
  const store = usageOn(pool, { ...placeOf(options), resources: resourcesOf(options) });
  const all = await settledWallets(store, catalogue, entityId, runtime.now());
  const found: FeatureUsage[] = [];
  for (const [feature, settled] of all) {
    const { grants, holds } = settled.wallet;
    found.push({
      feature,
      balance: shownOf(settled),
      grants,
      holds: holds.filter(({ state }) => state === "held"),
      ...(meterOf(catalogue.features[feature]) === undefined
        ? {}
        : await sendingOf({ runtime }, { entityId, feature })),
    });
  }
  return found;
}

async function sendingOf(
  { runtime: { store, books } }: Pick<Connected, "runtime">,
  place: { readonly entityId: string; readonly feature: string },
): Promise<Pick<FeatureUsage, "unsent" | "batches">> {
  const unsent = await books?.unsent(place);
  const records = await store.recordsOf("batch", placeKey(place), "", MOST_BATCHES);
  return { ...(unsent === undefined ? {} : { unsent }), batches: records.map(batchIn) };
}

const time = (at: number | null): string => (at === null ? "" : moment(at));

function print(io: Io, entityId: string, features: readonly FeatureUsage[]): void {
  const dim = (words: readonly string[]) => words.map((word) => io.paint("dim", word));
  io.print(io.paint("bold", entityId));
  io.table([
    dim(["feature", "granted", "used", "held", "remaining", "beyond", "next share (UTC)"]),
    ...features.map(
      ({ feature, balance: { granted, used, held, remaining, overage, resetsAt } }) => [
        feature,
        ...[granted, used, held, remaining, overage].map(count),
        time(resetsAt),
      ],
    ),
  ]);
  const grants = features.flatMap(({ feature, grants }) =>
    grants.map(({ key, amount, used, held, expiresAt, live }) => [
      ...[feature, key, count(amount), count(used), count(held), time(expiresAt)],
      live ? "" : "ended",
    ]),
  );
  printPart(io, dim(["feature", "grant", "units", "used", "held", "ends (UTC)", ""]), grants);
  const holds = features.flatMap(({ feature, holds }) =>
    holds.map(({ key, amount, expiresAt }) => [feature, key, count(amount), time(expiresAt)]),
  );
  printPart(io, dim(["feature", "hold", "units", "ends (UTC)"]), holds);
  for (const { feature, unsent, batches = [] } of features) {
    if (unsent !== undefined && unsent.records > 0) {
      const of = `${counted(unsent.units, "unit")} in ${counted(unsent.records, "record")}`;
      io.print();
      io.print(`${feature}: ${of} to be sent, since ${time(unsent.since)} UTC`);
    }
    if (batches.length === 0) continue;
    io.print();
    printBatches(io, batches);
  }
}

function printPart(io: Io, head: readonly string[], rows: readonly (readonly string[])[]): void {
  if (rows.length === 0) return;
  io.print();
  io.table([head, ...rows]);
}
