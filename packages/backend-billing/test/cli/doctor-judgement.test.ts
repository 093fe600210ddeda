// What `doctor` concludes from what it knows, case by case, and that its page says the same.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { generateDoctor } from "../../../../scripts/generate-doctor.js";
import { type Code, catalogue } from "../../src/cli/doctor/catalogue.js";
import { diagnose } from "../../src/cli/doctor/diagnose/diagnose.js";
import type { Answer, Facts, PortalMade } from "../../src/cli/doctor/facts.js";
import { addressFacts, isLocal, keyFacts } from "../../src/cli/doctor/gather.js";
import type { Marks } from "../../src/core/customers/marks.js";
import type { Stranger } from "../../src/core/runtime/records/records.js";
import { portalSettings } from "../../src/core/sync/portal/settings.js";
import type { Access } from "../../src/postgres/schema/access.js";

const webhook = "https://app.example/stripe/webhook";
const endpoint = { id: "we_1", url: webhook, enabled: true, version: "v1", events: ["a", "b"] };
const ignored: Answer = { state: "answered", status: 200, received: "ignored" };
const refused: Answer = { state: "answered", status: 400, code: "invalid_signature" };

const stripe = {
  state: "answers",
  account: "acct_1",
  ahead: 0,
  version: "v1",
  events: ["a", "b"],
  denied: [],
  endpoints: [endpoint],
  portals: [{ id: "bpc_1", isDefault: true }],
  undelivered: { count: 0, seen: 3 },
} as const satisfies Facts["stripe"];
const marks: Marks = { linked: 2, unmarked: 0, theirs: [], strangers: [] };
const stored = {
  live: true,
  marks,
  account: "acct_1",
  secretFits: { we_1: true },
  copied: true,
  setAside: { count: 0, examples: [] },
  reactions: { parked: { number: 0, examples: [] }, oldest: null },
  usage: {
    reported: { number: 0, examples: [] },
    uncounted: { number: 0, lately: 0, codes: [] },
  },
  erasures: { failing: 0, reason: null },
  taken: [],
};
/** Changes that are parked, and one that is due for so many minutes. */
const telling = (number: number, minutes: number): Facts => ({
  ...well,
  database: {
    ...database,
    stored: {
      ...stored,
      reactions: {
        parked: { number, examples: Array.from({ length: number }, (_, n) => `invoices in_${n}`) },
        oldest: { object: "invoices in_9", milliseconds: minutes * 60_000 },
      },
    },
  },
});
const database = {
  state: "answers",
  schema: "billing",
  ahead: 0,
  tables: { owner: "migrate", pending: [], unknown: [] },
  access: { role: "app", access: [] },
  stored,
} as const satisfies Facts["database"];
const well: Facts = {
  platform: "node-postgres",
  key: { state: "given", live: true, restricted: false },
  secret: "given",
  address: { state: "given", base: "https://app.example", webhook, reachable: true },
  stripe,
  database,
  webhook: { signed: ignored, forged: refused },
};

const route = (signed: Answer, forged: Answer = refused): Facts => ({
  ...well,
  webhook: { signed, forged },
});
const answered = (status: number, more: object = {}): Answer => ({
  state: "answered",
  status,
  ...more,
});
const at = (...endpoints: (typeof endpoint)[]): Facts => ({
  ...well,
  stripe: { ...stripe, endpoints },
});
const local: Facts["address"] = {
  state: "given",
  base: "http://localhost:3000",
  webhook: "http://localhost:3000/stripe/webhook",
  reachable: false,
};
const testKey: Facts["key"] = { state: "given", live: false, restricted: false };
const testStored = { ...database, stored: { ...stored, live: false } };

const owned: Access = {
  role: "app",
  table: "backend_billing_records",
  owner: true,
  everything: false,
  named: false,
  rowSecurity: true,
  usage: true,
  privileges: ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "TRIGGER"],
  secured: false,
  open: [],
};
const anon: Access = { ...owned, role: "anon", owner: false, secured: true };
const withAccess = (schema: string, ...access: readonly Access[]): Facts => ({
  ...well,
  database: { ...database, schema, access: { role: "app", access } },
});

const other: Stranger = { kind: "app", app: "other", customer: "cus_1" };
const unnamed: Stranger = { kind: "unnamed", app: null, customer: "cus_2" };
const malformed: Stranger = { kind: "malformed", app: null, customer: "cus_3" };
/** An application that is given a name, or none, over tables that remember one, or none. */
const named = (app?: string, storedApp?: string, found: Partial<Marks> = {}): Facts => ({
  ...well,
  ...(app === undefined ? {} : { app }),
  database: {
    ...database,
    stored: {
      ...stored,
      ...(storedApp === undefined ? {} : { app: storedApp }),
      marks: { ...marks, ...found },
    },
  },
});

const portalAt = (features: object, portalMade: PortalMade) =>
  ({
    ...well,
    stripe: { ...stripe, portals: [{ id: "bpc_2", isDefault: false, features }] },
    database: { ...database, stored: { ...stored, portal: "bpc_2", portalMade } },
  }) as unknown as Facts;

const erasing = (failing: number): Facts => ({
  ...well,
  database: {
    ...database,
    stored: { ...stored, erasures: { failing, reason: "permission_error" } },
  },
});

/** Batches that are reported, and events of the last week that were not counted. */
const sending = (reported: number, lately: number): Facts => ({
  ...well,
  database: {
    ...database,
    stored: {
      ...stored,
      usage: {
        reported: { number: reported, examples: ["missing b1"] },
        uncounted: { number: 9, lately, codes: ["no_meter"] },
      },
    },
  },
});

const cases: readonly (readonly [string, Facts, readonly Code[]])[] = [
  ["the owner of the tables connects", withAccess("billing", owned), []],
  ["tables in public", withAccess("public", owned), ["schema_public"]],
  [
    "a schema that was not decided",
    { ...well, database: { state: "undecided" } },
    ["schema_undecided"],
  ],
  [
    "row security is off",
    withAccess("billing", { ...owned, rowSecurity: false }),
    ["row_security_off"],
  ],
  ["a stranger has every privilege", withAccess("billing", owned, anon), ["access_open"]],
  [
    "a stranger has privileges, and sees no rows",
    withAccess("billing", owned, { ...anon, privileges: ["SELECT"] }),
    ["access_granted"],
  ],
  [
    "a named role",
    withAccess("billing", owned, {
      ...anon,
      named: true,
      privileges: ["SELECT"],
      open: ["SELECT"],
    }),
    [],
  ],
  [
    "the role that connects sees no rows",
    withAccess("billing", { ...anon, role: "app", named: true, privileges: ["SELECT"] }),
    ["role_unusable"],
  ],
  [
    "row security comes with migrations that are pending",
    {
      ...well,
      database: {
        ...database,
        tables: { owner: "migrate", pending: ["0003_row_security"], unknown: [] },
        access: { role: "app", access: [{ ...owned, rowSecurity: false }] },
      },
    },
    ["migrations_pending"],
  ],
  ["all is well", well, []],
  ["a change that is due for 15 minutes", telling(0, 15), []],
  ["a change that is due for 16 minutes", telling(0, 16), ["changes_waiting"]],
  ["changes that are parked", telling(2, 1), ["changes_parked"]],
  ["usage that is reported", sending(1, 0), ["usage_reported"]],
  ["usage that Stripe could not count", sending(0, 2), ["usage_uncounted"]],
  ["erasures that wait and do not fail", well, []],
  ["erasures that fail", erasing(2), ["erasures_failing"]],
  ["an application with a name", named("acme", "acme"), []],
  ["a name that no process has used yet", named("acme"), []],
  ["no name over tables of an application", named(undefined, "acme"), ["app_mismatch"]],
  [
    "another name, by which nothing else is judged",
    named("acme", "other", { unmarked: 1, strangers: [unnamed, malformed] }),
    ["app_mismatch"],
  ],
  [
    "another application's customers, and no name here",
    named(undefined, undefined, { strangers: [other] }),
    ["app_missing"],
  ],
  [
    "another application's customers where this one has a name",
    named("acme", "acme", { strangers: [other] }),
    [],
  ],
  [
    "customers from before the name",
    named("acme", "acme", { unmarked: 1 }),
    ["customers_unmarked"],
  ],
  [
    "a linked customer that carries another name",
    named("acme", "acme", { theirs: ["cus_1"] }),
    ["customers_of_others"],
  ],
  [
    "an entity's id without a name",
    named("acme", "acme", { strangers: [unnamed] }),
    ["customers_unnamed"],
  ],
  [
    "an entity's id that cannot be one",
    named(undefined, undefined, { strangers: [malformed] }),
    ["customers_malformed"],
  ],
  ["a clock 9 s off is well enough", { ...well, stripe: { ...stripe, ahead: 9_000 } }, []],
  ["a clock 10 s off", { ...well, stripe: { ...stripe, ahead: 10_000 } }, ["clock_drifts"]],
  ["a clock 239 s off", { ...well, stripe: { ...stripe, ahead: -239_000 } }, ["clock_drifts"]],
  ["a clock 240 s off", { ...well, stripe: { ...stripe, ahead: -240_000 } }, ["clock_wrong"]],
  [
    "the database's clock",
    { ...well, database: { ...database, ahead: -11_000 } },
    ["database_clock_differs"],
  ],
  [
    "a local application with a test key is told by other means than an endpoint",
    { ...well, key: testKey, database: testStored, address: local },
    ["url_local"],
  ],
  ["a local application with a live key", { ...well, address: local }, ["url_insecure"]],
  ["no endpoint", at(), ["endpoint_missing"]],
  ["all events", at({ ...endpoint, events: ["*"] }), []],
  ["events of the application's own", at({ ...endpoint, events: ["a", "b", "c"] }), []],
  [
    "an event that a handler takes is not sent",
    { ...well, database: { ...database, stored: { ...stored, taken: ["c"] } } },
    ["endpoint_events_missing"],
  ],
  ["too few events", at({ ...endpoint, events: ["a"] }), ["endpoint_events_missing"]],
  ["the account's version", at({ ...endpoint, version: "v0" }), ["endpoint_version"]],
  [
    "an endpoint that is being replaced is a duplicate, and not of another version",
    at({ ...endpoint, id: "we_0", version: "v0" }, endpoint),
    ["endpoint_duplicate"],
  ],
  [
    "a disabled one beside it does not count",
    at({ ...endpoint, id: "we_0", enabled: false }, endpoint),
    [],
  ],
  ["only a disabled one", at({ ...endpoint, enabled: false }), ["endpoint_disabled"]],
  [
    "a key that may not look at endpoints says nothing of them",
    { ...well, stripe: { ...stripe, endpoints: undefined } as unknown as typeof stripe },
    [],
  ],
  [
    "another endpoint's secret",
    { ...well, database: { ...database, stored: { ...stored, secretFits: { we_1: false } } } },
    ["secret_stale"],
  ],
  ["the route is not there", route(answered(404)), ["webhook_route_missing"]],
  ["another method", route(answered(405)), ["webhook_route_missing"]],
  ["a redirect", route(answered(307)), ["webhook_redirected"]],
  ["a sign-in", route(answered(403)), ["webhook_guarded"]],
  ["a page", route(answered(200), answered(200)), ["webhook_not_ours"]],
  ["another library", route(answered(400)), ["webhook_not_ours"]],
  ["a forgery is accepted", route(ignored, ignored), ["webhook_forgery_accepted"]],
  ["another secret", route(refused), ["webhook_secret_differs"]],
  ["another mode", route(answered(400, { code: "livemode_mismatch" })), ["webhook_mode_differs"]],
  [
    "a body parser",
    route(answered(500, { code: "invalid_config", message: "The body was read before" })),
    ["webhook_body_parsed"],
  ],
  ["a missing secret there", route(answered(500, { code: "invalid_config" })), ["webhook_failing"]],
  ["a proxy without a server", route(answered(502)), ["webhook_failing"]],
  ["nothing there", route({ state: "failed", reason: "ECONNREFUSED" }), ["webhook_unreachable"]],
  [
    "a portal that is not the default, and is remembered",
    {
      ...well,
      stripe: { ...stripe, portals: [{ id: "bpc_2", isDefault: false }] },
      database: { ...database, stored: { ...stored, portal: "bpc_2" } },
    },
    [],
  ],
  [
    "a portal of the library's own, as it was made",
    portalAt(portalSettings([], {}).features, { offersPlans: true, notSold: [] }),
    [],
  ],
  [
    "a portal of the library's own, with what was asked for",
    portalAt(
      portalSettings(undefined, { features: { invoice_history: { enabled: false } } }).features,
      {
        options: '{"features":{"invoice_history":{"enabled":false}}}',
        offersPlans: false,
        notSold: [],
      },
    ),
    [],
  ],
  [
    "a portal whose changes of plan were switched off at Stripe",
    portalAt(
      { ...portalSettings([], {}).features, subscription_update: { enabled: false } },
      { offersPlans: true, notSold: [] },
    ),
    ["portal_changed"],
  ],
  [
    "a portal that offers what is sold no more",
    portalAt(portalSettings([], {}).features, { offersPlans: true, notSold: ["price_1"] }),
    ["portal_outdated"],
  ],
  [
    "a portal that is not the default, and nobody can say whether it is remembered",
    {
      ...well,
      platform: "convex",
      stripe: { ...stripe, portals: [{ id: "bpc_2", isDefault: false }] },
      database: undefined,
    } as unknown as Facts,
    [],
  ],
  [
    "tables that are not there are not read",
    {
      ...well,
      database: { ...database, tables: { ...database.tables, pending: ["1"] }, stored: undefined },
    } as unknown as Facts,
    ["migrations_pending"],
  ],
];

describe("a diagnosis", () => {
  it.each(cases)("%s", (_, facts, codes) => {
    expect(diagnose(facts).map(({ code }) => code)).toEqual(codes);
  });

  it("names Convex's commands on Convex", () => {
    const found = diagnose({ ...at(), platform: "convex" });
    expect(found[0]?.fix).toBe(`npx convex run billing:sync '{"data": false, "webhook": true}'`);
    const [other] = diagnose({ ...at(), platform: "convex", module: "stripe" });
    expect(other?.fix).toContain("npx convex run stripe:sync");
  });

  it("leaves no blank open", () => {
    const bad: Facts = {
      platform: "node-postgres",
      key: { state: "malformed", kind: "a publishable key" },
      secret: "missing",
      address: { state: "malformed", url: "x", reason: "y" },
      stripe: { state: "refused", reason: "z" },
      database: { state: "unreachable", reason: "w" },
    };
    const texts = [...diagnose(bad), ...cases.flatMap(([, facts]) => diagnose(facts))];
    expect(
      texts.filter(({ what, fix }) => /[{}]/.test(`${what} ${fix}`.replace(/'\{.*\}'/g, ""))),
    ).toEqual([]);
  });
});

describe("what is known without asking", () => {
  it.each([
    [undefined, { state: "missing" }],
    ["", { state: "missing" }],
    ["pk_live_1", { state: "malformed", kind: "a publishable key" }],
    ["whsec_1", { state: "malformed", kind: "a webhook's signing secret" }],
    ['"sk_test_1"', { state: "malformed", kind: "a value with spaces or quotes around it" }],
    ["rk_live_1", { state: "given", live: true, restricted: true }],
  ])("the key %s", (key, facts) => {
    expect(keyFacts(key)).toEqual(facts);
  });

  it.each([
    ["https://app.example", "https://app.example/stripe/webhook"],
    ["https://app.example/", "https://app.example/stripe/webhook"],
    ["https://app.example/billing/webhook", "https://app.example/billing/webhook"],
    ["https://app.example/api", "https://app.example/api/stripe/webhook"],
  ])("the address %s", (url, expected) => {
    expect(addressFacts(url)).toMatchObject({ state: "given", webhook: expected, reachable: true });
  });

  it.each(["app.example", "ftp://app.example", "https://app.example?a=1", "https://u@app.example"])(
    "that %s is no address",
    (url) => {
      expect(addressFacts(url)).toMatchObject({ state: "malformed" });
    },
  );

  it.each([
    ["http://localhost:3000", true],
    ["http://192.168.1.5", true],
    ["http://172.16.0.1", true],
    ["http://172.32.0.1", false],
    ["http://[::1]:3000", true],
    ["https://app.example", false],
    ["https://local.example", false],
  ])("whether %s is local", (url, expected) => {
    expect(isLocal(url)).toBe(expected);
  });
});

describe("docs/doctor.md", () => {
  const page = readFileSync(new URL("../../../../docs/doctor.md", import.meta.url), "utf8");
  it("is not stale (npm run generate)", () => {
    expect(page).toBe(generateDoctor());
  });
  it("names every finding", () => {
    for (const code of Object.keys(catalogue)) expect(page).toContain(`\`${code}\``);
  });
});
