/**
 * Random lives of two years, and at random moments what the library says is included beside what the
 * oracle does: as the mirror has it, and at moments to come, before the mirror shows a renewal.
 */
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
import { Account } from "./account.js";
import { createObserver, entityIdOf } from "./observer.js";
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
/** Milliseconds: so long a look at a grace waits for an invoice that may still come. */
const SOON = 3_000;

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
  const { look, outcome } = createObserver({ usage, clock, below });
  const acts: string[] = [];
  let read = 0;

  /** All that has happened by now, in the mirror and in the accounts. */
  async function catchUp(isLong = false): Promise<void> {
    await library.settle();
    if (library.dueAt() <= double.clock.now() + SOON) {
      await double.clock.advanceTo(library.dueAt());
      await library.settle();
    }
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

  const queue: Timed[] = entities
    .flatMap((entity) => lifeOf(seed, entity))
    .sort((a, b) => a.at - b.at || a.entity - b.entity);
  const insert = (entity: number, at: number) => {
    if (at <= double.clock.seconds() || at >= SPAN.until) return;
    const place = queue.findIndex((each) => each.at > at);
    queue.splice(place < 0 ? queue.length : place, 0, { kind: "look", at, entity });
  };
  const lookAt = async (account: Account) => {
    const again = await look(account, double.clock.seconds());
    for (const at of again) insert(account.entity, at);
  };
  for (let act = queue.shift(); act !== undefined; act = queue.shift()) {
    await advanceTo(act.at);
    const { entity } = act;
    const account =
      accounts.get(entity) ?? new Account(entity, await library.setUp(entityIdOf(entity)));
    accounts.set(entity, account);
    if (act.kind !== "look") {
      // Often it is used right before, so that what was given is known.
      if (below(3) === 0) await lookAt(account);
      acts.push(`act ${act.kind}: ${await player.does(account.customer, act)}`);
    }
    await catchUp();
    await lookAt(account);
  }
  const kept = [...accounts.values()].reduce((sum, account) => sum + account.kept, 0);
  const { seen, ...rest } = outcome();
  const counts = tally([...seen, ...acts]);
  const more = new Map([["more than the plan includes by then", kept]]);
  return { lives: entities.length, ...rest, seen: new Map([...counts, ...more]) };
}
