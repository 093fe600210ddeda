/** One operation, stopped at one point after the other. */
import type { Break } from "./mortal.js";
import type { Operation } from "./operations.js";
import { brokenAtAll, brokenFor } from "./promises.js";
import { createWorld, type World } from "./world.js";

export interface Outcome {
  /** Of the operation when nothing stops it; what runs at the same time may come in another order. */
  readonly steps: number;
  /** How many points it was stopped at. */
  readonly points: number;
  readonly broken: readonly string[];
}

export interface Choice {
  /** The first point, from 1. */
  readonly first: number;
  readonly every: number;
  /** One point alone. */
  readonly at?: number;
  readonly broken?: Break;
  /** Ends at the first point at which a promise is broken. */
  readonly isFirstEnough?: boolean;
}

/** So often in a row it must come to its end: how many steps there are differs by what runs at the same time. */
const ENDED = 2;

/** Of a world: with what is in it, some operations take more steps than they can be stopped at. */
const POINTS = 30;

/** A database and an account for some points, an entity for each. */
export async function stopEverywhere(
  server: string,
  operation: Operation,
  { first, every, at, broken: fault, isFirstEnough = false }: Choice,
): Promise<Outcome> {
  const name = `crash_${operation.name.replaceAll(" ", "_")}_${at ?? first}`;
  const broken: string[] = [];
  let [points, most, ended] = [0, 0, 0];
  let stopAt = at ?? first;
  const isOver = () =>
    ended === ENDED || (at !== undefined && stopAt > at) || (isFirstEnough && broken.length > 0);
  while (!isOver()) {
    const world = await createWorld(server, name, fault);
    try {
      for (let count = 0; count < POINTS && !isOver(); count++) {
        const { cause, steps, found } = await stopOnce(world, operation, stopAt);
        broken.push(...found.map((each) => `${stopAt}, ${cause ?? "not stopped"}: ${each}`));
        points += cause === undefined ? 0 : 1;
        ended = cause === undefined ? ended + 1 : 0;
        most = Math.max(most, steps);
        stopAt += every;
      }
      broken.push(...(await atRest(world)));
    } finally {
      await world.close();
    }
  }
  return { steps: most, points, broken };
}

interface Stopped {
  /** What it was stopped at; undefined if it came to its end. */
  readonly cause: string | undefined;
  readonly steps: number;
  readonly found: readonly string[];
}

async function stopOnce(world: World, operation: Operation, stopAt: number): Promise<Stopped> {
  const entity = `${operation.name.replaceAll(" ", "_")}_${stopAt}`;
  await operation.prepare?.(world, entity);
  const living = world.open(stopAt);
  const { mortal } = living;
  const finished = operation.run(world, living, entity).then(() => world.double.settle());
  await Promise.race([finished, mortal.death]);
  const [cause, steps] = [mortal.cause(), mortal.steps()];
  await living.close();
  await world.pass(10); // leases end, and Stripe tries again

  const next = world.open();
  if (cause !== undefined) await operation.run(world, next, entity);
  await rest(world, next.app);
  const found = await brokenFor(world, next.app, entity, operation.expected ?? {});
  await next.close();
  return { cause, steps, found };
}

type Ticking = { readonly billing: { tick(): Promise<{ more: boolean }> } };

/** Until nothing is due, with what Stripe delivers again after hours. */
async function rest(world: World, app: Ticking): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await world.double.settle();
    while ((await app.billing.tick()).more);
    await world.pass(round === 0 ? 1 : 90);
  }
}

/** Minutes after which Stripe has closed each page, and said so. */
const PAGE = 25 * 60;

async function atRest(world: World): Promise<readonly string[]> {
  const { app, close } = world.open();
  await rest(world, app);
  const broken = [...(await brokenAtAll(world, app))];
  await world.pass(PAGE);
  await rest(world, app);
  broken.push(...(await brokenAtAll(world, app)));
  await close();
  return broken.map((each) => `at rest: ${each}`);
}
