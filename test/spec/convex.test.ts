import { openConvex } from "./convex.js";
import { describeSpec } from "./rules.js";
import { convexSkips } from "./skips.js";

describeSpec("Convex", openConvex, convexSkips);
