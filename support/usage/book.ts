/** What the callers of usage know: an account beside the stored one, kept from answers alone. */
import type { UsageBalance } from "../../packages/backend-billing/src/core/usage/usage.js";
import type { UsageLedger } from "./agree.js";
import type { Call } from "./callers.js";

interface Answer {
  readonly allowed?: boolean;
  readonly balance?: number;
  readonly code?: string;
}

export function createBook() {
  const counted = new Map<string, number>();
  const given = new Map<string, number>();
  const wrong: string[] = [];
  const tally = { counted: 0, refused: 0, again: 0 };
  const once = (book: Map<string, number>, name: string, amount: number) => {
    if (book.has(name)) tally.again++;
    else book.set(name, amount);
  };

  return {
    /** A call that has committed, with its answer. */
    enter({ name, args }: Call, answered: unknown): void {
      const answer = (answered ?? {}) as Answer;
      const key = `${args.entityId} ${args.feature} ${args.key}`;
      if ((answer.balance ?? 0) < 0) wrong.push(`${key}: below zero`);
      if (answer.allowed === false || answer.code !== undefined) {
        tally.refused++;
        if (counted.has(key)) wrong.push(`${key}: refused, and was counted before`);
        return;
      }
      if (name === "grant") once(given, key, args.amount);
      if (name === "consume" || name === "track") once(counted, key, args.amount);
      if (name === "finish" && args.amount > 0) once(counted, key, args.amount);
    },
    /** What a page shows. */
    look(shown: { readonly [feature: string]: UsageBalance }): void {
      for (const { granted, used, held, remaining } of Object.values(shown)) {
        if (remaining >= 0 && granted - used - held === remaining) continue;
        wrong.push(`shown: ${granted} - ${used} - ${held} = ${remaining}`);
      }
    },
    /** Compares with what is stored: each key once, with its amount, and no other. */
    close(ledgers: readonly UsageLedger[]) {
      const stored = ledgers.flatMap(({ of, records }) =>
        records.map(({ key, amount }) => [`${of} ${key}`, amount] as const),
      );
      const gifts = ledgers.flatMap(({ of, grants }) =>
        grants.flatMap(({ key, source, original }) =>
          source === "given" ? [[`${of} ${key.replace(/^given /, "")}`, original] as const] : [],
        ),
      );
      wrong.push(...differences("counted", counted, stored), ...differences("given", given, gifts));
      return { wrong, ...tally, counted: counted.size };
    },
  };
}

function differences(
  what: string,
  known: ReadonlyMap<string, number>,
  stored: readonly (readonly [string, number])[],
): string[] {
  const has = new Map(stored);
  return [
    ...stored.flatMap(([key, amount]) =>
      known.get(key) === amount ? [] : [`${what}: ${key} has ${amount}, not ${known.get(key)}`],
    ),
    ...[...known.keys()].flatMap((key) => (has.has(key) ? [] : [`${what}: ${key} is not stored`])),
  ];
}
