/**
 * Whose a customer was that is gone. Refunds, invoices and ends of subscriptions are learnt after that,
 * and are told of the entity all the same. Pure.
 */
import type { RecordKey, RecordRequest } from "./store.js";

/** What the record says. */
export interface Former {
  readonly entityId: string;
}

/** Milliseconds for which it is kept; a setting is removed when it is due. */
const KEPT = 30 * 24 * 60 * 60_000;

/** Where it is stored. */
export const formerKey = (customerId: string): RecordKey => ({
  kind: "setting",
  id: `former ${customerId}`,
});

export const formerRequest = (
  customerId: string,
  entityId: string,
  now: number,
): RecordRequest => ({
  ...formerKey(customerId),
  due: now + KEPT,
  data: { entityId } satisfies Former,
});
