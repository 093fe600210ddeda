/** Asks about what is in doubt, so that a run that is done leaves nothing in doubt behind it. */
import { settleAsks } from "../../events/refetch.js";
import { refreshDue } from "../../events/refresh.js";
import { BEGUN, type Partition } from "../run/partition.js";
import type { Step, Stepped } from "../run/step.js";

/** How many of each a step takes. */
const CHUNK = 10;
/** After so many steps new doubts come as fast as old ones are settled. */
const MOST_SETTLING = 500;

export const open = (): readonly Partition<"settle">[] => [
  { ...BEGUN, task: "settle", resource: "asks" },
];

export async function step({ runtime, at }: Step<"settle">): Promise<Stepped<"settle">> {
  const refreshed = await refreshDue(runtime, CHUNK, runtime.timing.refreshDelay);
  const settled = refreshed + (await settleAsks(runtime, CHUNK));
  const pages = at.pages + 1;
  const isOver = settled === 0 || pages >= MOST_SETTLING;
  return { next: { ...at, pages, rows: at.rows + settled, state: isOver ? "done" : "running" } };
}
