import { createMemoryStore } from "../src/testing/memory-store.js";
import { describeStore } from "./conformance/store.js";

describeStore("memory", async () => ({ create: async () => createMemoryStore() }));
