/**
 * Announces the ends of trials: the job that takes up the records of the kind `notice`, which the
 * delivery of a subscription's change requests. Each is checked against the row when it is due, and
 * stays until the trial is over, so that it is told once.
 */
import { changeRecord } from "../../mirror/changes.js";
import type { RecordWrite, StoredRecord } from "../../mirror/store.js";
import { commit } from "../../runtime/commit/commit.js";
import { removal } from "../../runtime/records/record.js";
import type { Runtime } from "../../runtime/runtime.js";
import { trialNotice } from "../trial.js";

const LEASE = 60_000;

/** The data of such a record. */
interface Notice {
  /** Milliseconds at which it is to be told. */
  readonly dueAt: number;
  /** Milliseconds at which it was raised. */
  readonly raisedAt?: number;
}

/** Raises the notices whose time has come; answers how many were looked at. */
export async function raiseNotices(runtime: Runtime, limit = 20): Promise<number> {
  if (!runtime.reactions?.names.has("trial.ending")) return 0;
  const lease = { now: runtime.now(), lease: LEASE, limit };
  const due = await runtime.store.takeRecords("notice", lease);
  for (const record of due) {
    const row = await runtime.store.row("subscriptions", record.id);
    const writes = noticeWrites(record, row?.stripe ?? null, runtime.now(), crypto.randomUUID());
    await commit(runtime, { source: "record", records: writes });
  }
  return due.length;
}

/** What becomes of a notice that is due. Pure. */
export function noticeWrites(
  record: StoredRecord,
  row: object | null,
  now: number,
  draw: string,
): readonly RecordWrite[] {
  const { kind, id, revision: expect } = record;
  const notice = trialNotice(row);
  if (notice === null || now >= notice.until) return [removal(record)];
  const { raisedAt } = record.data as unknown as Notice;
  const put = (due: number, data: Notice): RecordWrite => ({
    kind,
    id,
    expect,
    next: { ref: record.ref, due, data: { ...data } },
  });
  if (now < notice.dueAt) return [put(notice.dueAt, { dueAt: notice.dueAt })];
  const raised = (at: number) => put(notice.until, { dueAt: notice.dueAt, raisedAt: at });
  // A trial whose end was moved may still be in the window in which it was announced.
  if (raisedAt !== undefined && raisedAt >= notice.dueAt) return [raised(raisedAt)];
  const nothing = { before: null, after: null, at: now };
  const change = { ...nothing, key: `${draw}.${id}.trial`, resource: "trial", id } as const;
  const { ref, due, data, ...key } = changeRecord(change, now);
  return [raised(now), { ...key, expect: 0, next: { ref, due, data } }];
}
