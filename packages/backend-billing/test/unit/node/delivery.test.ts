// When a process tells changes: soon after each commit, in one run at a time, however many changes there are.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createDelivery } from "../../../src/node/delivery.js";
import { createLife } from "../../../src/node/life.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Changes that wait, of which each telling takes ten milliseconds. */
function world() {
  const life = createLife();
  let waiting = 0;
  const told: number[] = [];
  const deliverUntil = vi.fn(async (isOver: () => boolean) => {
    let count = 0;
    while (waiting > 0 && !isOver()) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      waiting--;
      count++;
      told.push(Date.now());
    }
    return count;
  });
  const later = vi.spyOn(life, "later");
  const { changed, deliver } = createDelivery(deliverUntil, life, undefined);
  const change = (count = 1) => {
    waiting += count;
    for (let n = 0; n < count; n++) changed?.();
  };
  return { change, deliver, deliverUntil, later, told, waiting: () => waiting };
}

it("keeps nothing for each change while changes never end", async () => {
  const { change, deliverUntil, later, told } = world();
  for (let n = 0; n < 600; n++) {
    change(n === 0 ? 50 : 1); // as fast as they are told
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(told.length).toBeGreaterThan(590);
  expect(deliverUntil).toHaveBeenCalledTimes(1);
  expect(later).toHaveBeenCalledTimes(1);
});

it("looks again after a run in which something changed", async () => {
  const { change, waiting, deliverUntil } = world();
  change();
  await vi.advanceTimersByTimeAsync(5);
  change();
  await vi.advanceTimersByTimeAsync(100);
  expect(waiting()).toBe(0);
  expect(deliverUntil.mock.calls.length).toBeGreaterThan(1);
});

it("tells a change at once, though it meant to look seldom by then", async () => {
  const { change, told } = world();
  change();
  await vi.advanceTimersByTimeAsync(20_000);
  const began = Date.now();
  change();
  await vi.advanceTimersByTimeAsync(50);
  expect(told).toHaveLength(2);
  expect(told[1]).toBeLessThanOrEqual(began + 20);
});

it("has a call with a budget end in time, and goes on by itself", async () => {
  const { change, deliver, told, waiting } = world();
  change(1_000);
  await vi.advanceTimersByTimeAsync(100);
  const end = Date.now() + 1_000;
  const count = deliver(end);
  await vi.advanceTimersByTimeAsync(1_050);
  await count;
  expect(told.filter((at) => at > end + 20)).toEqual([]);
  expect(waiting()).toBeGreaterThan(800);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(waiting()).toBe(0);
});

it("tries what failed again after ten seconds, and not for each change meanwhile", async () => {
  const { change, deliverUntil, waiting } = world();
  deliverUntil.mockRejectedValueOnce(new Error("No connection"));
  for (let n = 0; n < 50; n++) {
    change();
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(deliverUntil).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(waiting()).toBe(0);
});
