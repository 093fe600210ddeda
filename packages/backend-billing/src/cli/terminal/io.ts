/**
 * What every command has of the world: where it writes, whether a person is looking, the
 * environment, and the exit code. All output passes here, so that secrets are hidden in one place
 * and `--json` means the same everywhere: one JSON value a line on stdout, and nothing else there.
 */
import { stripVTControlCharacters, styleText } from "node:util";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { describeError } from "./describe-error.js";
import { createRedactor } from "./redact.js";

export { EXIT, type ExitCode } from "../exit-codes.js";

type Colour = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

export interface Io {
  /** Values of the process and, after `loadEnv`, of .env files. Never write to `process.env`. */
  readonly env: { [name: string]: string | undefined };
  readonly cwd: string;
  /** Whether `--json` was given. */
  readonly json: boolean;
  /** Whether stdout is a terminal, so that a line may be drawn anew. */
  readonly isTerminal: boolean;
  /** Whether a person can be asked: stdin and stdout are terminals, and it is not `--json`. */
  readonly isInteractive: boolean;
  /** Columns of the terminal; 80 where there is none. */
  readonly width: number;
  /** Lines of the terminal; 24 where there is none. */
  readonly height: number;
  /** Colours the text; leaves it as it is without a terminal or with NO_COLOR. */
  paint(colour: Colour, text: string): string;
  /** A line for people, on stdout; nothing under `--json`. */
  print(line?: string): void;
  /** A line for people, on stderr. */
  warn(line: string): void;
  /** Rows with columns that line up, the first row being the head; nothing under `--json`. */
  table(rows: readonly (readonly string[])[]): void;
  /** A JSON value on a line of its own, under `--json` only. */
  emit(value: object): void;
  /** Bytes as they are: no line end, no `--json`, but no secrets either. For SQL and redrawing. */
  write(text: string): void;
  /** A line that holds a secret on purpose: only for what cannot be seen again otherwise. */
  reveal(line: string): void;
  /** Tells what went wrong and what to do, on stderr or as JSON; sets the exit code. */
  fail(error: unknown): void;
  /** What the process ends with. The highest that was said stays. */
  exit(code: ExitCode): void;
  readonly exitCode: ExitCode;
}

/** What is used of a stream. */
interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

export interface IoParts {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: { readonly isTTY?: boolean };
  readonly env: { readonly [name: string]: string | undefined };
  readonly cwd: string;
  readonly argv: readonly string[];
}

export function createIo({ stdout, stderr, stdin, env: given, cwd, argv }: IoParts): Io {
  const env = { ...given };
  const redact = createRedactor(env);
  const json = argv.includes("--json"); // read here, because wrong arguments are reported as JSON too
  const isTerminal = stdout.isTTY === true;
  const hasColour = isTerminal && !json && !env.NO_COLOR && env.TERM !== "dumb";
  let exitCode: ExitCode = EXIT.ok;
  const io: Io = {
    env,
    cwd,
    json,
    isTerminal: isTerminal && !json,
    isInteractive: isTerminal && stdin.isTTY === true && !json && !env.CI,
    get width() {
      return stdout.columns || 80;
    },
    get height() {
      return stdout.rows || 24;
    },
    paint: (colour, text) =>
      hasColour ? styleText(colour, text, { validateStream: false }) : text,
    print: (line = "") => {
      if (!json) stdout.write(`${visible(redact(line))}\n`);
    },
    warn: (line) => stderr.write(`${visible(redact(line))}\n`),
    table: (rows) => {
      for (const line of aligned(rows)) io.print(line);
    },
    emit: (value) => {
      if (json) stdout.write(`${visible(redact(JSON.stringify(value)))}\n`);
    },
    write: (text) => stdout.write(redact(text)),
    reveal: (line) => stdout.write(`${line}\n`),
    fail: (error) => {
      const described = describeError(error);
      if (json) io.emit({ error: described });
      else {
        io.warn(`${io.paint("red", "✗")} ${described.message}`);
        if (described.todo) io.warn(`  ${described.todo}`);
      }
      io.exit(described.exitCode);
    },
    exit: (code) => {
      exitCode = Math.max(exitCode, code) as ExitCode;
    },
    get exitCode() {
      return exitCode;
    },
  };
  return io;
}

/**
 * Control characters and marks that reorder text, except line ends, tabs and the codes of colours.
 * What comes from Stripe or a database may hold them, and a terminal obeys.
 */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /\u001b(?!\[[\d;]*m)|[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The same text with such characters written as JSON writes them. */
export const visible = (text: string): string =>
  text.replace(
    UNSEEN,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Escape codes take no room on the screen. */
const shown = (text: string): number => stripVTControlCharacters(text).length;

const isNumber = (text: string): boolean => /^[\d.,]+$/.test(stripVTControlCharacters(text));

/** Columns of numbers are flush right, with their head; all others flush left. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const [head = [], ...body] = rows;
  const columns = head.map((_, at) => ({
    width: Math.max(...rows.map((row) => shown(row[at] ?? ""))),
    isRight: body.length > 0 && body.every((row) => isNumber(row[at] ?? "")),
  }));
  return rows.map((row) =>
    columns
      .map(({ width, isRight }, at) => {
        const cell = row[at] ?? "";
        const space = " ".repeat(width - shown(cell));
        return isRight ? space + cell : cell + space;
      })
      .join("  ")
      .trimEnd(),
  );
}
