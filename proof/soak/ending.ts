/** The end of a soak: what must be right while the application lives, and what must be gone after it. */
import { setTimeout as sleep } from "node:timers/promises";
import { sendRest, type Tally } from "./phases.js";
import { connectionsOf } from "./samples.js";
import type { Stage } from "./stage.js";
import { wrongIn } from "./verify.js";

export interface Verified {
  readonly objects: number;
  /** Events that the double delivered itself. */
  readonly delivered: number;
  readonly requests: number;
  readonly wrong: readonly string[];
}

export async function verified(stage: Stage, done: Tally): Promise<Verified> {
  await sendRest(stage, done);
  const { delivered, failed } = await stage.stripe.settle();
  await stage.settled();
  const last = await stage.stripe.last();
  const requests = await stage.stripe.requests();
  const compared = await stage.stripe.differences(stage.databaseUrl);
  const { lines, first } = await stage.app.errors();
  const wrong = [
    ...compared.wrong,
    ...(await wrongIn(stage.pool, { ...done, access: done.bought, last })),
    ...done.failures,
    ...(failed > 0 ? [`${failed} events of the double's were not taken`] : []),
    ...(done.refused > 0 ? [`${done.refused} webhooks were refused at first`] : []),
    ...(lines > 0 ? [`the library logged ${lines} errors, such as ${first[0]}`] : []),
  ];
  return { objects: compared.objects, delivered, requests, wrong };
}

export interface Ended {
  /** Connections in use after `close()`, and that are there once the pool is ended. */
  readonly inUse: number;
  readonly left: number;
  /** Seconds until the process ended by itself; undefined if it did not. */
  readonly seconds: number | undefined;
  readonly wrong: readonly string[];
}

/** Milliseconds that the process has to end by itself. */
const PATIENCE = 10_000;

export async function ended({ app, gone, pool, target }: Stage): Promise<Ended> {
  target.close();
  const inUse = await app.close();
  const { busy } = await connectionsOf(pool);
  await app.end();
  const began = Date.now();
  const how = await Promise.race([gone, sleep(PATIENCE, undefined, { ref: false })]);
  const seconds = how === undefined ? undefined : (Date.now() - began) / 1000;
  const { all: left } = await connectionsOf(pool);
  const wrong = [
    ...(inUse + busy > 0 ? [`after close() ${inUse} connections are in use, ${busy} busy`] : []),
    ...(left > 0 ? [`${left} connections are left`] : []),
    ...(how === undefined ? ["the process did not end by itself"] : []),
    ...(how !== undefined && how !== "0" ? [`the process ended with ${how}`] : []),
  ];
  return { inUse, left, seconds, wrong };
}
