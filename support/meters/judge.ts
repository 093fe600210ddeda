/** What Stripe has counted, beside what was used: each unit once, unless its batch was reported. */
import type { Keep } from "./keep.js";
import { RENEWAL, type Shop } from "./shop.js";

const MINUTE = 60_000;
const DAY = 86_400_000;

export interface Judged {
  readonly wrong: readonly string[];
  readonly units: number;
  readonly reported: number;
  readonly late: number;
}

/** Everything was worked off, and the clock has gone on a little since. */
export async function judge(shop: Shop): Promise<Judged> {
  const wrong: string[] = [];
  const used = await shop.keep.used();
  const kept = await shop.keep.batches();
  const uncounted = new Set<string>();
  for (const { id, due, data } of kept) {
    if (due !== null || data.problem === undefined) wrong.push(`${id} is still under way`);
    if (data.problem === "late") continue;
    if (data.problem !== "missing") wrong.push(`${id} is reported as ${data.problem}`);
    const from = Math.floor((data.timestamp * 1000) / MINUTE) * MINUTE;
    const counted = await countedIn(shop, data.customerId, from, from + MINUTE);
    if (counted !== 0) wrong.push(`${id} is reported as missing, and ${counted} were counted`);
    uncounted.add(id);
  }
  for (const [entityId, customer] of shop.customers) {
    const own = used.filter((each) => each.entityId === entityId);
    for (const { from, until, name } of spans(shop.double.clock.now())) {
      const units = own.filter(({ at, batch }) => {
        if (batch === null) wrong.push(`${entityId} has usage that was never sent`);
        return at >= from && at < until && !uncounted.has(batch ?? "");
      });
      const ours = units.reduce((sum, { over }) => sum + over, 0);
      const [whole, end] = [Math.ceil(from / MINUTE) * MINUTE, Math.floor(until / MINUTE) * MINUTE];
      const counted = await countedIn(shop, customer, whole, end);
      if (counted !== ours) wrong.push(`${entityId} ${name}: ${counted} counted of ${ours}`);
    }
  }
  return {
    wrong: [...new Set(wrong)],
    units: used.reduce((sum, { over }) => sum + over, 0),
    reported: uncounted.size,
    late: kept.filter(({ data }) => data.problem === "late").length,
  };
}

/** The days, of which the renewal parts one; and all of it. */
function spans(now: number) {
  const first = RENEWAL - (RENEWAL % DAY) - 5 * DAY;
  const last = now - (now % DAY) + DAY;
  const cuts = [RENEWAL, last];
  for (let day = first; day < last; day += DAY) cuts.push(day);
  cuts.sort((a, b) => a - b);
  const parts = cuts.slice(1).map((until, at) => ({ from: cuts[at] ?? 0, until }));
  return [...parts, { from: first, until: last }].map((span) => ({
    ...span,
    name: `${new Date(span.from).toISOString()} to ${new Date(span.until).toISOString()}`,
  }));
}

async function countedIn(shop: Shop, customer: string, from: number, until: number) {
  const span = { customer, start_time: from / 1000, end_time: until / 1000 };
  const { data } = await shop.stripe.billing.meters.listEventSummaries(shop.meterId, span);
  return data.reduce((sum, { aggregated_value }) => sum + aggregated_value, 0);
}

/** Whether anything is left to do. */
export async function isLeft({ used, batches }: Keep): Promise<boolean> {
  if ((await used()).some(({ batch }) => batch === null)) return true;
  return (await batches()).some(({ due }) => due !== null);
}
