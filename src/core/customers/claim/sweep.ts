/**
 * Earlier versions kept in a claim what was sent to Stripe: email and metadata. A step of the pruning
 * job removes it, a bounded number of claims at a time, and remembers how far it came.
 */

import { commit } from "../../runtime/commit/commit.js";
import type { Runtime } from "../../runtime/runtime.js";
import { claimOf } from "./claim.js";
import { put } from "./record.js";

const PAGE = 100;
const MOST_PAGES = 20;
/** The setting that remembers how far the sweep came, and that it has ended. */
const PROGRESS = "claims swept";

/** Answers how many claims it has changed. */
export async function sweepClaims(runtime: Runtime): Promise<number> {
  const progress = await runtime.store.record("setting", PROGRESS);
  if (progress?.data.done === true) return 0;
  let after = typeof progress?.data.after === "string" ? progress.data.after : "";
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
  const next = { ref: null, due: null, data: { after, done } };
  const expect = progress?.revision ?? 0;
  const records = [{ kind: "setting", id: PROGRESS, expect, next } as const];
  await commit(runtime, { source: "record", records });
  return changed;
}
