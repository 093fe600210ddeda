/**
 * The idempotency key under which the customer of an entity is made. It follows from the entity and
 * a counter alone, so that a database that was set back to an earlier time, and has lost the claim,
 * sends the same key again: Stripe then answers with the customer that exists.
 */

import { sha256 } from "../../runtime/digest.js";

/** Whose customer it is. Everything that tells two customers apart is part of the key. */
export interface KeyOwner {
  /** The name of the application, where several share one Stripe account. */
  readonly app?: string | undefined;
  readonly entityId: string;
  readonly account: string | null;
  readonly livemode: boolean;
}

const PREFIX = "backend-billing";

/**
 * The counter stays readable, so that it can be learnt from an event; the entity does not, because
 * keys are logged. The hash is not keyed: a key must outlive a roll of the API key, too.
 */
export async function claimKey({
  counter,
  ...owner
}: KeyOwner & { readonly counter: number }): Promise<string> {
  // mutant "random keys of claims": await digestOf(owner) -> crypto.randomUUID()
  return `${PREFIX}-${await digestOf(owner)}-${counter}`;
}

/** The counter in an idempotency key, if it is a key of this owner. */
export async function counterIn(owner: KeyOwner, key: string | null): Promise<number | undefined> {
  const parts = /^backend-billing-([\da-f]{64})-([1-9]\d{0,8})$/.exec(key ?? "");
  if (parts === null || parts[1] !== (await digestOf(owner))) return undefined;
  return Number(parts[2]);
}

/** JSON keeps the parts apart, whatever characters they have. */
export function digestOf({ app, entityId, account, livemode }: KeyOwner): Promise<string> {
  return sha256(JSON.stringify(["customer", app ?? null, livemode, account, entityId]));
}
