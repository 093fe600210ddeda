/** Which runs are open, one of each kind: a record that whoever opens or ends a run changes. */

import type { RecordWrite, StoredRecord } from "../../mirror/store.js";
import type { Runtime } from "../../runtime/runtime.js";
import type { RunKind } from "./run.js";

const ID = "runs";

export type Pointers = { readonly [kind in RunKind]?: string };

export interface ReadPointers {
  readonly record: StoredRecord | undefined;
  readonly open: Pointers;
}

export async function pointers(runtime: Runtime): Promise<ReadPointers> {
  const record = await runtime.store.record("setting", ID);
  return { record, open: (record?.data as Pointers | undefined) ?? {} };
}

export function pointed({ record, open }: ReadPointers, kind: RunKind, runId: string): RecordWrite {
  const next = { ref: null, due: null, data: { ...open, [kind]: runId } };
  return { kind: "setting", id: ID, expect: record?.revision ?? 0, next };
}

/** The write by which a run is no longer the open one of its kind. */
export async function closed(runtime: Runtime, runId: string, kind: RunKind): Promise<RecordWrite> {
  const { record, open } = await pointers(runtime);
  const { [kind]: current, ...others } = open;
  const data = current === runId ? others : open;
  const next = { ref: null, due: null, data: { ...data } };
  return { kind: "setting", id: ID, expect: record?.revision ?? 0, next };
}
