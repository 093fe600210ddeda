/** A subject in a process of its own: it opens the subject, and does and times what it is told. */
import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import Stripe from "stripe";
import { deliveries, type EventOptions, SECRET_KEY } from "./data.js";
import type { Open, Place, Subject, Told } from "./subjects/subject.js";

/** What a process is told, and what it says. */
export interface Call {
  readonly call: number;
  readonly method: keyof Work;
  readonly args: readonly unknown[];
}
export interface Said {
  readonly call: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** How long something took, and how much of this process's time. */
export interface Took {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMegabytes: number;
}

export interface Work extends Pick<Subject, "store" | "count" | "clear" | "close"> {
  /** A subject of `subjects/` by its name, or of another checkout by its file. */
  open(name: string, place: Place): Promise<void>;
  webhooks(options: Omit<EventOptions, "apiVersion"> & { callers: number }): Promise<Took>;
  /** How long it takes until all changes were told, and what was. */
  settle(): Promise<{ readonly took: Took; readonly told: Told }>;
  backfill(): Promise<Took>;
  /** How long a backfill takes to the end of the lists of these resources, and to its own. */
  backfillFirst(some: readonly string[]): Promise<{ readonly first: Took; readonly whole: Took }>;
  /** Stores so many pages of new customers, one after the other, from this number on. */
  pages(from: number, count: number): Promise<Took>;
  /** Makes a call so often, one after the other. */
  call(name: string, times: number): Promise<Took>;
}

let subject: Subject;
const apiVersion = new Stripe(SECRET_KEY).getApiField("version") as string;

async function timed(work: () => Promise<unknown>): Promise<Took> {
  const before = process.cpuUsage();
  const started = performance.now();
  await work();
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(before);
  const peakMegabytes = Math.round(process.resourceUsage().maxRSS / 1024);
  return { seconds, cpuSeconds: (user + system) / 1e6, peakMegabytes };
}

const work: Work = {
  async open(name, place) {
    const file = isAbsolute(name) ? pathToFileURL(name).href : `./subjects/${name}.js`;
    const { open } = (await import(file)) as { open: Open };
    subject = await open(place);
  },
  store: (kind, count) => subject.store(kind, count),
  count: (kind) => subject.count(kind),
  clear: () => subject.clear(),
  close: () => subject.close(),
  webhooks({ callers, ...options }) {
    const all = deliveries({ ...options, apiVersion });
    const { accept, deliverAll } = subject;
    if (deliverAll !== undefined) return timed(() => deliverAll(all));
    const accepted = all.flatMap((each) => accept?.(each) ?? []);
    let next = 0;
    const caller = async () => {
      for (let mine = accepted[next++]; mine !== undefined; mine = accepted[next++]) await mine();
    };
    return timed(() => Promise.all(Array.from({ length: callers }, caller)));
  },
  async settle() {
    const { reactions } = subject;
    if (reactions === undefined) throw new Error("The subject has no handler");
    const took = await timed(() => reactions.settled());
    return { took, told: await reactions.told() };
  },
  backfill: () => timed(async () => subject.backfill?.()),
  async backfillFirst(some) {
    let first: Took | undefined;
    const whole = await timed(async () => {
      let rest: Promise<void> | undefined;
      first = await timed(async () => {
        rest = (await subject.backfillFirst?.(some))?.whole;
      });
      await rest;
    });
    return { first: first ?? whole, whole };
  },
  pages: (from, count) =>
    timed(async () => {
      for (let page = 0; page < count; page++) await subject.storePage?.(from + 100 * page);
    }),
  call(name, times) {
    const make = subject.calls?.[name];
    if (make === undefined) throw new Error(`There is no call ${name}`);
    return timed(async () => {
      for (let time = 0; time < times; time++) await make();
    });
  },
};

process.on("message", async ({ call, method, args }: Call) => {
  try {
    const run = work[method] as (...given: readonly unknown[]) => Promise<unknown>;
    process.send?.({ call, result: await run(...args) } satisfies Said);
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.send?.({ call, error: text } satisfies Said);
  }
});
process.on("disconnect", () => process.exit());
