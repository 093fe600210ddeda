// Usage on its way to a meter, on PostgreSQL.
import { describeMeters } from "../../../../../support/meters/cases.js";
import { keepsIn } from "./keeps.js";

describeMeters(keepsIn("shop").open);
