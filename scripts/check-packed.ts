// What the built package weighs, and that nothing of the double is in it. Build first.
//
//   npm run check:package
import { MOST_PACKED_KB, packed } from "./house/packed.js";

const { kB, files } = packed();
const paths = files.map(({ path }) => path);
const problems = [
  ...(paths.includes("dist/index.js") ? [] : ["There is no build: npm run build"]),
  ...(kB > MOST_PACKED_KB ? [`${kB} kB, which is more than ${MOST_PACKED_KB} kB`] : []),
  ...paths.filter((path) => /^packages\/|stripe-double/.test(path)),
];
console.log(`backend-billing: ${paths.length} files, ${kB} kB packed`);
for (const problem of problems) console.error(`✗ ${problem}`);
if (problems.length > 0) process.exitCode = 1;
