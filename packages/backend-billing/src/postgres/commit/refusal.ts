/** Which of PostgreSQL's errors are about what was to be stored, and not about the database. Pure. */
import { unstorable } from "../../core/runtime/commit/set-aside.js";
import { sqlState, UNIQUE_VIOLATION } from "../database.js";

/** By this a write takes itself back; see the writing statement. */
export const DIVISION_BY_ZERO = "22012";

/** Classes of errors that the same content meets again whenever it is sent. */
const CLASSES: { readonly [prefix: string]: string } = {
  "22": "its data has values that PostgreSQL cannot hold",
  "23": "a constraint of the table does not allow it",
  "54": "it is larger than PostgreSQL can index or nest",
};

/** The library's own constraints and indexes; a conflict on those is a race, and passes. */
const isOurs = (constraint: unknown): boolean =>
  typeof constraint !== "string" || constraint.startsWith("backend_billing_");

/** Why the content cannot be stored; undefined if the error says nothing of the kind. */
export function refusalOf(error: unknown): string | undefined {
  const state = sqlState(error);
  if (state === undefined || state === DIVISION_BY_ZERO) return undefined;
  if (state === UNIQUE_VIOLATION && isOurs((error as { constraint?: unknown }).constraint)) {
    return undefined;
  }
  const why = CLASSES[state.slice(0, 2)];
  return why && `PostgreSQL refuses it: ${why} (SQLSTATE ${state}).`;
}

/** The error as the core knows it: refused content by its own code, anything else as it is. */
export function explained(error: unknown): unknown {
  const reason = refusalOf(error);
  return reason === undefined ? error : unstorable(reason, error);
}
