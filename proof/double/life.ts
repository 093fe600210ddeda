// A life of many customers over two years against the double, by a seed: every invoice beside what
// an independent ledger says it must be, and all of it twice, byte for byte.
//
//   npm run double:life                                    500 customers, 730 days, seed 1
//   npm run double:life -- --seed 7 --customers 60 --days 365
import { parseArgs } from "node:util";
import { lifeOf } from "../../support/lives/life.js";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    customers: { type: "string", default: "500" },
    days: { type: "string", default: "730" },
  },
});

const { seed } = values;
const [customers, days] = [Number(values.customers), Number(values.days)];
const started = Date.now();
const life = await lifeOf({ seed, customers, days });
for (const [kind, count] of Object.entries(life.counts)) console.log(`  ${kind}: ${count}`);
for (const difference of life.differences.slice(0, 50)) console.log(difference);
const same = new Set(life.hashes).size === 1;
console.log(
  [
    `seed ${seed}: ${customers} customers, ${days} days, ${life.requests} requests each time`,
    `${life.invoices} invoices, ${life.cents} cents`,
    `${life.differences.length} differences`,
    same ? "the same bytes twice" : "other bytes the second time",
    `${((Date.now() - started) / 1000).toFixed(1)} s`,
  ].join("; "),
);
process.exitCode = same && life.differences.length === 0 ? 0 : 1;
