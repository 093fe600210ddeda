/**
 * What a plan depends on. The plan asks for facts one by one; a store answers those that it has
 * read, and learns which are still missing. So every store reads in one general way, and reads
 * nothing that the plan does not need.
 */
import type { ResourceName } from "../catalogue/catalogue.js";
import type { Listened, ListenedTo } from "./listening.js";
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
  /**
   * What the application wants to be told of something; null for nothing. Of `erased`: whether any
   * customer was.
   */
  listened(resource: ListenedTo | "erased"): Listened | null;
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
  "listened",
] as const satisfies readonly Fact[];

/** What a fact is about: one to four values, told apart by their place. */
type About = [string, (string | number)?, (string | number)?, (string | number)?];

/** Facts made one by one from the name of each. */
function factsFrom(answer: (fact: Fact) => (...of: About) => unknown): Known {
  return Object.fromEntries(NAMES.map((fact) => [fact, answer(fact)])) as Known;
}

/** By the first value and then by the rest: most have two, and then no text is made of them. */
type ByAbout<T> = Map<string, Map<About[1], T>>;

/** No field has a space, and of the values after the first at most one has. */
const restOf = (b: About[1], c: About[2], d: About[3]): About[1] =>
  c === undefined ? b : `${b} ${c} ${d}`;

/** Those with this first value. */
function under<T>(all: ByAbout<T>, a: string): Map<About[1], T> {
  const known = all.get(a);
  if (known !== undefined) return known;
  const made = new Map<About[1], T>();
  all.set(a, made);
  return made;
}

/** The facts that a store has read so far. */
export interface Answers {
  readonly known: Known;
  add<F extends Fact>(fact: F, of: Parameters<Facts[F]>, answer: ReturnType<Facts[F]>): void;
}

export function createAnswers(): Answers {
  const answers: { [F in Fact]?: ByAbout<unknown> } = {};
  for (const fact of NAMES) answers[fact] = new Map();
  return {
    known: factsFrom((fact) => {
      const own = answers[fact];
      return (a, b, c, d) => own?.get(a)?.get(restOf(b, c, d));
    }),
    add(fact, of, answer) {
      const [a, b, c, d] = of as About;
      const own = answers[fact];
      if (own !== undefined) under(own, a).set(restOf(b, c, d), answer);
    },
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

/** The same facts, with those that were asked for in vain added to `missing`, each once. */
export function noting(known: Known, missing: Need[]): Known {
  return factsFrom((fact) => {
    const ask = known[fact] as (...of: About) => unknown;
    const asked: ByAbout<true> = new Map();
    return (a, b, c, d) => {
      const answer = ask(a, b, c, d);
      if (answer !== undefined) return answer;
      const own = under(asked, a);
      const rest = restOf(b, c, d);
      if (!own.has(rest)) {
        own.set(rest, true);
        const of = [a, b, c, d].filter((each) => each !== undefined);
        missing.push({ fact, of } as unknown as Need);
      }
      return undefined;
    };
  });
}
