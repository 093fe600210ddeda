/**
 * Earlier versions kept in a claim what was sent to Stripe: email and metadata. A step of the pruning
 * job removes it, a bounded number of claims at a time, and remembers how far it came.
 */

import { records } from "../../runtime/records/records.js";
import type { Runtime } from "../../runtime/runtime.js";
import { claimOf } from "./claim.js";
import { put } from "./record.js";

const PAGE = 100;
const MOST_PAGES = 20;

/** Answers how many claims it has changed. */
export async function sweepClaims(runtime: Runtime): Promise<number> {
  const progress = await records.swept.read(runtime);
  if (progress.data?.done) return 0;
  let after = progress.data?.after ?? "";
  let [changed, done] = [0, false];
  for (let pages = 0; pages < MOST_PAGES && !done; pages++) {
    const page = await runtime.store.records("claim", after, PAGE);
    for (const record of page) {
      const claim = claimOf(record);
      const isOver = claim?.state === "linked" || claim?.state === "free";
      if (claim === undefined || !isOver || claim.params === null) continue;
      // Written as it is, it is written without them. If it changed meanwhile, that write did so.
      if ((await put(runtime, record, claim)) !== undefined) changed++;
    }
    done = page.length < PAGE;
    after = page.at(-1)?.id ?? after;
  }
  // The id of an entity is not kept longer than it is needed: the entity may be erased.
  await records.swept.put(runtime, progress, { after: done ? "" : after, done });
  return changed;
}
