/** Which runs are open, one of each kind: a record that is written when a run opens or ends. */
import type { RecordWrite } from "../../mirror/store.js";
import type { Read } from "../../runtime/records/record.js";
import { records } from "../../runtime/records/records.js";
import type { RunKind } from "../../runtime/reports.js";
import type { Runtime } from "../../runtime/runtime.js";

export type Pointers = { readonly [kind in RunKind]?: string };

export interface ReadPointers {
  readonly read: Read<{ readonly [kind: string]: string }>;
  readonly open: Pointers;
}

export async function pointers(runtime: Runtime): Promise<ReadPointers> {
  const read = await records.runs.read(runtime);
  return { read, open: read.data ?? {} };
}

/** The write by which a run is the open one of its kind. */
export function pointed({ read }: ReadPointers, kind: RunKind, runId: string): RecordWrite {
  return records.runs.write(read, { ...read.data, [kind]: runId });
}

/** The write by which a run is no longer the open one of its kind. */
export async function closed(runtime: Runtime, runId: string, kind: RunKind): Promise<RecordWrite> {
  const { read } = await pointers(runtime);
  const { [kind]: current, ...others } = read.data ?? {};
  return records.runs.write(read, current === runId ? others : (read.data ?? {}));
}
