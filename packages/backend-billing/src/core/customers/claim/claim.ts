/**
 * The claim of an entity on a customer, as a pure machine: which states there are, and what each
 * answer of Stripe makes of them. Effects are in drive.ts.
 */
import type Stripe from "stripe";
import { HORIZON, isAhead } from "../../mirror/due.js";
import type { RecordWrite, StoredRecord } from "../../mirror/store.js";
import type { Timing } from "../../runtime/config.js";
import type { Written } from "../written.js";

export interface Claim {
  /**
   * `free`: no customer is linked. `open`: a customer is being created under `key`. `uncertain`:
   * Stripe may have created one; search before another attempt. `linked`: to `customerId`.
   */
  readonly state: "free" | "open" | "uncertain" | "linked";
  readonly entityId: string;
  /** The connected account that the customer is on; null for the key's own account. */
  readonly account: string | null;
  readonly livemode: boolean;
  /** Counts the claims of this entity, so that a caller can tell that its own is over. */
  readonly generation: number;
  /** The idempotency key: derived from the entity and `counter`. */
  readonly key: string;
  /**
   * Which key of this entity it is. It rises only after a key that was really sent: when its
   * customer is gone, or when what came of it stayed unclear. 0 for a random key of old claims.
   */
  readonly counter: number;
  /** The customer that was made under `key` is gone, so that the next claim needs another key. */
  readonly spent: boolean;
  /** The linked customer was made under `key`. */
  readonly made: boolean;
  /** Keys that were given up; a customer made under one of them still counts as ours. */
  readonly past: readonly string[];
  /**
   * What is sent, to the letter: the same key must never carry other parameters. Null once nothing
   * is left to be sent: the claim then holds no personal data.
   */
  readonly params: Stripe.CustomerCreateParams | null;
  /** Digests of what was last written to the linked customer, by field. */
  readonly written: Written;
  /** Milliseconds: when Stripe was last searched in vain for a customer of this entity. */
  readonly lookedAt: number | null;
  /**
   * Why the claim is uncertain. `answer`: Stripe's answer was unclear. `age`: the key is too old, or
   * a clock is wrong, and then the request may be under way. `conflict`: the key was used with other parameters, perhaps by a claim that a database set back
   * to an earlier time has lost; Stripe is asked at once. `looked`: that was in vain, so it is
   * asked again later.
   */
  readonly doubt: "answer" | "age" | "conflict" | "looked" | null;
  readonly customerId: string | null;
  /**
   * Linked by a sighting and not returned to any caller yet: it may still move to an older
   * customer.
   */
  readonly provisional: boolean;
  /** Other customers that carry this entity's id. They are reported, never linked nor deleted. */
  readonly others: readonly string[];
  /** Milliseconds: the first attempt of this generation, of this key, and the last one. */
  readonly since: number | null;
  readonly firstAttemptAt: number | null;
  readonly lastAttemptAt: number | null;
  /** Attempts in a row that led to nothing. */
  readonly failures: number;
  /** No caller acts on the claim before this time, because Stripe needs it. */
  readonly notBefore: number;
  /** Until this time only the caller that holds the lease acts on it. */
  readonly leasedUntil: number;
}

/** Whose customer, and where: one claim for each. */
export interface Target {
  readonly entityId: string;
  readonly account: string | null;
}

/** Entities of the key's own account are their own id; the mirror's links are read by it. */
export function claimId({ entityId, account }: Target): string {
  return account === null ? entityId : `${account}\u001f${entityId}`;
}

/** What claims of earlier versions lack. */
const ADDED = { counter: 0, spent: false, made: false, written: {}, lookedAt: null, doubt: null };

export function claimOf(record: StoredRecord | undefined): Claim | undefined {
  return record && ({ ...ADDED, ...record.data } as unknown as Claim);
}

/** The write that puts this claim in the place of what was read. */
export function claimWrite(
  record: StoredRecord | undefined,
  claim: Claim,
  now: number,
  timing: Timing,
): RecordWrite {
  const pending = claim.state === "open" || claim.state === "uncertain";
  // A link under a lease may have to be opened again, see `forgotten`.
  const isInUse = pending || isAhead(claim.leasedUntil, now);
  return {
    kind: "claim",
    id: claimId(claim),
    expect: record?.revision ?? 0,
    ...(record === undefined ? {} : { was: { ref: record.ref, due: record.due } }),
    next: {
      ref: claim.state === "linked" ? claim.customerId : null,
      // The background finishes what a caller leaves behind, after the caller had its time.
      due: isInUse ? waitsUntil(claim, now) + timing.claimSettle : null,
      data: { ...claim, params: isInUse ? claim.params : null },
    },
  };
}

/** When the claim may be acted on: now, or after its lease and its pause. */
function waitsUntil({ leasedUntil, notBefore }: Claim, now: number): number {
  return Math.max(now, ...[leasedUntil, notBefore].filter((until) => isAhead(until, now)));
}

export interface Opening extends Target {
  readonly livemode: boolean;
  readonly counter: number;
  /** The key of that counter. */
  readonly key: string;
  readonly params: Stripe.CustomerCreateParams | null;
}

/**
 * Which key the next claim of an entity has. A key that was not used up is taken again, so that
 * a database that was set back counts the same way.
 */
export function nextCounter(before: Claim | undefined, now: number, timing: Timing): number {
  if (before === undefined) return 1;
  const { counter, spent, lastAttemptAt } = before;
  const isForgotten = lastAttemptAt !== null && now - lastAttemptAt > timing.claimAge;
  return counter > 0 && (spent || isForgotten) ? counter + 1 : Math.max(1, counter);
}

export function opened(before: Claim | undefined, opening: Opening): Claim {
  // Under the same key, earlier attempts still count for its age.
  const earlier = before?.counter === opening.counter ? before : undefined;
  return {
    ...opening,
    state: "open",
    generation: (before?.generation ?? 0) + 1,
    spent: false,
    made: false,
    past: [],
    written: {},
    lookedAt: null,
    doubt: null,
    customerId: null,
    provisional: false,
    others: before?.others ?? [],
    since: earlier?.since ?? null,
    firstAttemptAt: earlier?.firstAttemptAt ?? null,
    lastAttemptAt: earlier?.lastAttemptAt ?? null,
    failures: 0,
    notBefore: 0,
    leasedUntil: 0,
  };
}

/** `made`: the customer was made under the claim's key. */
export function linkedTo(claim: Claim, customerId: string, made = false): Claim {
  return { ...linkedUnderLease(claim, customerId, made), leasedUntil: 0 };
}

/** Linked while another caller holds the lease: that caller does not know of the link yet. */
export function linkedUnderLease(claim: Claim, customerId: string, made: boolean): Claim {
  return {
    ...claim,
    state: "linked",
    customerId,
    made,
    written: claim.customerId === customerId ? claim.written : {},
    provisional: false,
    others: claim.others.filter((other) => other !== customerId),
    doubt: null,
    failures: 0,
    notBefore: 0,
  };
}

/** Marks a link that no caller was given yet: it still moves to the oldest customer that is seen. */
export function provisionally(claim: Claim): Claim {
  return { ...claim, provisional: true };
}

/** The link is given to a caller: from now on it stays. */
export function settled(claim: Claim): Claim {
  return { ...claim, provisional: false };
}

/** Nothing is linked, and nothing is being made. */
export function freed(claim: Claim): Claim {
  return {
    ...claim,
    state: "free",
    spent: claim.spent || claim.made,
    made: false,
    written: {},
    customerId: null,
    provisional: false,
    others: claim.others.filter((other) => other !== claim.customerId),
    doubt: null,
    leasedUntil: 0,
  };
}

/**
 * The linked customer is gone. While a request under the claim's key may still be under way the
 * claim stays open: freed, it would let another caller send the next key beside it.
 */
export function forgotten(claim: Claim, now: number): Claim {
  // mutant "a claim freed while its key is under way": claim.params === null -> true
  if (!isAhead(claim.leasedUntil, now) || claim.params === null) return freed(claim);
  const others = claim.others.filter((other) => other !== claim.customerId);
  return { ...claim, state: "open", customerId: null, made: false, provisional: false, others };
}

/** The key has made a customer that is gone. */
export function usedUp(claim: Claim): Claim {
  return { ...freed(claim), spent: true };
}

/** Stripe refused to run the request, so this attempt does not count for the key. */
export function refused(claim: Claim, before: Claim): Claim {
  const { since, firstAttemptAt, lastAttemptAt } = before;
  // mutant "a claim's counter rises on a refusal": freed -> usedUp
  return { ...freed(claim), since, firstAttemptAt, lastAttemptAt };
}

/** These carry the entity's id too. */
export function besides(claim: Claim, customers: readonly string[]): Claim {
  const others = new Set([...claim.others, ...customers]);
  if (claim.customerId !== null) others.delete(claim.customerId);
  return { ...claim, others: [...others] };
}

/** The caller takes the claim for a while. */
export function leased(claim: Claim, now: number, timing: Timing): Claim {
  return { ...claim, leasedUntil: now + timing.claimLease };
}

/**
 * Whether Stripe must be searched before anything is sent. `knownUntil`: the second up to which
 * the mirror knows of all customers, if it does. Stripe forgets keys after 24 hours, so a mirror that
 * is behind by more than 20 may lack a customer whose key would be run anew.
 */
export function mustSearch(
  claim: Claim,
  knownUntil: number | undefined,
  now: number,
  timing: Timing,
): boolean {
  const isBehind = knownUntil === undefined || now - knownUntil * 1000 > timing.claimAge;
  return isBehind && (claim.lookedAt === null || now - claim.lookedAt > timing.claimLook);
}

/** There was nothing to adopt at Stripe. */
export function searchedInVain(claim: Claim, now: number): Claim {
  return { ...claim, lookedAt: now, leasedUntil: 0 };
}

/** From now on a request under this key may have reached Stripe. Committed before it is sent. */
export function attempting(claim: Claim, now: number): Claim {
  return {
    ...claim,
    since: claim.since ?? now,
    firstAttemptAt: claim.firstAttemptAt ?? now,
    lastAttemptAt: now,
  };
}

/** Whether the key is near the end of its life, after which Stripe would run it anew. */
export function isTooOld(claim: Claim, now: number, timing: Timing): boolean {
  const { state, firstAttemptAt } = claim;
  if (state !== "open" || firstAttemptAt === null) return false;
  // The attempt was dated by a wrong clock, so the age of the key is unknown.
  if (firstAttemptAt > now + HORIZON) return true;
  return now - firstAttemptAt > timing.claimAge;
}

/** Too old to be sent again. Only a recent attempt still has to be waited for. */
export function outlived(claim: Claim, timing: Timing): Claim {
  const notBefore = (claim.lastAttemptAt ?? 0) + timing.claimSettle;
  return { ...claim, state: "uncertain", doubt: "age", notBefore, leasedUntil: 0 };
}

/**
 * Nothing was found of a key that seemed too old: another try under the same one. Where a wrong clock made
 * it seem so, the first request may be under way, and a next key beside it would make a second customer;
 * where Stripe has forgotten the key, it is as good as another.
 */
export function renewed(claim: Claim): Claim {
  const fresh = { doubt: null, firstAttemptAt: null, failures: 0, notBefore: 0, leasedUntil: 0 };
  return { ...claim, state: "open", ...fresh };
}

const LONGEST_PAUSE = 5_000;

/** Schedules another attempt, by any caller, after a pause that grows with the failures. */
export function retried(claim: Claim, now: number, chance: number): Claim {
  const longest = Math.min(LONGEST_PAUSE, 100 * 2 ** claim.failures);
  const pause = Math.round(longest * (0.5 + chance / 2)); // times are whole milliseconds
  return { ...claim, failures: claim.failures + 1, notBefore: now + pause, leasedUntil: 0 };
}

/** Stripe may have made a customer. What an unclear answer made needs time to appear. */
export function doubted(
  claim: Claim,
  doubt: "answer" | "conflict" | "looked",
  now: number,
  timing: Timing,
): Claim {
  const notBefore = doubt === "conflict" ? now : now + timing.claimSettle;
  return { ...claim, state: "uncertain", doubt, notBefore, leasedUntil: 0 };
}

/** Stripe keeps an idempotency key for 24 hours; an hour is allowed for clocks and delays. */
const KEY_LIFE = 25 * 60 * 60;

/**
 * From which second on customers are listed to find the one that an uncertain claim may have made.
 * After a conflict of parameters it may be as old as the key.
 */
export function listedSince(claim: Claim, knownUntil: number | undefined, now: number): number {
  const first = Math.floor((claim.since ?? now) / 1000) - 60;
  if (claim.doubt !== "conflict" && claim.doubt !== "looked") return first;
  const oldest = Math.floor(now / 1000) - KEY_LIFE;
  return Math.min(first, Math.max(oldest, (knownUntil ?? 0) - 600));
}

/** Nothing was found under the old key: another try under the next one. */
export function rotated(claim: Claim, key: string): Claim {
  return {
    ...claim,
    state: "open",
    key,
    counter: claim.counter + 1,
    past: [...claim.past, claim.key],
    doubt: null,
    firstAttemptAt: null,
    failures: 0, // Stripe has just answered
    notBefore: 0,
    leasedUntil: 0,
  };
}
