// Seats follow the members whatever the order of things: changes, counts, requests and deaths.
import { afterEach, describe, expect, it } from "vitest";
import { closestOf, UPDATE } from "../../../../../../support/seat-updates.js";
import { stream } from "../../../../../stripe-double/src/world/random.js";
import type { RequestFault } from "../../../../src/testing/index.js";
import { openWorld, type Process, type World } from "./seats-world.js";

const PAUSE = 10_000;
const TEAM = "org_1";
const worlds: World[] = [];
afterEach(async () => {
  await Promise.all(worlds.splice(0).map(({ double }) => double.close()));
});

async function open(seed: number, teams: readonly string[] = [TEAM]): Promise<World> {
  const world = await openWorld(seed, teams);
  worlds.push(world);
  return world;
}

describe("a change that comes while the seats are counted", () => {
  it("is counted once more", async () => {
    const world = await open(1);
    await world.change(TEAM, 1);
    let counts = 0;
    world.onCount = async () => {
      if (++counts === 1) await world.change(TEAM, 1);
    };
    await world.double.clock.advance({ milliseconds: PAUSE });
    await world.process().follow();
    expect([world.quantityOf(TEAM), counts]).toEqual([2, 1]);
    await world.settle();
    expect([world.quantityOf(TEAM), counts]).toEqual([3, 2]);
  });

  it("is sent ten seconds after the update, however long the count took", async () => {
    const world = await open(2);
    await world.change(TEAM, 1);
    let counts = 0;
    world.onCount = async () => {
      if (++counts > 1) return;
      await world.change(TEAM, 1);
      await world.double.clock.advance({ seconds: 6 });
    };
    const process = world.process();
    for (let second = 0; second < 40; second++) {
      await world.double.clock.advance({ seconds: 1 });
      await process.follow();
    }
    expect(world.quantityOf(TEAM)).toBe(3);
    const times = await world.updates(TEAM);
    expect([times.length, closestOf(times)]).toEqual([2, PAUSE]);
  });
});

describe("a failure whose effect comes late", () => {
  it.each([25_000, 55_000])("by %i ms does not have the last word", async (milliseconds) => {
    const world = await open(3);
    const { clock, faults } = world.double;
    const process = world.process();
    faults.add({ fault: "error_late", milliseconds, on: UPDATE });
    await world.change(TEAM, 1);
    await clock.advance({ milliseconds: PAUSE });
    await process.follow();
    faults.clear();
    await world.change(TEAM, 1);
    await clock.advance({ milliseconds: PAUSE });
    await process.follow();
    expect(world.quantityOf(TEAM)).toBe(3);
    await clock.advance({ milliseconds: milliseconds - PAUSE });
    expect(world.quantityOf(TEAM)).toBe(2);
    await world.settle();
    expect(world.quantityOf(TEAM)).toBe(3);
  });
});

describe("random changes by four processes that die, with a Stripe that fails", () => {
  const TEAMS = ["org_1", "org_2", "org_3"];
  const FAULTS: readonly RequestFault[] = [
    { fault: "error_before" },
    { fault: "error_after" },
    { fault: "rate_limited" },
    { fault: "half_answer" },
    { fault: "cut_after", times: 1 }, // the SDK sends it again, half a second later
  ];

  it.each([1, 2, 3])("leave the counts at Stripe, ten seconds apart: %i", async (seed) => {
    const chance = stream("seats", seed);
    const below = (count: number) => Math.floor(chance() * count);
    const world = await open(seed, TEAMS);
    const { clock, faults } = world.double;
    const start = () => world.process(10 + below(40)); // fewer than there are steps
    const processes: Process[] = Array.from({ length: 4 }, start);
    let deaths = 0;
    for (let phase = 0; phase < 5; phase++) {
      const struck = FAULTS.map((fault) => faults.add({ ...fault, on: UPDATE, rate: 0.06 }));
      let changes = 5; // that come while seats are counted, also when nothing else comes any more
      world.onCount = async (team) => {
        const isChanged = changes > 0 && below(2) === 0;
        if (isChanged) {
          changes--;
          await world.change(team, 1);
        }
        await clock.advance({ milliseconds: below(3_000) });
      };
      for (let step = 0; step < 12; step++) {
        if (below(2) === 0) await world.change(TEAMS[below(3)] ?? TEAM, 1 + below(3));
        await clock.advance({ milliseconds: below(3_000) });
        await Promise.all(processes.map((process) => process.follow()));
        for (const [place, process] of processes.entries()) {
          if (process.isAlive()) continue;
          deaths++;
          processes[place] = start();
        }
      }
      for (const end of struck) end();
      await world.settle();
      for (const team of TEAMS) {
        expect([phase, team, world.quantityOf(team)]).toEqual([
          phase,
          team,
          world.members.get(team),
        ]);
      }
    }
    expect(deaths).toBeGreaterThan(3);
    for (const team of TEAMS) {
      expect(closestOf(await world.updates(team))).toBeGreaterThanOrEqual(PAUSE);
    }
  });
});
