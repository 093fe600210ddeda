/** What the application is told of, as records of the kind `change`. Pure. */
import type { ResourceName } from "../catalogue/catalogue.js";
import type { RecordData, RecordRequest } from "./store.js";

/**
 * What is told: a change of a row; that a customer came to belong to an entity; what an entity's access
 * has become; that a trial ends soon; an event of Stripe's as it came.
 */
export type Occasion = ResourceName | "link" | "access" | "trial" | "event";

/** How a row changed. The record points at the object, and stands in the order of its revisions. */
export interface StoredChange {
  /** No other change has it, even after the database was set back to an earlier point. */
  readonly key: string;
  readonly resource: Occasion;
  readonly id: string;
  /** Null where there was no row, or is none any more. */
  readonly before: object | null;
  readonly after: object | null;
  /** Milliseconds. */
  readonly at: number;
  /** Whose it was, of a customer that is gone, and whose it is, of one that was linked. */
  readonly entityId?: string;
}

/** Digits of a revision, so that their texts stand in the order of the numbers. */
const DIGITS = 15;

/** The id of the record of a change, after those with lower numbers of the same object. */
export const changeId = (occasion: Occasion, id: string, number = 0): string =>
  `${occasion} ${id} ${String(number).padStart(DIGITS, "0")}`;

/** What such a record points at. */
export const changeRef = (occasion: Occasion, id: string): string => `${occasion} ${id}`;

/** Milliseconds by which the clock that a change is stored by may be ahead of the one that it is looked for by. */
export const AHEAD = 10_000;

/** The record of a change, due at once. */
export function changeRecord(change: StoredChange, number = 0) {
  const { resource, id, at } = change;
  return {
    kind: "change",
    id: changeId(resource, id, number),
    ref: changeRef(resource, id),
    due: at - AHEAD,
    data: { ...change } as RecordData,
  } as const satisfies RecordRequest;
}

/** The request that has an event of Stripe's told as it came. */
export const eventRequest = (id: string, event: object, at: number): RecordRequest =>
  changeRecord({ key: id, resource: "event", id, before: null, after: event, at });

/** Whether a record is requested to have an event told as it came. There is none as long as the event is not received. */
export const isEventRequest = ({ kind, data }: Pick<RecordRequest, "kind" | "data">): boolean =>
  kind === "change" && data.resource === "event";

/** The request that has an entity's access looked at. */
export const accessRequest = (entityId: string, key: string, at: number): RecordRequest =>
  changeRecord({
    key: `${key}.access`,
    resource: "access",
    id: entityId,
    before: null,
    after: null,
    at,
  });
