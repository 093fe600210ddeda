import { describeEverything } from "../../../../support/everything/describe.js";
import { openMemory } from "../../../../support/everything/memory.js";

describeEverything("the store in memory", openMemory, { slow: 2, long: 20 });
