/**
 * A commit on SQLite: reads the facts that the plan is missing, and carries out its writes. It
 * decides nothing.
 */
import type { ResourceName } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import {
  createAnswers,
  type Facts,
  type Need,
} from "../../packages/backend-billing/src/core/mirror/facts.js";
import { LISTENING, listenedIn } from "../../packages/backend-billing/src/core/mirror/listening.js";
import {
  type Decided,
  planCommit,
  type Refused,
} from "../../packages/backend-billing/src/core/mirror/plan.js";
import type { Batch, Committed } from "../../packages/backend-billing/src/core/mirror/store.js";
import type {
  PutRow,
  RowKey,
  Write,
} from "../../packages/backend-billing/src/core/mirror/writes.js";
import { readRecord, readVersion } from "./read.js";
import type { Sql, Value } from "./tables.js";

/** Must be called in a transaction. */
export function commit(sql: Sql, batch: Batch, chosen: readonly ResourceName[]): Committed {
  const plan = planned(sql, batch, chosen);
  if (!("writes" in plan)) return plan;
  for (const write of plan.writes) carryOut(sql, write);
  return { committed: true, units: plan.outcomes };
}

/** Plans again with what was missing, until nothing is. */
function planned(sql: Sql, batch: Batch, chosen: readonly ResourceName[]): Decided | Refused {
  const facts = factsOf(sql);
  const answers = createAnswers();
  const read = <F extends Need["fact"]>({ fact, of }: Need<F>) =>
    answers.add(fact, of, (facts[fact] as (...of: unknown[]) => ReturnType<Facts[F]>)(...of));
  for (;;) {
    const plan = planCommit(batch, chosen, answers.known);
    if (!("missing" in plan)) return plan;
    for (const need of plan.missing) read(need);
  }
}

const factsOf = (sql: Sql): Facts => ({
  version: (resource, id) => readVersion(sql, resource, id) ?? null,
  content: (resource, id) => {
    const found = sql.first(
      "select stripe from mirror where resource = ? and id = ?",
      resource,
      id,
    );
    return found === undefined ? null : JSON.parse(found.stripe as string);
  },
  watermark: (resource) => {
    const at = readRecord(sql, "watermark", resource)?.data.at;
    return typeof at === "number" ? at : null;
  },
  received: (eventId) =>
    sql.first("select 1 as found from receipts where event_id = ?", eventId) !== undefined,
  record: (kind, id) => readRecord(sql, kind, id) ?? null,
  recordOn: (kind, ref) => {
    const found = sql.first("select id from records where kind = ? and ref = ?", kind, ref);
    return (found?.id as string | undefined) ?? null;
  },
  rowsWhere: (resource, field, value, limit) =>
    sql
      .all(
        `select id from mirror where resource = ? and fields ->> '${field}' = ? limit ?`,
        resource,
        value,
        limit,
      )
      .map(({ id }) => id as string | null),
  listened: (resource) => listenedIn(readRecord(sql, LISTENING.kind, LISTENING.id)?.data, resource),
});

function carryOut(sql: Sql, write: Write): void {
  switch (write.write) {
    case "putVersion": {
      const { resource, id, next, askAt } = write;
      const { revision, state, lo, hi } = next;
      const [stale, first] = [Number(next.stale), Number(next.first)];
      const kept =
        askAt === "keep" ? "(select ask_at from versions where resource = ?1 and id = ?2)" : "?9";
      const values: Value[] = [resource, id, revision, state, lo, hi, stale, first];
      sql.run(
        `insert or replace into versions values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ${kept})`,
        ...values,
        ...(askAt === "keep" ? [] : [askAt]),
      );
      return;
    }
    case "putReceipt": {
      const { eventId, type, created, objectId } = write.receipt;
      const values = [eventId, type, created, objectId, write.receivedAt];
      sql.run("insert into receipts values (?, ?, ?, ?, ?)", ...values);
      return;
    }
    case "putRecord": {
      const { revision, ref, due, data } = write.record;
      const values = [write.kind, write.id, revision, ref, due, JSON.stringify(data)];
      sql.run("insert or replace into records values (?, ?, ?, ?, ?, ?)", ...values);
      return;
    }
    case "deleteRecord":
      sql.run("delete from records where kind = ? and id = ?", write.kind, write.id);
      return;
    case "putRow":
      putRow(sql, write);
      return;
    case "deleteRow":
      sql.run(`delete from mirror where ${WHERE_ROW}`, ...rowKey(write));
      return;
    case "linkRow": {
      const { resource, id, field, value } = write;
      const set = `fields = json_set(fields, '$.${field}', ?)`;
      sql.run(`update mirror set ${set} where resource = ? and id = ?`, value, resource, id);
    }
  }
}

/** A row of nulls has an owner and no id, every other row an id and no owner. */
const WHERE_ROW = "resource = ? and id is ? and owner is ?";

const rowKey = (key: RowKey): [string, string | null, string | null] =>
  key.id === null ? [key.resource, null, key.owner.id] : [key.resource, key.id, null];

function putRow(sql: Sql, write: PutRow): void {
  const key = rowKey(write);
  const before = sql.first(`select fields from mirror where ${WHERE_ROW}`, ...key);
  const kept = before === undefined ? write.ifAbsent : JSON.parse(before.fields as string);
  const { stripe, ...fields } = write.fields;
  const texts = [JSON.stringify({ ...kept, ...fields }), stripe ? JSON.stringify(stripe) : null];
  if (before === undefined) {
    const columns = "resource, id, owner, fields, stripe";
    sql.run(`insert into mirror (${columns}) values (?, ?, ?, ?, ?)`, ...key, ...texts);
  } else sql.run(`update mirror set fields = ?, stripe = ? where ${WHERE_ROW}`, ...texts, ...key);
}
