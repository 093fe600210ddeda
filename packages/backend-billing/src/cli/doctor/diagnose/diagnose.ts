/** From facts to findings. Pure, without requests, so every case has a row in a table test. */
import { notSent } from "../../../core/sync/endpoint.js";
import { describeSetAside, duration, listed } from "../../terminal/format.js";
import { commandsOf } from "../commands.js";
import type {
  AddressFacts,
  DatabaseFacts,
  Endpoint,
  Facts,
  StoredFacts,
  StripeFacts,
  TableFacts,
} from "../facts.js";
import { type Find, type Finding, finder } from "../finding.js";
import { diagnoseRoute } from "../route.js";
import { diagnoseAccess } from "./access.js";
import { diagnoseApps } from "./apps.js";
import { diagnosePortal } from "./portal.js";

type Answering<F> = Extract<F, { state: "answers" }>;
type Given = Extract<AddressFacts, { state: "given" }>;

/** Seconds that a clock may be off before it is reported, and before webhooks are at risk. */
const DRIFT = 10;
const WRONG = 240;
/** Milliseconds after which a change that is due should have been taken up. */
const LATE = 15 * 60_000;
/** Minutes after which an event should have been delivered. */
export const DELIVERY_MINUTES = 10;

export function diagnose(facts: Facts): Finding[] {
  const { address, stripe, database, webhook, key } = facts;
  const given = address.state === "given" ? address : undefined;
  const find = finder(commandsOf(facts, given?.base));
  const answering = stripe?.state === "answers" ? stripe : undefined;
  const stored = database?.state === "answers" ? database.stored : undefined;
  const mode = key.state === "given" ? modeName(key.live) : undefined;
  return [
    ...diagnoseKey(find, facts),
    ...(stripe ? diagnoseStripe(find, stripe) : []),
    ...(database ? diagnoseDatabase(find, database) : []),
    ...diagnoseStored(find, facts, stored),
    ...(stored ? diagnoseApps(find, facts.app, stored) : []),
    ...diagnoseAddress(find, facts),
    ...diagnoseSecret(find, facts),
    ...(answering && given ? diagnoseEndpoint(find, answering, given, stored) : []),
    ...(given && webhook ? diagnoseRoute(find, given.webhook, webhook, mode) : []),
    ...(answering ? diagnoseDeliveries(find, answering) : []),
    ...(answering ? diagnosePortal(find, answering, stored, facts) : []),
  ];
}

const modeName = (live: boolean): string => (live ? "live" : "test");

function diagnoseKey(find: Find, { key }: Facts): Finding[] {
  if (key.state === "missing") return [find("key_missing")];
  return key.state === "malformed" ? [find("key_malformed", { kind: key.kind })] : [];
}

/** What a permission is missing for. */
const PERMISSIONS = {
  always: "permission_missing",
  changes: "permission_for_changes",
  setup: "permission_for_setup",
} as const;

function diagnoseStripe(find: Find, stripe: StripeFacts): Finding[] {
  const { state } = stripe;
  if (state === "unreachable") return [find("stripe_unreachable", { reason: stripe.reason })];
  if (state === "refused") return [find("key_refused", { reason: stripe.reason })];
  const denied = stripe.denied.map(({ needed, ...blanks }) => find(PERMISSIONS[needed], blanks));
  return [...denied, ...diagnoseClock(find, stripe.ahead)];
}

function offBy(milliseconds: number): { seconds: number; direction: string } {
  const direction = milliseconds > 0 ? "ahead of" : "behind";
  return { seconds: Math.round(Math.abs(milliseconds) / 1000), direction };
}

function diagnoseClock(find: Find, ahead: number): Finding[] {
  const off = offBy(ahead);
  if (off.seconds >= WRONG) return [find("clock_wrong", off)];
  return off.seconds >= DRIFT ? [find("clock_drifts", off)] : [];
}

function diagnoseDatabase(find: Find, database: DatabaseFacts): Finding[] {
  if (database.state === "missing") return [find("database_missing")];
  if (database.state === "unreachable") {
    return [find("database_unreachable", { reason: database.reason })];
  }
  if (database.state === "undecided") return [find("schema_undecided")];
  const { schema, ahead, tables, access } = database;
  const off = offBy(ahead);
  return [
    ...diagnoseTables(find, schema, tables),
    ...(isUpToDate(tables) ? diagnoseAccess(find, schema, access) : []),
    ...(off.seconds >= DRIFT ? [find("database_clock_differs", off)] : []),
  ];
}

/** Until then, what is wrong with the tables is that they are not as this version makes them. */
const isUpToDate = (tables: TableFacts): boolean =>
  tables.owner === "drizzle-kit" || tables.pending.length === 0;

function diagnoseTables(find: Find, schema: string, tables: TableFacts): Finding[] {
  if (tables.owner === "drizzle-kit") {
    const { missing } = tables;
    return missing.length > 0 ? [find("tables_missing", { schema, tables: listed(missing) })] : [];
  }
  const { unknown, pending } = tables;
  return [
    ...(unknown.length > 0 ? [find("migrations_newer", { schema, steps: listed(unknown) })] : []),
    ...(pending.length > 0 ? [find("migrations_pending", { schema, steps: listed(pending) })] : []),
  ];
}

function diagnoseStored(find: Find, { key, stripe }: Facts, stored?: StoredFacts): Finding[] {
  if (stored === undefined) return [];
  const found: Finding[] = [];
  if (key.state === "given" && stored.live !== undefined && stored.live !== key.live) {
    const blanks = { mode: modeName(key.live), other: modeName(stored.live) };
    found.push(find("mode_mismatch", blanks));
  }
  const account = stripe?.state === "answers" ? stripe.account : undefined;
  if (account !== undefined && stored.account !== undefined && stored.account !== account) {
    found.push(find("account_mismatch", { account, other: stored.account }));
  }
  if (!stored.copied) found.push(find("never_synced"));
  const { count, examples } = stored.setAside;
  if (count > 0) {
    const objects = examples.map(describeSetAside).join(" ");
    found.push(find("objects_set_aside", { count, objects }));
  }
  const { failing, reason } = stored.erasures;
  if (failing > 0) found.push(find("erasures_failing", { count: failing, reason: reason ?? "?" }));
  return [...found, ...diagnoseReactions(find, stored), ...diagnoseUsage(find, stored)];
}

function diagnoseReactions(find: Find, { reactions: { parked, oldest } }: StoredFacts): Finding[] {
  const changes = [...new Set(parked.examples)].join(", ");
  const isLate = oldest !== null && oldest.milliseconds > LATE;
  return [
    ...(parked.number > 0 ? [find("changes_parked", { count: parked.number, changes })] : []),
    ...(isLate
      ? [find("changes_waiting", { waited: duration(oldest.milliseconds), object: oldest.object })]
      : []),
  ];
}

function diagnoseUsage(find: Find, { usage: { reported, uncounted } }: StoredFacts): Finding[] {
  const batches = reported.examples.join(", ");
  const { lately: count, codes } = uncounted;
  return [
    ...(reported.number > 0 ? [find("usage_reported", { count: reported.number, batches })] : []),
    ...(count > 0 ? [find("usage_uncounted", { count, codes: codes.join(", ") })] : []),
  ];
}

function diagnoseAddress(find: Find, { address, key }: Facts): Finding[] {
  if (address.state === "missing") return [find("url_missing")];
  if (address.state === "malformed") {
    return [find("url_malformed", { url: address.url, reason: address.reason })];
  }
  const { base: url, webhook, reachable } = address;
  const live = key.state === "given" && key.live;
  if (live && new URL(url).protocol !== "https:") return [find("url_insecure", { url })];
  return reachable ? [] : [find("url_local", { url, webhook })];
}

function diagnoseSecret(find: Find, { secret }: Facts): Finding[] {
  if (secret === "missing") return [find("secret_missing")];
  return secret === "malformed" ? [find("secret_malformed")] : [];
}

function diagnoseEndpoint(
  find: Find,
  { endpoints, version, events }: Answering<StripeFacts>,
  { webhook, reachable }: Given,
  stored: StoredFacts | undefined,
): Finding[] {
  if (endpoints === undefined) return []; // the key may not read them, which is a finding already
  const here = endpoints.filter(({ url }) => url === webhook);
  const enabled = here.filter((each) => each.enabled);
  const best = (all: readonly Endpoint[]) => all.find((each) => each.version === version) ?? all[0];
  const current = best(enabled) ?? best(here);
  if (current === undefined) {
    // A local application gets its events from `stripe listen`, which creates no endpoint.
    return reachable
      ? [find("endpoint_missing", { webhook, ...elsewhere(endpoints, webhook) })]
      : [];
  }
  const { id } = current;
  const found: Finding[] = [];
  if (!current.enabled) found.push(find("endpoint_disabled", { id }));
  const missing = notSent(current.events, [...events, ...(stored?.taken ?? [])]);
  if (missing.length > 0)
    found.push(find("endpoint_events_missing", { id, events: listed(missing) }));
  if (current.version !== version) {
    const theirs = current.version ?? "the account's default";
    found.push(find("endpoint_version", { id, theirs, ours: version }));
  }
  if (enabled.length > 1) {
    const named = ({ id, version }: Endpoint) => `${id} (${version ?? "the account's version"})`;
    const ids = listed(enabled.map(named));
    found.push(find("endpoint_duplicate", { count: enabled.length, webhook, ids }));
  }
  if (stored?.secretFits[id] === false) found.push(find("secret_stale", { id }));
  return found;
}

/** Endpoints that look as if they were meant. */
function elsewhere(endpoints: readonly Endpoint[], webhook: string): { elsewhere: string } {
  const { pathname } = new URL(webhook);
  const like = endpoints.filter(
    ({ url }) => URL.canParse(url) && new URL(url).pathname === pathname,
  );
  return { elsewhere: like.length === 0 ? "" : ` It has ${listed(like.map(({ url }) => url))}.` };
}

function diagnoseDeliveries(find: Find, { undelivered }: Answering<StripeFacts>): Finding[] {
  if (undelivered === undefined || undelivered.count === 0) return [];
  return [find("deliveries_failing", { ...undelivered, minutes: DELIVERY_MINUTES })];
}
