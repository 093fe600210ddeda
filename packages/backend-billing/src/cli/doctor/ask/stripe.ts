/**
 * Asks Stripe what `doctor` must know. It changes nothing there: what a restricted key may write is
 * found out by asking for changes to objects that do not exist.
 */
import Stripe from "stripe";
import { enabledEvents, type ResourceName } from "../../../core/catalogue/catalogue.js";
import type { Entry, Listing } from "../../../core/catalogue/resource.js";
import { resources } from "../../../core/catalogue/resources.js";
import { headerOf } from "../../../core/mirror/headers.js";
import { isMarked } from "../../../core/sync/portal/settings.js";
import { DELIVERY_MINUTES } from "../diagnose/diagnose.js";
import type { Denied, StripeFacts } from "../facts.js";
import {
  BESIDES,
  CHANGES,
  canChange,
  type Grant,
  keyLink,
  METERED,
  READS,
} from "../permissions.js";
import { reasonOf } from "../reason.js";

interface Probe extends Pick<Denied, "needed" | "action"> {
  readonly grant: Grant;
  readonly ask: (stripe: Stripe) => Promise<unknown>;
}

/** The id of objects that do not exist, for requests that only show what the key may do. */
const ABSENT = "backend_billing_doctor";

/** A list of the resource: of a customer that does not exist, where each has a list of its own. */
function firstList(name: ResourceName): Listing<object> {
  const entry: Entry = resources[name] as never;
  const [list = entry.listsPer?.list(`cus_${ABSENT}`)] = entry.lists;
  if (list === undefined) throw new RangeError(`${name} has no list`);
  return list;
}

function probes({ resources: chosen, hasMeters }: Chosen): Probe[] {
  const reads = chosen.map(
    (name): Probe => ({
      needed: "always",
      action: `read ${name.replaceAll("_", " ")}, which are mirrored`,
      grant: READS[name],
      ask: (stripe) => firstList(name)(stripe, { limit: 1 }, {}),
    }),
  );
  const changes: readonly Probe[] = [
    {
      needed: "changes",
      action: "write subscriptions",
      grant: CHANGES.subscriptions,
      ask: (stripe) => stripe.subscriptions.update(`sub_${ABSENT}`, {}),
    },
    {
      needed: "changes",
      action: "write invoices",
      grant: CHANGES.invoices,
      ask: (stripe) => stripe.invoices.update(`in_${ABSENT}`, {}),
    },
  ];
  const metered: readonly Probe[] = [
    {
      needed: "always",
      action: "read meters, by which usage is looked up that Stripe did not answer for",
      grant: METERED.meters,
      ask: (stripe) => stripe.billing.meters.list({ limit: 1 }),
    },
    {
      needed: "always",
      action: "write meter events, by which usage is billed",
      grant: METERED.events,
      // Of a time that Stripe never takes.
      ask: (stripe) =>
        stripe.billing.meterEvents.create({ event_name: ABSENT, payload: {}, timestamp: 1 }),
    },
  ];
  return [
    ...reads,
    {
      needed: "always",
      action: "read events, by which missed webhooks are caught up with",
      grant: BESIDES.events,
      ask: (stripe) => stripe.events.list({ limit: 1 }),
    },
    {
      needed: "always",
      action: "write customers, as `setup` does",
      grant: BESIDES.customers,
      ask: (stripe) => stripe.customers.update(`cus_${ABSENT}`, {}),
    },
    {
      needed: "always",
      action: "write checkout sessions, as links to checkout need",
      grant: BESIDES.checkout_sessions,
      ask: (stripe) => stripe.checkout.sessions.expire(`cs_test_${ABSENT}`),
    },
    {
      needed: "always",
      action: "write portal sessions, as links to the portal need",
      grant: BESIDES.portal,
      ask: (stripe) => stripe.billingPortal.sessions.create({ customer: `cus_${ABSENT}` }),
    },
    ...(canChange(chosen) ? changes : []),
    ...(hasMeters ? metered : []),
    {
      needed: "setup",
      action: "write webhook endpoints",
      grant: BESIDES.webhook_endpoints,
      ask: (stripe) => stripe.webhookEndpoints.update(`we_${ABSENT}`, {}),
    },
    {
      needed: "setup",
      action: "write portal configurations",
      grant: BESIDES.portal,
      ask: (stripe) => stripe.billingPortal.configurations.update(`bpc_${ABSENT}`, {}),
    },
  ];
}

/** What the application does, as far as a key must be allowed it. */
interface Chosen {
  readonly resources: readonly ResourceName[];
  /** Whether its plans have meters. */
  readonly hasMeters: boolean;
}

export async function askStripe(
  stripe: Stripe,
  chosen: Chosen,
  restricted: boolean,
): Promise<StripeFacts> {
  const { resources } = chosen;
  const first = await hello(stripe);
  if (first.state !== "answers") return first;
  try {
    const endpoints = await unlessDenied(endpointsOf(stripe));
    const portals = await unlessDenied(portalsOf(stripe));
    const undelivered = await unlessDenied(undeliveredOf(stripe, resources));
    return {
      ...first,
      version: String(stripe.getApiField("version")),
      events: enabledEvents(resources),
      denied: restricted ? await deniedOf(stripe, chosen) : [],
      ...(endpoints === undefined ? {} : { endpoints }),
      ...(portals === undefined ? {} : { portals }),
      ...(undelivered === undefined ? {} : { undelivered }),
    };
  } catch (error) {
    return { state: "unreachable", reason: reasonOf(error) };
  }
}

type Hello =
  | Exclude<StripeFacts, { state: "answers" }>
  | { readonly state: "answers"; readonly account?: string; readonly ahead: number };

/** The first request: whether Stripe answers, knows the key, and what time it has. */
async function hello(stripe: Stripe): Promise<Hello> {
  const startedAt = Date.now();
  try {
    const account = await stripe.accounts.retrieveCurrent();
    const date = headerOf(account.lastResponse.headers, "date");
    return { state: "answers", account: account.id, ahead: aheadOf(date, startedAt) };
  } catch (error) {
    if (error instanceof Stripe.errors.StripeAuthenticationError) {
      return { state: "refused", reason: error.message };
    }
    if (error instanceof Stripe.errors.StripePermissionError) {
      return { state: "answers", ahead: aheadOf(headerOf(error.headers, "date"), startedAt) };
    }
    return { state: "unreachable", reason: reasonOf(error) };
  }
}

/** Milliseconds that this clock is certainly ahead of the other, which shows whole seconds. */
function aheadOf(date: string | undefined, startedAt: number): number {
  const theirs = Date.parse(date ?? "");
  if (Number.isNaN(theirs)) return 0;
  return certain(startedAt - (theirs + 1000), Date.now() - theirs);
}

/** Of an interval the end that is nearest to nothing, or nothing if that is within. */
export function certain(lo: number, hi: number): number {
  return lo > 0 ? lo : Math.min(hi, 0);
}

async function unlessDenied<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Stripe.errors.StripePermissionError) return undefined;
    throw error;
  }
}

async function endpointsOf(stripe: Stripe) {
  const found = await stripe.webhookEndpoints
    .list({ limit: 100 })
    .autoPagingToArray({ limit: 1000 });
  return found.map(({ id, url, status, api_version, enabled_events }) => ({
    id,
    url,
    enabled: status === "enabled",
    version: api_version,
    events: enabled_events,
  }));
}

async function portalsOf(stripe: Stripe) {
  const { data } = await stripe.billingPortal.configurations.list({ active: true, limit: 100 });
  return data.map(({ id, is_default, features, metadata }) => ({
    id,
    isDefault: is_default,
    ...(isMarked({ metadata }) ? { features } : {}),
  }));
}

async function undeliveredOf(stripe: Stripe, chosen: readonly ResourceName[]) {
  const now = Math.floor(Date.now() / 1000);
  const created = { gte: now - 24 * 60 * 60, lt: now - DELIVERY_MINUTES * 60 };
  const { data } = await stripe.events.list({ created, limit: 100 });
  const ours = new Set<string>(enabledEvents(chosen));
  const seen = data.filter(({ type }) => ours.has(type));
  return { count: seen.filter((event) => event.pending_webhooks > 0).length, seen: seen.length };
}

async function deniedOf(stripe: Stripe, chosen: Chosen): Promise<Denied[]> {
  const denied: Denied[] = [];
  const link = keyLink(chosen.resources, { hasMeters: chosen.hasMeters });
  for (const { ask, grant, ...probe } of probes(chosen)) {
    try {
      await ask(stripe);
    } catch (error) {
      // Anything else, such as that there is no such object, is said to those who may.
      if (!(error instanceof Stripe.errors.StripePermissionError)) continue;
      const permission = /'(rak_\w+)'/.exec(error.message)?.[1] ?? "which Stripe did not name";
      denied.push({ ...probe, access: grant.access, resource: grant.row, permission, link });
    }
  }
  return denied;
}
