import { describeStore } from "../../../../support/conformance/store.js";
import { deployStore } from "./kit.js";

describeStore("Convex", async () => ({ create: async () => deployStore().store }));
