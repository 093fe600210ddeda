// What the workers of one process know of each other: whose turn it is at the run's record, what the
// last has made of it, and when there is something to do.
import { describe, expect, it } from "vitest";
import type { StoredRecord } from "../../../../src/core/mirror/store.js";
import type { Runtime } from "../../../../src/core/runtime/runtime.js";
import { inTurnForRun, keepLatest, latestOf } from "../../../../src/core/sync/run/shared.js";
import { callWorkers, waitForWork } from "../../../../src/core/sync/work/idle.js";

const process = (sleep: Runtime["sleep"] = () => new Promise(() => {})) =>
  ({
    sleep,
    local: { process: new Map(), database: new Map(), runtime: new Map() },
  }) as unknown as Runtime;
const run = (revision: number, id = "run_1"): StoredRecord => ({
  kind: "run",
  id,
  revision,
  ref: null,
  due: null,
  data: { revision },
});

describe("work at a run's record", () => {
  it("is done one after the other, also after one has failed", async () => {
    const runtime = process();
    const steps: string[] = [];
    const work = (name: string, fails = false) =>
      inTurnForRun(runtime, async () => {
        steps.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        steps.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      });
    const all = await Promise.allSettled([work("a"), work("b", true), work("c")]);
    expect(all.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(steps).toEqual(["a", "b", "c"].flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  it("begins with what the last has written, unless another process wrote later", () => {
    const runtime = process();
    const next = { ref: null, due: null, data: { written: true } };
    keepLatest(runtime, run(4), [{ kind: "run", id: "run_1", expect: 4, next }]);
    expect(latestOf(runtime, run(3))).toMatchObject({ revision: 5, data: { written: true } });
    expect(latestOf(runtime, run(6))).toEqual(run(6));
    expect(latestOf(runtime, run(3, "run_2"))).toEqual(run(3, "run_2"));
    expect(latestOf(process(), run(3))).toEqual(run(3));
  });

  it("that was not about the run leaves no trace", () => {
    const runtime = process();
    const next = { ref: null, due: null, data: {} };
    keepLatest(runtime, run(4), [{ kind: "partition", id: "run_1 list", expect: 4, next }]);
    expect(latestOf(runtime, run(3))).toEqual(run(3));
  });
});

describe("a worker without work", () => {
  it("is called as soon as there is some", async () => {
    const runtime = process();
    const all = Promise.all([waitForWork(runtime, 1_000), waitForWork(runtime, 1_000)]);
    callWorkers(process()); // of another process
    callWorkers(runtime);
    await all;
  });
  it("looks again after a while if it is not called", async () => {
    const slept: number[] = [];
    const runtime = process(async (milliseconds) => {
      slept.push(milliseconds);
    });
    await waitForWork(runtime, 150);
    expect(slept).toEqual([150]);
  });
});
