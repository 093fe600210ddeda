// The sizes of the house beside their bounds.
//
//   npm run house [-- --list] [--packed] [--strict]
//
// `--list` names what makes up each value, `--packed` builds and packs the package too, and with
// `--strict` a bound that is not reached is a failure.
import { parseArgs } from "node:util";
import { measureHouse } from "./house/measures.js";

const { values } = parseArgs({
  options: {
    list: { type: "boolean", default: false },
    packed: { type: "boolean", default: false },
    strict: { type: "boolean", default: false },
  },
});

const measures = await measureHouse(values);
const width = Math.max(...measures.map(({ name }) => name.length));
for (const { name, value, bound, unit, list } of measures) {
  const isReached = value <= bound;
  const at = `${value}${unit === undefined ? "" : ` ${unit}`}`.padStart(8);
  const wanted = bound === 0 ? "none" : `at most ${bound}`;
  console.log(`${isReached ? "✓" : "✗"} ${name.padEnd(width)} ${at}   ${wanted}`);
  if (values.list) for (const line of list) console.log(`    ${line}`);
}
const missed = measures.filter(({ value, bound }) => value > bound);
if (missed.length > 0) {
  console.log(`\nNot reached yet: ${missed.map(({ name }) => name).join("; ")}`);
  if (values.strict) process.exitCode = 1;
}
