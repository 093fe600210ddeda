/** The stores that histories of the guard run on, each with a way back to an earlier moment. */
import type { Store } from "../../../packages/backend-billing/src/core/mirror/store.js";
import { createMemoryStore } from "../../../packages/backend-billing/src/memory/store.js";
import type { Gate } from "../../convergence/run.js";

/** An empty database, for one history. */
export interface GuardDatabase {
  /** What one process holds. */
  connect(gate: Gate): Store;
  /** Turns of the event loop that a call takes at most until its next query. Default 1. */
  readonly turns?: number;
  /** Remembers the present; answers what returns to it, as often as it is called. */
  remember(): Promise<() => Promise<void>>;
}

export interface OpenGuardStore {
  /** Called for each history, one after another. */
  fresh(): Promise<GuardDatabase>;
  close?(): Promise<void>;
}

/** What changes a store: all of it in this order makes the same store again. */
const CHANGES = ["commit", "takeAsks", "postponeAsk", "takeRecords", "pruneReceipts"] as const;

type Call = (...args: unknown[]) => Promise<unknown>;

export const openMemory = async (): Promise<OpenGuardStore> => ({
  fresh: async () => {
    let store = createMemoryStore();
    let changes: { readonly name: string; readonly args: unknown[] }[] = [];
    const of = (name: string) => (store as unknown as { [name: string]: Call })[name]!;
    const isChange = (name: string) => (CHANGES as readonly string[]).includes(name);
    const members = Object.entries(store).map(([name, member]) => {
      if (typeof member !== "function") return [name, member];
      const call: Call = (...args) => {
        if (isChange(name)) changes.push({ name, args }); // nobody changes them afterwards
        return of(name)(...args);
      };
      return [name, call];
    });
    const connected = Object.fromEntries(members) as Store;
    return {
      connect: () => connected,
      remember: async () => {
        const until = changes.slice();
        return async () => {
          const earlier = createMemoryStore();
          for (const { name, args } of until) {
            await (earlier as unknown as { [name: string]: Call })[name]!(...args);
          }
          store = earlier;
          changes = until.slice();
        };
      },
    };
  },
});
