/** Random lives in the double, and what is told of them beside a reading of Stripe's own log. */
import Stripe from "stripe";
import type { StripeObject } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { plain } from "../../packages/backend-billing/src/core/mirror/snapshot.js";
import { createStripeDouble } from "../../packages/stripe-double/src/index.js";
import { stream } from "../../packages/stripe-double/src/world/random.js";
import { contradictions, differences } from "./compare.js";
import { byCustomer, createLog, type Logged, type Telling } from "./log.js";
import { readLog } from "./oracle/reading.js";
import { type Outcome, reportOf, tally } from "./outcome.js";
import { play, startOf, UNTIL } from "./play.js";
import { Player } from "./player.js";
import { tellRows } from "./rows.js";
import { type Life, lifeOf } from "./script.js";
import { openShop } from "./shop.js";

export interface Lives {
  readonly seed: string | number;
  /** The numbers of the entities. */
  readonly entities: readonly number[];
}

/**
 * Lives these lives, all of them in one account, and judges what the pure functions of the library say
 * of each: where every event is seen, and where some are.
 */
export async function judgeLives({ seed, entities }: Lives): Promise<Outcome> {
  const lives = entities.map((entity) => lifeOf(seed, entity));
  const double = await createStripeDouble({ seed, now: startOf(lives) * 1000 });
  try {
    const stripe = new Stripe(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 0 });
    const shop = await openShop(stripe);
    const signUp = async (entity: number) =>
      (await stripe.customers.create({ name: `Entity ${entity}` })).id;
    const log = createLog(stripe);
    const player = new Player({ double, stripe, shop, signUp });
    await play(lives, player, { double, log });
    const products = (await stripe.products.list({ limit: 100 })).data.map(
      (product) => plain(product) as StripeObject<"products">,
    );
    const logs = byCustomer(log.events);
    const groupOf = (id: string) => shop.groups.get(id) ?? "main";
    const options = { until: UNTIL, products, groupOf };
    const outcomes = lives.map((life) => {
      const events = logs.get(player.customers.get(life.entity) ?? "") ?? [];
      return judge(life, events, { ...options, seed });
    });
    return {
      lives: lives.length,
      events: log.events.length,
      names: tally(outcomes.flatMap(({ must }) => must.map(({ name }) => name))),
      acts: player.counts,
      unseen: outcomes.reduce((sum, { unseen }) => sum + unseen, 0),
      wrong: outcomes.flatMap(({ wrong }) => wrong),
    };
  } finally {
    await double.close();
  }
}

interface JudgeOptions {
  readonly seed: string | number;
  readonly until: number;
  readonly products: readonly StripeObject<"products">[];
  readonly groupOf: (product: string) => string;
}

interface Judged {
  readonly must: readonly Telling[];
  readonly unseen: number;
  readonly wrong: readonly string[];
}

function judge(life: Life, log: readonly Logged[], options: JudgeOptions): Judged {
  const { tellings: must, unseen } = readLog(log, options);
  const next = stream(options.seed, "merged", life.entity);
  const wrong = [...differences(must, tellRows(log, options))];
  for (const share of [0.7, 0.3]) {
    const seen = lookedAt(log, () => next() < share);
    wrong.push(...contradictions(must, tellRows(seen, options)));
  }
  return { must, unseen, wrong: reportOf(life, wrong) };
}

/** Some of the events; of each object the last one always. */
function lookedAt(log: readonly Logged[], isSeen: () => boolean): readonly Logged[] {
  const last = new Map(log.map((event, index) => [event.object.id, index]));
  return log.filter((event, index) => isSeen() || last.get(event.object.id) === index);
}
