/**
 * Random lives of two years, and at random moments what the library says is included beside what the
 * oracle does: as the mirror has it, and at moments to come, before the mirror shows a renewal.
 */
import { isDeepStrictEqual } from "node:util";
import type pg from "pg";
import Stripe from "stripe";
import { gateReads } from "../../packages/backend-billing/src/core/subscriptions/gates.js";
import { usageCalls } from "../../packages/backend-billing/src/core/usage/usage.js";
import { createPostgresStore } from "../../packages/backend-billing/src/postgres/store/store.js";
import { usageOn } from "../../packages/backend-billing/src/postgres/usage/usage.js";
import { createStripeDouble, type StripeDouble } from "../../packages/stripe-double/src/index.js";
import { stream } from "../../packages/stripe-double/src/world/random.js";
import { follow } from "../postgres/following.js";
import { byCustomer, createLog } from "../tellings/log.js";
import { tally } from "../tellings/outcome.js";
import { Account, type Asked } from "./account.js";
import { FEATURES } from "./oracle.js";
import { createPlayer } from "./player.js";
import { lifeOf, SPAN, type Timed } from "./script.js";
import { catalogue, openPlans } from "./shop.js";

export interface LivesOfPeriods {
  readonly seed: string | number;
  /** The numbers of the entities. */
  readonly entities: readonly number[];
  readonly pool: pg.Pool;
  /** A schema that is not there yet. */
  readonly schema: string;
}

export interface OutcomeOfPeriods {
  readonly lives: number;
  /** How often an entity was asked for, and how often it took. */
  readonly looks: number;
  readonly takings: number;
  /** How often what was the case, and what became of acts. */
  readonly seen: ReadonlyMap<string, number>;
  /** Where library and oracle differ, with both. */
  readonly wrong: readonly string[];
}

/** Time moves at most so far at once: Stripe forgets events after 30 days. */
const HOP = 5 * 86_400;
const HOUR = 3_600;

export async function judgePeriods({
  seed,
  entities,
  pool,
  schema,
}: LivesOfPeriods): Promise<OutcomeOfPeriods> {
  const double = await createStripeDouble({
    seed,
    now: SPAN.from * 1000,
    signatureClock: "double",
    deliveryTimeout: 600_000,
  });
  try {
    return await judgeIn(double, { seed, entities, pool, schema });
  } finally {
    await double.close();
  }
}

async function judgeIn(
  double: StripeDouble,
  { seed, entities, pool, schema }: LivesOfPeriods,
): Promise<OutcomeOfPeriods> {
  const stripe = new Stripe(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 0 });
  const price = await openPlans(stripe);
  const library = await follow(pool, double, { schema, catalogue });
  const player = createPlayer(stripe, price, () => double.clock.seconds());
  const log = createLog(stripe, 10);
  /** The library's own clock, which may be ahead of Stripe's news. */
  const clock = { now: 0 };
  const gates = gateReads(createPostgresStore({ schema, pool }), catalogue);
  const store = usageOn(pool, { schema });
  const usage = usageCalls({ store, catalogue, now: () => clock.now, gates });

  const accounts = new Map<number, Account>();
  const next = stream(seed, "looks", entities[0] ?? 0);
  const below = (count: number) => Math.floor(next() * count);
  const seen: string[] = [];
  const wrong: string[] = [];
  let [looks, takings, read] = [0, 0, 0];

  /** All that has happened by now, in the mirror and in the accounts. */
  async function catchUp(isLong = false): Promise<void> {
    await library.settle();
    if (library.changed().size === 0 && !isLong) return;
    await log.read();
    const fresh = byCustomer(log.events.slice(read));
    read = log.events.length;
    for (const account of accounts.values()) account.learn(fresh.get(account.customer) ?? []);
  }

  async function advanceTo(moment: number): Promise<void> {
    for (let now = double.clock.seconds(); now < moment; now = double.clock.seconds()) {
      await double.clock.advanceTo(Math.min(moment, now + HOP) * 1000);
      await catchUp(now + HOP <= moment);
    }
  }

  async function ask(entity: number, account: Account, asked: Asked): Promise<void> {
    looks++;
    clock.now = asked.at;
    const { credits, calls } = await usage.usageOf(nameOf(entity));
    const must = account.shown(asked);
    for (const [feature, is] of [
      ["credits", credits],
      ["calls", calls],
    ] as const) {
      const resetsAt = is?.resetsAt == null ? null : is.resetsAt / 1000;
      const shown = { granted: is?.granted, used: is?.used, resetsAt };
      if (isDeepStrictEqual(shown, must[feature])) continue;
      wrong.push(account.report(`entity ${entity}, ${feature}`, asked, shown, must[feature]));
    }
  }

  async function consume(entity: number, account: Account, asked: Asked): Promise<void> {
    takings++;
    const feature = below(3) === 0 ? "calls" : "credits";
    const { granted, used } = account.shown(asked)[feature];
    const left = granted - used;
    const amount = [1, 1 + below(left + 1), 1 + below(20), left + 1][below(4)] ?? 1;
    clock.now = asked.at;
    const use = { entityId: nameOf(entity), feature, amount, key: `taking ${takings}` };
    const { allowed, balance } = await usage.consume(use);
    const isEnough = account.take(asked, feature, amount);
    const must = { allowed: isEnough, balance: left - (isEnough ? amount : 0) };
    const is = { allowed, balance };
    if (isDeepStrictEqual(is, must)) return;
    wrong.push(account.report(`entity ${entity}, ${amount} of ${feature}`, asked, is, must));
  }

  /** Asks now and around the next boundaries, and often takes; answers when to look again. */
  async function look(entity: number, account: Account): Promise<readonly number[]> {
    const known = double.clock.seconds();
    if (known < account.askedUntil) return [];
    const { until } = account.shareAt({ known, at: known * 1000 });
    seen.push(...account.circumstances(known));
    const ahead = [until * 1000 - 1, until * 1000, (until + below(70 * 24 * HOUR)) * 1000];
    const asked = [known * 1000, ...ahead.filter(() => below(2) === 0)];
    for (const at of asked) await ask(entity, account, { known, at });
    if (below(2) === 0) await consume(entity, account, { known, at: known * 1000 });
    // Sometimes a renewal is used before the mirror has it.
    if (until - known < HOUR && below(2) === 0) {
      const at = (until + below(HOUR)) * 1000;
      account.askedUntil = at / 1000;
      seen.push("taken before the mirror had the renewal");
      await consume(entity, account, { known, at });
      await ask(entity, account, { known, at });
    }
    return [until - 1 - below(HOUR - 1), until + below(3 * HOUR)].filter(() => below(5) === 0);
  }

  const queue: Timed[] = entities
    .flatMap((entity) => lifeOf(seed, entity))
    .sort((a, b) => a.at - b.at || a.entity - b.entity);
  const insert = (entity: number, at: number) => {
    if (at <= double.clock.seconds() || at >= SPAN.until) return;
    const place = queue.findIndex((each) => each.at > at);
    queue.splice(place < 0 ? queue.length : place, 0, { kind: "look", at, entity });
  };
  for (let act = queue.shift(); act !== undefined; act = queue.shift()) {
    await advanceTo(act.at);
    const { entity } = act;
    const account = accounts.get(entity) ?? new Account(await library.setUp(nameOf(entity)));
    accounts.set(entity, account);
    if (act.kind !== "look") {
      // Often it is used right before, so that what was given is known.
      if (below(3) === 0) for (const at of await look(entity, account)) insert(entity, at);
      seen.push(`act ${act.kind}: ${await player.does(account.customer, act)}`);
    }
    await catchUp();
    for (const at of await look(entity, account)) insert(entity, at);
  }
  const unseen = [...accounts.values()].reduce((sum, account) => sum + account.unseen, 0);
  const counts = new Map([...tally(seen), ["given unseen, and lost by a lesser plan", unseen]]);
  return { lives: entities.length, looks: looks * FEATURES.length, takings, seen: counts, wrong };
}

const nameOf = (entity: number): string => `entity_${entity}`;
