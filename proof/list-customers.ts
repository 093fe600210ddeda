// Lists two million customers from the double through the real SDK, as a partitioned backfill
// would, and says how fast it went, what it took of memory, and who was busy: the double runs in a
// process of its own, so its figures are its own.
//
//   npm run list:customers -- --count 2000000 --readers 8
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import Stripe from "stripe";
import {
  createStripeDouble,
  type StripeDouble,
} from "../packages/backend-billing/src/testing/index.js";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "2000000" },
    readers: { type: "string", default: "8" },
  },
});
const count = Number(values.count);
const readers = Number(values.readers);
const FROM = Date.parse("2024-01-01T00:00:00Z") / 1000;
const TO = Date.parse("2026-01-01T00:00:00Z") / 1000;
/** Milliseconds after which something is wrong. */
const LONGEST = 15 * 60_000;

interface Started {
  readonly key: string;
  readonly config: StripeDouble["stripeConfig"];
}
interface Usage {
  readonly rss: number;
  readonly heap: number;
  /** Seconds of processor time. */
  readonly cpu: number;
}

const mib = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
const usage = (): Usage => {
  const { rss, heapUsed: heap } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return { rss, heap, cpu: (user + system) / 1e6 };
};

if (process.send === undefined) await main();
else await serve();

/** The child: the double, and what it uses. */
async function serve(): Promise<void> {
  const double = await createStripeDouble({ seed: "listing" });
  double.populate({ object: "customer", count, from: FROM * 1000, to: TO * 1000 });
  process.send?.({ key: double.secretKey, config: double.stripeConfig } satisfies Started);
  process.on("message", (message) => {
    if (message === "usage") process.send?.(usage());
    else void double.close().then(() => process.exit(0));
  });
}

async function main(): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), process.argv.slice(2), {
    execArgv: ["--import", "tsx"],
  });
  const [started] = (await once(child, "message")) as [Started];
  const ask = async (): Promise<Usage> => {
    child.send("usage");
    const [answer] = (await once(child, "message")) as [Usage];
    return answer;
  };
  const stripe = new Stripe(started.key, started.config);

  const deadline = performance.now() + LONGEST;
  const list = async (params: Stripe.CustomerListParams, most = Infinity): Promise<number> => {
    let listed = 0;
    for (let after: string | undefined; ; ) {
      if (performance.now() > deadline) throw new Error("The listing took too long");
      const page = await stripe.customers.list({
        limit: 100,
        ...params,
        ...(after === undefined ? {} : { starting_after: after }),
      });
      listed += page.data.length;
      after = page.data.at(-1)?.id;
      if (!page.has_more || listed >= most) return listed;
    }
  };
  const measure = async (name: string, run: () => Promise<number>): Promise<number> => {
    const [theirs, mine, start] = [await ask(), usage(), performance.now()];
    const total = await run();
    const seconds = (performance.now() - start) / 1000;
    const after = await ask();
    const cpu = { double: after.cpu - theirs.cpu, readers: usage().cpu - mine.cpu };
    const each = (used: number) =>
      `${((used / total) * 1e6).toFixed(1)} µs of processor a customer, ${Math.round((100 * used) / seconds)}% of a core`;
    console.log(
      `${total} customers by ${name} in ${seconds.toFixed(1)} s: ${Math.round(total / seconds)} a second`,
    );
    console.log(
      `  the double: ${each(cpu.double)}; ${mib(after.rss)} resident, ${mib(after.heap)} heap`,
    );
    console.log(`  the reading process, SDK and all: ${each(cpu.readers)}`);
    return total;
  };

  const parallel = await measure(`${readers} readers`, async () => {
    const edge = (part: number) => FROM + Math.floor(((TO - FROM) * part) / readers);
    const parts = await Promise.all(
      Array.from({ length: readers }, (_, reader) =>
        list({
          created: {
            ...(reader === 0 ? {} : { gte: edge(reader) }),
            ...(reader === readers - 1 ? {} : { lt: edge(reader + 1) }),
          },
        }),
      ),
    );
    return parts.reduce((sum, part) => sum + part, 0);
  });
  await measure("one reader", () => list({}, count / 10));
  child.send("stop");
  await once(child, "exit");
  if (parallel !== count) {
    console.error(`Expected ${count} customers`);
    process.exitCode = 1;
  }
}
