// What is opened where no schedule says it.
import { expect, it } from "vitest";
import type { Run } from "../../../../src/core/sync/run/run.js";
import { nightly, wantedNow } from "../../../../src/core/sync/work/scheduled.js";

const TIMING = { catchUpEvery: 300, reconcileEvery: 10_000 };
const NOW = 1_000_000;
type Past = Pick<Run, "kind" | "state" | "startedAt">;
const past = (kind: Run["kind"], ago: number, state: Run["state"] = "done"): Past => ({
  kind,
  state,
  startedAt: NOW - ago,
});

it.each<[name: string, runs: readonly Past[], wanted: string | undefined]>([
  ["nothing ran yet", [], "reconcile"],
  ["a backfill runs", [past("backfill", 5_000, "running")], undefined],
  ["a backfill has just been done", [past("backfill", 100)], undefined],
  ["a backfill failed a while ago", [past("backfill", 400, "failed")], "catch-up"],
  ["a backfill was done a while ago", [past("backfill", 300)], "catch-up"],
  ["a catch-up was done meanwhile", [past("catch-up", 100), past("backfill", 5_000)], undefined],
  ["a catch-up is due again", [past("catch-up", 300), past("backfill", 5_000)], "catch-up"],
  ["a catch-up runs", [past("catch-up", 900, "running"), past("backfill", 20_000)], undefined],
  ["everything is to be compared", [past("catch-up", 300), past("reconcile", 10_000)], "reconcile"],
  ["a machine's clock was a day ahead", [past("catch-up", -86_400_000)], "reconcile"],
  ["a machine's clock is a little ahead", [past("backfill", -10)], undefined],
  ["a verification changes nothing", [past("verify", 1, "running")], "reconcile"],
])("%s", (_, runs, wanted) => {
  expect(wantedNow(runs, NOW, TIMING)).toBe(wanted);
});

it("every night all is compared but the lists for each owner of what events tell", () => {
  const mirrored = ["customers", "payment_methods", "tax_ids"] as const;
  expect(nightly(mirrored, [])).toEqual({
    resources: ["customers", "tax_ids"],
    withoutOwned: ["tax_ids"],
  });
  // What a failed backfill left out is listed whole.
  expect(nightly(mirrored, ["payment_methods"])).toEqual({
    resources: mirrored,
    withoutOwned: ["tax_ids"],
  });
});
