/** What the mirror holds against what Stripe says of the same object. */
import type { ResourceName } from "../../catalogue/catalogue.js";
import { retrieve } from "../../events/refetch.js";
import { same } from "../../mirror/content/same.js";
import { isScrubbed, scrubbed } from "../../mirror/scrub.js";
import type { Snapshot } from "../../mirror/store.js";
import type { Example } from "../../runtime/reports.js";
import type { Runtime } from "../../runtime/runtime.js";
import type { PendingCompare } from "../run/partition.js";
import { each } from "../run/step.js";
import { differingFields } from "./drift.js";

const AT_ONCE = 8;

/** What an answer says against the stored content; undefined if they agree. */
export function exampleOf(
  stored: object | null,
  { id, kind, content }: Pick<Snapshot, "id" | "kind" | "content">,
): Example | undefined {
  if (content === null) return stored === null ? undefined : { id, kind: "ghost" };
  if (stored === null) return kind === "changed" ? { id, kind: "missing" } : undefined;
  const shown = likeStored(stored, content);
  if (same(stored, shown)) return undefined;
  return { id, kind: "different", fields: differingFields(stored, shown) };
}

/** Of an object whose customer was erased, what is stored of it. */
const likeStored = (stored: object, content: object): object =>
  isScrubbed(stored) ? scrubbed(content) : content;

/** The snapshot as the store would keep it: so much of it as can differ from what is stored. */
export function asKept({ store }: Runtime, snapshot: Snapshot): Snapshot {
  const { content } = snapshot;
  if (content === null || store.kept === undefined) return snapshot;
  return { ...snapshot, content: store.kept(content) as Snapshot["content"] };
}

/** Those of the objects that the mirror does not hold as a list shows them. */
export async function unequal(
  runtime: Runtime,
  resource: ResourceName,
  snapshots: readonly Snapshot[],
): Promise<PendingCompare[]> {
  const rows = await each(snapshots, AT_ONCE, ({ id }) => runtime.store.row(resource, id));
  return snapshots.flatMap((snapshot, index) => {
    const { id, content, owner } = asKept(runtime, snapshot);
    const stored = rows[index]?.stripe ?? null;
    const isEqual =
      stored !== null && content !== null && same(stored, likeStored(stored, content));
    const owned = owner === undefined ? {} : { owner };
    return isEqual ? [] : [{ do: "compare" as const, id, ...owned }];
  });
}

/** Looks once more, at Stripe itself. Undefined if the two agree, or are about to. */
export async function compareAgain(
  runtime: Runtime,
  resource: ResourceName,
  { id, ...whose }: Pick<PendingCompare, "id" | "owner">,
): Promise<Example | undefined> {
  const before = await runtime.store.version(resource, id);
  const snapshot = await retrieve(runtime, resource, id, before?.revision ?? 0, whose);
  const row = await runtime.store.row(resource, id);
  const after = await runtime.store.version(resource, id);
  const isMoving = after?.revision !== before?.revision || after?.stale === true;
  return isMoving ? undefined : exampleOf(row?.stripe ?? null, asKept(runtime, snapshot));
}
