/** The tests of all rules, by rule. The compiler sees to it that each rule has exactly one. */
import type { RuleId } from "./catalogue.js";
import type { Check } from "./harness.js";
import { authentication } from "./rules/authentication.js";
import { cron } from "./rules/cron.js";
import { errors } from "./rules/errors.js";
import { events } from "./rules/events/events.js";
import { installation } from "./rules/installation.js";
import { checkout } from "./rules/links/checkout.js";
import { pay } from "./rules/links/pay.js";
import { portal } from "./rules/links/portal.js";
import { subscribe } from "./rules/links/subscribe.js";
import { overview } from "./rules/overview.js";
import { routes } from "./rules/routes.js";
import { setup } from "./rules/setup.js";
import { sync } from "./rules/sync.js";
import { states } from "./rules/tables/states.js";
import { tableShapes } from "./rules/tables/table-shapes.js";
import { tables } from "./rules/tables/tables.js";
import { versions } from "./rules/tables/versions.js";

/** What each file brings, for the test that compares it with the catalogue. */
export const checksByFile: { readonly [file: string]: { readonly [rule: string]: Check } } = {
  "rules/authentication.ts": authentication,
  "rules/links/checkout.ts": checkout,
  "rules/cron.ts": cron,
  "rules/errors.ts": errors,
  "rules/events/events.ts": events,
  "rules/installation.ts": installation,
  "rules/overview.ts": overview,
  "rules/links/pay.ts": pay,
  "rules/links/portal.ts": portal,
  "rules/routes.ts": routes,
  "rules/setup.ts": setup,
  "rules/tables/states.ts": states,
  "rules/links/subscribe.ts": subscribe,
  "rules/sync.ts": sync,
  "rules/tables/table-shapes.ts": tableShapes,
  "rules/tables/tables.ts": tables,
  "rules/tables/versions.ts": versions,
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
