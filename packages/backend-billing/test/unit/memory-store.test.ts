import { CONFORMING } from "../../../../support/conformance/fixtures.js";
import { describeStore } from "../../../../support/conformance/store.js";
import { createMemoryStore } from "../../src/memory/store.js";

describeStore("memory", async () => ({
  create: async () => createMemoryStore({ resources: CONFORMING }),
}));
