// Writes docs/reliability.md: what is promised when things go wrong, which command shows it, and the
// figures that it measured last. The figures are in the JSON files beside this one, each written by its
// command with --write; what was not measured yet says so.
//
//   npm run reliability
import { writeFileSync } from "node:fs";
import { type Figures, figuresOf } from "./figures.js";

interface Part {
  /** The name of its file of figures. */
  readonly name: string;
  readonly title: string;
  readonly command: string;
  readonly promised: string;
  readonly shown: string;
}

const PARTS: readonly Part[] = [
  {
    name: "soak",
    title: "Under load, for a long time",
    command: "npm run soak -- --minutes 60 --write",
    promised:
      "A burst of events is stored whole. Under a steady load the slow webhooks stay near the usual ones, memory does not grow, and `close()` leaves no connection in use and no timer behind.",
    shown:
      "An application, the double of Stripe and PostgreSQL run as processes of their own, on a machine that other tests use. The command measures how many webhooks a second the application takes, sends a burst, and then events, reads and usage together at half of that rate, at random moments that do not wait for answers, beside checkouts, hooks and backfills. The bound on p99 is on the time from sending to the answer; the time from when a request was due is beside it, so that a sender that falls behind hides nothing. At the end the mirror is compared with Stripe object by object, each hook must have been told once, and the ledger of usage must add up.",
  },
  {
    name: "failover",
    title: "When PostgreSQL fails",
    command: "npm run failover -- --write",
    promised:
      "What is promised when a primary dies and its standby takes over, and when the database is read-only or out of time, is in the rows below.",
    shown:
      "PostgreSQL fails as it does in real life, under load: a standby takes over with and without loss, statements are refused or time out, a pool has one connection.",
  },
  {
    name: "crashpoints",
    title: "When a process stops at any step",
    command: "npm run crashpoints -- --write",
    promised:
      "Wherever a process stops, another one goes on, and what is promised of the operation holds.",
    shown:
      "A process is stopped at every step of every operation: before each statement, connection and request to Stripe, and after each has taken effect and before the process hears so.",
  },
  {
    name: "attack",
    title: "When requests are hostile",
    command: "npm run attack -- --write",
    promised:
      "Nothing unsigned is taken, nothing crashes the application, and the tables stay what Stripe says.",
    shown:
      "By a seed: webhooks that are not signed, and signed ones that are strange; links back that were altered; routes, sockets and arguments that no caller should use; rows that another role has written.",
  },
];

const HEAD = `# Reliability

<!-- Written by \`npm run reliability\` from proof/reliability: edit it there. -->

What holds under load and when things break, how each of it is shown, and what was measured. The figures are of one
machine, which other tests were using: compare the ratios and the bounds rather than the speeds, which are in
[benchmarks](./benchmarks.md). What is promised of the data itself is in [consistency](./consistency.md), and what can go
wrong on purpose in [security](./security.md).
`;

const cell = (value: string | number): string => String(value).replaceAll("|", "\\|");

function tableOf({ command, at, cores, load, rows, notes }: Figures): string {
  return [
    `Measured on ${at} by \`${command}\`, on ${cores} cores with a load of ${load} at the start.`,
    "",
    "| what | measured | must be |",
    "|---|---|---|",
    ...rows.map(([name, value, bound = ""]) => `| ${[name, value, bound].map(cell).join(" | ")} |`),
    "",
    ...notes.map((each) => `- ${each}`),
  ].join("\n");
}

function sectionOf({ name, title, command, promised, shown }: Part): string {
  const figures = figuresOf(name);
  const measured =
    figures === undefined
      ? `There are no figures yet: \`${command}\` measures them.`
      : tableOf(figures);
  return `## ${title}\n\n${promised}\n\n${shown}\n\n${measured}\n`;
}

const page = new URL("../../docs/reliability.md", import.meta.url);
writeFileSync(page, [HEAD, ...PARTS.map(sectionOf)].join("\n"));
