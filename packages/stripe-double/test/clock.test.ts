import { describe, expect, it } from "vitest";
import { createClock } from "../src/world/clock.js";
import { client, NOW, receiver, rig, START } from "./kit.js";

describe("a clock that stands still", () => {
  it("moves only when it is moved, and never back", async () => {
    const clock = createClock(NOW);
    expect(clock.seconds()).toBe(START);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(clock.now()).toBe(START * 1000);
    await clock.advance({ days: 1, hours: 2, minutes: 3, seconds: 4, milliseconds: 5 });
    expect(clock.now() - START * 1000).toBe((26 * 3600 + 3 * 60 + 4) * 1000 + 5);
    await clock.advanceTo("2026-03-01");
    expect(clock.now()).toBe(Date.parse("2026-03-01"));
    await expect(clock.advanceTo(NOW)).rejects.toThrow("cannot be moved back");
    await expect(clock.advance({ seconds: -1 })).rejects.toThrow(RangeError);
    await expect(clock.advanceTo("not a date")).rejects.toThrow("Not a moment");
  });

  it("runs what falls due in the order of the times, and of the asking at one time", async () => {
    const clock = createClock(NOW);
    const ran: string[] = [];
    const at = (seconds: number, name: string) =>
      clock.schedule((START + seconds) * 1000, () =>
        ran.push(`${name}@${clock.seconds() - START}`),
      );
    at(5, "late");
    at(1, "first");
    at(3, "a");
    at(3, "b");
    at(60, "never");
    at(2, "taken back")();
    clock.schedule((START + 2) * 1000, () => at(4, "nested"));
    await clock.advance({ seconds: 10 });
    expect(ran).toEqual(["first@1", "a@3", "b@3", "nested@4", "late@5"]);
    expect(clock.seconds() - START).toBe(10);
  });

  it("keeps a thousand tasks in order", async () => {
    const clock = createClock(NOW);
    const ran: number[] = [];
    for (let i = 0; i < 1000; i++) {
      const at = (i * 7919) % 1009;
      clock.schedule((START + at) * 1000, () => ran.push(at));
    }
    await clock.advance({ seconds: 2000 });
    expect(ran).toHaveLength(1000);
    expect(ran).toEqual([...ran].sort((a, b) => a - b));
  });

  it("runs what is due already before anything else can arrive", async () => {
    const clock = createClock(NOW);
    const ran: string[] = [];
    for (let i = 0; i < 20; i++) {
      clock.schedule(clock.now(), () => ran.push(`task ${i}`));
      expect(ran).toHaveLength(i); // not within the request that asked for it
      await new Promise((resolve) => setImmediate(resolve));
      expect(ran).toHaveLength(i + 1);
    }
  });

  it("waits for what each task set off before it goes on", async () => {
    const clock = createClock(NOW);
    const ran: string[] = [];
    let work: Promise<void> = Promise.resolve();
    clock.onStep(() => work);
    clock.schedule(clock.now() + 1000, () => {
      work = new Promise((resolve) =>
        setTimeout(() => {
          ran.push("work");
          resolve();
        }, 10),
      );
    });
    clock.schedule(clock.now() + 2000, () => ran.push("next"));
    await clock.advance({ seconds: 3 });
    expect(ran).toEqual(["work", "next"]);
  });
});

describe("a clock that runs", () => {
  it("goes with the wall clock, and can be moved ahead of it", async () => {
    const clock = createClock();
    const before = Date.now();
    const now = clock.now();
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now());
    const ran: string[] = [];
    clock.schedule(clock.now() + 20, () => ran.push("soon"));
    clock.schedule(clock.now() + 3_600_000, () => ran.push("in an hour"));
    await expect.poll(() => ran).toEqual(["soon"]);
    await clock.advance({ hours: 2 });
    expect(ran).toEqual(["soon", "in an hour"]);
    expect(clock.now() - Date.now()).toBeGreaterThan(7_000_000);
    clock.stop();
  });

  it("delivers without being asked to settle", async () => {
    const { double } = await rig({ now: undefined } as never);
    const it = { double, stripe: client(double) };
    const { received } = await receiver(it);
    await it.stripe.customers.create();
    await expect.poll(() => received.length).toBe(1);
  });
});

it("true order is finer than the second that created shows", async () => {
  const it = await rig();
  const { received } = await receiver(it);
  const made: string[] = [];
  for (let i = 0; i < 5; i++) {
    made.push((await it.stripe.customers.create()).id);
    await it.double.clock.advance({ milliseconds: 100 });
  }
  const events = received.map(({ event }) => event);
  expect(new Set(events.map(({ created }) => created))).toEqual(new Set([START]));
  expect(events.map(({ data }) => (data.object as { id: string }).id)).toEqual(made);
  const listed = await it.stripe.customers.list();
  expect(listed.data.map(({ id }) => id)).toEqual([...made].reverse());
});
