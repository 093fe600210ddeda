// The library under load for a long time, on PostgreSQL: first how many webhooks a second it takes, then a
// burst of 50,000 events, then events, backfills, reads, checkouts, hooks and usage at half of that rate
// for an hour. The application, the double and PostgreSQL are processes of their own; requests come
// over HTTP, at moments that do not wait for answers. At the end the mirror is what Stripe has, each
// hook was told once, the usage adds up, memory was flat, and after `close()` nothing is left.
//
//   npm run soak -- [--minutes 60] [--burst 50000] [--customers 2000] [--seed 1] [--write]
//   npm run soak -- --minutes 1 --burst 2000      the short form, for CI
//   npm run soak -- --minutes 1 --burst 0 --break memory     or connection, timer, hook, mirror: it must fail
//
// The bar of 10 between p99 and p50 is on the time from sending to the answer. What is due later than it
// was sent shows in the figure beside it, from when it was due: a sender that waits hides nothing.
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { writeFigures } from "./reliability/figures.js";
import { ended, verified } from "./soak/ending.js";
import { burst, capacity, mixed, tally } from "./soak/phases.js";
import { judge } from "./soak/report.js";
import { BREAKS, type Break } from "./soak/shop.js";
import { openStage } from "./soak/stage.js";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    burst: { type: "string", default: "50000" },
    customers: { type: "string", default: "2000" },
    seed: { type: "string", default: "1" },
    break: { type: "string" },
    write: { type: "boolean", default: false },
  },
});
const minutes = Number(values.minutes);
const { seed } = values;
const broken = BREAKS.find((each): each is Break => each === values.break);
if (values.break !== undefined && broken === undefined) throw new Error(`Break one of ${BREAKS}`);

const started = Date.now();
const say = (text: string) =>
  console.log(`  ${Math.round((Date.now() - started) / 1000)} s: ${text}`);
const load = loadavg()[0] ?? 0;
const stage = await openStage({ customers: Number(values.customers), seed, break: broken });
try {
  say("the application is open, and has copied what Stripe has");
  const done = tally();
  const fast = await capacity(stage, minutes < 10 ? 8 : 20, done);
  say(`${fast.answered.toFixed(0)} webhooks/s by 16 callers, ${fast.told.toFixed(0)} also told`);
  const storm = await burst(stage, Number(values.burst), done);
  say(`${values.burst} events in ${storm.seconds.toFixed(1)} s, ${storm.stored} stored`);
  const perSecond = Math.min(fast.answered, fast.told) / 2;
  const calm = await mixed(stage, { minutes, perSecond, seed, say }, done);
  say("the mixed load is over");
  const right = await verified(stage, done);
  say(`${right.objects} objects compared`);
  const end = await ended(stage);
  const verdict = judge({
    minutes,
    sent: Number(values.burst),
    fast,
    storm,
    calm,
    done,
    right,
    end,
  });
  for (const [name, value, bound] of verdict.rows) {
    console.log(`${name}: ${value}${bound === undefined ? "" : ` (${bound})`}`);
  }
  for (const each of verdict.wrong.slice(0, 20)) console.log(`✗ ${each}`);
  const count = verdict.wrong.length;
  console.log(count === 0 ? "✓ all as it must be" : `✗ ${count} are wrong`);
  process.exitCode = count === 0 ? 0 : 1;
  if (values.write) {
    const { rows, notes } = verdict;
    writeFigures("soak", { command: `npm run soak -- --minutes ${minutes}`, load, rows, notes });
  }
} finally {
  await stage.close();
}
