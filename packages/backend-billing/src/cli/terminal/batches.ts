/** A table of batches of usage. */
import type { NamedBatch } from "../../core/usage/books/batches.js";
import { count, moment } from "./format.js";
import type { Io } from "./io.js";

export function printBatches(io: Io, batches: readonly NamedBatch[]): void {
  const head = ["batch", "entity", "customer", "meter", "units", "minute (UTC)", "state"];
  io.table([
    head.map((word) => io.paint("dim", word)),
    ...batches.map((batch) => [
      batch.id,
      batch.entityId,
      batch.customerId,
      batch.meter,
      count(batch.value),
      moment(batch.timestamp * 1000),
      stateOf(io, batch),
    ]),
  ]);
}

function stateOf(io: Io, { problem, code, tries }: NamedBatch): string {
  if (problem === undefined) return tries === 0 ? "under way" : `failed ${count(tries)} times`;
  return io.paint("red", code === undefined ? problem : `${problem}: ${code}`);
}
