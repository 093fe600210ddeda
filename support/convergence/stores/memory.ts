/** The stores that histories run on. Each history finds its own empty. */
import { createMemoryStore } from "../../../packages/backend-billing/src/memory/store.js";
import { type Fault, faults } from "../broken.js";
import type { Database } from "../run.js";

export interface OpenStore {
  /** An empty database. Called for each history, one after another. */
  fresh(): Promise<Database>;
  close?(): Promise<void>;
}

/** `fault`: what is broken around the core, to prove that histories find it. */
export const openMemory = async (fault?: Fault): Promise<OpenStore> => ({
  fresh: async () => {
    const store = createMemoryStore({ resources: "all" });
    return { connect: () => store, broken: fault === undefined ? {} : faults[fault] };
  },
});
