/** What the default set costs the resources of the specification: both, side by side. */
import type { ResourceName } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { specified } from "../../packages/backend-billing/src/core/catalogue/entries/specified.js";
import { ratios, type Series, summaryOf, summaryText } from "./figures.js";
import { backfillFirst, line, webhooks } from "./measure.js";
import type { Run } from "./parts.js";

/** The resources of the specification. */
export const EIGHT = Object.keys(specified) as readonly ResourceName[];

const SUBJECTS = ["ours-eight", "ours-usual"];

/** The default set's value to that of the eight, turn by turn. */
const ratiosOf = (series: Series): number[] => ratios(series, "ours-usual", "ours-eight");

export async function usualBesideEight(run: Run): Promise<void> {
  for (const name of SUBJECTS) await run.open(name, name);
  const stored = run.quick ? 2_000 : 10_000;
  const common = { stored, seconds: run.quick ? 0.25 : 0.8, subjects: SUBJECTS };
  const repetitions = run.quick ? 15 : 31;
  for (const [kind, callers, id] of [
    ["customers", 1, "usualWebhooks1"],
    ["customers", 32, "usualWebhooks32"],
    ["subscriptions", 32, "usualSubscriptions"],
  ] as const) {
    if (callers === 1 || kind === "subscriptions") {
      for (const name of SUBJECTS) await run.workers.get(name)?.store(kind, stored);
    }
    const cpu: { [name: string]: number[] } = {};
    const series = await webhooks(
      run,
      { ...common, kind, callers, repetitions },
      ({ name, took, count, counts }) => {
        if (counts) cpu[name] = [...(cpu[name] ?? []), (took.cpuSeconds / count) * 1e6];
      },
    );
    // Where others use the machine too, this says more: it is what the process itself worked.
    const worked: Series = { title: `${series.title}, processor time`, unit: "µs", values: cpu };
    run.say(line(worked));
    run.say(
      `  of the default set to that of the eight: ${summaryText(summaryOf(ratiosOf(worked)))}`,
    );
    run.series[id] = series;
    run.series[`${id}Cpu`] = worked;
    run.figure(id, ratiosOf(series));
  }
  for (const latency of run.quick ? [0] : [0, 100]) {
    const objects = run.accounts.customers + run.accounts.subscriptions;
    const options = { objects, latency, repetitions: run.quick ? 5 : 7, subjects: SUBJECTS };
    const { first, whole } = await backfillFirst(run, { ...options, some: EIGHT });
    run.series[`usualBackfill${latency}`] = first;
    run.series[`usualWhole${latency}`] = whole;
    run.figure(latency === 0 ? "usualBackfill" : "usualBackfillSlow", ratiosOf(first));
  }
  for (const name of SUBJECTS) await run.close(name);
}
