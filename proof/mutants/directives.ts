/**
 * Mutants stand in comments at the code that they break:
 *
 *   // mutant "compare-and-set dropped"
 *   if (revision !== snapshot.askedAt) return { act: "retry" };
 *
 *   // mutant "no watchdog": 30_000 -> 1_800_000
 *   const LEASE = 30_000;
 *
 * A directive is about the largest piece of code that begins right after the comment: that piece is
 * removed, or what stands before the arrow, which must be in it once, becomes what stands behind.
 * Several directives may share a name: they are one mutant. This file finds directives and applies
 * them; it neither reads nor writes files.
 */
import ts from "typescript";

export interface Directive {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  /** Where the changed text begins and ends in the file. */
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
const DIRECTIVE = /^\/\/ mutant "([^"]+)"(?:: (\S.*?) ->(?: (.*\S))?)?\s*$/;

/** The directives of a file, in order. Throws, naming the line, if one of them cannot be applied. */
export function directivesIn(file: string, text: string): readonly Directive[] {
  if (!/\bmutant\b/i.test(text)) return [];
  const source = parsed(file, text);
  const found: Directive[] = [];
  for (const { comment, pos, next } of commentsOf(source)) {
    if (!/^(?:\/\/|\/\*)\s*mutant\b/i.test(comment)) continue;
    const line = source.getLineAndCharacterOfPosition(pos).line + 1;
    const refuse = (reason: string): never => {
      throw new Error(`${file}:${line}: ${reason}: ${comment}`);
    };
    const [, name = "", old, after = ""] =
      DIRECTIVE.exec(comment) ??
      refuse('It is `// mutant "name"` or `// mutant "name": old -> new`');
    const node = outermostAt(source, next) ?? refuse("No piece of code begins after this comment");
    const piece = text.slice(next, node.end);
    const changed = old === undefined ? [wholeOf(text, next, node.end)] : placesOf(old, piece);
    const [{ index: offset, 0: before } = refuse("Its text is not in the code below"), another] =
      changed;
    if (another !== undefined) refuse("Its text is in the code below more than once");
    const start = next + offset;
    found.push({ name, file, line, start, end: start + before.length, before, after });
  }
  for (const mutant of new Set(found.map(({ name }) => name))) {
    check(
      source,
      found.filter(({ name }) => name === mutant),
    );
  }
  return found;
}

/** The text with these directives applied, which are all of this text. */
export function mutated(text: string, directives: readonly Directive[]): string {
  let result = text;
  let last = text.length;
  for (const each of [...directives].sort((a, b) => b.start - a.start)) {
    const { name, file, line, start, end, after } = each;
    if (end > last) throw new Error(`${file}:${line}: "${name}" changes the same code twice`);
    result = result.slice(0, start) + after + result.slice(end);
    last = start;
  }
  return result;
}

/** A mutant must parse, change something, and use no name that is not there. */
function check(source: ts.SourceFile, directives: readonly Directive[]): void {
  const { fileName: file, text } = source;
  const made = mutated(text, directives);
  const problem =
    problemOf(file, made) ??
    (codeOf(made) === codeOf(text) ? "it changes nothing" : undefined) ??
    unknownIn(parsed(file, made), source);
  const [{ line, name } = { line: 0, name: "" }] = directives;
  if (problem !== undefined) throw new Error(`${file}:${line}: mutant "${name}": ${problem}`);
}

/** A piece of code, and the comma after it. */
function wholeOf(text: string, start: number, end: number): { 0: string; index: number } {
  const comma = /^\s*,/.exec(text.slice(end))?.[0] ?? "";
  return { 0: text.slice(start, end) + comma, index: 0 };
}

/** Where a text stands in a piece of code, whatever the spaces and the lines. */
function placesOf(old: string, piece: string): readonly { 0: string; index: number }[] {
  const escaped = old.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(/\s+/g, "\\s+");
  return [...piece.matchAll(new RegExp(escaped, "g"))];
}

const parsed = (file: string, text: string): ts.SourceFile =>
  ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);

/** Every comment outside of JSDoc, and where the code after it begins. */
function* commentsOf(source: ts.SourceFile) {
  for (const token of tokensOf(source)) {
    const next = token.getStart(source);
    const trivia = source.text.slice(token.pos, next);
    for (const { 0: comment, index } of trivia.matchAll(COMMENT)) {
      yield { comment, pos: token.pos + index, next };
    }
  }
}

function* tokensOf(source: ts.SourceFile, node: ts.Node = source): Generator<ts.Node> {
  const children = node.getChildren(source).filter((child) => !ts.isJSDoc(child));
  if (children.length === 0 && node.kind !== ts.SyntaxKind.SyntaxList) yield node;
  for (const child of children) yield* tokensOf(source, child);
}

function outermostAt(source: ts.SourceFile, start: number): ts.Node | undefined {
  // A file and a part of a template begin with what is in them, and go on behind it.
  const isPiece = (node: ts.Node) =>
    node !== source && node !== source.endOfFileToken && !ts.isTemplateSpan(node);
  const find = (node: ts.Node): ts.Node | undefined =>
    isPiece(node) && node.getStart(source) === start ? node : ts.forEachChild(node, find);
  return find(source);
}

/** Why the text does not parse. */
function problemOf(file: string, text: string): string | undefined {
  const { diagnostics = [] } = ts.transpileModule(text, {
    fileName: file,
    reportDiagnostics: true,
    compilerOptions: OPTIONS,
  });
  const [first] = diagnostics;
  return first && ts.flattenDiagnosticMessageText(first.messageText, " ");
}

const OPTIONS = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  removeComments: true,
};
const codeOf = (text: string) => ts.transpileModule(text, { compilerOptions: OPTIONS }).outputText;

/**
 * What a mutated file uses and neither the file nor the platform has: after a renaming, a mutant
 * would otherwise be caught for a name that does not exist.
 */
function unknownIn(made: ts.SourceFile, source: ts.SourceFile): string | undefined {
  const names = identifiersOf(made);
  const foreign = new Set(
    names.filter(({ parent }) => ts.isImportSpecifier(parent)).map(({ text }) => text),
  );
  const isForeign = (text: string) => foreign.has(text) || text in globalThis;
  const isGiven = ({ parent, text }: ts.Identifier) =>
    isForeign(text) ||
    (ts.isPropertyAccessExpression(parent) && isForeign(parent.expression.getText(made))) ||
    ((ts.isPropertyAssignment(parent) || ts.isParameter(parent)) && parent.name.getText() === text);
  const given = [...identifiersOf(source), ...names.filter(isGiven)];
  const known = new Set(given.map(({ text }) => text));
  const unknown = names.find(({ text }) => !known.has(text));
  return unknown && `the file does not know ${unknown.text}`;
}

function identifiersOf(source: ts.SourceFile): ts.Identifier[] {
  return [...tokensOf(source)].filter(ts.isIdentifier);
}
