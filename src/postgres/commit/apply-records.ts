/** Writes records inside a transaction, and lets the links of customers follow their claims. */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import { linkedResource } from "../../core/catalogue/row.js";
import type { RecordWrite } from "../../core/mirror/store.js";
import { sqlState, UNIQUE_VIOLATION } from "../database.js";
import type { Names } from "../store/names.js";
import type { Run } from "../store/prepared.js";
import { readClaimed, relink, writeRecords } from "./sql.js";

/** A record was not at the revision expected. */
export class RecordConflict extends Error {
  constructor(readonly write: Pick<RecordWrite, "kind" | "id">) {
    super(`${write.kind} ${write.id} has changed`);
  }
}

/** The customers that the written claims point at, before and after: their links may change. */
export async function claimedBefore(
  names: Names,
  run: Run,
  records: readonly RecordWrite[],
): Promise<readonly string[]> {
  const claims = records.filter(({ kind }) => kind === "claim");
  if (claims.length === 0) return [];
  const before = await run(
    readClaimed(
      names,
      claims.map(({ id }) => id),
    ),
  );
  const after = claims.flatMap(({ next }) => (next?.ref == null ? [] : [next.ref]));
  return [...new Set([...(before as { ref: string }[]).map(({ ref }) => ref), ...after])];
}

/** Applies all of them, or throws a {@link RecordConflict}. `customers` are those of the claims. */
export async function applyRecords(
  names: Names,
  chosen: readonly ResourceName[],
  run: Run,
  records: readonly RecordWrite[],
  customers: readonly string[],
): Promise<void> {
  const writes = records.map(({ kind, id, expect, next }) => ({
    kind,
    id,
    expect,
    gone: next === null,
    ref: next?.ref ?? null,
    due: next?.due ?? null,
    data: next?.data ?? null,
  }));
  const applied = await run(writeRecords(names, writes)).catch((error: unknown) => {
    const claim = records.find(({ kind, next }) => kind === "claim" && next?.ref != null);
    if (sqlState(error) === UNIQUE_VIOLATION && claim !== undefined) {
      throw new RecordConflict({ kind: claim.kind, id: claim.id });
    }
    throw error;
  });
  const done = new Set(
    (applied as { kind: string; id: string }[]).map(({ kind, id }) => `${kind} ${id}`),
  );
  const refused = records.find(({ kind, id }) => !done.has(`${kind} ${id}`));
  if (refused !== undefined) throw new RecordConflict({ kind: refused.kind, id: refused.id });
  const linked = linkedResource(chosen);
  if (linked !== undefined && customers.length > 0) await run(relink(names, linked, customers));
}
