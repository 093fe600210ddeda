import { openConvex } from "../../../../support/spec/platforms/convex.js";
import { describeSpec } from "../../../../support/spec/rules.js";
import { convexSkips } from "../../../../support/spec/skips.js";

describeSpec("Convex", openConvex, convexSkips);
