/**
 * Commits of single events, together: whatever arrives while commits are under way goes into the
 * next one, and each caller is answered once its own event is in the database. No commit waits for
 * a group to fill, and none that takes one statement for those that take several.
 */

import { isEventRequest } from "../../core/mirror/changes.js";
import { textOf } from "../../core/mirror/content/text.js";
import type { Batch, Committed, Store, UnitOutcome } from "../../core/mirror/store.js";
import { keyOf, recordKey } from "../../core/mirror/writes.js";
import { BillingError } from "../../core/runtime/errors.js";

type Commit = Store["commit"];

interface Member {
  readonly batch: Batch;
  /** What it touches: two that share a key are never under way at the same time. */
  readonly keys: readonly string[];
  readonly bytes: number;
  readonly isQuick: boolean;
  resolve(committed: Committed): void;
  reject(error: unknown): void;
}

export interface GroupOptions {
  /** Whether a commit probably takes one statement. Those have groups of their own. */
  readonly isQuick?: (batch: Batch) => boolean;
  /** How many groups are under way at once, unless some of them take long; one more where all are of one kind. */
  readonly lanes: number;
  /** How many groups may be under way at once, those that take long included; one of them is left to the other kind. */
  readonly most: number;
  /** How many units a group may have, and how large they may be together. */
  readonly units: number;
  readonly bytes: number;
  /** How large all that is not answered yet may be together; what comes then is refused. */
  readonly heldBytes: number;
}

/** Groups of commits that probably take one statement each, and of the others. */
const KINDS = ["quick", "slow"] as const;
type Kind = (typeof KINDS)[number];
/** A place that becomes free is for the kind that has less: with much traffic the other would take each. */
const SLOW_FIRST: readonly Kind[] = ["slow", "quick"];
const kindOf = ({ isQuick }: Pick<Member, "isQuick">): Kind => (isQuick ? "quick" : "slow");

/** What waits takes some memory even if it is about nothing. */
const ENVELOPE = 1000;
/** Milliseconds after which a group that is still under way makes room for another. */
const PATIENCE = 1000;

export function inGroups(commit: Commit, options: GroupOptions): Commit {
  const { isQuick = () => false, lanes, most: mostGroups, units, bytes, heldBytes } = options;
  let waiting: Member[] = [];
  let held = 0;
  const busy = new Set<string>();
  const queued = { quick: 0, slow: 0 };
  const running = { quick: 0, slow: 0 };
  const underWay = { quick: 0, slow: 0 };
  let scheduled = false;

  /** The next group: in the order of arrival, but past the other kind, and those whose objects are being written. */
  const take = (kind: Kind): Member[] => {
    const taken: Member[] = [];
    const left: Member[] = [];
    const passed = new Set<string>();
    // What waits is shared out evenly, so that one group is written while another is made up.
    const most = Math.min(units, Math.ceil(queued[kind] / freeLanes()));
    let size = 0;
    for (const member of waiting) {
      const free = !member.keys.some((key) => busy.has(key) || passed.has(key));
      const fits = taken.length === 0 || size + member.bytes <= bytes;
      if (kindOf(member) === kind && free && fits && taken.length < most) {
        taken.push(member);
        size += member.bytes;
      } else {
        left.push(member);
        for (const key of member.keys) passed.add(key); // keep the order per object
      }
    }
    waiting = left;
    queued[kind] -= taken.length;
    for (const { keys } of taken) for (const key of keys) busy.add(key);
    return taken;
  };

  const start = (): void => {
    scheduled = false;
    for (const kind of running.quick > running.slow ? SLOW_FIRST : KINDS) {
      while (isWanted(kind)) {
        const group = take(kind);
        if (group.length === 0) break;
        const leaveLane = occupyLane(kind);
        underWay[kind]++;
        void commitGroup(commit, group).finally(() => {
          for (const { keys, bytes: size } of group) {
            for (const key of keys) busy.delete(key);
            held -= size;
          }
          underWay[kind]--;
          leaveLane();
        });
      }
    }
  };

  const freeLanes = (): number => Math.max(1, lanes - running.quick - running.slow);

  /**
   * Each group under way holds a connection of the pool. Those that wait for a lock leave their
   * lane to others, but they are bounded too, or a locked table would take the whole pool. What one
   * kind has is never all: the other has a lane of its own where the lanes are taken.
   */
  const hasRoom = (kind: Kind): boolean =>
    underWay.quick + underWay.slow < mostGroups &&
    underWay[kind] < Math.max(1, mostGroups - 1) &&
    (running[kind] === 0 || running.quick + running.slow < lanes);

  const isWanted = (kind: Kind): boolean => queued[kind] > 0 && hasRoom(kind);

  /** Another transaction may hold a lock on what a group writes: the lane is freed after a while. */
  const occupyLane = (kind: Kind): (() => void) => {
    running[kind]++;
    let isIn = true;
    const leave = () => {
      clearTimeout(timer);
      if (isIn) running[kind]--;
      isIn = false;
      schedule();
    };
    const timer = setTimeout(leave, PATIENCE);
    return leave;
  };

  /**
   * At the end of this turn of the event loop, so that requests read together are written together.
   */
  const schedule = (): void => {
    if (scheduled || !KINDS.some(isWanted)) return;
    scheduled = true;
    setImmediate(start);
  };

  return (batch) => {
    if (!canJoin(batch)) return commit(batch);
    const size = sizeOf(batch);
    if (held + size > heldBytes) return Promise.reject(tooMany());
    held += size;
    return new Promise((resolve, reject) => {
      const member = { batch, keys: keysOf(batch), bytes: size, isQuick: isQuick(batch) };
      waiting.push({ ...member, resolve, reject });
      queued[kindOf(member)]++;
      schedule();
    });
  };
}

/** A page is a group already, and records may conflict, which would fail the others. */
function canJoin({ source, units, records = [] }: Batch): boolean {
  return source !== "page" && units.length === 1 && records.length === 0;
}

function keysOf({ units }: Batch): string[] {
  return units.flatMap(({ receipt, snapshots = [], requests = [] }) => [
    ...(receipt === undefined ? [] : [`event ${receipt.eventId}`]),
    ...snapshots.map(({ resource, id }) => keyOf(resource, id)),
    ...requests.map(({ kind, id }) => recordKey(kind, id)),
  ]);
}

function sizeOf({ units }: Batch): number {
  const contents = units.flatMap(({ snapshots = [], requests = [] }) => [
    ...snapshots.map(({ content }) => content),
    ...requests.filter(isEventRequest).map(({ data }) => data.after as object | null),
  ]);
  return contents.reduce((sum, each) => sum + (each ? textOf(each).length : 0), ENVELOPE);
}

function tooMany(): BillingError {
  return new BillingError(
    "store_error",
    "More events are waiting for the database than this process can keep. It was not stored; Stripe sends it again. If this lasts, the database is too slow for the traffic.",
  );
}

/** Commits the group, or, if that is not possible, each of its members. Never throws. */
async function commitGroup(commit: Commit, group: readonly Member[]): Promise<void> {
  if (group.length === 1) return commitEach(commit, group);
  try {
    const result = await commit({
      source: "event",
      now: Math.max(...group.map(({ batch }) => batch.now)),
      draw: group[0]?.batch.draw ?? "",
      ...(group.some(({ batch }) => batch.shares) ? { shares: true } : {}),
      units: group.flatMap(({ batch }) => batch.units),
    });
    if (!result.committed) throw new Error("A commit without records cannot conflict");
    group.forEach(({ resolve }, index) => {
      resolve({ committed: true, units: [result.units[index] as UnitOutcome] });
    });
  } catch {
    await commitEach(commit, group);
  }
}

/**
 * Commits each member by itself: one that cannot be stored must not fail the others, and each
 * caller gets its own error. They run concurrently, as without groups, so that a database that does
 * not answer delays all by the same time. Members about one object keep their order.
 */
async function commitEach(commit: Commit, group: readonly Member[]): Promise<void> {
  const last = new Map<string, Promise<void>>();
  const all = group.map(({ batch, keys, resolve, reject }) => {
    const before = Promise.all(keys.map((key) => last.get(key)));
    const done = before.then(() => commit(batch)).then(resolve, reject);
    for (const key of keys) last.set(key, done);
    return done;
  });
  await Promise.all(all);
}
