/** The table: on the terminal, and as the page docs/torture.md. */
import type { Family, Outcome } from "./scenario.js";
import type { Subject } from "./subject.js";

/** By subject, by scenario. */
export type Results = {
  [subject: string]: { [scenario: string]: { outcome: Outcome; seconds: number } };
};

export interface Report {
  readonly subjects: readonly Subject[];
  readonly families: readonly Family[];
  readonly results: Results;
  /** When and where it was run. */
  readonly circumstances: string;
}

const WORDS = { pass: "pass", fail: "FAIL", "not offered": "-", "not run": "not run" };
const SYMBOLS = { pass: "✓", fail: "✗", "not offered": "–", "not run": "·" };

function count(report: Report, { name }: Subject, result: Outcome["result"]): number {
  const outcomes = Object.values(report.results[name] ?? {});
  return outcomes.filter(({ outcome }) => outcome.result === result).length;
}

export function terminal(report: Report): string {
  const { subjects, families, results } = report;
  const scenarios = families.flatMap((family) =>
    family.scenarios.map(({ name }) => `${family.name}/${name}`),
  );
  const shown = scenarios.filter((id) => subjects.some(({ name }) => results[name]?.[id]));
  const first = Math.max(...shown.map((id) => id.length)) + 2;
  const widths = subjects.map(({ name }) => Math.max(name.length, 7) + 2);
  const row = (head: string, cells: readonly string[]) =>
    `${head.padEnd(first)}${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("")}`.trimEnd();
  const cell = (subject: Subject, id: string) => {
    const outcome = results[subject.name]?.[id]?.outcome;
    return outcome === undefined ? "" : WORDS[outcome.result];
  };
  return [
    row(
      "",
      subjects.map(({ name }) => name),
    ),
    ...shown.map((id) =>
      row(
        id,
        subjects.map((subject) => cell(subject, id)),
      ),
    ),
    "",
    ...subjects.map(
      (subject) =>
        `${subject.name}: ${count(report, subject, "pass")} pass, ${count(report, subject, "fail")} FAIL, ${count(report, subject, "not offered")} not offered, ${count(report, subject, "not run")} not run`,
    ),
  ].join("\n");
}

export function markdown(report: Report): string {
  const { families, circumstances } = report;
  const scenarios = families.reduce((total, family) => total + family.scenarios.length, 0);
  return `<!-- Written by \`npm run torture\`. Do not edit. -->
# The torture suite

${scenarios} histories in ${families.length} families, of the kinds that leave wrong billing data behind. Each is played against the [double of Stripe](./stripe-double.md): real HTTP, the real \`stripe\` package, real signed
webhooks, on a clock that is the wall clock. In the end, what Stripe shows is compared with what the
subject's tables say: every object, in the fields that the subject keeps, and in our case in every field.
In the family of reactions it is what an application was told by hooks that is judged, and in that of
usage what is left to use.

Run it yourself:

\`\`\`sh
npm run torture                             # everything, with the peers; writes this page
npm run torture -- --subject ours           # this library only; needs no other install
npm run torture -- --scenario same-second   # some scenarios
\`\`\`

A scenario is ten to thirty lines in [proof/torture/scenarios](../proof/torture/scenarios), and each subject is one
file in [proof/torture/subjects](../proof/torture/subjects) that drives it through its own public interface, with
the settings that its documentation recommends. If one of them is driven badly, that is a mistake of
ours: [the README](../proof/torture/README.md) says how to correct it.

## Subjects

${subjectTable(report)}

✓ as Stripe shows it · ✗ wrong · – not offered: the subject does not claim to do this · (·) not run, for
the reason given

${circumstances}

## Results

${families.map((family) => familySection(report, family)).join("\n\n")}
`;
}

/** A, B, C and so on: columns are narrow. */
const letter = (index: number) => String.fromCharCode(65 + index);

function subjectTable(report: Report): string {
  const lines = report.subjects.map((subject, index) => {
    const cells = [
      letter(index),
      subject.title,
      subject.version(),
      subject.how,
      String(count(report, subject, "pass")),
      String(count(report, subject, "fail")),
      String(count(report, subject, "not offered")),
      String(count(report, subject, "not run")),
    ];
    return `| ${cells.join(" | ")} |`;
  });
  return [
    "| | subject | version | how it is run | ✓ | ✗ | – | · |",
    "|---|---|---|---|---|---|---|---|",
    ...lines,
  ].join("\n");
}

function familySection({ subjects, results }: Report, family: Family): string {
  const outcomeOf = (subject: Subject, scenario: string) =>
    results[subject.name]?.[`${family.name}/${scenario}`]?.outcome;
  const rows = family.scenarios.map(({ name, what, must }) => {
    const cells = subjects.map((subject) => SYMBOLS[outcomeOf(subject, name)?.result ?? "not run"]);
    return `| **${name}** ${what} *${must}* | ${cells.join(" | ")} |`;
  });
  const notes = family.scenarios.flatMap(({ name }) => {
    const wrong = subjects.flatMap((subject, index) => {
      const outcome = outcomeOf(subject, name);
      if (outcome?.result === "fail") return [`${letter(index)}: ${plain(outcome.wrong)}`];
      if (outcome?.result === "not run") return [`${letter(index)}: not run, ${outcome.why}`];
      return [];
    });
    return wrong.length === 0 ? [] : [`- ${name}. ${together(wrong).join("; ")}.`];
  });
  return [
    `### ${family.title}`,
    family.why,
    [
      `| | ${subjects.map((_, index) => letter(index)).join(" | ")} |`,
      `|---|${subjects.map(() => ":-:").join("|")}|`,
      ...rows,
    ].join("\n"),
    ...(notes.length === 0
      ? []
      : [`<details><summary>What was wrong</summary>\n\n${notes.join("\n")}\n\n</details>`]),
  ].join("\n\n");
}

/** Table and list syntax taken out of a reason. */
const plain = (text: string) =>
  text.replaceAll("|", "/").replaceAll("`", "'").replaceAll("<", "‹").replaceAll("\n", " ");

/** Subjects that failed in the same way share a line. */
function together(reasons: readonly string[]): string[] {
  const bySubject = new Map<string, string[]>();
  for (const reason of reasons) {
    const [subject = "", text = ""] = [reason.slice(0, 1), reason.slice(3)];
    bySubject.set(text, [...(bySubject.get(text) ?? []), subject]);
  }
  return [...bySubject].map(([text, names]) => `${names.join(", ")}: ${text}`);
}
