// Reactions under fire, on Convex as `convex-test` plays it: changes are told while they are written.
// Handlers fail, and whole transactions do, as when a handler uses up what one may take; jobs are lost.
// At the end every change was told in the order of its object, its row is there exactly once, and
// nothing is parked but the three changes that no handler can take.
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { DELIVERY_TIMING } from "../../packages/backend-billing/src/core/reactions/delivery.js";
import { stream } from "../../packages/stripe-double/src/world/random.js";
import { deployListener } from "../../support/convex/listener.js";
import { behaviourOf, isHopeless } from "./behaviour.js";

export interface ConvexChaos {
  readonly changes: number;
  readonly objects: number;
  readonly seed: string;
}

const LISTENER = "second";
const WRITERS = 8;
/** Changes that wait, at most: of what waits to run, `convex-test` wakes all when one may. */
const AHEAD = 150;
/** Milliseconds: between losses, and between lines about progress. */
const LOSS = 1_000;
const SAY = 15_000;
/** Of so many losses one is a job that only the watchdog makes up for, which looks every minute. */
const WATCHED = 20;
const timing = {
  ...DELIVERY_TIMING,
  limit: 1_000,
  pause: 50,
  longestPause: 500,
  patience: 90_000,
};

/** Answers what went wrong. */
export async function chaosOnConvex(options: ConvexChaos): Promise<readonly string[]> {
  const started = Date.now();
  const next = stream("losses", options.seed);
  const objects = Array.from({ length: options.objects }, (_, n) => `prod_${n}`);
  const steps = Math.ceil(options.changes / objects.length);
  const calls = new Map<string, number>();
  const tally = { failures: 0, deaths: 0, losses: 0 };
  let isDying = false;
  const listener = deployListener({
    timing,
    handle: ({ id, key, after }) => {
      const { does, times } = behaviourOf(id, after?.name ?? "", LISTENER);
      const call = (calls.get(key) ?? 0) + 1;
      calls.set(key, call);
      if (call > times) return;
      isDying = does !== "fail";
      if (isDying) return;
      tally.failures++;
      throw new Error("It fails.");
    },
    ended: ({ type }) => {
      if (type !== "tell" || !isDying) return;
      isDying = false;
      tally.deaths++;
      throw new Error("The transaction fails.");
    },
  });
  const { test } = listener;
  const error = console.error;
  console.error = () => {}; // `convex-test` tells of every job that fails

  let [isWritten, isOver, written] = [false, false, 0];
  const write = async (): Promise<void> => {
    const left = [...objects];
    const writer = async (): Promise<void> => {
      for (let id = left.shift(); id !== undefined; id = left.shift()) {
        for (let step = 0; step < steps; step++) {
          while (written - calls.size > AHEAD) await sleep(20);
          written++;
          await listener.change(id, String(step));
        }
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, writer));
    isWritten = true;
  };
  const lose = async (): Promise<void> => {
    while (!isOver) {
      await sleep(LOSS * (0.5 + next()));
      await test.run(async (ctx) => {
        const jobs = await ctx.db.system.query("_scheduled_functions").collect();
        const pending = jobs.filter(({ state, args }) => {
          const { type } = (args[0] as { operation: { type: string } }).operation;
          const wanted = tally.losses % WATCHED === 1 ? "deliver" : "tell";
          return state.kind === "pending" && type === wanted;
        });
        const lost = pending[Math.floor(next() * pending.length)];
        if (lost === undefined) return;
        await ctx.scheduler.cancel(lost._id);
        tally.losses++;
      });
    }
  };
  const working = [write(), lose()];
  for (let saidAt = Date.now(); !isOver; await sleep(250)) {
    const left = await listener.left();
    isOver = isWritten && left.every(({ parked }) => parked);
    if (Date.now() < saidAt + SAY) continue;
    saidAt = Date.now();
    const told = (await listener.mails()).length;
    console.log(`  ${Math.round((saidAt - started) / 1000)} s: ${told} told, ${left.length} wait`);
  }
  await Promise.all(working);
  console.error = error;

  const wrong: string[] = [];
  const told = new Map<string, string[]>();
  const mails = await listener.mails();
  for (const mail of mails) {
    const [object = "", name = ""] = mail.split(" ");
    told.set(object, [...(told.get(object) ?? []), name]);
  }
  for (const object of objects) {
    const all = Array.from({ length: steps }, (_, step) => String(step));
    const due = all.filter((name) => !isHopeless(object, name, LISTENER));
    const own = told.get(object) ?? [];
    if (own.join() !== due.join()) wrong.push(`${object}: ${own}`);
  }
  const parked = await listener.left();
  for (const { id, after } of parked) {
    const { name = "" } = after as { name?: string };
    if (!isHopeless(id, name, LISTENER)) wrong.push(`parked: ${id} ${name}`);
  }
  const hopeless = objects.filter((object) => steps > 3 && isHopeless(object, "3", LISTENER));
  if (parked.length !== hopeless.length) wrong.push(`${parked.length} are parked`);
  const seconds = Math.round((Date.now() - started) / 1000);
  const summary = { changes: steps * objects.length, objects: objects.length, told: mails.length };
  const load = loadavg()[0]?.toFixed(1);
  const all = { ...summary, ...tally, parked: parked.length, wrong: wrong.slice(0, 10) };
  console.log(JSON.stringify({ ...all, seconds, load }));
  return wrong;
}
