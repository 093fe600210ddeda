/**
 * What a plan depends on. The plan asks for facts one by one; a store answers those that it has
 * read, and learns which are still missing. So every store reads in one general way, and reads
 * nothing that the plan does not need.
 */
import type { ResourceName } from "../catalogue/catalogue.js";
import type { Version } from "./rule.js";
import type { RecordKind, StoredRecord } from "./store.js";

/** Each fact with what it is about, and its answer as of before the batch. */
export interface Facts {
  version(resource: ResourceName, id: string): Version | null;
  /** The content of an object's row; null where there is no row. */
  content(resource: ResourceName, id: string): object | null;
  /** The end of the last complete listing of a resource, in Stripe's seconds. */
  watermark(resource: ResourceName): number | null;
  /** Whether the receipt of an event is there. */
  received(eventId: string): boolean;
  record(kind: RecordKind, id: string): RecordState | null;
  /** The id of a record of this kind that points at `ref`. */
  recordOn(kind: RecordKind, ref: string): string | null;
  /** The ids of rows whose `field` has this value, at most so many; null is the row of nulls. */
  rowsWhere(
    resource: ResourceName,
    field: string,
    value: string,
    limit: number,
  ): readonly (string | null)[];
}

/** A record without its data: a write replaces that. */
export type RecordState = Pick<StoredRecord, "revision" | "ref" | "due">;

export type Fact = keyof Facts;

/** A fact that is missing. */
export type Need<F extends Fact = Fact> = {
  readonly [K in F]: { readonly fact: K; readonly of: Parameters<Facts[K]> };
}[F];

/** The facts as far as they are known; undefined is what was not read. */
export type Known = {
  readonly [F in Fact]: (...of: Parameters<Facts[F]>) => ReturnType<Facts[F]> | undefined;
};

const NAMES = [
  "version",
  "content",
  "watermark",
  "received",
  "record",
  "recordOn",
  "rowsWhere",
] as const satisfies readonly Fact[];

/** What a fact is about: one to four values, told apart by their place. */
type About = [string, (string | number)?, (string | number)?, (string | number)?];

/** Facts made one by one from the name of each. */
function factsFrom(answer: (fact: Fact) => (...of: About) => unknown): Known {
  return Object.fromEntries(NAMES.map((fact) => [fact, answer(fact)])) as Known;
}

/** What a fact is about, as one text. No resource, kind or field has a space, and at most one value has. */
function keyOf(...[a, b, c, d]: About): string {
  if (b === undefined) return a;
  return c === undefined ? `${a} ${b}` : `${a} ${b} ${c} ${d}`;
}

/** The facts that a store has read so far. */
export interface Answers {
  readonly known: Known;
  add<F extends Fact>(fact: F, of: Parameters<Facts[F]>, answer: ReturnType<Facts[F]>): void;
}

export function createAnswers(): Answers {
  const answers = new Map<Fact, Map<string, unknown>>(NAMES.map((fact) => [fact, new Map()]));
  return {
    known: factsFrom((fact) => {
      const own = answers.get(fact);
      return (a, b, c, d) => own?.get(keyOf(a, b, c, d));
    }),
    add: (fact, of, answer) => answers.get(fact)?.set(keyOf(...(of as About)), answer),
  };
}

/** Reads each fact by itself. */
export type Reads = {
  readonly [F in Fact]: (...of: Parameters<Facts[F]>) => Promise<ReturnType<Facts[F]>>;
};

/** Reads the facts that are missing. */
export async function readMissing(
  reads: Reads,
  missing: readonly Need[],
  answers: Answers,
): Promise<void> {
  const read = async <F extends Fact>({ fact, of }: Need<F>) =>
    answers.add(fact, of, await reads[fact](...of));
  await Promise.all(missing.map((need) => read(need)));
}

/** The same facts, with those that were asked for in vain added to `missing`. */
export function noting(known: Known, missing: Map<string, Need>): Known {
  return factsFrom((fact) => {
    const ask = known[fact] as (...of: About) => unknown;
    return (a, b, c, d) => {
      const answer = ask(a, b, c, d);
      if (answer === undefined) {
        const of = [a, b, c, d].filter((each) => each !== undefined);
        missing.set(`${fact} ${keyOf(a, b, c, d)}`, { fact, of } as unknown as Need);
      }
      return answer;
    };
  });
}
