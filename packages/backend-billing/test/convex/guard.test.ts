import { describeGuard } from "../../../../support/guard/describe.js";
import { openConvex } from "../../../../support/guard/stores/convex.js";

describeGuard("convex", openConvex, { few: 3, many: 8 });
