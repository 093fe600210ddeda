/** What was told beside what was to be told. */
import type { Telling } from "./log.js";

/** What was told of each object, in its order. */
const sequences = (tellings: readonly Telling[]): Map<string, Telling[]> => {
  const all = new Map<string, Telling[]>();
  for (const each of tellings) {
    const before = all.get(each.about) ?? [];
    all.set(each.about, before);
    before.splice(placeIn(before, each), 0, each);
  }
  return all;
};

const namesOf = (tellings: readonly Telling[] = []): readonly string[] =>
  tellings.map(({ name }) => name);

/** Seconds by which something may be told later than it is to be: time moves by half an hour at once. */
const PUNCTUAL = 3_600;

/** Last, but for what time alone brings in the same second: which of the two is first is left open. */
function placeIn(before: readonly Telling[], { name, at }: Telling): number {
  const last = before.at(-1);
  const isOpen = last?.name === "trial.ending" && Math.floor(last.at) === Math.floor(at);
  return isOpen && name !== "trial.ending" ? before.length - 1 : before.length;
}

/** Where every step was seen: what differs of any object, in the order of that object, or in time. */
export function differences(must: readonly Telling[], is: readonly Telling[]): readonly string[] {
  const [wanted, given] = [sequences(must), sequences(is)];
  return [...new Set([...wanted.keys(), ...given.keys()])].flatMap((about) => {
    const [left, right] = [wanted.get(about) ?? [], given.get(about) ?? []];
    if (agree(left, right) || agree(lasting(left), right)) return [];
    const isSame = namesOf(left).join() === namesOf(right).join();
    const words = (told: readonly Telling[]) =>
      told.map(({ name, at }) => (isSame ? `${name} at ${Math.floor(at)}` : name)).join(", ");
    return `${about}\n    by the log: ${words(left)}\n    told:       ${words(right)}`;
  });
}

const agree = (must: readonly Telling[], is: readonly Telling[]): boolean =>
  namesOf(must).join() === namesOf(is).join() &&
  must.every(({ at }, index) => Math.abs((is[index]?.at ?? Infinity) - at) <= PUNCTUAL);

/** Without access that is gained and lost in one second: what looks later finds that there is none. */
const lasting = (told: readonly Telling[]): readonly Telling[] =>
  told.filter((each, n) => !isMoment(each, told[n + 1]) && !isMoment(told[n - 1], each));

const isMoment = (one: Telling | undefined, next: Telling | undefined): boolean =>
  one?.name === "access.granted" &&
  next?.name === "access.lost" &&
  Math.floor(one.at) === Math.floor(next.at);

/** What comes and what goes again. */
const PAIRS: readonly (readonly [comes: string, goes: string])[] = [
  ["access.granted", "access.lost"],
  ["subscription.started", "subscription.ended"],
  ["subscription.canceling", "subscription.kept"],
  ["subscription.past_due", "subscription.recovered"],
  ["subscription.paused", "subscription.resumed"],
];

/** Told once if it was to be told at all, however few steps were seen. */
const FINAL = ["invoice.paid", "purchase.paid", "customer.linked"];

/** Told at most as often as there was reason to. */
const STEPS: readonly (readonly string[])[] = [
  ["subscription.changed", "subscription.resized"],
  ["invoice.payment_failed"],
  ["refund.created"],
  ["dispute.opened"],
  ["purchase.failed"],
  ["customer.deleted"],
];

/** Where steps were merged: what is told twice in a row, or leaves a listener with what is not so. */
export function contradictions(
  must: readonly Telling[],
  is: readonly Telling[],
): readonly string[] {
  const [wanted, given] = [sequences(must), sequences(is)];
  return [...new Set([...wanted.keys(), ...given.keys()])].flatMap((about) => {
    const [left, right] = [namesOf(wanted.get(about)), namesOf(given.get(about))];
    const wrong = [
      ...believe(right).wrong,
      ...(standing(left) === standing(right) ? [] : [`${standing(right)}, not ${standing(left)}`]),
      ...FINAL.filter((name) => count(left, [name]) !== count(right, [name])),
      ...STEPS.filter((names) => count(left, names) < count(right, names)).map(String),
    ];
    if (wrong.length === 0) return [];
    return `${about}: ${wrong.join("; ")}\n    by the log:   ${left.join(", ")}\n    told in part: ${right.join(", ")}`;
  });
}

const count = (all: readonly string[], names: readonly string[]): number =>
  all.filter((name) => names.includes(name)).length;

/** What a listener believes after all of it, and what it cannot believe. */
function believe(names: readonly string[]): {
  readonly holds: Set<string>;
  readonly wrong: string[];
} {
  const holds = new Set<string>();
  const wrong: string[] = [];
  for (const name of names) {
    for (const [comes, goes] of PAIRS) {
      if (name !== comes && name !== goes) continue;
      if (holds.has(comes) !== (name === goes)) wrong.push(`${name} out of turn`);
      if (name === comes) holds.add(comes);
      else holds.delete(comes);
    }
    if (name === "subscription.ended") holds.clear();
    if (name.startsWith("subscription.") && name !== "subscription.ended") {
      if (!holds.has("subscription.started")) wrong.push(`${name} of what does not run`);
    }
  }
  return { holds, wrong };
}

const standing = (names: readonly string[]): string =>
  [...believe(names).holds].sort().join(" and ") || "nothing";
