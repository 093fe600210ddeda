/** Tries the cases of families, one batch after another, and counts what came of them. */
import { diceOf } from "./dice.js";
import { Broken, FAULTS, type Family, type Fault } from "./family.js";

export interface Tally {
  readonly family: string;
  cases: number;
  milliseconds: number;
  readonly answers: Map<string, number>;
  readonly faults: { [fault in Fault]: number };
}

export interface Running {
  readonly seed: string;
  /** Is told of everything that is broken. */
  report(line: string): void;
  /** Rejections and exceptions that were caught by no one, since it was asked last. */
  unhandled(): readonly string[];
}

/** For a case; those of rows compare everything. */
const PATIENCE = 300_000;

export async function runFamily(
  family: Family,
  indexes: readonly number[] | number,
  { seed, report, unhandled }: Running,
): Promise<Tally> {
  const tally: Tally = {
    family: family.name,
    cases: 0,
    milliseconds: 0,
    answers: new Map(),
    faults: Object.fromEntries(FAULTS.map((fault) => [fault, 0])) as Tally["faults"],
  };
  const count = typeof indexes === "number" ? indexes : indexes.length;
  const indexAt = (at: number) => (typeof indexes === "number" ? at : (indexes[at] ?? 0));
  await family.begin?.();
  const began = Date.now();
  const broken = (error: unknown, where: string): void => {
    const fault = error instanceof Broken ? error.fault : "crash";
    const what =
      error instanceof Broken ? error.message : ((error as Error).stack ?? String(error));
    tally.faults[fault]++;
    const all = Object.values(tally.faults).reduce((sum, each) => sum + each, 0);
    if (all <= 20) report(`✗ ${family.name} ${where}: ${fault}: ${what}`);
  };
  for (let from = 0; from < count; from += family.batch) {
    const to = Math.min(count, from + family.batch);
    let at = from;
    const work = async (): Promise<void> => {
      while (at < to) {
        const index = indexAt(at++);
        tally.cases++;
        try {
          const said = await inTime(
            family.attack(diceOf("attack", seed, family.name, index), index),
          );
          tally.answers.set(said, (tally.answers.get(said) ?? 0) + 1);
        } catch (error) {
          broken(error, `case ${index}`);
        }
      }
    };
    await Promise.all(Array.from({ length: family.width }, work));
    const cases = `cases ${indexAt(from)} to ${indexAt(to - 1)}`;
    await family.check?.().catch((error: unknown) => broken(error, cases));
    for (const each of unhandled()) broken(new Broken("unhandled", each), cases);
  }
  tally.milliseconds = Date.now() - began;
  return tally;
}

async function inTime(call: Promise<string>): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Broken("crash", "No answer in five minutes")), PATIENCE);
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}
