import { CONFORMING } from "../../../../support/conformance/fixtures.js";
import { describeStore } from "../../../../support/conformance/store.js";
import { deployStore } from "../../../../support/convex/store.js";

describeStore("Convex", async () => ({
  create: async () => deployStore({ resources: CONFORMING }).store,
  listening: async (listening) => deployStore({ resources: CONFORMING, listening }).store,
}));
