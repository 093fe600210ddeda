/** What a part of the statement of a commit is. */
import type { List, Parameters } from "../store/statement.js";
import type { Part, Writes } from "./writes.js";

/**
 * A part of the statement. PostgreSQL would run the parts in an order of its own, and two commits
 * that lock the same things in different orders can block each other for ever; so each waits for
 * those before it. Where rows are counted, nothing that follows happens unless all are there.
 */
export interface PartText {
  readonly counted?: boolean;
  /** What must hold for this part to do anything is given to it as `ready`. */
  sql(into: Filling, ready: string, has: (part: Part) => boolean): string;
}

/** The parameters, with moments that are added when first named: PostgreSQL refuses unused ones. */
export interface Filling extends Parameters<Writes> {
  readonly now: () => string;
  /** A list of what is written. */
  list<T>(of: (writes: Writes) => readonly T[] | undefined): List<Writes, T>;
}
