/** The three parts of a soak: how fast it is, a burst, and everything at once for a while. */
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { stream } from "../../packages/stripe-double/src/world/random.js";
import { asFastAsPossible, type Latencies, latencies, paced, timed } from "./load.js";
import { connectionsOf, type Sample, stolenTime } from "./samples.js";
import { USERS } from "./shop.js";
import type { Stage } from "./stage.js";
import type { SoakEvent } from "./stripe.js";

/** What was done in all parts together. */
export interface Tally {
  events: number;
  raw: number;
  reads: number;
  uses: number;
  bought: number;
  backfills: number;
  refused: number;
  readonly failures: string[];
}

export const tally = (): Tally => ({
  events: 0,
  raw: 0,
  reads: 0,
  uses: 0,
  bought: 0,
  backfills: 0,
  refused: 0,
  failures: [],
});

const PAUSE = 1_000;

/** Sends an event until it is taken, as Stripe does; once more is a failure all the same. */
async function deliver(
  { target }: Stage,
  event: SoakEvent,
  done: Tally,
  times?: Latencies,
  due = 0,
): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    const send = () => target.deliver(event).catch(() => false);
    const isTaken = await (times && isFirst ? timed(times, due, send) : send());
    if (isTaken) break;
    done.refused++;
    if (done.refused > 1_000) throw new Error("Events are not taken");
    await sleep(PAUSE);
  }
  done.events++;
  if (event.body.endsWith('"type":"balance.available"}')) done.raw++;
}

export interface Capacity {
  /** Events a second: answered, and also told. */
  readonly answered: number;
  readonly told: number;
}

export async function capacity(stage: Stage, seconds: number, done: Tally): Promise<Capacity> {
  const began = performance.now();
  const end = began + seconds * 1000;
  const isOver = () => performance.now() > end;
  const count = await asFastAsPossible(16, isOver, async () =>
    deliver(stage, await stage.next(), done),
  );
  const answered = count / ((performance.now() - began) / 1000);
  await stage.settled();
  return { answered, told: count / ((performance.now() - began) / 1000) };
}

export interface Burst {
  readonly seconds: number;
  /** Until everything was told, too. */
  readonly toldSeconds: number;
  readonly peak: number;
  readonly stored: number;
}

export async function burst(stage: Stage, count: number, done: Tally): Promise<Burst> {
  const before = await receipts(stage.pool);
  const began = performance.now();
  const isOver = (begun: number) => begun >= count;
  await asFastAsPossible(64, isOver, async () => deliver(stage, await stage.next(), done));
  const seconds = (performance.now() - began) / 1000;
  await stage.settled();
  const toldSeconds = (performance.now() - began) / 1000;
  return {
    seconds,
    toldSeconds,
    peak: stage.peak(),
    stored: (await receipts(stage.pool)) - before,
  };
}

async function receipts(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query(
    "SELECT count(*)::int AS n FROM billing.backend_billing_receipts WHERE event_id LIKE 'evt_1Soak%'",
  );
  return rows[0].n;
}

export interface Mixed {
  readonly webhooks: Latencies;
  readonly reads: Latencies;
  readonly uses: Latencies;
  readonly samples: readonly Sample[];
  readonly perSecond: number;
}

export interface MixedOptions {
  readonly minutes: number;
  /** Requests a second: events, reads and usage together. */
  readonly perSecond: number;
  readonly seed: string;
  say(text: string): void;
}

/**
 * Of ten requests, six are events, and the rest reads and usage. Beside 200 of them one person buys, which
 * is some sixteen events more, and at most every other second, for the double keeps what is bought.
 */
const SHARES = { events: 0.6, reads: 0.25, uses: 0.15 };
const BUYERS = { share: 0.005, most: 0.5 };
/** Milliseconds between samples, at most between collections of garbage, and between backfills. */
const SAMPLE = 10_000;
const COLLECT = 60_000;
const REST = 20_000;
const TICK = 60_000;

export async function mixed(stage: Stage, options: MixedOptions, done: Tally): Promise<Mixed> {
  const { minutes, perSecond, seed, say } = options;
  const began = performance.now();
  const until = began + minutes * 60_000;
  const [webhooks, reads, uses] = [latencies(), latencies(), latencies()];
  const next = stream("users", seed);
  const user = () => `user_${Math.floor(next() * USERS)}`;
  const { target } = stage;
  const fail = (error: unknown) => void done.failures.push(String(error));
  let minute = latencies(); // of the last stretch between two samples

  const ask = async (path: string, times: Latencies | undefined, due: number) => {
    const send = () => target.post(path);
    const { status, text } = await (times ? timed(times, due, send) : send());
    if (status !== 200) throw new Error(`${path}: ${status}`);
    return JSON.parse(text);
  };
  const pace = (share: number, name: string, call: (due: number) => Promise<void>) =>
    paced({
      perSecond: share,
      until,
      seed: `${seed} ${name}`,
      call: (due) => call(due).catch(fail),
    });
  const every = async (rest: number, work: () => Promise<void>) => {
    while (performance.now() + rest < until) {
      await sleep(rest);
      await work().catch(fail);
    }
  };
  const samples: Sample[] = [];
  const stolenSince = stolenTime();
  const isCollecting = isEvery(Math.min(COLLECT, (minutes * 60_000) / 12));
  const sample = async () => {
    const isCollected = isCollecting();
    const seen = await stage.app.sample(isCollected);
    const { all } = await connectionsOf(stage.pool);
    const [p50, p99] = [minute.sent.percentile(50) / 1000, minute.sent.percentile(99) / 1000];
    minute = latencies();
    const at = (performance.now() - began) / 60_000;
    const stolen = stolenSince();
    samples.push({ ...seen, minute: at, isCollected, connections: all, p50, p99, stolen });
    if (isCollected) {
      say(
        `${at.toFixed(1)} min: ${done.events} events, ${done.bought} bought, ${done.backfills} backfills; heap ${mb(seen.heapUsed)}, RSS ${mb(seen.rss)}, ${all} connections, ${seen.timers} timers; webhooks p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, stolen ${(stolen * 100).toFixed(1)}%`,
      );
    }
  };
  await Promise.all([
    pace(perSecond * SHARES.events, "events", async (due) => {
      const event = await stage.next();
      const before = performance.now();
      await deliver(stage, event, done, webhooks, due);
      minute.sent.record(Math.max(1, Math.round((performance.now() - before) * 1000)));
    }),
    pace(perSecond * SHARES.reads, "reads", async (due) => {
      await ask(`/read/${user()}`, reads, due);
      done.reads++;
    }),
    pace(perSecond * SHARES.uses, "uses", async (due) => {
      const { allowed } = await ask(
        `/use/${user()}/key_${seed}_${uses.sent.count}_${due}`,
        uses,
        due,
      );
      if (allowed) done.uses++;
    }),
    pace(Math.min(BUYERS.most, perSecond * BUYERS.share), "buyers", async (due) => {
      const { url } = await ask(`/buy/buyer_${done.bought}_${Math.round(due)}`, undefined, due);
      await stage.stripe.pay(url);
      done.bought++;
    }),
    every(REST, async () => {
      await stage.app.backfill();
      done.backfills++;
    }),
    every(TICK, async () => void (await stage.app.tick())),
    every(Math.min(SAMPLE, minutes * 5_000), sample),
  ]);
  return { webhooks, reads, uses, samples, perSecond };
}

/** Sends what has happened at Stripe and was not sent yet. */
export async function sendRest(stage: Stage, done: Tally): Promise<void> {
  for (const event of await stage.rest()) await deliver(stage, event, done);
}

/** True once in so many milliseconds, and at first. */
function isEvery(wait: number): () => boolean {
  let at = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() < at + wait) return false;
    at = performance.now();
    return true;
  };
}

const mb = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`;
