/** Findings for people: errors first, each with its fix; then what was looked at and is right. */
import type { Io } from "../terminal/io.js";
import type { Facts } from "./facts.js";
import type { Finding } from "./finding.js";

export function printFindings(io: Io, facts: Facts, findings: readonly Finding[]): void {
  const errors = findings.filter(({ severity }) => severity === "error");
  const warnings = findings.filter(({ severity }) => severity === "warning");
  for (const finding of [...errors, ...warnings]) printFinding(io, finding);
  const checked = checkedOf(facts);
  if (checked.length > 0) io.print(io.paint("dim", `Looked at: ${checked.join(", ")}.`));
  if (findings.length === 0) io.print(`${io.paint("green", "✓")} Everything is as it should be.`);
  else io.print(`${counted(errors.length, "error")}, ${counted(warnings.length, "warning")}.`);
}

function printFinding(io: Io, { code, severity, what, fix }: Finding): void {
  const mark = severity === "error" ? io.paint("red", "✗") : io.paint("yellow", "!");
  io.print(`${mark} ${io.paint("bold", code)}`);
  for (const line of wrapped(what, io.width - 4)) io.print(`    ${line}`);
  const [first = "", ...rest] = wrapped(fix, io.width - 6);
  io.print(`  ${io.paint("cyan", "→")} ${first}`);
  for (const line of rest) io.print(`    ${line}`);
  io.print();
}

const counted = (count: number, word: string): string =>
  `${count} ${word}${count === 1 ? "" : "s"}`;

/** What could be read; a finding covers the rest. */
function checkedOf({ stripe, database, webhook, address }: Facts): string[] {
  const answers = stripe?.state === "answers" ? stripe : undefined;
  return [
    ...(answers ? ["key", "clock"] : []),
    ...(answers?.endpoints && address.state === "given" ? ["webhook endpoint"] : []),
    ...(webhook?.signed.state === "answered" ? ["webhook route"] : []),
    ...(database?.state === "answers" ? ["database"] : []),
    ...(answers?.portals ? ["portal"] : []),
  ];
}

/** Words in lines of at most so many characters; a word is never cut, so that it can be copied. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
