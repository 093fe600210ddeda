/** The processes of the proof of seats: each has its share of the changes, is killed, and is replaced. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Child, startChild } from "../race/child.js";
import type { Change, Kill } from "./plan.js";
import type { Answer, Order } from "./process.js";

interface Place {
  readonly share: readonly Change[];
  child: Child<Order>;
  isWorking: boolean;
  /** How many counts, and how many requests, are under way. */
  counting: number;
  sending: number;
}

export interface Crew {
  /** Changes that were made, and those that were rolled back, by number. */
  readonly done: ReadonlySet<number>;
  readonly rolledBack: ReadonlySet<number>;
  readonly kills: { total: number; counting: number; sending: number };
  /** What failed, and who ended without being killed. */
  readonly wrong: readonly string[];
  /** Kills one process, when it is at what the kill is aimed at, and starts another in its place. */
  kill(kill: Kill): Promise<void>;
  end(): void;
}

/** Milliseconds after which a kill is made whatever the processes are at. */
const AIMING = 10_000;

export function startCrew(
  changes: readonly Change[],
  processes: number,
  order: Omit<Order, "changes">,
): Crew {
  const done = new Set<number>();
  const rolledBack = new Set<number>();
  const kills = { total: 0, counting: 0, sending: 0 };
  const wrong: string[] = [];
  let isOver = false;
  let onAt = (_place: Place, _at: string) => {};

  function hear(place: Place, answer: Answer): void {
    if ("error" in answer) wrong.push(answer.error);
    else if ("done" in answer) done.add(answer.done);
    else if ("rolledBack" in answer) rolledBack.add(answer.rolledBack);
    else {
      const { at } = answer;
      if (at === "work") place.isWorking = true;
      if (at === "counting") place.counting++;
      if (at === "counted") place.counting--;
      if (at === "sending") place.sending++;
      if (at === "sent") place.sending--;
      onAt(place, at);
    }
  }

  function employ(place: Omit<Place, "child"> & { child?: Child<Order> }): Place {
    let isOwn = true;
    const child = startChild<Order, Answer>("../seats/process.ts", {
      onAnswer: (answer) => isOwn && hear(employed, answer),
      onExit: () => {
        isOwn = false;
        if (!isOver && !killed.has(child)) wrong.push(`process ${child.pid} ended by itself`);
      },
    });
    const employed = Object.assign(place, { child, isWorking: false, counting: 0, sending: 0 });
    child.send({ ...order, changes: place.share.filter(({ id }) => !done.has(id)) });
    return employed;
  }

  const killed = new Set<Child<Order>>();
  const places = Array.from({ length: processes }, (_, nth) =>
    employ({
      share: changes.filter(({ id }) => id % processes === nth),
      isWorking: false,
      counting: 0,
      sending: 0,
    }),
  );

  /** The process to kill, once one is at what the kill is aimed at. */
  async function found({ aim, chance }: Kill): Promise<Place | undefined> {
    if (aim !== "any") {
      const aimed = new Promise<Place>((resolve) => {
        onAt = (place, at) => at === aim && resolve(place);
      });
      const place = await Promise.race([aimed, sleep(AIMING, undefined, { ref: false })]);
      if (place !== undefined) return place;
    }
    const working = places.filter(({ isWorking }) => isWorking);
    return working[Math.floor(chance * working.length)];
  }

  return {
    done,
    rolledBack,
    kills,
    wrong,
    async kill(kill) {
      const place = (await found(kill)) ?? places[0];
      if (place === undefined) return;
      await sleep(kill.delay);
      const { child } = place;
      killed.add(child);
      await child.kill();
      kills.total++;
      if (place.sending > 0) kills.sending++;
      else if (place.counting > 0) kills.counting++;
      employ(place);
    },
    end() {
      isOver = true;
      for (const { child } of places) child.end();
    },
  };
}
