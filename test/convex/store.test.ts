import { describeStore } from "../conformance/store.js";
import { deployStore } from "./kit.js";

describeStore("Convex", async () => ({ create: async () => deployStore().store }));
