/** Random lives in the double, and what is told of them beside a reading of Stripe's own log. */
import Stripe from "stripe";
import type { StripeObject } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { plain } from "../../packages/backend-billing/src/core/mirror/snapshot.js";
import { createStripeDouble } from "../../packages/stripe-double/src/index.js";
import { stream } from "../../packages/stripe-double/src/world/random.js";
import { contradictions, differences } from "./compare.js";
import { byCustomer, createLog, type Log, type Logged, type Telling } from "./log.js";
import { readLog } from "./oracle/reading.js";
import { Player, type Stage } from "./player.js";
import { tellRows } from "./rows.js";
import { DAY, type Life, lifeOf } from "./script.js";
import { openShop } from "./shop.js";

const START = Date.parse("2026-01-15T10:00:00Z") / 1000;
/** Seconds after the last act in which time goes on: dunning is over by then, and every grace. */
const AFTERMATH = 45 * DAY;
/** How often the log is read: Stripe forgets after 30 days. */
const READ_EVERY = 5 * DAY;

export interface Lives {
  readonly seed: string | number;
  /** The numbers of the entities. */
  readonly entities: readonly number[];
}

export interface Outcome {
  readonly lives: number;
  readonly events: number;
  /** How often each name was to be told. */
  readonly names: ReadonlyMap<string, number>;
  readonly acts: ReadonlyMap<string, number>;
  readonly unseen: number;
  readonly wrong: readonly string[];
}

/** Lives these lives, all of them in one account, and judges what is told of each. */
export async function judgeLives({ seed, entities }: Lives): Promise<Outcome> {
  const double = await createStripeDouble({ seed, now: START * 1000 });
  try {
    const stripe = new Stripe(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 0 });
    const shop = await openShop(stripe);
    const signUp = async (entity: number) =>
      (await stripe.customers.create({ name: `Entity ${entity}` })).id;
    const log = createLog(stripe);
    const player = new Player({ double, stripe, shop, signUp });
    const lives = entities.map((entity) => lifeOf(seed, entity, START));
    const until = await play(lives, player, { double, log });
    const products = (await stripe.products.list({ limit: 100 })).data.map(
      (product) => plain(product) as StripeObject<"products">,
    );
    const logs = byCustomer(log.events);
    const options = { until, products, groupOf: (id: string) => shop.groups.get(id) ?? "main" };
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

/** Lives all lives at once, in the order of time; answers the second at which all is over. */
async function play(
  lives: readonly Life[],
  player: Player,
  { double, log }: Pick<Stage, "double"> & { readonly log: Log },
): Promise<number> {
  const acts = lives
    .flatMap((life) => life.acts)
    .sort((a, b) => a.at - b.at || a.entity - b.entity);
  const until = (acts.at(-1)?.at ?? START) + AFTERMATH;
  let readAt = double.clock.seconds();
  const advanceTo = async (moment: number) => {
    while (readAt + READ_EVERY < moment) {
      readAt += READ_EVERY;
      await double.clock.advanceTo(readAt * 1000);
      await log.read();
    }
    await double.clock.advanceTo(moment * 1000);
  };
  for (const { entity, card } of lives) await player.signUp(entity, card);
  await log.read();
  for (const act of acts) {
    await advanceTo(act.at);
    await player.does(act);
  }
  await advanceTo(until);
  await log.read();
  return until;
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
  const wrong = differences(must, tellRows(log, options)).map((each) => `  ${each}`);
  for (const share of [0.7, 0.3]) {
    const seen = lookedAt(log, () => next() < share);
    wrong.push(...contradictions(must, tellRows(seen, options)).map((each) => `  ${each}`));
  }
  const acts = life.acts.map(
    ({ at, entity: _, ...act }) => `  ${timeOf(at)} ${JSON.stringify(act)}`,
  );
  return {
    must,
    unseen,
    wrong: wrong.length === 0 ? [] : [[`entity ${life.entity}`, ...acts, ...wrong].join("\n")],
  };
}

/** Some of the events; of each object the last one always. */
function lookedAt(log: readonly Logged[], isSeen: () => boolean): readonly Logged[] {
  const last = new Map(log.map((event, index) => [event.object.id, index]));
  return log.filter((event, index) => isSeen() || last.get(event.object.id) === index);
}

const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

function tally(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
