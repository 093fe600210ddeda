/** What a family of attacks is, and how one says that a promise is broken. */
import type { Dice } from "./dice.js";

/**
 * `accepted`: something unsigned was taken. `crash`: an error without a code, an answer 500 or none.
 * `unhandled`: a rejection or an exception that was caught by no one. `rows`: the tables are not what
 * they must be. `broken`: another promise.
 */
export const FAULTS = ["accepted", "crash", "unhandled", "rows", "broken"] as const;
export type Fault = (typeof FAULTS)[number];

/** Thrown by a case or a check whose promise is broken. */
export class Broken extends Error {
  override readonly name = "Broken";
  constructor(
    readonly fault: Fault,
    message: string,
  ) {
    super(message);
  }
}

export interface Family {
  readonly name: string;
  /** How many of a million cases are its own. */
  readonly share: number;
  /** How many cases are tried between two checks. */
  readonly batch: number;
  /** How many cases are under way at once. */
  readonly width: number;
  /** Looks at what is there before the first case. */
  begin?(): Promise<void>;
  /** Tries a case. Answers a word for the table of what came of them. */
  attack(dice: Dice, index: number): Promise<string>;
  /** Looks, after a batch, at what no single case shows. */
  check?(): Promise<void>;
}

/** Something short of any value, for a line that says what broke. */
export function shown(value: unknown, most = 300): string {
  let text: string | undefined;
  try {
    text = typeof value === "string" ? JSON.stringify(value) : JSON.stringify(value, printable);
  } catch {
    text = Object.prototype.toString.call(value);
  }
  return (text ?? String(value)).slice(0, most);
}

const printable = (_: string, value: unknown): unknown => {
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "string" && value.length > 80) return `${value.slice(0, 80)}…`;
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return value === undefined ? "undefined" : value;
};
