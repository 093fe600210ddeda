/**
 * Answers the asks: retrieves what the mirror could not tell and writes it, if nothing happened in
 * between. A worker may die at any point; whatever it held is handed out again.
 */
import type Stripe from "stripe";
import type { ResourceName } from "./catalogue.js";
import type { Interval } from "./interval.js";
import type { Listing, Retrieval } from "./resource.js";
import { resources } from "./resources.js";
import type { Runtime } from "./runtime.js";
import { answeredAt, plain, stripeStatus } from "./sight.js";
import type { Ask, Snapshot } from "./store.js";

const LEASE = 30_000;
/** How often an answer may be overtaken before the ask goes back to the queue. */
const ROUNDS = 5;

/** Takes and answers asks that are due, one after another; answers how many were settled. */
export async function answerAsks(runtime: Runtime, limit = 20): Promise<number> {
  const asks = await runtime.store.takeAsks({ now: runtime.now(), lease: LEASE, limit });
  let settled = 0;
  for (const ask of asks) if (await answerAsk(runtime, ask)) settled++;
  return settled;
}

/** Answers one ask. False if Stripe could not be asked now; then the ask waits. */
export async function answerAsk(runtime: Runtime, ask: Ask): Promise<boolean> {
  let { revision } = ask;
  for (let round = 0; round < ROUNDS; round++) {
    let snapshot: Snapshot;
    try {
      snapshot = await retrieve(runtime, ask.resource, ask.id, revision);
    } catch (error) {
      const wait = stripeStatus(error) === 429 ? 3_000 : 10_000;
      runtime.log.warn("Stripe could not be asked; trying again later", {
        resource: ask.resource,
        object: ask.id,
        status: stripeStatus(error),
      });
      await runtime.store.postponeAsk(
        { ...ask, revision },
        runtime.now() + Math.round(wait * (1 + Math.random())), // times are whole
      );
      return false;
    }
    const result = await runtime.store.commit({
      now: runtime.now(),
      units: [{ snapshots: [snapshot] }],
    });
    const unit = result.committed ? result.units[0] : undefined;
    const outcome = unit?.duplicate === false ? unit.outcomes[0] : undefined;
    if (outcome?.act !== "retry") return true;
    revision = outcome.revision;
  }
  await runtime.store.postponeAsk({ ...ask, revision }, runtime.now() + 1_000);
  return false;
}

/** Asks Stripe for one object, whole: what it cut from a list inside is fetched too. */
async function retrieve(
  runtime: Runtime,
  resource: ResourceName,
  id: string,
  askedAt: number,
): Promise<Snapshot> {
  const startedAt = runtime.now();
  const stripe = runtime.stripe();
  const base = { resource, id, origin: "answer", usable: true, askedAt } as const;
  let object: object;
  try {
    // Each entry retrieves its own type; here only the id and the mark of a deletion are read.
    const call = resources[resource].retrieve as unknown as Retrieval<{
      id: string;
      object: string;
    }>;
    object = await call(stripe, id);
  } catch (error) {
    if (stripeStatus(error) !== 404) throw error;
    const headers = (error as Stripe.errors.StripeError).headers ?? {};
    const interval = answeredAt(runtime, { lastResponse: { headers } }, startedAt);
    return { ...base, ...interval, kind: "missing", content: null };
  }
  const interval = answeredAt(runtime, object, startedAt);
  if ("deleted" in object && object.deleted === true) {
    return { ...base, ...interval, kind: "deleted", content: null };
  }
  const whole = await completed(runtime, resource, id, object, startedAt, interval);
  return { ...base, ...whole.interval, kind: "changed", content: plain(whole.object) };
}

/** The object with its cut lists completed; the interval then reaches to the last answer. */
async function completed(
  runtime: Runtime,
  resource: ResourceName,
  id: string,
  object: object,
  startedAt: number,
  interval: Interval,
): Promise<{ object: object; interval: Interval }> {
  const entry = resources[resource];
  const lists = "cutLists" in entry ? entry.cutLists : [];
  let { lo, hi } = interval;
  let whole = object;
  for (const { path, rest } of lists) {
    const list = (whole as Record<string, CutList | undefined>)[path];
    if (!list?.has_more) continue;
    const call: Listing<{ id: string }> = rest(id) as never;
    const data = [...list.data];
    for (let more = true; more; ) {
      const last = data.at(-1)?.id;
      const page = await call(runtime.stripe(), {
        limit: 100,
        ...(last ? { starting_after: last } : {}),
      });
      const seen = answeredAt(runtime, page, startedAt);
      lo = Math.min(lo, seen.lo);
      hi = Math.max(hi, seen.hi);
      data.push(...page.data);
      more = page.has_more;
    }
    whole = { ...whole, [path]: { ...list, data, has_more: false } };
  }
  return { object: whole, interval: { lo, hi } };
}

interface CutList {
  readonly has_more: boolean;
  readonly data: readonly { readonly id: string }[];
}
