/** What an event and a page cost in tables of different sizes, measured side by side. */
import { median } from "./figures.js";
import { type Bench, interleave, webhooks } from "./measure.js";

export interface Growth {
  readonly rows: number;
  /** Microseconds at 32 callers, by subject. */
  readonly perEvent: { readonly [subject: string]: number };
  /** Microseconds for a page of a hundred objects that are new, by subject. */
  readonly perPage: { readonly [subject: string]: number };
}

const SUBJECTS = ["bare", "ours"];
const REPETITIONS = 7;
const PAGES = 10;

/** `open` starts a subject under a name of its own, with a database of its own. */
export async function growth(
  bench: Bench,
  open: (subject: string, called: string) => Promise<void>,
  steps: readonly number[],
): Promise<readonly Growth[]> {
  const called = (subject: string, rows: number) => `${subject} ${rows}`.replaceAll(" ", "_");
  for (const rows of steps) {
    for (const subject of SUBJECTS) {
      const name = called(subject, rows);
      await open(subject, name);
      await bench.workers.get(name)?.store("customers", rows);
      bench.say(`growth: ${subject} has ${rows.toLocaleString("en")} customers`);
    }
  }
  await bench.admin.query("CHECKPOINT");
  const places = steps.flatMap((rows) => SUBJECTS.map((subject) => ({ rows, subject })));
  const names = places.map(({ rows, subject }) => called(subject, rows));
  const rowsOf = new Map(places.map((place, index) => [names[index], place.rows]));

  const perEvent = await interleave(names, REPETITIONS, async (name) => {
    const stored = rowsOf.get(name) ?? 0;
    const series = await webhooks(
      { ...bench, say() {} },
      {
        kind: "customers",
        stored,
        callers: 32,
        seconds: 0.5,
        repetitions: 1,
        subjects: [name],
      },
    );
    return 1e6 / (series.values[name]?.[0] ?? Number.NaN);
  });
  let first = 0;
  const perPage = await interleave(names, REPETITIONS, async (name) => {
    const stored = rowsOf.get(name) ?? 0;
    const from = stored + first;
    first += PAGES * 100;
    const took = await bench.workers.get(name)?.pages(from, PAGES);
    return ((took?.seconds ?? Number.NaN) / PAGES) * 1e6;
  });
  return steps.map((rows) => {
    const of = (values: typeof perEvent) =>
      Object.fromEntries(
        SUBJECTS.map((subject) => [subject, median(values[called(subject, rows)] ?? [])]),
      );
    const grown: Growth = { rows, perEvent: of(perEvent), perPage: of(perPage) };
    const told = SUBJECTS.map(
      (subject) =>
        `${subject} ${grown.perEvent[subject]?.toFixed(0)} µs an event, ${grown.perPage[subject]?.toFixed(0)} µs a page`,
    );
    bench.say(`growth: ${rows.toLocaleString("en")} rows: ${told.join("; ")}`);
    return grown;
  });
}
