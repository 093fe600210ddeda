/**
 * The convergence rule: what to do with a snapshot of an object, given what is known of it. A pure
 * function and the only place where this is decided; every store calls it and none repeats it.
 */
import type { Interval } from "./interval.js";

/** What the mirror knows of one object, beside its content. */
export interface Version extends Interval {
  /** Raised by every outcome but a drop, so that a write can tell whether anything happened. */
  readonly revision: number;
  /**
   * `live`: the row is there. `deleted`: Stripe said so, a tombstone. `missing`: a retrieval
   * answered 404, which is not final. `unknown`: named by an event, content never received.
   */
  readonly state: "live" | "deleted" | "missing" | "unknown";
  /** Stripe must be asked. */
  readonly stale: boolean;
  /** The content came from a `*.created` event, and nothing came since. */
  readonly first: boolean;
}

/** Where a snapshot comes from, which decides how it is judged. */
export type Origin =
  /** An event: judged by intervals. */
  | "event"
  /** A list page, or the answer to a creation: the id was not known before it was asked for. */
  | "page"
  /** A retrieval of this object: counts only if nothing happened since it was asked. */
  | "answer";

/** What the rule reads of a snapshot: everything but which object it is, and its content. */
/** What the rule reads of a snapshot: everything but which object it is, and its content. */
export interface SnapshotFacts extends Interval {
  readonly origin: Origin;
  /** `created`, `changed` and `deleted` as Stripe tells it; `missing` is a 404. */
  readonly kind: "created" | "changed" | "deleted" | "missing";
  /** False for a change without usable content: thin event, other API version, truncated list. */
  readonly usable: boolean;
  /** Of an answer: the revision at which it was asked. */
  readonly askedAt?: number;
}

export interface Circumstances {
  /** Deleted objects of this kind can come back under the same id. */
  readonly idsReturn: boolean;
  /** The end of the last complete listing; a first event from before it is asked about. */
  readonly watermark: number | undefined;
  /** Whether the content is the same as the stored one; undefined when that was not looked up yet. */
  readonly equal: boolean | undefined;
}

export type Verdict =
  /** Older than what is known: nothing happens. */
  | { readonly act: "drop" }
  /** Whether the content is the same decides: look it up and judge again. */
  | { readonly act: "compare" }
  /** An answer that something overtook: ask again. */
  | { readonly act: "retry" }
  /** The version becomes `next`; its content is replaced, removed, or left as it is. */
  | {
      readonly act: "write" | "touch" | "ask";
      readonly next: Version;
      readonly content: "set" | "clear" | "keep";
    };

/**
 * Milliseconds between an ask and its retrieval. Longer than one purchase takes to raise all its
 * events, so that what comes in a burst is asked about once.
 */
export const ASK_DELAY = 2000;

const NEVER: Interval = { lo: -1, hi: -1 };
const DROP: Verdict = { act: "drop" };

/** Judges one snapshot. Apply the verdict in the transaction that read `known`. */
export function judge(
  known: Version | undefined,
  snapshot: SnapshotFacts,
  at: Circumstances,
): Verdict {
  const final = !at.idsReturn;
  // mutant "tombstones ignored": DROP -> snapshot.origin === "answer" ? DROP : judgeFirst(snapshot, at)
  if (final && known?.state === "deleted") return DROP;
  if (snapshot.origin === "answer") return judgeAnswer(known, snapshot);
  if (final && snapshot.kind === "deleted") return written(known, snapshot, at);
  if (known === undefined) return judgeFirst(snapshot, at);
  if (snapshot.hi < known.lo) return DROP;
  const isEvent = snapshot.origin === "event";
  // mutant "a creation over what exists": DROP -> written(known, snapshot, at)
  if (isEvent && final && snapshot.kind === "created" && known.state === "live") return DROP;
  const succeedsCreation = isEvent && known.first && snapshot.kind !== "created";
  // mutant "ties written": snapshot.lo > known.hi -> snapshot.hi >= known.lo
  if (snapshot.usable && (snapshot.lo > known.hi || succeedsCreation)) {
    // A list shows everything again and again: what has not changed is not written again.
    const again = snapshot.origin === "page" && known.state === "live";
    if (again && at.equal === undefined) return { act: "compare" };
    // mutant "an equal page writes the row again": again && at.equal ? touched(known, snapshot) : ->
    return again && at.equal ? touched(known, snapshot) : written(known, snapshot, at);
  }
  if (snapshot.usable && mayBeEqual(known, snapshot)) {
    if (snapshot.kind !== "deleted" && at.equal === undefined) return { act: "compare" };
    if (snapshot.kind === "deleted" || at.equal) return touched(known, snapshot);
  }
  return asked(known);
}

/** The rule for a retrieval: it is what Stripe says now, unless something came in between. */
function judgeAnswer(known: Version | undefined, snapshot: SnapshotFacts): Verdict {
  const revision = known?.revision ?? 0;
  // mutant "compare-and-set dropped"
  if (revision !== snapshot.askedAt) return { act: "retry" };
  const state = stateOf(snapshot);
  return {
    act: "write",
    next: {
      revision: revision + 1,
      state,
      lo: snapshot.lo,
      hi: snapshot.hi,
      stale: false,
      first: false,
    },
    content: state === "live" ? "set" : "clear",
  };
}

/** Nothing is known of the object yet. What is seen is kept; if it may be old, Stripe is asked. */
function judgeFirst(snapshot: SnapshotFacts, at: Circumstances): Verdict {
  if (!snapshot.usable) return asked(undefined);
  const verdict = written(undefined, snapshot, at);
  // mutant "the watermark ignored": at.watermark !== undefined -> false
  const mayBeOld = at.watermark !== undefined && snapshot.lo <= at.watermark;
  if (snapshot.origin !== "event" || !mayBeOld || verdict.act !== "write") return verdict;
  return { ...verdict, act: "ask", next: { ...verdict.next, stale: true, first: false } };
}

function written(known: Version | undefined, snapshot: SnapshotFacts, at: Circumstances): Verdict {
  const state = stateOf(snapshot);
  const final = state === "deleted" && !at.idsReturn;
  return {
    act: "write",
    next: {
      revision: (known?.revision ?? 0) + 1,
      state,
      lo: snapshot.lo,
      hi: snapshot.hi,
      // mutant "a newer event settles an ask": known?.stale ?? false -> false
      stale: final ? false : (known?.stale ?? false), // only an answer settles an ask
      // mutant "an id that returns has a first event": !at.idsReturn -> true
      first:
        known === undefined &&
        snapshot.origin === "event" &&
        snapshot.kind === "created" &&
        !at.idsReturn,
    },
    content: state === "live" ? "set" : "clear",
  };
}

/** The same content, seen again: it was true for longer than was known. */
function touched(known: Version, snapshot: SnapshotFacts): Verdict {
  const next: Version = {
    ...known,
    // mutant "equal content without a raised revision": + 1 -> + 0
    revision: known.revision + 1,
    // mutant "equal content does not extend": snapshot.lo -> known.lo
    lo: Math.max(known.lo, snapshot.lo),
    // mutant "equal content does not extend": snapshot.hi -> known.hi
    hi: Math.max(known.hi, snapshot.hi),
    first: false,
  };
  return { act: "touch", next, content: "keep" };
}

/** Which is newer is unknown: the object is marked stale until Stripe has answered. */
function asked(known: Version | undefined): Verdict {
  const base = known ?? { ...NEVER, revision: 0, state: "unknown" as const, first: false };
  return {
    act: "ask",
    // mutant "an ask without a raised revision": base.revision + 1 -> Math.max(1, base.revision)
    next: { ...base, revision: base.revision + 1, stale: true },
    content: "keep",
  };
}

function stateOf(snapshot: SnapshotFacts): "live" | "deleted" | "missing" {
  // mutant "a 404 is final": ? snapshot.kind -> ? "deleted"
  return snapshot.kind === "deleted" || snapshot.kind === "missing" ? snapshot.kind : "live";
}

function mayBeEqual(known: Version, snapshot: SnapshotFacts): boolean {
  return known.state === stateOf(snapshot);
}
