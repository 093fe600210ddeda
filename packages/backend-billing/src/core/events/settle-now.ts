/** Answers what events left in doubt, without the usual wait: for commands and tests. */
import { ASK_DELAY } from "../mirror/rule.js";
import type { Runtime } from "../runtime/runtime.js";
import { answerAsks } from "./refetch.js";
import { refreshDue } from "./refresh.js";

/** Rounds after which what is still in doubt is left to the application's jobs. */
const ROUNDS = 20;
/** Milliseconds by which a due time may be ahead of this clock. */
const SLACK = 500;

/** Answers how many questions were settled. Those that another process has taken are left to it. */
export async function settleNow(runtime: Runtime): Promise<number> {
  let settled = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const answered = await answerAsks(runtime, 20, ASK_DELAY + SLACK);
    const refreshed = await refreshDue(runtime, 20, runtime.timing.refreshDelay + SLACK);
    if (answered + refreshed === 0) break;
    settled += answered + refreshed;
  }
  return settled;
}
