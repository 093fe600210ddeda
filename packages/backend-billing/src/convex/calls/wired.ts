/** Writes of records as the `store` mutation takes them: their data as documents hold it. */
import type { RecordRequest, RecordWrite } from "../../core/mirror/store.js";
import { encode } from "./encode.js";
import type { OperationOf } from "./operations.js";

type WireBatch = OperationOf<"commit">["batch"];

export const wiredRequests = (requests: readonly RecordRequest[]) =>
  requests.map((request) => ({ ...request, data: encode(request.data) }));

export const wiredWrites = (writes: readonly RecordWrite[]) =>
  writes.map(({ kind, id, expect, revision, next }) => ({
    kind,
    id,
    expect,
    ...(revision === undefined ? {} : { revision }),
    next: next === null ? null : { ...next, data: encode(next.data) },
  }));

/** A batch of records alone. */
export const recordsBatch = (
  writes: readonly RecordWrite[],
  requests: readonly RecordRequest[],
  now: number,
): WireBatch => ({
  source: "call",
  now,
  units: [{ requests: wiredRequests(requests) }],
  records: wiredWrites(writes),
});
