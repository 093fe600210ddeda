/**
 * Random lives through the library on PostgreSQL: what its handlers are told, beside a reading of
 * Stripe's own log. Either every event comes, in its order, and time enough lies between two acts to
 * tell them apart: then exactly that is told. Or some are lost, come twice or late, and are learnt from
 * Stripe's list later: then steps are merged, and nothing that is told contradicts what is.
 */
import type pg from "pg";
import Stripe from "stripe";
import { createStripeDouble } from "../../packages/stripe-double/src/index.js";
import { contradictions, differences } from "./compare.js";
import { openLibrary, type Told } from "./library.js";
import { byCustomer, createLog, type Telling } from "./log.js";
import { readLog } from "./oracle/reading.js";
import { type Outcome, reportOf, tally } from "./outcome.js";
import { play, startOf, UNTIL } from "./play.js";
import { Player } from "./player.js";
import type { Lives } from "./run.js";
import { DAY, lifeOf } from "./script.js";
import { openShop } from "./shop.js";

export interface StoredLives extends Lives {
  readonly pool: pg.Pool;
  /** A schema that is not there yet. */
  readonly schema: string;
  readonly delivery: "whole" | "rough";
}

/** Seconds between two acts that Stripe's seconds tell apart. */
const APART = 10;
const CATCH_UP = 5 * DAY;

export async function judgeStoredLives(options: StoredLives): Promise<Outcome> {
  const { seed, entities, pool, schema, delivery } = options;
  const isWhole = delivery === "whole";
  const lives = entities.map((entity) => lifeOf(seed, entity, isWhole ? APART : 0));
  const double = await createStripeDouble({
    seed,
    now: startOf(lives) * 1000,
    signatureClock: "double",
    deliveryTimeout: 600_000,
  });
  try {
    const stripe = new Stripe(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 0 });
    const shop = await openShop(stripe);
    const library = await openLibrary(pool, double, schema);
    const log = createLog(stripe);
    const signUp = (entity: number) => library.setUp(nameOf(entity));
    const pause = async () => {
      if (!isWhole) return;
      await double.clock.advance({ seconds: APART });
      await library.settle();
    };
    const player = new Player({ double, stripe, shop, signUp, pause });
    if (!isWhole) {
      double.faults.add({ fault: "lost", rate: 0.2 });
      double.faults.add({ fault: "doubled", rate: 0.2 });
      double.faults.add({ fault: "shuffled", rate: 0.3 });
    }
    let caughtUpAt = double.clock.seconds();
    const look = async () => {
      await library.settle();
      if (isWhole || double.clock.seconds() < caughtUpAt + CATCH_UP) return;
      caughtUpAt = double.clock.seconds();
      await library.catchUp();
    };
    await play(lives, player, { double, log, look, due: () => library.dueAt() / 1000 });
    if (!isWhole) await library.catchUp();
    const told = await library.told();
    const logs = byCustomer(log.events);
    const groupOf = (id: string) => shop.groups.get(id) ?? "main";
    const outcomes = lives.map((life) => {
      const customer = player.customers.get(life.entity) ?? "";
      const { tellings, unseen } = readLog(logs.get(customer) ?? [], { until: UNTIL, groupOf });
      const linked = { name: "customer.linked", about: customer, at: life.start };
      const must: readonly Telling[] = [linked, ...tellings];
      const own = told.filter(({ entity }) => entity === nameOf(life.entity));
      const judge = isWhole ? differences : contradictions;
      return { must, unseen, wrong: reportOf(life, judge(must, own)) };
    });
    return {
      lives: lives.length,
      events: log.events.length,
      names: tally(outcomes.flatMap(({ must }) => must.map(({ name }) => name))),
      acts: player.counts,
      unseen: outcomes.reduce((sum, { unseen }) => sum + unseen, 0),
      wrong: [
        ...outcomes.flatMap(({ wrong }) => wrong),
        ...strangers(told, entities.map(nameOf)),
        ...library.complaints.slice(0, 5),
      ],
    };
  } finally {
    await double.close();
  }
}

const nameOf = (entity: number): string => `entity_${entity}`;

/** What was told of entities that there are not, or under the key of something else. */
function strangers(told: readonly Told[], entities: readonly string[]): readonly string[] {
  const known = new Set(entities);
  const keys = tally(told.map(({ key }) => key));
  return [
    ...told.filter(({ entity }) => !known.has(entity)).map((each) => JSON.stringify(each)),
    ...[...keys].filter(([, count]) => count > 1).map(([key]) => `${key} was told more than once`),
  ];
}
