/** What is old of usage becomes sums of days: a job, so that nothing grows for ever. */
import type { Runtime } from "../../runtime/runtime.js";
import { DAY } from "../outbox/minutes.js";

/** A key is known for 35 days past the month in which it was counted. */
const KEPT = (31 + 35) * DAY;
/** Rows of one transaction, and transactions that one call may take. */
const AT_ONCE = 500;
const MOST_TIMES = 100;

/** Answers about how many rows it put into sums. */
export async function foldUsage({ books, now }: Pick<Runtime, "books" | "now">): Promise<number> {
  const before = now() - KEPT;
  let folded = 0;
  for (let times = 0; books !== undefined && times < MOST_TIMES; times++) {
    const count = await books.fold(before, AT_ONCE);
    folded += count;
    if (count < AT_ONCE) break;
  }
  return folded;
}
