// The one loop over pages: when it ends, what it bears, and that its workers wait for each other.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { PATIENCE } from "../../../../../../support/patience.js";
import type { Runtime } from "../../../../src/core/runtime/runtime.js";
import { type Loop, workPages as workPagesBy } from "../../../../src/core/sync/work/loop.js";
import type { workPage } from "../../../../src/core/sync/work/work.js";

const page = vi.fn<typeof workPage>();
const workPages = (runtime: Runtime, loop: Loop) => workPagesBy(runtime, loop, page);

/** A process whose clock goes on only while it waits. */
function process(lines: object[] = []) {
  const clock = { now: 1_000 };
  const runtime = {
    now: () => clock.now,
    sleep: async (milliseconds: number) => {
      await new Promise((resolve) => setImmediate(resolve));
      clock.now += milliseconds;
    },
    log: { warn: (line: object) => lines.push(line) },
    local: { process: new Map(), database: new Map(), runtime: new Map() },
  } as unknown as Runtime;
  return { runtime, clock };
}

const isStopped = () => false;
const until = (condition: () => boolean) =>
  vi.waitFor(() => expect(condition()).toBe(true), { timeout: PATIENCE });

/** So many pages are due, and then none. */
function due(pages: number) {
  let left = pages;
  page.mockImplementation(async () => left-- > 0);
}

beforeEach(() => {
  page.mockReset();
});

describe("the loop ends", () => {
  it("as soon as nothing is due, if it has no patience", async () => {
    due(5);
    const { runtime, clock } = process();
    expect(await workPages(runtime, { workers: 1, isStopped, patience: 0 })).toBe(5);
    expect([page.mock.calls.length, clock.now]).toEqual([6, 1_000]);
  });

  it("when nothing was due for as long as its patience", async () => {
    due(2);
    const { runtime, clock } = process();
    expect(await workPages(runtime, { workers: 1, isStopped, patience: 3_000 })).toBe(2);
    expect(clock.now).toBeGreaterThanOrEqual(4_000);
    expect(page.mock.calls.length).toBeGreaterThan(4); // it looked again meanwhile
  });

  it("when it is stopped, with pages left to do", async () => {
    due(100);
    const { runtime } = process();
    const isStopped = () => page.mock.calls.length >= 3;
    expect(await workPages(runtime, { workers: 1, isStopped, patience: 0 })).toBe(3);
  });

  it("when it is over, though nothing was due, without waiting", async () => {
    due(0);
    const { runtime, clock } = process();
    const isOver = async () => true;
    const patience = Number.POSITIVE_INFINITY;
    expect(await workPages(runtime, { workers: 3, isStopped, isOver, patience })).toBe(0);
    expect(clock.now).toBe(1_000);
  });

  it("when it is over while it serves others", async () => {
    due(100);
    const { runtime } = process();
    const isOver = async () => true;
    expect(await workPages(runtime, { workers: 1, isStopped, isOver, patience: 0 })).toBe(20);
  });
});

it("a worker without work stays while another is at a page, which may bring more", async () => {
  const { runtime } = process();
  let [left, looks, atOnce] = [1, 0, 0];
  page.mockImplementation(async () => {
    looks++;
    if (left === 0) return false;
    left--;
    atOnce++;
    if (looks === 1) {
      await until(() => looks > 2); // the others found nothing
      left = 4;
    } else await until(() => atOnce > 2); // two at once
    return true;
  });
  expect(await workPages(runtime, { workers: 3, isStopped, patience: 0 })).toBe(5);
});

describe("a failure of the store", () => {
  it("ends the loop with its error, after the pages under way", async () => {
    const { runtime } = process();
    let done = 0;
    page
      .mockImplementationOnce(async () => {
        throw new Error("No connection.");
      })
      .mockImplementation(async () => {
        await new Promise((resolve) => setImmediate(resolve));
        done++;
        return true;
      });
    const all = workPages(runtime, { workers: 3, isStopped, patience: 0 });
    await expect(all).rejects.toThrow("No connection.");
    expect(done).toBe(2);
  });

  it("is borne so often in a row where a caller waits for a run", async () => {
    const lines: object[] = [];
    const { runtime, clock } = process(lines);
    let calls = 0;
    page.mockImplementation(async () => {
      if (++calls % 3 !== 0) throw new Error("No connection.");
      return calls < 9;
    });
    const loop = { workers: 1, isStopped, patience: 0 };
    expect(await workPages(runtime, { ...loop, bears: { run: "run_1", failures: 2 } })).toBe(2);
    expect(lines).toHaveLength(6);
    expect(lines[0]).toMatchObject({ run: "run_1" });
    expect(clock.now).toBeGreaterThan(1_000);
    calls = 0;
    const once = workPages(runtime, { ...loop, bears: { run: "run_1", failures: 1 } });
    await expect(once).rejects.toThrow("No connection.");
  });
});
