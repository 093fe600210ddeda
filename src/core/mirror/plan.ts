/**
 * Works out what a batch does, without doing it: every snapshot is judged against what is known,
 * snapshots of one object in the order they stand in the batch. Stores read, call this, and write
 * the result in one transaction; so the rule is applied everywhere and written once.
 */

import type { ResourceName } from "../catalogue/catalogue.js";
import { resources } from "../catalogue/resources.js";
import { judge, type Version } from "./rule.js";
import { same } from "./same.js";
import type { Batch, Outcome, Receipt, RecordWish, Snapshot, UnitOutcome } from "./store.js";

/** What a store read before it asked. */
export interface Known {
  version(resource: ResourceName, id: string): Version | undefined;
  /** The stored content, or undefined if it was not read; see {@link Planned.compare}. */
  content(resource: ResourceName, id: string): object | null | undefined;
  watermark(resource: ResourceName): number | undefined;
  seen(eventId: string): boolean;
}

export interface VersionWrite {
  readonly resource: ResourceName;
  readonly id: string;
  /** The revision that was judged; 0 when there was nothing. The write must not outlive it. */
  readonly from: number;
  readonly next: Version;
  /** A content to store, null to remove the row, or undefined to leave it as it is. */
  readonly content: object | null | undefined;
  /** Whether there was a row before. */
  readonly wasLive: boolean;
}

export interface Planned {
  readonly outcomes: readonly UnitOutcome[];
  readonly versions: readonly VersionWrite[];
  /** Judged and left alone: the judgement holds only while they are at this revision. */
  readonly unchanged: readonly {
    readonly resource: ResourceName;
    readonly id: string;
    readonly revision: number;
  }[];
  readonly receipts: readonly Receipt[];
  readonly wishes: readonly RecordWish[];
}

/** The stored contents that the rule must see before it can decide. */
export interface Undecided {
  readonly compare: readonly { readonly resource: ResourceName; readonly id: string }[];
}

interface Pending {
  readonly resource: ResourceName;
  readonly id: string;
  readonly from: number;
  readonly wasLive: boolean;
  version: Version | undefined;
  content: object | null | undefined;
  changed: boolean;
}

export const keyOf = (resource: ResourceName, id: string): string => `${resource} ${id}`;

export function planCommit(batch: Batch, known: Known): Planned | Undecided {
  const pending = new Map<string, Pending>();
  const compare = new Map<string, { resource: ResourceName; id: string }>();
  const receipts = new Map<string, Receipt>();
  const wishes = new Map<string, RecordWish>();

  const pendingFor = ({ resource, id }: Snapshot): Pending => {
    const key = keyOf(resource, id);
    const found = pending.get(key);
    if (found !== undefined) return found;
    const version = known.version(resource, id);
    const made = {
      resource,
      id,
      from: version?.revision ?? 0,
      wasLive: version?.state === "live",
      version,
      content: undefined,
      changed: false,
    };
    pending.set(key, made);
    return made;
  };

  const apply = (snapshot: Snapshot): Outcome => {
    const at = pendingFor(snapshot);
    const verdict = judge(at.version, snapshot, {
      // mutant "ids that return are not known": "idsReturn" -> "neverReturn"
      idsReturn: "idsReturn" in resources[snapshot.resource],
      watermark: known.watermark(snapshot.resource),
      equal: equality(at, snapshot, known),
    });
    if (verdict.act === "compare") {
      compare.set(keyOf(at.resource, at.id), { resource: at.resource, id: at.id });
      return { act: "drop", revision: 0 }; // thrown away with the rest of this attempt
    }
    if (verdict.act !== "drop" && verdict.act !== "retry") {
      at.version = verdict.next;
      at.changed = true;
      if (verdict.content === "set") at.content = snapshot.content;
      if (verdict.content === "clear") at.content = null;
    }
    return { act: verdict.act, revision: at.version?.revision ?? 0 };
  };

  const outcomes = batch.units.map((unit): UnitOutcome => {
    const { receipt } = unit;
    // mutant "receipts ignored": receipt !== undefined -> receipts.size > 99
    if (receipt !== undefined && (known.seen(receipt.eventId) || receipts.has(receipt.eventId))) {
      return { duplicate: true };
    }
    if (receipt !== undefined) receipts.set(receipt.eventId, receipt);
    for (const wish of unit.wishes ?? []) addWish(wishes, wish);
    return { duplicate: false, outcomes: (unit.snapshots ?? []).map(apply) };
  });

  if (compare.size > 0) return { compare: [...compare.values()] };
  const judged = [...pending.values()];
  return {
    outcomes,
    receipts: [...receipts.values()],
    wishes: [...wishes.values()],
    versions: judged.flatMap(({ resource, id, from, wasLive, version, content, changed }) =>
      changed && version !== undefined
        ? [{ resource, id, from, next: version, content, wasLive }]
        : [],
    ),
    unchanged: judged
      .filter(({ changed }) => !changed)
      .map(({ resource, id, from }) => ({ resource, id, revision: from })),
  };
}

/** One wish a record, the last one, at the earliest time that was wished for. */
function addWish(wishes: Map<string, RecordWish>, wish: RecordWish): void {
  const key = `${wish.kind} ${wish.id}`;
  const known = wishes.get(key);
  wishes.set(key, known === undefined ? wish : { ...wish, due: Math.min(known.due, wish.due) });
}

/** Whether the snapshot says what is known already; undefined if what is known was not read. */
function equality(at: Pending, snapshot: Snapshot, known: Known): boolean | undefined {
  if (snapshot.content === null) return false;
  const content = at.content !== undefined ? at.content : known.content(at.resource, at.id);
  return content === undefined ? undefined : content !== null && same(content, snapshot.content);
}
