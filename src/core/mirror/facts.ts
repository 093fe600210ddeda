/**
 * What a plan depends on. The plan asks for facts one by one; a store answers those that it has read,
 * and is told which are still missing. So every store reads in one general way, and reads nothing
 * that the plan does not need.
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

/** Facts made from one function that is given the name of a fact and what it is about. */
function factsFrom(look: (fact: Fact, of: readonly (string | number)[]) => unknown): Known {
  const entries = NAMES.map((fact) => [fact, (...of: (string | number)[]) => look(fact, of)]);
  return Object.fromEntries(entries) as Known;
}

// No resource, kind or field has a space in it, and at most one value may, so no two are alike.
const keyOf = (fact: Fact, of: readonly (string | number)[]): string => `${fact} ${of.join(" ")}`;

/** The facts that a store has read so far. */
export interface Answers {
  readonly known: Known;
  add<F extends Fact>(fact: F, of: Parameters<Facts[F]>, answer: ReturnType<Facts[F]>): void;
}

export function createAnswers(): Answers {
  const answers = new Map<string, unknown>();
  return {
    known: factsFrom((fact, of) => answers.get(keyOf(fact, of))),
    add: (fact, of, answer) => answers.set(keyOf(fact, of), answer),
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

/** The same facts, noting which were asked for in vain. */
export function noting(known: Known, missing: Map<string, Need>): Known {
  return factsFrom((fact, of) => {
    const answer = (known[fact] as (...of: readonly (string | number)[]) => unknown)(...of);
    if (answer === undefined) missing.set(keyOf(fact, of), { fact, of } as unknown as Need);
    return answer;
  });
}
