/**
 * Which resources the application listens to. It is stored where several versions of an application
 * may write at once: one that does not listen yet must tell the others' changes, too. Pure.
 */
import type { ResourceName } from "../catalogue/catalogue.js";
import type { RecordData } from "./store.js";

/**
 * What an application is told of the rows of a resource: how they change, or also what the first
 * listing finds.
 */
export type Listened = "changes" | "everything";

export type Listening = { readonly [R in ResourceName]?: Listened };

/** Where it is stored. The record's data is a {@link Listening} under the name `resources`. */
export const LISTENING = { kind: "setting", id: "listening" } as const;

/** What the stored record says of a resource. */
export function listenedIn(data: RecordData | undefined, resource: ResourceName): Listened | null {
  const stored = data?.resources as Listening | undefined;
  return stored?.[resource] ?? null;
}
