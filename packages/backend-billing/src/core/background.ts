/**
 * What is left to do after the answers: asks, refreshes, abandoned claims, erasures, graces that end, seats,
 * notices, credits, shares, usage.
 */
import { finishClaims } from "./customers/setup.js";
import { eraseDue } from "./erase/erase.js";
import { answerAsks } from "./events/refetch.js";
import { refreshDue } from "./events/refresh.js";
import { raiseNotices } from "./reactions/telling/notices.js";
import type { Runtime } from "./runtime/runtime.js";
import { endGraces } from "./subscriptions/grace.js";
import { followSeats } from "./subscriptions/seats/follow.js";
import { followCredits } from "./usage/credits/follow.js";
import { sendUsage } from "./usage/outbox/outbox.js";
import { followShares } from "./usage/shares/follow.js";

/** Does what is due now; answers how much it did, so that a caller can go on until nothing is left. */
export async function workOnce(runtime: Runtime): Promise<number> {
  const answered = await answerAsks(runtime); // first: an answer may make a refresh needless
  const refreshed = await refreshDue(runtime);
  const finished = await finishClaims(runtime);
  const erased = await eraseDue(runtime);
  const ended = await endGraces(runtime);
  const followed = await followSeats(runtime);
  const raised = await raiseNotices(runtime);
  const credited = await followCredits(runtime);
  const included = await followShares(runtime);
  const sent = await sendUsage(runtime);
  const settled = raised + credited + included + sent;
  return answered + refreshed + finished + erased + ended + followed + settled;
}
