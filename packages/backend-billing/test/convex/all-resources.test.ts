// @module-tag slow
import { openConvex } from "../../../../support/everything/convex.js";
import { describeEverything } from "../../../../support/everything/describe.js";

describeEverything("Convex", openConvex, { slow: 1, long: 4 });
