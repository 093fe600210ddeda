/** How an operator looks at changes that could not be told, has them told again, or gives them up. */
import type { Store, StoredRecord } from "../../mirror/store.js";
import { type CommitContext, commit } from "../../runtime/commit/commit.js";
import { removal } from "../../runtime/records/record.js";
import { AGAIN, inRounds } from "../../runtime/rounds.js";
import { deliveryIn } from "../delivery.js";
import { type Held, heldIn, retrying } from "./held.js";

/** Changes that are read at once. Each holds an object twice. */
const PAGE = 100;

type Reads = Pick<Store, "records">;

async function* changesIn(store: Reads): AsyncGenerator<StoredRecord> {
  for (let after = ""; ; ) {
    const page = await store.records("change", after, PAGE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.id;
  }
}

/** The changes that failed or are parked. It reads all that are not told yet. */
export async function heldChanges(store: Reads): Promise<readonly Held[]> {
  const found: Held[] = [];
  for await (const record of changesIn(store)) {
    const held = heldIn(record);
    if (held.standing !== "waiting") found.push(held);
  }
  return found;
}

/**
 * The change that has this key; else those of the object with this id, or this resource and id. Of an
 * object that has one that failed or is parked and others that wait, it is that one.
 */
export async function changesOf(store: Reads, name: string): Promise<readonly StoredRecord[]> {
  const found: StoredRecord[] = [];
  for await (const record of changesIn(store)) {
    const { key, id } = deliveryIn(record);
    if (key === name) return [record];
    if (record.ref === name || id === name) found.push(record);
  }
  const held = found.filter((record) => heldIn(record).standing !== "waiting");
  return held.length === 1 ? held : found;
}

/**
 * Makes a change due now that failed or is parked. Answers how it was before; undefined if it is gone,
 * or has not failed.
 */
export function retryChange(
  context: CommitContext,
  { id }: Pick<StoredRecord, "id">,
): Promise<Held | undefined> {
  return inRounds("The change", async () => {
    const record = await context.store.record("change", id);
    const write = record && retrying(record, context.now());
    if (record === undefined || write === undefined) return undefined;
    const { committed } = await commit(context, { source: "record", records: [write] });
    return committed ? heldIn(record) : AGAIN;
  });
}

/** The same for all that are parked. */
export async function retryParked(context: CommitContext): Promise<readonly Held[]> {
  const retried: Held[] = [];
  for await (const record of changesIn(context.store)) {
    if (!deliveryIn(record).parked) continue;
    const before = await retryChange(context, record);
    if (before !== undefined) retried.push(before);
  }
  return retried;
}

/** Removes a change, which is never told then. Answers how it was; undefined if it is gone already. */
export function skipChange(
  context: CommitContext,
  { id }: Pick<StoredRecord, "id">,
): Promise<Held | undefined> {
  return inRounds("The change", async () => {
    const record = await context.store.record("change", id);
    if (record === undefined) return undefined;
    const { committed } = await commit(context, { source: "record", records: [removal(record)] });
    return committed ? heldIn(record) : AGAIN;
  });
}
