/**
 * The code blocks of a page, and what a reader does with them. A block whose first line is a comment
 * with nothing but a file's name is that file; any other block of `sh` is typed into a terminal.
 */
export interface Block {
  readonly language: string;
  readonly code: string;
  /** The file that the block is, such as `convex/http.ts`. */
  readonly file: string | undefined;
  /** Where it begins, from 1. */
  readonly line: number;
}

const FENCE = /^```(\w+)[^\n]*\n([\s\S]*?)^```/gm;
const FILE = /^(?:\/\/|#) ((?:[\w.[\]-]+\/)*[\w+-]*\.[\w.]+)\n/;

export function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(FENCE)].map((match) => {
    const code = match[2] ?? "";
    return {
      language: match[1] ?? "",
      code,
      file: FILE.exec(code)?.[1],
      line: markdown.slice(0, match.index).split("\n").length,
    };
  });
}
