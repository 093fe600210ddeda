/** Whether what is stored of usage adds up: the sums of balances, the grants, the holds and the records. */
import { unbooked } from "../../packages/backend-billing/src/core/usage/settle.js";
import type {
  Balance,
  Grant,
  Hold,
  UsageRecord,
} from "../../packages/backend-billing/src/core/usage/wallet.js";

/** Everything of one entity and feature, also what has ended. */
export interface UsageLedger {
  /** Names it. */
  readonly of: string;
  readonly balance: Omit<Balance, "basis">;
  readonly grants: readonly Grant[];
  readonly holds: readonly Hold[];
  readonly records: readonly UsageRecord[];
  /** Sums of what is kept no longer. */
  readonly days?: readonly FoldedDay[];
}

interface FoldedDay {
  readonly amount: number;
  readonly over: number;
  /** What was taken of grants that are kept no longer. */
  readonly booked: number;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

/** Answers what is wrong. */
export function disagreements(ledger: UsageLedger): string[] {
  const { of, balance, grants, holds, records, days = [] } = ledger;
  const live = grants.filter(({ live }) => live);
  const held = holds.filter(({ state }) => state === "held");
  const whole = { balance: { ...balance, basis: "" }, grants, holds };
  const parts = held.flatMap((hold) => hold.parts);
  const equal = (what: string, one: number, other: number) =>
    one === other ? [] : [`${of}: ${what}: ${one}, not ${other}`];
  return [
    ...equal("granted", balance.granted, sum(live.map(({ amount }) => amount))),
    ...equal("held", balance.held, sum(live.map((grant) => grant.held))),
    ...equal("held beyond", balance.heldOver, sum(held.map(({ over }) => over))),
    ...equal(
      "taken of grants",
      sum(grants.map(({ used }) => used)) + unbooked(whole) + sum(days.map(({ booked }) => booked)),
      sum([...records, ...days].map(({ amount, over }) => amount - over)),
    ),
    ...grants.flatMap((grant) => [
      ...equal(
        `held of ${grant.key}`,
        grant.held,
        sum(parts.map(({ grant: key, amount }) => (key === grant.key ? amount : 0))),
      ),
      ...(grant.used >= 0 && grant.held >= 0 && grant.used + grant.held <= grant.amount
        ? []
        : [`${of}: ${grant.key} has given more than it had`]),
    ]),
    ...held.flatMap((hold) =>
      equal(
        `parts of ${hold.key}`,
        sum(hold.parts.map(({ amount }) => amount)) + hold.over,
        hold.amount,
      ),
    ),
    ...(unbooked(whole) >= 0 && balance.used + balance.held <= balance.granted
      ? []
      : [`${of}: below zero`]),
    ...(records.every(({ amount, over }) => over >= 0 && over <= amount) ? [] : [`${of}: records`]),
    ...[grants, holds, records].flatMap((all) => twice(of, all)),
  ];
}

function twice(of: string, all: readonly { readonly key: string }[]): string[] {
  const keys = all.map(({ key }) => key);
  return keys.filter((key, at) => keys.indexOf(key) !== at).map((key) => `${of}: ${key} twice`);
}
