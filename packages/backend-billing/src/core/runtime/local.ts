/**
 * What a process remembers beside the store: answers that it paid for, and calls under way that
 * others can wait for. No result depends on it: a process that has just begun, or one beside it,
 * answers the same. Each memory is defined where it is used; docs/architecture.md lists all of them.
 */
import type { BillingConfig } from "./config.js";

/** Memories by their names. */
type Memories = Map<string, unknown>;

/** The memories of one runtime. */
export interface Local {
  /** Kept as long as the configuration: by a process on Node, by an isolate on Convex. */
  readonly process: Memories;
  /** The same, but of another database that a call brings: as long as the runtime on it. */
  readonly database: Memories;
  /** Kept as long as the runtime: by an instance on Node, by one action on Convex. */
  readonly runtime: Memories;
}

const processes = new WeakMap<BillingConfig, Memories>();

export function localOf(config: BillingConfig, isElsewhere = false): Local {
  const process = processes.get(config) ?? new Map();
  processes.set(config, process);
  return { process, database: isElsewhere ? new Map() : process, runtime: new Map() };
}

/** A memory with a name of its own, made when it is first asked for. */
export function defineLocal<T>(
  keptBy: keyof Local,
  name: string,
  make: () => T,
): (runtime: { readonly local: Local }) => T {
  return ({ local }) => {
    const known = local[keptBy];
    if (!known.has(name)) known.set(name, make());
    return known.get(name) as T;
  };
}
