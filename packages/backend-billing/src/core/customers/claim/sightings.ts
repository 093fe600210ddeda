/**
 * What it means for a claim that a customer with the entity's id is seen, by an event or in a list:
 * a pure decision.
 */
import {
  besides,
  type Claim,
  linkedTo,
  linkedUnderLease,
  type Opening,
  opened,
  provisionally,
} from "./claim.js";

/** Whether a customer was made by this claim, now or under a key it gave up. */
export function madeBy(claim: Claim, idempotencyKey: string | null): boolean {
  return (
    idempotencyKey !== null && (claim.key === idempotencyKey || claim.past.includes(idempotencyKey))
  );
}

/** A customer that carries the entity's id, as an event or a list shows it. */
export interface Sighting {
  readonly id: string;
  /** Of the request that made it, where that is known. */
  readonly idempotencyKey: string | null;
  /** The counter in that key, if it is one of this entity's. */
  readonly counter: number | undefined;
  /** Milliseconds: when it was seen to be made, or changed. */
  readonly at: number;
  /** Whether it was made before the customer that is linked. */
  readonly isOlder: boolean;
}

/**
 * The claim after a sighting; the same claim where it changes nothing. A customer that no claim is
 * at work on is adopted, for the first caller that asks.
 */
export function afterSighting(
  claim: Claim | undefined,
  sighting: Sighting,
  opening: Opening,
): Claim {
  const { id, idempotencyKey, isOlder } = sighting;
  if (claim === undefined || claim.state === "free") {
    const learnt = learntFrom(opened(claim, opening), sighting);
    return provisionally(linkedTo(learnt, id, learnt.key === idempotencyKey));
  }
  if (claim.customerId === id) return claim;
  const made = claim.key === idempotencyKey;
  if (claim.provisional && isOlder) {
    return provisionally(besides(linkedTo(claim, id, made), [claim.customerId ?? id]));
  }
  // Nothing was sent under the claim's key yet, so nothing can come of it beside this customer.
  const isUntried = claim.firstAttemptAt === null;
  if (claim.state !== "linked" && (isUntried || madeBy(claim, idempotencyKey))) {
    return linkedUnderLease(claim, id, made);
  }
  return claim.others.includes(id) ? claim : besides(claim, [id]);
}

/**
 * The same for a customer that carries another application's name, or none where this one has a
 * name: it counts only if this claim's own request made it, before the application had its name.
 */
export function afterForeignSighting(
  claim: Claim | undefined,
  { id, idempotencyKey }: Pick<Sighting, "id" | "idempotencyKey">,
): Claim | undefined {
  const isPending = claim?.state === "open" || claim?.state === "uncertain";
  if (!isPending || !madeBy(claim, idempotencyKey)) return claim;
  return linkedUnderLease(claim, id, claim.key === idempotencyKey);
}

/** The customer was made under a later key than the claim knows of: the claim goes on from there. */
function learntFrom(claim: Claim, { idempotencyKey, counter, at }: Sighting): Claim {
  // mutant "an adoption learns no counter": counter < claim.counter -> true
  if (idempotencyKey === null || counter === undefined || counter < claim.counter) return claim;
  const attempts = { since: at, firstAttemptAt: at, lastAttemptAt: at };
  return { ...claim, ...attempts, counter, key: idempotencyKey };
}
