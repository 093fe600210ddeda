// How much of what applications ask of Stripe does the double take? Sends each call of a list of
// calls of public applications, at the API version that the application pins. An upper bound: of a
// call only the parameters that its source shows are tried, and one at a time.
//
//   npm run double:coverage              the share of the calls, and of applications that run whole
//   npm run double:coverage -- --gaps    what is missing, by the number of applications that need it
import { parseArgs } from "node:util";
import { type Application, type Listed, readCalls } from "./applications/calls.js";
import { createProbe } from "./applications/probe.js";

const { values } = parseArgs({ options: { gaps: { type: "boolean", default: false } } });

const listed = readCalls();
if (listed === undefined) console.log("The list of calls is not there, so nothing is measured.");
else await measure(listed);

async function measure({ applications, calls }: Listed): Promise<void> {
  const missing = new Map<string, Set<Application>>();
  const lacking = new Set<Application>();
  const counts = { taken: 0, "not modelled": 0, refused: 0 };
  const probe = await createProbe();
  try {
    for (const call of calls) {
      const gaps = await probe.gapsOf(call);
      const isRefused = gaps.length > 0 && gaps.every(({ reason }) => reason === "refused");
      counts[gaps.length === 0 ? "taken" : isRefused ? "refused" : "not modelled"] += 1;
      if (gaps.length > 0) lacking.add(call.application);
      for (const { what, reason } of gaps) {
        const name = `${call.method}: ${what}${reason === "refused" ? " (refused)" : ""}`;
        missing.set(name, (missing.get(name) ?? new Set()).add(call.application));
      }
    }
  } finally {
    await probe.close();
  }
  if (values.gaps) {
    const sorted = [...missing].sort(([, a], [, b]) => b.size - a.size);
    for (const [gap, { size }] of sorted) console.log(`${String(size).padStart(3)}  ${gap}`);
    console.log("");
  }
  const share = ((counts.taken / calls.length) * 100).toFixed(1);
  const whole = applications.filter((application) => !lacking.has(application)).length;
  console.log(`${counts.taken} of ${calls.length} calls are taken (${share}%)`);
  console.log(
    `  ${counts["not modelled"]} are not modelled, ${counts.refused} are refused as unknown`,
  );
  console.log(`${whole} of ${applications.length} applications would run whole`);
}
