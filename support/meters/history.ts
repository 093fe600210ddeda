/**
 * Random histories of usage that goes to a meter: takings, workers that run at once and die, a Stripe
 * that fails before and after it has counted, cut connections, limits, and hours in which nothing runs.
 * The same seed is the same history, but for what two workers do at the same moment.
 */
import type { StripeDouble } from "../../packages/backend-billing/src/testing/index.js";
import { stream } from "../../packages/stripe-double/src/world/random.js";
import { isLeft, type Judged, judge } from "./judge.js";
import { FEATURE, type Keep } from "./keep.js";
import { type Death, openShop, type Shop } from "./shop.js";

export interface MeterHistories {
  readonly histories: number;
  readonly seed: number;
  /** An empty one for each. */
  open(): Promise<Keep>;
  /** Hears of each that ends. */
  onEnd?(seed: number, judged: Judged): void;
}

/** Runs histories one after the other; answers what was wrong, by their seeds, and sums. */
export async function meterHistories({
  histories,
  seed,
  open,
  onEnd,
}: MeterHistories): Promise<Judged> {
  const all = { wrong: [] as string[], units: 0, reported: 0, late: 0 };
  for (let index = 0; index < histories; index++) {
    const each = seed + index;
    const judged = await runHistory(await open(), each);
    all.wrong.push(...judged.wrong.map((line) => `seed ${each}: ${line}`));
    all.units += judged.units;
    all.reported += judged.reported;
    all.late += judged.late;
    onEnd?.(each, judged);
  }
  return all;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ENTITIES = 2;

async function runHistory(keep: Keep, seed: number): Promise<Judged> {
  const chance = chanceOf(seed);
  const shop = await openShop(keep, { seed, entities: ENTITIES });
  try {
    for (const entityId of shop.customers.keys()) await shop.link(entityId);
    const steps = 10 + chance.below(15);
    for (let step = 0; step < steps; step++) await act(shop, chance, step);
    shop.double.faults.clear();
    for (let round = 0; round < 400 && (await isLeft(keep)); round++) {
      await shop.double.clock.advance({ minutes: 30 });
      await shop.work();
    }
    await shop.double.clock.advance({ minutes: 5 });
    return await judge(shop);
  } finally {
    await shop.close();
  }
}

type Chance = ReturnType<typeof chanceOf>;

async function act(shop: Shop, chance: Chance, step: number): Promise<void> {
  const { double } = shop;
  const kind = chance.below(10);
  if (kind < 4) {
    const uses = 1 + chance.below(3);
    for (let index = 0; index < uses; index++) {
      const entityId = `org_${chance.below(ENTITIES)}`;
      const amount = 1 + chance.below(9);
      await shop.usage.consume({ entityId, feature: FEATURE, amount, key: `${step} ${index}` });
    }
    if (chance.below(3) > 0) await workers(shop, chance);
  } else if (kind < 7) {
    await workers(shop, chance);
  } else if (kind < 9) {
    await double.clock.advance({ milliseconds: pause(chance) });
    await workers(shop, chance);
  } else {
    double.faults.clear();
    for (const fault of faults(chance)) double.faults.add(fault);
  }
}

function pause(chance: Chance): number {
  const kind = chance.below(10);
  if (kind < 3) return 1_000 + chance.below(2 * MINUTE);
  if (kind < 6) return chance.below(2 * HOUR);
  if (kind < 8) return chance.below(20 * HOUR);
  return 19 * HOUR + chance.below(14 * HOUR);
}

const DEATHS: readonly (Death | undefined)[] = [
  undefined,
  undefined,
  "after a batch is stored",
  "before a result is stored",
];

async function workers(shop: Shop, chance: Chance): Promise<void> {
  const count = 1 + chance.below(2);
  await Promise.all(Array.from({ length: count }, () => shop.work(chance.of(DEATHS))));
}

type Faults = Parameters<StripeDouble["faults"]["add"]>[0][];

function faults(chance: Chance): Faults {
  const rate = chance.of([0.2, 0.5, 1]);
  const common = { rate, on: "POST /v1/billing/meter_events" };
  const all: Faults = [
    { ...common, fault: "error_before" },
    { ...common, fault: "error_after" },
    { ...common, fault: "error_late", milliseconds: 5_000 + chance.below(10 * MINUTE) },
    { ...common, fault: "rate_limited" },
    { ...common, fault: "lock_timeout" },
    { ...common, fault: "cut_before" },
    { ...common, fault: "cut_after" },
    { ...common, fault: "half_answer" },
  ];
  return Array.from({ length: 1 + chance.below(2) }, () => chance.of(all));
}

function chanceOf(seed: number) {
  const next = stream(seed, "meters");
  const below = (limit: number): number => Math.floor(next() * limit);
  return { below, of: <T>(all: readonly T[]): T => all[below(all.length)] as T };
}
