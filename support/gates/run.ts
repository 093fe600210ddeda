/**
 * Random lives, and whenever the mirror is settled the gates of every entity to which anything may have
 * happened, beside an independent reading of Stripe's state.
 */
import { isDeepStrictEqual } from "node:util";
import type pg from "pg";
import Stripe from "stripe";
import { createStripeDouble } from "../../packages/stripe-double/src/index.js";
import { tally } from "../tellings/outcome.js";
import { play, startOf } from "../tellings/play.js";
import { Player } from "../tellings/player.js";
import { lifeOf } from "../tellings/script.js";
import { openGatedLibrary } from "./library.js";
import { answersOf, type Standing, standingOf } from "./reading.js";
import { catalogue, openPlans } from "./shop.js";

export interface GatedLives {
  readonly seed: string | number;
  /** The numbers of the entities. */
  readonly entities: readonly number[];
  readonly pool: pg.Pool;
  /** A schema that is not there yet. */
  readonly schema: string;
}

export interface GatedOutcome {
  readonly lives: number;
  /** How often an entity was looked at. */
  readonly looks: number;
  /** How often each plan applied, and what was past due. */
  readonly seen: ReadonlyMap<string, number>;
  /** Where gates and reading differ, with both. */
  readonly wrong: readonly string[];
}

const NOTHING_YET: Standing = {
  products: [],
  owing: [],
  until: Number.POSITIVE_INFINITY,
  late: { kept: 0, lost: 0 },
};

export async function judgeGates({
  seed,
  entities,
  pool,
  schema,
}: GatedLives): Promise<GatedOutcome> {
  const lives = entities.map((entity) => lifeOf(seed, entity));
  const double = await createStripeDouble({
    seed,
    now: startOf(lives) * 1000,
    signatureClock: "double",
    deliveryTimeout: 600_000,
  });
  const stripe = new Stripe(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 0 });
  const shop = await openPlans(stripe);
  const library = await openGatedLibrary(pool, double, schema);
  try {
    const signUp = (entity: number) => library.setUp(nameOf(entity));
    const player = new Player({ double, stripe, shop, signUp });
    const standings = new Map<number, Standing>();
    const seen: string[] = [];
    const wrong: string[] = [];
    const judge = async (entity: number, customer: string, now: number): Promise<void> => {
      const standing = await standingOf(stripe, customer, now);
      standings.set(entity, standing);
      for (const inCode of [true, false]) {
        const must = answersOf(standing, catalogue, inCode);
        const is = await library.answers(nameOf(entity), inCode);
        const isSame = isDeepStrictEqual(is, inCode ? must : withoutMeters(must));
        if (!isSame) wrong.push(reportOf({ entity, now, inCode, is, must, standing }));
        if (inCode) seen.push(...Object.values(must.plans).map((plan) => `plan ${plan}`));
      }
      if (standing.late.kept > 0) seen.push("past due, with access");
      if (standing.late.lost > 0) seen.push("past due, grace over");
    };
    const look = async (): Promise<void> => {
      await library.settle();
      const now = double.clock.seconds();
      const changed = library.changed();
      for (const [entity, customer] of player.customers) {
        const { until } = standings.get(entity) ?? NOTHING_YET;
        const isNew = !standings.has(entity);
        if (isNew || changed.has(customer) || now >= until) await judge(entity, customer, now);
      }
    };
    await play(lives, player, { double, log: { events: [], read: async () => {} }, look });
    for (const [entity, customer] of player.customers) {
      await judge(entity, customer, double.clock.seconds());
    }
    const looks = seen.filter((each) => each.startsWith("plan ")).length / 2;
    return { lives: lives.length, looks, seen: tally(seen), wrong };
  } finally {
    await library.close();
    await double.close();
  }
}

/** Usage is not in the metadata of these products. */
const withoutMeters = <T extends { readonly can: object }>(answers: T): T => ({
  ...answers,
  can: { ...answers.can, calls: false },
});

const nameOf = (entity: number): string => `entity_${entity}`;

interface Difference {
  readonly entity: number;
  readonly now: number;
  readonly inCode: boolean;
  readonly is: object;
  readonly must: object;
  readonly standing: Standing;
}

const reportOf = ({ entity, now, inCode, is, must, standing }: Difference): string =>
  [
    `entity ${entity} at ${new Date(now * 1000).toISOString()}, ${inCode ? "with" : "without"} plans in code`,
    `  answered ${textOf(is)}`,
    `  should be ${textOf(must)}`,
    `  Stripe has ${textOf(standing)}`,
  ].join("\n");

const textOf = (value: object): string =>
  JSON.stringify(value, (_, each) => (each === Number.POSITIVE_INFINITY ? "unlimited" : each));
