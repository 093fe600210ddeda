/** Writes the figures into docs/benchmarks.md, between its marks, and draws the charts beside it. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { type Bar, barChart } from "./charts.js";
import type { ConvexCost } from "./convex.js";
import { BARS, type BarId, type Figure, median, type Series, verdict } from "./figures.js";
import type { Growth } from "./growth.js";
import type { Accounts } from "./list-server.js";
import type { Machine } from "./machine.js";
import { TOLD } from "./reactions.js";

export interface Results {
  readonly machine: Machine;
  readonly quick: boolean;
  /** What the list server had to show. */
  readonly accounts: Accounts;
  readonly figures: readonly Figure[];
  readonly series: { readonly [id: string]: Series };
  readonly growth: readonly Growth[];
  readonly convex?: ConvexCost;
  /** The bars for which there is no figure. */
  readonly notMeasured: readonly string[];
  /** Subjects that did not take part, and why. */
  readonly absent: { readonly [subject: string]: string };
}

const DOCS = new URL("../../docs/", import.meta.url);
const [BEGIN, END] = ["<!-- figures: npm run bench -- --write -->", "<!-- end of figures -->"];

/** Subjects as the reader knows them. */
const NAMES: { readonly [subject: string]: string } = {
  ours: "backend-billing",
  "ours-eight": "backend-billing, the specification's eight",
  "ours-usual": "backend-billing, the default resources",
  silent: "backend-billing, no handler",
  told: "backend-billing, one handler",
  bare: "bare engine",
  "bare-batched": "bare engine, batched",
  "stripe-sync-engine": "@stripe/sync-engine",
  "supabase-sync-engine": "@supabase/stripe-sync-engine",
};
const nameOf = (subject: string): string => NAMES[subject] ?? subject;

const whole = (value: number): string => Math.round(value).toLocaleString("en");

/** Never rounded to the better side. */
const ratio = (value: number, direction: "at least" | "at most"): string => {
  if (Number.isInteger(value)) return String(value);
  const cut = direction === "at least" ? Math.floor : Math.ceil;
  return (cut(value * 100) / 100).toFixed(2);
};

export async function writeReport(results: Results): Promise<void> {
  const file = new URL("benchmarks.md", DOCS);
  const text = await readFile(file, "utf8");
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) {
    throw new Error(`docs/benchmarks.md must have ${BEGIN} and ${END}`);
  }
  await writeFile(file, `${before}${BEGIN}\n\n${body(results)}\n${END}${after}`);
  await mkdir(new URL("benchmarks/", DOCS), { recursive: true });
  for (const [name, svg] of Object.entries(charts(results))) {
    await writeFile(new URL(`benchmarks/${name}.svg`, DOCS), svg);
  }
}

function body(results: Results): string {
  const { machine, figures, series, growth, convex, absent } = results;
  const { settings, packages } = machine;
  const sections = [
    `Measured ${machine.date} at ${machine.commit} on ${machine.cores} cores (${machine.cpu}), ${machine.memoryGigabytes} GB, Node ${machine.node}, PostgreSQL ${machine.postgres} (${Object.entries(
      settings,
    )
      .map(([name, value]) => `${name} ${value}`)
      .join(", ")}), ${Object.entries(packages)
      .map(([name, version]) => `${name} ${version}`)
      .join(
        ", ",
      )}. The machine was shared; its load at the end was ${machine.load}. Read ratios, not times.${results.quick ? " This was the quick form." : ""}`,
    "### Against the bars",
    table(
      ["figure", "bar", "measured", "spread", ""],
      Object.keys(BARS).map((id) => {
        const found = figures.find((each) => each.id === id);
        const { text, bar, direction } = BARS[id as BarId];
        const limit = `${direction === "at least" ? "≥" : "≤"} ${bar}`;
        if (found === undefined) return [text, limit, "not measured", "", "not measured"];
        const show = (value: number) => ratio(value, direction);
        const spread = `${show(found.lowest)} to ${show(found.highest)}`;
        const said = found.note ? `${text}, **${found.note}**` : text;
        return [said, limit, `**${show(found.value)}**`, spread, verdict(found)];
      }),
    ),
    ...Object.entries(absent).map(([subject, why]) => `${nameOf(subject)}: ${why}.`),
    "### Webhooks",
    chart("webhooks", "Events a second at 32 callers"),
    rates(series, ["webhooks1", "webhooks8", "webhooks32", "webhooks128", "subscriptions"]),
    "### Backfill",
    chart("backfill", "Objects a second"),
    rates(series, ["backfill0", "backfill100", "backfillPeers0", "backfillPeers100"]),
    "### What is mirrored",
    rates(series, [
      "usualWebhooks1",
      "usualWebhooks32",
      "usualSubscriptions",
      ...["usualBackfill0", "usualWhole0", "usualBackfill100", "usualWhole100"],
    ]),
    "### Reactions",
    rates(series, [...TOLD, ...TOLD.flatMap((id) => [`${id}Rate`, `${id}After`])]),
    "### Calls",
    rates(series, ["setup", "subscribe", "portal"]),
    "### Gates",
    rates(series, ["gates"]),
    rates(series, ["usage1", "usage8", "usage32", "usageHot"]),
  ];
  if (growth.length > 0) {
    sections.push(
      "### Growth",
      table(
        ["rows", "an event", "bare", "a page of 100", "bare"],
        growth.map(({ rows, perEvent, perPage }) => [
          whole(rows),
          ...[perEvent.ours, perEvent.bare, perPage.ours, perPage.bare].map(
            (value) => `${whole(value ?? Number.NaN)} µs`,
          ),
        ]),
      ),
    );
  }
  if (convex !== undefined) {
    const { event, page, bundle } = convex;
    const rows = Object.keys(event).map((name) => [
      name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
      whole(event[name as keyof typeof event]),
      whole(page[name as keyof typeof page]),
    ]);
    sections.push(
      "### Convex",
      table(["as `convex-test` counts", "an event", "a page of 100 new customers"], rows),
      `The bundle is ${whole(bundle.minified)} bytes minified, ${whole(bundle.gzipped)} gzipped, without \`stripe\` and \`convex\`. The peers on Convex were not measured.`,
    );
  }
  return `${sections.filter(Boolean).join("\n\n")}\n`;
}

const chart = (name: string, alt: string): string => `![${alt}](./benchmarks/${name}.svg)`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** One row for each series, one column for each subject: median, and lowest to highest. */
function rates(all: Results["series"], ids: readonly string[]): string {
  const shown = ids.flatMap((id) => all[id] ?? []);
  const subjects = [...new Set(shown.flatMap(({ values }) => Object.keys(values)))];
  if (shown.length === 0) return "Not measured.";
  return table(
    ["", ...subjects.map(nameOf)],
    shown.map(({ title, unit, values }) => [
      `${title}, ${unit}`,
      ...subjects.map((subject) => {
        const each = values[subject];
        if (each === undefined || each.length === 0) return "";
        return `${whole(median(each))} (${whole(Math.min(...each))} to ${whole(Math.max(...each))})`;
      }),
    ]),
  );
}

function charts({ series }: Results): { readonly [name: string]: string } {
  const drawn: Record<string, string> = {};
  const bars = (one: Series, more = ""): Bar[] =>
    Object.entries(one.values)
      .map(([subject, values]) => ({
        label: `${nameOf(subject)}${more}`,
        value: median(values),
        text: whole(median(values)),
        ours: subject === "ours",
      }))
      .sort((a, b) => b.value - a.value);
  const { webhooks32, backfill0, backfill100, backfillPeers0, backfillPeers100 } = series;
  const note = "Medians on one shared machine with two cores; longer is better";
  if (webhooks32) {
    drawn.webhooks = barChart("Webhook events a second, 32 callers", note, bars(webhooks32));
  }
  const merged = (own: Series | undefined, peers: Series | undefined): Series | undefined =>
    own && { ...own, values: { ...peers?.values, ...own.values } };
  const [fast, slow] = [merged(backfill0, backfillPeers0), merged(backfill100, backfillPeers100)];
  if (fast && slow) {
    const all = [...bars(fast), ...bars(slow, ", 100 ms")];
    drawn.backfill = barChart(
      "Backfill: objects a second, without and with 100 ms a request",
      note,
      all,
    );
  }
  return drawn;
}
