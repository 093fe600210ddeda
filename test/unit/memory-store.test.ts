import { createMemoryStore } from "../../src/memory/store.js";
import { describeStore } from "../../support/conformance/store.js";

describeStore("memory", async () => ({ create: async () => createMemoryStore() }));
