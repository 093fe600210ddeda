// Random usage on Convex, under `convex-test`: callers have mutations of one to three calls each, whose
// attempts run in a random order. As Convex does where a mutation meets a conflict, some attempts are
// taken back at their end and run again, after others; some callers do not learn that theirs has
// committed and repeat it. Meanwhile time passes, and subscriptions change. One seed gives one history.

import { usageBy } from "../../packages/backend-billing/src/convex/usage/usage.js";
import { billingErrorOf } from "../../packages/backend-billing/src/core/runtime/errors.js";
import { stream } from "../../packages/stripe-double/src/world/random.js";
import { disagreements, type UsageLedger } from "../usage/agree.js";
import { createBook } from "../usage/book.js";
import { type Call, type Callers, createCallers } from "../usage/callers.js";
import { catalogue } from "../usage/world.js";
import { deployUsage, type LocalUsage, type UsageDeployment } from "./usage.js";

export interface RandomUsage {
  readonly calls: number;
  readonly seed: number | string;
}

export interface RandomUsageDone {
  readonly wrong: readonly string[];
  readonly tally: { readonly [what: string]: number };
}

/** Of one history: `convex-test` has no indexes, so that a long one is slow. */
const MOST_CALLS = 500;
const ENTITIES = 6;
/** Mutations that are under way. */
const CALLERS = 16;
const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 15, 12);

type Context = Parameters<LocalUsage["consume"]>[0];
type Deployed = UsageDeployment & { readonly local: LocalUsage };

/** A mutation, and how often it is still to be taken back, or to be repeated by its caller. */
interface UnderWay {
  readonly calls: readonly Call[];
  conflicts: number;
  repeats: number;
}

/** As many histories as the calls take. */
export async function randomUsage({ calls, seed }: RandomUsage): Promise<RandomUsageDone> {
  const wrong: string[] = [];
  const tally: { [what: string]: number } = {};
  for (let first = 0; first < calls; first += MOST_CALLS) {
    const one = { calls: Math.min(MOST_CALLS, calls - first), seed: `${seed} ${first}` };
    const done = await history(one);
    wrong.push(...done.wrong.map((each) => `${one.seed}: ${each}`));
    for (const [what, count] of Object.entries(done.tally))
      tally[what] = (tally[what] ?? 0) + count;
  }
  return { wrong, tally };
}

async function history(options: RandomUsage): Promise<RandomUsageDone> {
  const next = stream("random usage", options.seed);
  const below = (count: number) => Math.floor(next() * count);
  const clock = { now: START };
  const local = usageBy(catalogue, { now: () => clock.now });
  const kit: Deployed = { ...deployUsage(local, clock), local };
  const callers = createCallers({ below, clock, entities: ENTITIES });
  const book = createBook();
  const tally = { calls: 0, mutations: 0, conflicts: 0, repeats: 0, changes: 0 };

  const attempt = async (under: UnderWay): Promise<boolean> => {
    const answers = await mutation(kit, under.calls, under.conflicts > 0);
    tally.mutations++;
    if (answers === undefined) {
      tally.conflicts++;
      under.conflicts--;
      return false;
    }
    for (const [at, call] of under.calls.entries()) {
      book.enter(call, answers[at]);
      callers.learn(call, answers[at]);
    }
    if (under.repeats === 0) return true;
    tally.repeats++;
    under.repeats--;
    return false;
  };
  const begin = (): UnderWay => {
    const calls = Array.from({ length: 1 + below(3) }, callers.draw);
    tally.calls += calls.length;
    return { calls, conflicts: Math.max(0, below(5) - 2), repeats: below(8) === 0 ? 1 : 0 };
  };

  const underWay: UnderWay[] = [];
  while (underWay.length > 0 || tally.calls < options.calls) {
    while (underWay.length < CALLERS && tally.calls < options.calls) underWay.push(begin());
    const at = below(underWay.length);
    if (await attempt(underWay[at] as UnderWay)) underWay.splice(at, 1);
    if (below(3) === 0) clock.now += below(16 * HOUR);
    if (below(25) === 0) tally.changes += await change(kit, callers, below);
    if (below(10) === 0) book.look(await kit.usage.usageOf(callers.entity()));
  }
  const ledgers = await ledgersIn(kit);
  const days = Math.round((clock.now - START) / (24 * HOUR));
  const { wrong, ...entered } = book.close(ledgers);
  const all = [...wrong, ...ledgers.flatMap(disagreements)];
  return { wrong: all, tally: { ...tally, ...entered, days } };
}

const CONFLICT = "Another mutation has changed what this one read.";

/** The answers of its calls, or undefined where all of it was taken back. */
async function mutation(
  kit: Deployed,
  calls: readonly Call[],
  isConflict: boolean,
): Promise<readonly unknown[] | undefined> {
  try {
    return await kit.app.test.mutation(async (ctx) => {
      const answers: unknown[] = [];
      for (const call of calls) answers.push(await answered(ctx, kit, call));
      if (isConflict) throw new Error(CONFLICT);
      return answers;
    });
  } catch (error) {
    if (error instanceof Error && error.message === CONFLICT) return undefined;
    throw error;
  }
}

/** A refusal that is thrown is an answer too: the application catches it. */
async function answered(
  ctx: Context,
  { local, clock }: Deployed,
  { name, args, lasts }: Call,
): Promise<unknown> {
  const all = lasts === undefined ? args : { ...args, expiresAt: clock.now + lasts };
  try {
    return (await local[name](ctx, all as never)) ?? null;
  } catch (error) {
    const code = billingErrorOf(error)?.code;
    if (code !== "limit_reached") throw error;
    return { code };
  }
}

/** A subscription begins, changes or ends. The mirror has its period as of now. */
async function change(
  { subscribe, clock }: UsageDeployment,
  callers: Callers,
  below: (count: number) => number,
): Promise<number> {
  const at = new Date(clock.now);
  const month = at.getUTCMonth() - (at.getUTCDate() < 10 ? 1 : 0);
  const from = Date.UTC(at.getUTCFullYear(), month, 10);
  const until = Date.UTC(at.getUTCFullYear(), month + 1, 10);
  const plan = below(3) === 0 ? "team" : "pro";
  const status = ["active", "active", "active", "past_due", "canceled"][below(5)] as string;
  await subscribe(callers.entity(), { plan, status, from, until });
  return 1;
}

/** Everything that is stored, by entity and feature. */
function ledgersIn({ app }: UsageDeployment): Promise<readonly UsageLedger[]> {
  return app.test.query(async ({ db }) => {
    const [balances, grants, holds, records] = await Promise.all([
      db.query("backend_billing_usage_balances").collect(),
      db.query("backend_billing_usage_grants").collect(),
      db.query("backend_billing_usage_holds").collect(),
      db.query("backend_billing_usage_records").collect(),
    ]);
    return balances.map((balance) => {
      const isOwn = (each: { entityId: string; feature: string }) =>
        each.entityId === balance.entityId && each.feature === balance.feature;
      return {
        of: `${balance.entityId} ${balance.feature}`,
        balance,
        grants: grants.filter(isOwn),
        holds: holds.filter(isOwn),
        records: records.filter(isOwn),
      };
    });
  });
}
