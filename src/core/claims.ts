/**
 * The claim of an entity on a customer, as a pure machine: which states there are, and what each
 * answer of Stripe makes of them. Effects are in claiming.ts.
 */
import type Stripe from "stripe";
import type { Timing } from "./config.js";
import type { RecordWrite, StoredRecord } from "./store.js";

export interface Claim {
  /**
   * `free`: nobody is linked. `open`: a customer is being made under `key`. `uncertain`: Stripe
   * may have made one, so it is looked for before another try. `linked`: `customerId` it is.
   */
  readonly state: "free" | "open" | "uncertain" | "linked";
  readonly entityId: string;
  /** The connected account that the customer is on; null for the key's own account. */
  readonly account: string | null;
  readonly livemode: boolean;
  /** Counts the claims of this entity, so that a caller can tell that his is over. */
  readonly generation: number;
  /** The idempotency key: random, never derived from the entity. */
  readonly key: string;
  /** Keys that were given up; a customer made under one of them still counts as ours. */
  readonly past: readonly string[];
  /** What is sent, to the letter: the same key must never carry other parameters. */
  readonly params: Stripe.CustomerCreateParams;
  /** Whether there is nothing left to search for at Stripe before a customer is made. */
  readonly searched: boolean;
  readonly customerId: string | null;
  /** The link came by a sight alone and nobody was given it yet: it may move to an older customer. */
  readonly provisional: boolean;
  /** Other customers that carry this entity's id. They are reported, never linked nor deleted. */
  readonly others: readonly string[];
  /** Milliseconds: the first attempt of this generation, of this key, and the last one. */
  readonly since: number | null;
  readonly firstAttemptAt: number | null;
  readonly lastAttemptAt: number | null;
  /** Attempts in a row that led to nothing. */
  readonly failures: number;
  /** Until then nobody acts on it, because Stripe needs time. */
  readonly notBefore: number;
  /** Until then one caller alone acts on it. */
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

export function claimOf(record: StoredRecord | undefined): Claim | undefined {
  return record?.data as Claim | undefined;
}

/** The write that puts this claim in the place of what was read. */
export function claimWrite(
  record: StoredRecord | undefined,
  claim: Claim,
  now: number,
  timing: Timing,
): RecordWrite {
  const pending = claim.state === "open" || claim.state === "uncertain";
  return {
    kind: "claim",
    id: claimId(claim),
    expect: record?.revision ?? 0,
    next: {
      ref: claim.state === "linked" ? claim.customerId : null,
      // Somebody must finish what its caller leaves behind, and not before he had his time.
      due: pending ? Math.max(now, claim.leasedUntil, claim.notBefore) + timing.claimSettle : null,
      data: { ...claim },
    },
  };
}

export interface Opening extends Target {
  readonly livemode: boolean;
  readonly key: string;
  readonly params: Stripe.CustomerCreateParams;
  readonly searched: boolean;
}

export function opened(before: Claim | undefined, opening: Opening): Claim {
  return {
    ...opening,
    state: "open",
    generation: (before?.generation ?? 0) + 1,
    past: [],
    customerId: null,
    provisional: false,
    others: before?.others ?? [],
    since: null,
    firstAttemptAt: null,
    lastAttemptAt: null,
    failures: 0,
    notBefore: 0,
    leasedUntil: 0,
  };
}

export function linkedTo(claim: Claim, customerId: string): Claim {
  return {
    ...claim,
    state: "linked",
    customerId,
    provisional: false,
    others: claim.others.filter((other) => other !== customerId),
    failures: 0,
    notBefore: 0,
    leasedUntil: 0,
  };
}

/** Nobody was given this link yet, so it still goes to the oldest customer that is seen. */
export function provisionally(claim: Claim): Claim {
  return { ...claim, provisional: true };
}

/** Somebody is given the link: from now on it stays. */
export function settled(claim: Claim): Claim {
  return { ...claim, provisional: false };
}

export function freed(claim: Claim): Claim {
  const others = claim.others.filter((other) => other !== claim.customerId);
  return { ...claim, state: "free", customerId: null, provisional: false, others, leasedUntil: 0 };
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

/** There was nothing to adopt at Stripe. */
export function searchedInVain(claim: Claim): Claim {
  return { ...claim, searched: true, leasedUntil: 0 };
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
  return state === "open" && firstAttemptAt !== null && now - firstAttemptAt > timing.claimAge;
}

/** Too old to be sent again. Only a recent attempt still has to be waited for. */
export function outlived(claim: Claim, timing: Timing): Claim {
  const notBefore = (claim.lastAttemptAt ?? 0) + timing.claimSettle;
  return { ...claim, state: "uncertain", notBefore, leasedUntil: 0 };
}

const LONGEST_PAUSE = 5_000;

/** It led to nothing and is tried again, by whoever comes, after a pause that grows. */
export function retried(claim: Claim, now: number, chance: number): Claim {
  const longest = Math.min(LONGEST_PAUSE, 100 * 2 ** claim.failures);
  const pause = Math.round(longest * (0.5 + chance / 2)); // times are whole milliseconds
  return { ...claim, failures: claim.failures + 1, notBefore: now + pause, leasedUntil: 0 };
}

export function doubted(claim: Claim, now: number, timing: Timing): Claim {
  return { ...claim, state: "uncertain", notBefore: now + timing.claimSettle, leasedUntil: 0 };
}

/** Nothing was found under the old key: another try under a new one. */
export function rotated(claim: Claim, key: string): Claim {
  return {
    ...claim,
    state: "open",
    key,
    past: [...claim.past, claim.key],
    firstAttemptAt: null,
    failures: 0, // Stripe has just answered
    notBefore: 0,
    leasedUntil: 0,
  };
}

/** How Stripe answered the creation. */
export interface Attempted {
  /** Undefined when there was no answer. */
  readonly status: number | undefined;
  readonly replayed: boolean;
  /** Stripe's `type` of an error. */
  readonly type: string | undefined;
}

/**
 * What follows from an answer that is no success. `again`: same key, a little later. `doubt`: it
 * may have been made, look before trying anew. `refuse`: it was not made, and will not be.
 */
export function afterFailure({ status, replayed, type }: Attempted): "again" | "doubt" | "refuse" {
  if (type === "idempotency_error") return "doubt";
  if (status === undefined || [401, 403, 409, 429].includes(status)) return "again";
  if (status >= 500) return replayed ? "doubt" : "again";
  return "refuse";
}

/** Whether a customer was made by this claim, now or under a key it gave up. */
export function madeBy(claim: Claim, idempotencyKey: string | null): boolean {
  return (
    idempotencyKey !== null && (claim.key === idempotencyKey || claim.past.includes(idempotencyKey))
  );
}

/** A customer that carries the entity's id, as an event or a list shows it. */
export interface Sighted {
  readonly id: string;
  /** Of the request that made it, where that is known. */
  readonly idempotencyKey: string | null;
  /** Whether it was made before the customer that is linked. */
  readonly isOlder: boolean;
}

/**
 * What a sight makes of a claim; the claim itself where it changes nothing. A customer that nobody
 * claims is taken, for whoever asks first.
 */
export function afterSight(
  claim: Claim | undefined,
  { id, idempotencyKey, isOlder }: Sighted,
  opening: Opening,
): Claim {
  if (claim === undefined || claim.state === "free") {
    return provisionally(linkedTo(opened(claim, opening), id));
  }
  if (claim.customerId === id) return claim;
  if (claim.provisional && isOlder) {
    return provisionally(besides(linkedTo(claim, id), [claim.customerId ?? id]));
  }
  if (claim.state !== "linked" && madeBy(claim, idempotencyKey)) return linkedTo(claim, id);
  return claim.others.includes(id) ? claim : besides(claim, [id]);
}
