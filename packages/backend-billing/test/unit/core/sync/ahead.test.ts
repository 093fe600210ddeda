// Pages that are fetched ahead: used once, only for the very place they are of, and not for long.
import { expect, it } from "vitest";
import type { Runtime } from "../../../../src/core/runtime/runtime.js";
import { type Partition, UNREAD } from "../../../../src/core/sync/run/partition.js";
import type { ListedPage } from "../../../../src/core/sync/run/step.js";
import {
  beginNext,
  fetchAhead,
  fetchedAhead,
  inTurn,
} from "../../../../src/core/sync/work/ahead.js";

const page: ListedPage = { data: [], has_more: true, startedAt: 0 };
const at = (cursor: string, from: number | null = null): Partition<"list"> => ({
  ...UNREAD,
  task: "list",
  resource: "customers",
  range: { from, to: null },
  cursor,
});

function runtimeAt(clock: { now: number }): Runtime {
  const local = { process: new Map(), runtime: new Map() };
  return { now: () => clock.now, local } as Partial<Runtime> as Runtime;
}

it("a page is used once, by the worker at its place", async () => {
  const runtime = runtimeAt({ now: 1_000 });
  fetchAhead(runtime, 2);
  beginNext(runtime, at("cus_1"), async () => page);
  expect(fetchedAhead(runtime, at("cus_2"))).toBeUndefined();
  expect(fetchedAhead(runtime, at("cus_1", 5))).toBeUndefined();
  expect(await fetchedAhead(runtime, at("cus_1"))).toBe(page);
  expect(fetchedAhead(runtime, at("cus_1"))).toBeUndefined();
});

it("a page that is too old is fetched anew", () => {
  const clock = { now: 1_000 };
  const runtime = runtimeAt(clock);
  fetchAhead(runtime, 2);
  beginNext(runtime, at("cus_1"), async () => page);
  clock.now += 10_000;
  expect(fetchedAhead(runtime, at("cus_1"))).toBeUndefined();
});

it("a failure is thrown to the worker that takes the page, and to no other", async () => {
  const runtime = runtimeAt({ now: 1_000 });
  fetchAhead(runtime, 2);
  beginNext(runtime, at("cus_1"), () => Promise.reject(new Error("429")));
  beginNext(runtime, at("cus_2"), () => Promise.reject(new Error("429")));
  await expect(fetchedAhead(runtime, at("cus_1"))).rejects.toThrow("429");
});

it("nothing is fetched ahead by a process that does one page and goes", () => {
  const runtime = runtimeAt({ now: 1_000 });
  beginNext(runtime, at("cus_1"), () => Promise.reject(new Error("Not asked for")));
  expect(fetchedAhead(runtime, at("cus_1"))).toBeUndefined();
});

it("no more requests are under way than were asked for", async () => {
  const runtime = runtimeAt({ now: 1_000 });
  fetchAhead(runtime, 2);
  let [underWay, most, begun] = [0, 0, 0];
  const send = async () => {
    most = Math.max(most, ++underWay);
    await new Promise((resolve) => setTimeout(resolve, 2));
    underWay--;
  };
  const all = Array.from({ length: 9 }, () => inTurn(runtime, send));
  beginNext(runtime, at("cus_1"), async () => {
    begun++;
    return page;
  });
  await Promise.all(all);
  expect(most).toBe(2);
  expect(begun).toBe(0); // there was no room for it
  beginNext(runtime, at("cus_1"), async () => {
    begun++;
    return page;
  });
  expect(begun).toBe(1);
});
