/** A finding: an entry of the catalogue with its blanks filled in. Pure. */
import { type Code, catalogue, type Details, type Severity } from "./catalogue.js";
import type { Commands } from "./commands.js";

export interface Finding {
  readonly code: Code;
  readonly severity: Severity;
  readonly what: string;
  readonly fix: string;
}

/** The values that a finding needs beside the platform's commands. */
export type Blanks<C extends Code> = Omit<Details<C>, keyof Commands>;

export type Find = <C extends Code>(
  code: C,
  ...blanks: keyof Blanks<C> extends never ? [] : [Blanks<C>]
) => Finding;

/** Makes findings whose fixes name these commands. */
export const finder =
  (commands: Commands): Find =>
  (code, ...[blanks]) => {
    const known: { readonly [name: string]: string | number } = { ...commands, ...blanks };
    const fill = (text: string) =>
      text.replace(/\{(\w+)\}/g, (blank, name) => String(known[name] ?? blank));
    const { severity, what, fix } = catalogue[code];
    return { code, severity, what: fill(what), fix: fill(fix) };
  };
