/** Compares what was sent of usage with what Stripe has counted, customer by customer; it writes nothing. */
import type { BilledPlace } from "../../runtime/records/books.js";
import type { UsageDifference } from "../../runtime/reports.js";
import { differingDays, windowAt } from "../../usage/books/compare.js";
import { countedByDay } from "../../usage/books/meters.js";
import { meterId } from "../../usage/outbox/send.js";
import { BEGUN, type Partition } from "../run/partition.js";
import type { Run } from "../run/run.js";
import { each, type Step, type Stepped } from "../run/step.js";

/** Places that a step takes, and how many of them at once. */
const CHUNK = 20;
const AT_ONCE = 4;
const MOST_EXAMPLES = 10;

export const open = ({ options: { meters } }: Run): readonly Partition<"usage">[] =>
  meters === undefined
    ? []
    : [{ ...BEGUN, task: "usage", resource: "usage", cursor: null, pending: [], ...NOTHING }];

const NOTHING = { differing: 0, examples: [] } as const;

/** What differs is looked at again a little later: something may have been on its way. */
export async function step(step: Step<"usage">): Promise<Stepped<"usage">> {
  const { runtime, at } = step;
  const { books } = runtime;
  if (books === undefined) return { next: at, pause: runtime.timing.verifyDelay }; // another process has them
  if (at.pending.length > 0) {
    const found = await differencesOf(step, at.pending);
    const examples = [...at.examples, ...found.flatMap((one) => one.days)].slice(0, MOST_EXAMPLES);
    const days = found.reduce((sum, one) => sum + one.days.length, 0);
    const next = { ...at, pages: at.pages + 1, differing: at.differing + days, examples };
    return { next: { ...next, pending: [] } };
  }
  const features = Object.keys(step.run.options.meters ?? {});
  const { from } = windowAt(runtime.now());
  const places = await books.billed(features, from, at.cursor, CHUNK);
  const last = places.at(-1);
  if (last === undefined) return { next: { ...at, state: "done" } };
  const found = await differencesOf(step, places);
  const pending = found.map(({ place }) => place);
  const { entityId, feature } = last;
  return {
    next: {
      ...at,
      pages: at.pages + 1,
      rows: at.rows + places.length,
      cursor: { entityId, feature },
      pending,
    },
    ...(pending.length === 0 ? {} : { pause: runtime.timing.verifyDelay }),
  };
}

interface Found {
  readonly place: BilledPlace;
  readonly days: readonly UsageDifference[];
}

/** The places in which something differs. */
async function differencesOf(
  { runtime, run }: Step<"usage">,
  places: readonly BilledPlace[],
): Promise<readonly Found[]> {
  const { meters = {} } = run.options;
  const ids = new Map<string, string | undefined>();
  for (const { feature } of places) {
    const meter = meters[feature] ?? "";
    if (!ids.has(meter)) ids.set(meter, await meterId(runtime, meter));
  }
  const all = await each(places, AT_ONCE, async (place): Promise<Found> => {
    const meter = meters[place.feature] ?? "";
    return { place, days: await daysOf(runtime, place, meter, ids.get(meter)) };
  });
  return all.filter(({ days }) => days.length > 0);
}

async function daysOf(
  runtime: Step["runtime"],
  place: BilledPlace,
  meter: string,
  id: string | undefined,
): Promise<readonly UsageDifference[]> {
  const { customerId } = place;
  const window = windowAt(runtime.now());
  const sent = (await runtime.books?.sent(place, window.from, window.until)) ?? [];
  const counted =
    id === undefined ? new Map() : await countedByDay(runtime, id, customerId, window);
  if (counted === undefined) return [];
  return differingDays(window, sent, counted).map(({ day, ours, stripe }) => {
    return { customerId, meter, day: new Date(day).toISOString().slice(0, 10), ours, stripe };
  });
}
