/** When money arrives: banks work from Monday to Friday. */

const DAY = 86_400;

/** The second working day after, when it begins, UTC. */
export function secondWorkingDay(now: number): number {
  let day = Math.floor(now / DAY);
  for (let left = 2; left > 0; ) {
    day++;
    const weekday = new Date(day * DAY * 1000).getUTCDay();
    if (weekday !== 0 && weekday !== 6) left--;
  }
  return day * DAY;
}
