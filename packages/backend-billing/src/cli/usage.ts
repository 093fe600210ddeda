/** What is known of usage on its way to Stripe's meters. Reads only. */
import type { Store } from "../core/mirror/store.js";
import { records } from "../core/runtime/records/records.js";
import { batchIn, type NamedBatch } from "../core/usage/books/batches.js";

export interface UsageFacts {
  /** Batches that are being sent. */
  readonly underWay: number;
  /** Those that a person has to look at, each with its problem and its id. */
  readonly reported: { readonly number: number; readonly examples: readonly string[] };
  /** Events that Stripe took and could not count, and how many of them in the last week. */
  readonly uncounted: {
    readonly number: number;
    readonly lately: number;
    /** What Stripe calls the reasons of the last ones. */
    readonly codes: readonly string[];
  };
}

const MOST_EXAMPLES = 6;
const WEEK = 7 * 86_400_000;

/** All batches, those that are reported first. */
export async function allBatches(store: Pick<Store, "records">): Promise<readonly NamedBatch[]> {
  const all: NamedBatch[] = [];
  for (let after: string | undefined = ""; after !== undefined; ) {
    const page = await store.records("batch", after, 1000);
    all.push(...page.map(batchIn));
    after = page.at(-1)?.id;
  }
  const order = ({ problem }: NamedBatch) => (problem === undefined ? 1 : 0);
  return all.sort((a, b) => order(a) - order(b));
}

export async function usageFacts(
  store: Pick<Store, "record" | "records">,
  now: number,
): Promise<UsageFacts> {
  const batches = await allBatches(store);
  const reported = batches.flatMap(({ id, problem }) =>
    problem === undefined ? [] : `${problem} ${id}`,
  );
  const { data } = await records.meterErrors.read({ store });
  const lately = (data?.reports ?? []).filter(({ at }) => at > now - WEEK);
  const errors = lately.flatMap((report) => report.errors);
  return {
    underWay: batches.length - reported.length,
    reported: { number: reported.length, examples: reported.slice(0, MOST_EXAMPLES) },
    uncounted: {
      number: data?.count ?? 0,
      lately: errors.reduce((sum, { count }) => sum + count, 0),
      codes: [...new Set(errors.map(({ code }) => code))],
    },
  };
}
