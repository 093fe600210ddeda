/**
 * Commits a step: what it saw together with the partition's new place, and, when it was the run's
 * last open partition, the run's next phase or its end together with that partition's. So a run
 * cannot be done before all its partitions are, nor can its end be lost.
 */

import type { ResourceName } from "../../catalogue/catalogue.js";
import { textOf } from "../../mirror/content/text.js";
import type { RecordWrite, StoredRecord, Unit, UnitOutcome } from "../../mirror/store.js";
import { pruneAsides } from "../../runtime/commit/asides.js";
import { commit } from "../../runtime/commit/commit.js";
import { rawTypesSent } from "../../runtime/commit/listening.js";
import { type Read, removal } from "../../runtime/records/record.js";
import { records } from "../../runtime/records/records.js";
import type { Runtime } from "../../runtime/runtime.js";
import { unlocked } from "../tasks/list.js";
import { partitionsOf } from "../tasks/tasks.js";
import { type Partition, partitionData, partitionOf } from "./partition.js";
import { type Circumstances, completeSince, firstSecond, following } from "./phases.js";
import { closed } from "./pointers.js";
import { chosenIn, closing, isOver, opening, type Run, runOf, runWrite } from "./run.js";
import { inTurnForRun, keepLatest, latestOf } from "./shared.js";
import type { Stepped } from "./step.js";
import { watermarks } from "./watermarks.js";

/** Bytes, at most, of what surrounds a content. */
const ENVELOPE = 500;

/** What a step has written, and the partition's record where this worker keeps it. */
export interface Written {
  readonly records: readonly RecordWrite[];
  readonly kept: StoredRecord | undefined;
}

/** What was written; undefined if another worker has taken the partition by now. */
export async function commitStep(
  runtime: Runtime,
  held: StoredRecord,
  runRecord: StoredRecord,
  stepped: Stepped,
): Promise<Written | undefined> {
  const seen = await commitSeen(runtime, held, stepped);
  if (seen === undefined) return undefined;
  const write = () => commitRecords(runtime, seen, runRecord, stepped);
  return sharesRun(stepped) ? inTurnForRun(runtime, write) : write();
}

async function commitRecords(
  runtime: Runtime,
  seen: Seen,
  runRecord: StoredRecord,
  stepped: Stepped,
): Promise<Written | undefined> {
  const { held, left, outcomes, isLogged } = seen;
  let record: StoredRecord | undefined = latestOf(runtime, runRecord);
  while (record !== undefined) {
    const now = runtime.now();
    const writes = await writesOf(runtime, held, record, stepped, now);
    const result = await commit(runtime, { source: "page", units: left, records: writes });
    if (result.committed) {
      keepLatest(runtime, record, writes);
      if (!isLogged) await stepped.after?.([...outcomes, ...result.units]);
      const mine = writes.find(({ kind, id }) => kind === held.kind && id === held.id)?.next;
      const kept =
        stepped.goesOn && mine ? { ...held, ...mine, revision: held.revision + 1 } : undefined;
      return { records: writes, kept };
    }
    if (result.conflict.kind === "partition" && result.conflict.id === held.id) return undefined;
    record = await runtime.store.record("run", record.id);
  }
  return undefined;
}

/** Whether the run's record changes with the step: partitions come to it, or this one ends. */
function sharesRun({ next, splits = [] }: Stepped): boolean {
  return splits.length > 0 || next.state !== "running";
}

interface Seen {
  readonly held: StoredRecord;
  /** What is left to be committed with the records. */
  readonly left: readonly Unit[];
  readonly outcomes: readonly UnitOutcome[];
  /** Whether everything is committed and `after` was called. */
  readonly isLogged: boolean;
}

/**
 * Commits what a step saw, as far as that must come before its records. All workers share the run's
 * record: a page that would change it too is committed first, by itself, so that no worker waits
 * for that record while a page is written. After a crash in between the partition is found with its
 * page stored, and not yet split or closed.
 */
async function commitSeen(
  runtime: Runtime,
  held: StoredRecord,
  stepped: Stepped,
): Promise<Seen | undefined> {
  const { between, units = [] } = stepped;
  const parts = inParts(runtime, units);
  const outcomes: UnitOutcome[] = [];
  for (const part of parts.slice(0, -1)) {
    outcomes.push(...(await commit(runtime, { source: "page", units: part })).units);
  }
  const left = parts.at(-1) ?? [];
  if (left.length === 0 || between === undefined || !sharesRun(stepped)) {
    return { held, left, outcomes, isLogged: false };
  }
  const write = partitionWrite(held, between, runtime.now() + runtime.timing.pageLease);
  const result = await commit(runtime, { source: "page", units: left, records: [write] });
  if (!result.committed) return undefined;
  await stepped.after?.([...outcomes, ...result.units]);
  const advanced = { ...held, revision: held.revision + 1 };
  return { held: advanced, left: [], outcomes: [], isLogged: true };
}

function partitionWrite(
  { id, ref, revision }: StoredRecord,
  partition: Partition,
  due: number,
): RecordWrite {
  const isRunning = partition.state === "running";
  return {
    kind: "partition",
    id,
    expect: revision,
    next: { ref, due: isRunning ? due : null, data: partitionData(partition) },
  };
}

async function writesOf(
  runtime: Runtime,
  held: StoredRecord,
  runRecord: StoredRecord,
  { next, splits = [], pause = 0, goesOn, outdated }: Stepped,
  now: number,
): Promise<readonly RecordWrite[]> {
  const due = now + (goesOn ? runtime.timing.pageLease : pause);
  const mine = partitionWrite(held, next, due);
  if (!sharesRun({ next, splits })) return [mine];
  const before = runOf(runRecord);
  const made = opening(runRecord.id, before, splits, now);
  let run = next.state === "running" ? made.run : closing(made.run, next);
  if (outdated) run = { ...run, sweeps: true };
  const more = opening(runRecord.id, run, unlocked(run, chosenIn(run, runtime.resources)), now);
  const writes = [mine, ...made.writes, ...more.writes];
  const after = isOver(more.run)
    ? await advanced(runtime, runRecord.id, more.run, held, next, now)
    : { run: more.run, writes: [] };
  return [...writes, runWrite(runRecord.id, runRecord.revision, after.run), ...after.writes];
}

/** The run when nothing of its phase is left: its next phase, or its end. */
async function advanced(
  runtime: Runtime,
  runId: string,
  run: Run,
  held: StoredRecord,
  next: Partition,
  now: number,
): Promise<{ readonly run: Run; readonly writes: readonly RecordWrite[] }> {
  const partitions = await allPartitions(runtime, runId);
  const done = partitions.map((record) => (record.id === held.id ? next : partitionOf(record)));
  const at: Circumstances = {
    chosen: chosenIn(run, runtime.resources),
    mirrored: runtime.resources,
    taken: await rawTypesSent(runtime),
    skew: runtime.tolerances.skew,
    done,
  };
  const marks = await watermarks(runtime);
  const writes = run.phase === "list" && run.kind !== "verify" ? listedWrites(run, at, marks) : [];
  if (run.error !== undefined) {
    return { run: await ended(runtime, run, "failed", now), writes };
  }
  const watermark = records.watermark("events").among(marks);
  const after = following(run, at, watermark.data?.at);
  if (after !== undefined) {
    const opened = opening(runId, after, partitionsOf(after, at), now);
    return { run: opened.run, writes: [...writes, ...opened.writes] };
  }
  writes.push(await closed(runtime, runId, run.kind));
  const read = firstSecond(done.filter((each) => each.task === "events"));
  if (read !== undefined) {
    writes.push(...watermarkWrite("events", watermark, read), ...unlisted(runtime, marks));
  }
  return { run: await ended(runtime, run, "done", now), writes };
}

/** The run at its end, with what could not be stored until then. */
async function ended(
  runtime: Runtime,
  { setAside: _, ...run }: Run,
  state: "done" | "failed",
  now: number,
): Promise<Run> {
  const setAside = await pruneAsides(runtime);
  return { ...run, state, finishedAt: now, ...(setAside.count === 0 ? {} : { setAside }) };
}

/** Remembers that everything older than a listing has been shown. */
function listedWrites(
  { options: { withoutOwned = [] } }: Run,
  at: Circumstances,
  marks: readonly StoredRecord[],
): RecordWrite[] {
  const writes: RecordWrite[] = [];
  for (const name of at.chosen) {
    const since = completeSince(at, name);
    if (since === undefined || withoutOwned.includes(name)) continue;
    const watermark = records.watermark(name).among(marks);
    writes.push(...watermarkWrite(name, watermark, since + at.skew));
  }
  return writes;
}

/**
 * The events that were read have passed by what is not mirrored here. Where it is mirrored again, or
 * by another process, it must be listed again: nothing may go by what it had.
 */
function unlisted({ resources }: Runtime, marks: readonly StoredRecord[]): RecordWrite[] {
  const known = new Set<string>([...resources, "events"]);
  return marks.filter(({ id }) => !known.has(id)).map(removal);
}

/** A watermark only rises. */
function watermarkWrite(
  of: ResourceName | "events",
  known: Read<{ readonly at: number }>,
  at: number,
): RecordWrite[] {
  return (known.data?.at ?? -1) >= at ? [] : [records.watermark(of).write(known, { at })];
}

export async function allPartitions(runtime: Runtime, runId: string): Promise<StoredRecord[]> {
  const all: StoredRecord[] = [];
  for (let after = ""; ; ) {
    const page = await runtime.store.recordsOf("partition", runId, after, 200);
    all.push(...page);
    const last = page.at(-1);
    if (last === undefined) return all;
    after = last.id;
  }
}

/** About how much of the store's limit a unit takes. */
function sizeOf({ snapshots = [], requests = [] }: Unit): number {
  const contents = [
    ...snapshots.map(({ content }) => (content === null ? 0 : textOf(content).length)),
    ...requests.map(({ data }) => textOf(data).length),
  ];
  return contents.reduce((sum, length) => sum + length, ENVELOPE * (1 + requests.length));
}

/** The units in parts that the store takes at once; at least one part. */
function inParts({ store }: Runtime, units: readonly Unit[]): readonly (readonly Unit[])[] {
  const parts: Unit[][] = [[]];
  let [snapshots, bytes] = [0, 0];
  const add = (unit: Unit) => {
    const size = sizeOf(unit);
    const count = unit.snapshots?.length ?? 0;
    const isFull = snapshots + count > store.limits.snapshots || bytes + size > store.limits.bytes;
    if (isFull && bytes > 0) {
      parts.push([]);
      [snapshots, bytes] = [0, 0];
    }
    parts.at(-1)?.push(unit);
    snapshots += count;
    bytes += size;
  };
  for (const unit of units) {
    // A unit with a receipt belongs together; snapshots of a page do not.
    if (unit.receipt !== undefined) add(unit);
    else for (const snapshot of unit.snapshots ?? []) add({ snapshots: [snapshot] });
  }
  return parts;
}
