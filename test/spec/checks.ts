/** The tests of all rules, by rule. The compiler sees to it that each rule has exactly one. */
import type { RuleId } from "./catalogue.js";
import type { Check } from "./harness.js";
import { authentication } from "./rules/authentication.js";
import { checkout } from "./rules/checkout.js";
import { cron } from "./rules/cron.js";
import { errors } from "./rules/errors.js";
import { events } from "./rules/events.js";
import { installation } from "./rules/installation.js";
import { overview } from "./rules/overview.js";
import { pay } from "./rules/pay.js";
import { portal } from "./rules/portal.js";
import { routes } from "./rules/routes.js";
import { setup } from "./rules/setup.js";
import { states } from "./rules/states.js";
import { subscribe } from "./rules/subscribe.js";
import { sync } from "./rules/sync.js";
import { tableShapes } from "./rules/table-shapes.js";
import { tables } from "./rules/tables.js";
import { versions } from "./rules/versions.js";

/** What each file brings, for the test that compares it with the catalogue. */
export const checksByFile: { readonly [file: string]: { readonly [rule: string]: Check } } = {
  "rules/authentication.ts": authentication,
  "rules/checkout.ts": checkout,
  "rules/cron.ts": cron,
  "rules/errors.ts": errors,
  "rules/events.ts": events,
  "rules/installation.ts": installation,
  "rules/overview.ts": overview,
  "rules/pay.ts": pay,
  "rules/portal.ts": portal,
  "rules/routes.ts": routes,
  "rules/setup.ts": setup,
  "rules/states.ts": states,
  "rules/subscribe.ts": subscribe,
  "rules/sync.ts": sync,
  "rules/table-shapes.ts": tableShapes,
  "rules/tables.ts": tables,
  "rules/versions.ts": versions,
};

export const checks: { readonly [rule in RuleId]: Check } = {
  ...authentication,
  ...checkout,
  ...cron,
  ...errors,
  ...events,
  ...installation,
  ...overview,
  ...pay,
  ...portal,
  ...routes,
  ...setup,
  ...states,
  ...subscribe,
  ...sync,
  ...tableShapes,
  ...tables,
  ...versions,
};
