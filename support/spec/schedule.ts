/** When a job runs, on whatever platform, and how long it may be until it does. */

/** An interval, or a cron expression of five fields in UTC. */
export type Schedule = { readonly milliseconds: number } | { readonly cron: string };

export const MINUTE = 60_000;
export const DAY = 1440 * MINUTE;

/** Three years without a 29 February, which a job that keeps data current cannot wait for. */
const FROM = Date.UTC(2025, 0, 1);
const UNTIL = Date.UTC(2028, 0, 1);

/** Each field of a cron expression: its smallest and its largest value. */
const FIELDS = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
] as const;

/** The longest time between two runs, in milliseconds; endless for a job that never runs. */
export function longestGap(schedule: Schedule): number {
  if ("milliseconds" in schedule) return schedule.milliseconds;
  const [minutes, hours, days, months, weekdays] = valuesOf(schedule.cron);
  let longest = 0;
  let last = FROM;
  for (let day = FROM; day < UNTIL; day += DAY) {
    const date = new Date(day);
    if (!months.has(date.getUTCMonth() + 1)) continue;
    if (!days.has(date.getUTCDate()) || !weekdays.has(date.getUTCDay())) continue;
    for (const hour of hours) {
      for (const minute of minutes) {
        const at = day + (hour * 60 + minute) * MINUTE;
        longest = Math.max(longest, at - last);
        last = at;
      }
    }
  }
  return last === FROM && longest === 0
    ? Number.POSITIVE_INFINITY
    : Math.max(longest, UNTIL - last);
}

type Values = Set<number>;

/** The values of each field, ascending. */
function valuesOf(cron: string): [Values, Values, Values, Values, Values] {
  const fields = cron.trim().split(/\s+/);
  if (fields.length !== FIELDS.length) throw new Error(`Not a cron expression: ${cron}`);
  const sets = FIELDS.map(([min, max], index) => {
    const all = (fields[index] ?? "").split(",").flatMap((part) => {
      const found = /^(?:\*|(?<from>\d+)(?:-(?<to>\d+))?)(?:\/(?<step>\d+))?$/.exec(part)?.groups;
      if (found === undefined) throw new Error(`Not a cron expression: ${cron}`);
      const from = Number(found.from ?? min);
      const to = Number(found.to ?? found.from ?? max);
      const step = Number(found.step ?? 1);
      return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, n) => from + n * step);
    });
    return new Set(all.sort((one, other) => one - other));
  });
  return sets as [Values, Values, Values, Values, Values];
}
