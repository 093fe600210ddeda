/** When the phases of a schedule begin and end: each begins where the one before it ends. */
import { invalid } from "../../api/errors.js";
import { type Cycle, cyclesAfter } from "../period.js";

/** What a request says about the times of a phase. */
export interface AskedTimes {
  readonly start?: number | undefined;
  readonly end?: number | undefined;
  /** Instead of the end: so long from the start. */
  readonly length?: Cycle | undefined;
  /** The interval of its price, for which it lasts if nothing else is said. */
  readonly usual: Cycle;
}

interface Times {
  readonly start: number;
  readonly end: number;
}

export const MOST_PHASES = 10;

/** The times of phases of which the first begins at this moment. */
export function phaseTimes(first: number, asked: readonly AskedTimes[]): Times[] {
  const times: Times[] = [];
  asked.forEach((phase, index) => {
    const start = times.at(-1)?.end ?? first;
    const param = `phases[${index}]`;
    if (phase.start !== undefined && phase.start !== start) {
      throw invalid(
        "The `start_date` of a phase must equal the `end_date` of the phase before it.",
        `${param}[start_date]`,
      );
    }
    if (phase.end !== undefined && phase.length !== undefined) {
      throw invalid("You may only set one of `end_date` and `duration`.", `${param}[end_date]`);
    }
    const following = phase.length === undefined ? asked[index + 1]?.start : undefined;
    const end = phase.end ?? following ?? cyclesAfter(start, phase.length ?? phase.usual, 1);
    if (end <= start) {
      throw invalid("The `end_date` of a phase must be after its start.", `${param}[end_date]`);
    }
    times.push({ start, end });
  });
  return times;
}
