/** The request to erase an entity: a record, which a mutation or a transaction of the application writes. */
import type { RecordRequest, StoredRecord } from "../mirror/store.js";
import { argsOf } from "../runtime/arguments.js";
import { checkEntityId } from "../runtime/commit/seats.js";
import { BillingError } from "../runtime/errors.js";

/** What `erase` takes. */
export interface EraseArgs {
  readonly entityId: string;
  /** What becomes of the customer at Stripe. Default `"delete"`. */
  readonly customer?: "delete" | "keep" | undefined;
}

/** The data of the record, which is there until the entity is erased. */
export interface Erasure {
  readonly customer: "delete" | "keep";
  /** Milliseconds: when it was asked for. */
  readonly since: number;
  /** Every commit knows of its customers by now. */
  readonly isMarked?: boolean;
  /** Billing has ended at Stripe. What is sold on a customer that is kept is of others from then on. */
  readonly hasLeft?: boolean;
  /** What was used is removed. What is used from then on is of an entity that is back. */
  readonly isForgotten?: boolean;
  /** How often it failed since, and why at last. */
  readonly tries?: number;
  readonly reason?: string;
}

/** Milliseconds after which it begins, so that the transaction that asks for it has committed. */
export const ERASE_DELAY = 1_000;

/** Before the ids of such records; those of customers that are erased begin otherwise. */
export const OF_ENTITY = "entity ";

export function eraseRequest(args: EraseArgs, now: number): RecordRequest {
  const { entityId, customer = "delete" } = argsOf("erase", args);
  checkEntityId(entityId);
  if (customer !== "delete" && customer !== "keep") {
    throw new BillingError("invalid_argument", '`customer` must be "delete" or "keep".');
  }
  const data: Erasure = { customer, since: now };
  return {
    kind: "erased",
    id: `${OF_ENTITY}${entityId}`,
    due: now + ERASE_DELAY,
    data: { ...data },
  };
}

/** Whom a record is about. */
export const entityIn = ({ id }: Pick<StoredRecord, "id">): string => id.slice(OF_ENTITY.length);

/** What a record says. Another role of the database may have written it: it need not say anything. */
export const erasureIn = ({ data }: Pick<StoredRecord, "data">): Partial<Erasure> =>
  data as Partial<Erasure>;

/** The same, of a record that is to be carried out. What ends at Stripe for good is not guessed at. */
export function orderIn(record: Pick<StoredRecord, "data">): Erasure {
  const erasure = erasureIn(record);
  const { customer, since } = erasure;
  if ((customer === "delete" || customer === "keep") && Number.isFinite(since)) {
    return erasure as Erasure;
  }
  const message = "The record of an erasure cannot be read. Ask for the erasure again.";
  throw new BillingError("store_error", message);
}
