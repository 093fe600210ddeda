/** Words of the old vocabulary: as names in the code, as names of files, and in prose. */
import { basename } from "node:path";
import ts from "typescript";
import type { SourceFile } from "./source.js";

/** In identifiers and file names, part by part: found in `mergeWishes`, not in `footnote`. */
const NAMES = /^(?:doors?|sights?|sighted|told|heard|notes?|noted|wish|wishes|wished|carried)$/i;

/** In comments, and in texts that users may see. */
const PROSE = /\b(?:somebody|whoever|nobody|his)\b/gi;

export interface OldWord {
  readonly path: string;
  readonly line: number;
  readonly word: string;
}

/** `oneTwo_three-four` has four parts. */
const partsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .split(/[^A-Za-z]+/)
    .filter((part) => part !== "");

/** Stripe's own name for a thing. */
const STRIPES = /credit[_ ]?notes?/gi;

const isOld = (name: string): boolean =>
  partsOf(name.replaceAll(STRIPES, "")).some((part) => NAMES.test(part));

/** In the order of their lines. */
export function oldWords({ path, text }: SourceFile): OldWord[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: OldWord[] = [];
  const add = (position: number, word: string) =>
    found.push({ path, line: file.getLineAndCharacterOfPosition(position).line + 1, word });
  const addProse = (from: number, to: number) => {
    for (const { 0: word, index } of text.slice(from, to).matchAll(PROSE)) add(from + index, word);
  };
  // A comment is the leading or trailing one of several nodes.
  const comments = new Map<number, number>();
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return; // a comment like any other
    for (const { pos, end } of [
      ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ]) {
      comments.set(pos, end);
    }
    if (ts.isIdentifier(node) && isOld(node.text)) add(node.getStart(file), node.text);
    if (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) {
      addProse(node.getStart(file), node.end);
    }
    for (const child of node.getChildren(file)) visit(child);
  };

  if (isOld(basename(path))) add(0, basename(path));
  visit(file);
  for (const [from, to] of comments) addProse(from, to);
  return found.sort((a, b) => a.line - b.line);
}
