// Usage on its way to a meter, on Convex.
import { describeMeters } from "../../../../../support/meters/cases.js";
import { keepOnConvex } from "../../../../../support/meters/convex.js";

describeMeters(keepOnConvex);
