/**
 * The titles of tests, so that a page or a list that names a test by words of its title can be held to
 * it. It reads files as text and runs nothing.
 */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

/** On a line that begins a test or a group, or ends its table: the first text in brackets. */
const TITLE =
  /^\s*(?:(?:it|describe)\b(?!\.(?:skip|todo)).*?|[\])]+|\] as const\))\(\s*(["`])(.*?)\1/gm;
const SUITE = /from "(\.[^"]*\/support\/[^"]+)\.js"/g;

/** The titles in a test file, and in the suites of `support` that it imports. */
function titlesIn(file: string): readonly string[] {
  const text = readFileSync(file, "utf8");
  const suites = [...text.matchAll(SUITE)].map(([, path]) => resolve(file, "..", `${path}.ts`));
  return [text, ...suites.map((path) => readFileSync(path, "utf8"))].flatMap((each) =>
    [...each.matchAll(TITLE)].map(([, , title = ""]) => title),
  );
}

/** Why a file cannot be named with these words; undefined if one of its titles has them. */
export function missingTitle(file: string, words: string): string | undefined {
  if (!existsSync(file)) return `There is no ${file}`;
  const isThere = titlesIn(file).some((title) => title.includes(words));
  return isThere ? undefined : `No test of ${file} has "${words}" in its title`;
}
