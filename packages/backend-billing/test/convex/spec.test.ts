// @module-tag slow
import { convexExceptions } from "../../../../support/spec/exceptions.js";
import { openConvex } from "../../../../support/spec/platforms/convex.js";
import { describeSpec } from "../../../../support/spec/rules.js";

describeSpec("Convex", openConvex, convexExceptions);
