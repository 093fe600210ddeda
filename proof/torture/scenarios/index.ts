/** All families, in the order of the table. */
import type { Family } from "../harness/scenario.js";
import { afterCheckout } from "./after-checkout.js";
import { backfill } from "./backfill.js";
import { customers } from "./customers.js";
import { deletes } from "./deletes.js";
import { drift } from "./drift.js";
import { duplicates } from "./duplicates.js";
import { endpoints } from "./endpoints.js";
import { failures } from "./failures.js";
import { kill } from "./kill.js";
import { missed } from "./missed.js";
import { neighbours } from "./neighbours.js";
import { oddData } from "./odd-data.js";
import { ordering } from "./ordering.js";
import { poison } from "./poison.js";
import { reactions } from "./reactions.js";
import { sameSecond } from "./same-second.js";
import { subscriptions } from "./subscriptions.js";
import { twoTabs } from "./two-tabs.js";
import { usage } from "./usage.js";

export const families: readonly Family[] = [
  ordering,
  sameSecond,
  duplicates,
  deletes,
  backfill,
  missed,
  failures,
  kill,
  customers,
  subscriptions,
  twoTabs,
  afterCheckout,
  drift,
  oddData,
  poison,
  endpoints,
  neighbours,
  reactions,
  usage,
];
