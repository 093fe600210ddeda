/** Asks the library what is included, and takes of it: each answer beside the oracle's. */
import { isDeepStrictEqual } from "node:util";
import type {
  UsageReads,
  UsageWrites,
} from "../../packages/backend-billing/src/core/usage/usage.js";
import type { Account, Asked } from "./account.js";
import { FEATURES } from "./oracle.js";

interface Means {
  readonly usage: UsageReads & Pick<UsageWrites, "consume">;
  /** What the library goes by, which may be ahead of Stripe's news. Milliseconds. */
  readonly clock: { now: number };
  below(count: number): number;
}

const HOUR = 3_600;

export const entityIdOf = (entity: number): string => `entity_${entity}`;

export function createObserver({ usage, clock, below }: Means) {
  const seen: string[] = [];
  const wrong: string[] = [];
  let [asks, takings] = [0, 0];

  async function ask(account: Account, asked: Asked): Promise<void> {
    asks++;
    clock.now = asked.at;
    const all = await usage.usageOf(entityIdOf(account.entity));
    const must = account.shown(asked);
    for (const feature of FEATURES) {
      const is = all[feature];
      const resetsAt = is?.resetsAt == null ? null : is.resetsAt / 1000;
      const shown = { granted: is?.granted, used: is?.used, resetsAt };
      if (isDeepStrictEqual(shown, must[feature])) continue;
      wrong.push(account.report(feature, asked, shown, must[feature]));
    }
  }

  async function consume(account: Account, asked: Asked): Promise<void> {
    takings++;
    const feature = below(3) === 0 ? "calls" : "credits";
    const { granted, used } = account.shown(asked)[feature];
    const left = granted - used;
    const amount = [1, 1 + below(left + 1), 1 + below(20), left + 1][below(4)] ?? 1;
    clock.now = asked.at;
    const entityId = entityIdOf(account.entity);
    const use = { entityId, feature, amount, key: `taking ${takings}` };
    const { allowed, balance } = await usage.consume(use);
    const isEnough = account.take(asked, feature, amount);
    const must = { allowed: isEnough, balance: left - (isEnough ? amount : 0) };
    const is = { allowed, balance };
    if (isDeepStrictEqual(is, must)) return;
    wrong.push(account.report(`${amount} of ${feature}`, asked, is, must));
  }

  return {
    /**
     * Asks for the second up to which the mirror is settled and around the next boundaries, and often
     * takes. Answers seconds at which to look again.
     */
    async look(account: Account, known: number): Promise<readonly number[]> {
      if (known < account.askedUntil) return [];
      const { until } = account.shareAt({ known, at: known * 1000 });
      seen.push(...account.circumstances(known));
      const ahead = [until * 1000 - 1, until * 1000, (until + below(70 * 24 * HOUR)) * 1000];
      const asked = [known * 1000, ...ahead.filter(() => below(2) === 0)];
      for (const at of asked) await ask(account, { known, at });
      if (below(2) === 0) await consume(account, { known, at: known * 1000 });
      // Sometimes a renewal is used before the mirror has it.
      if (until - known < HOUR && below(2) === 0) {
        const at = (until + below(HOUR)) * 1000;
        account.askedUntil = at / 1000;
        seen.push("taken before the mirror had the renewal");
        await consume(account, { known, at });
        await ask(account, { known, at });
      }
      return [until - 1 - below(HOUR - 1), until + below(3 * HOUR)].filter(() => below(5) === 0);
    },
    outcome: () => ({ looks: asks * FEATURES.length, takings, seen, wrong }),
  };
}
