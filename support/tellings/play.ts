/** Lives random lives at once, in the order of time. */
import type { StripeDouble } from "../../packages/stripe-double/src/index.js";
import type { Log } from "./log.js";
import type { Player } from "./player.js";
import { DAY, type Life } from "./script.js";

/** Long enough ago that every life is over by the clock of any database: changes are due by that. */
export const START = Date.parse("2025-01-15T10:00:00Z") / 1000;
/** Seconds after the last act in which time goes on: dunning is over by then, and every grace. */
const AFTERMATH = 45 * DAY;
/** How often the log is read: Stripe forgets after 30 days. */
const READ_EVERY = 5 * DAY;
/** Seconds by which time moves at once, at most, while something looks on. */
const HOP = 1_800;

export interface Course {
  readonly double: StripeDouble;
  readonly log: Log;
  /** Called after each act, and whenever time has moved. */
  readonly look?: () => Promise<void>;
}

/** Answers the second at which all is over. */
export async function play(
  lives: readonly Life[],
  player: Player,
  { double, log, look }: Course,
): Promise<number> {
  const acts = lives
    .flatMap((life) => life.acts)
    .sort((a, b) => a.at - b.at || a.entity - b.entity);
  const until = (acts.at(-1)?.at ?? START) + AFTERMATH;
  const hop = look === undefined ? READ_EVERY : HOP;
  let readAt = double.clock.seconds();
  const advanceTo = async (moment: number) => {
    for (let now = double.clock.seconds(); now < moment; now = double.clock.seconds()) {
      await double.clock.advanceTo(Math.min(moment, now + hop) * 1000);
      await look?.();
      if (now < readAt + READ_EVERY) continue;
      readAt = now;
      await log.read();
    }
  };
  for (const { entity, card } of lives) await player.signUp(entity, card);
  await look?.();
  await log.read();
  for (const act of acts) {
    await advanceTo(act.at);
    await player.does(act);
    await look?.();
  }
  await advanceTo(until);
  await log.read();
  return until;
}
