/** Lives random lives at once, in the order of time. */
import type { StripeDouble } from "../../packages/stripe-double/src/index.js";
import type { Log } from "./log.js";
import type { Player } from "./player.js";
import { DAY, END, type Life } from "./script.js";

/** The second at which all is over: dunning is by then, and every grace. */
export const UNTIL = END + 45 * DAY;
/** How often the log is read: Stripe forgets after 30 days. */
const READ_EVERY = 5 * DAY;
/** Seconds by which time moves at once, at most, while something looks on. */
const HOP = 1_800;

export interface Course {
  readonly double: StripeDouble;
  readonly log: Log;
  /** Called after each act, and whenever time has moved. */
  readonly look?: () => Promise<void>;
  /** The second at which whatever looks on has something to do by itself: time stops there. */
  readonly due?: () => number;
}

/** The second in which the first of these lives begins. */
export const startOf = (lives: readonly Life[]): number =>
  Math.min(...lives.map(({ start }) => start));

export async function play(
  lives: readonly Life[],
  player: Player,
  { double, log, look, due = () => Infinity }: Course,
): Promise<void> {
  const steps = lives
    .flatMap(({ entity, start, card, acts }) => [
      { at: start, entity, take: () => player.signUp(entity, card) },
      ...acts.map((act) => ({ at: act.at, entity, take: () => player.does(act) })),
    ])
    .sort((a, b) => a.at - b.at || a.entity - b.entity);
  const hop = look === undefined ? READ_EVERY : HOP;
  let readAt = double.clock.seconds();
  const advanceTo = async (moment: number) => {
    for (let now = double.clock.seconds(); now < moment; now = double.clock.seconds()) {
      const stops = [moment, now + hop, Math.ceil(due())].filter((each) => each > now);
      await double.clock.advanceTo(Math.min(...stops) * 1000);
      await look?.();
      if (now < readAt + READ_EVERY) continue;
      readAt = now;
      await log.read();
    }
  };
  await look?.();
  await log.read();
  for (const { at, take } of steps) {
    await advanceTo(at);
    await take();
    await look?.();
  }
  await advanceTo(UNTIL);
  await log.read();
}
