/** Counts what this process did: what became of the objects it saw, and what it asked of Stripe. */
import type Stripe from "stripe";
import type { Batch, Committed, Store } from "../../core/mirror/store.js";

export interface Counts {
  /** Objects that were judged. */
  readonly seen: number;
  /** New or changed, and written. */
  readonly stored: number;
  /** Seen again as they are. */
  readonly unchanged: number;
  /** Older than what the tables hold: left out. */
  readonly refused: number;
  /** Gone at Stripe, and removed. */
  readonly deleted: number;
  /** In doubt: Stripe was asked about them by id. */
  readonly asked: number;
  /** Events that were handled before. */
  readonly duplicates: number;
  readonly requests: number;
  /** Requests that Stripe refused with 429. */
  readonly limited: number;
  /** Requests that Stripe refused or failed at otherwise, 404 aside: that is an answer. */
  readonly failed: number;
}

export interface Tally {
  /** The store, counting. */
  readonly store: Store;
  /** Counts the client's requests from now on. */
  watch(stripe: Stripe): void;
  counts(): Counts;
}

const NOTHING: Counts = {
  seen: 0,
  stored: 0,
  unchanged: 0,
  refused: 0,
  deleted: 0,
  asked: 0,
  duplicates: 0,
  requests: 0,
  limited: 0,
  failed: 0,
};

export function createTally(store: Store): Tally {
  let counts = NOTHING;
  const add = (more: Partial<Counts>) => {
    counts = sum(counts, more);
  };
  return {
    store: {
      ...store,
      commit: async (batch) => {
        const result = await store.commit(batch);
        for (const more of countsOf(batch, result)) add(more);
        return result;
      },
    },
    watch: (stripe) => {
      stripe.on("response", ({ status }: Stripe.ResponseEvent) => {
        const limited = status === 429 ? 1 : 0;
        const isAnswer = (status >= 200 && status < 300) || status === 404;
        add({ requests: 1, limited, failed: isAnswer || limited ? 0 : 1 });
      });
    },
    counts: () => counts,
  };
}

function sum(counts: Counts, more: Partial<Counts>): Counts {
  const fields = Object.keys(counts) as (keyof Counts)[];
  const pairs = fields.map((field) => [field, counts[field] + (more[field] ?? 0)]);
  return Object.fromEntries(pairs) as unknown as Counts;
}

const FIELD = { write: "stored", touch: "unchanged", drop: "refused", ask: "asked" } as const;

/** What became of each object of a batch, by the outcomes of the rule. */
function countsOf(batch: Batch, result: Committed): Partial<Counts>[] {
  if (!result.committed) return [];
  return result.units.flatMap((unit, at): Partial<Counts>[] => {
    if (unit.duplicate) return [{ duplicates: 1 }];
    const snapshots = batch.units[at]?.snapshots ?? [];
    return unit.outcomes.map(({ act }, index) => {
      // What is asked again counts then; what was set aside is in the run's report.
      if (act === "retry" || act === "aside") return {};
      const kind = snapshots[index]?.kind;
      const isGone = act === "write" && (kind === "deleted" || kind === "missing");
      return { seen: 1, [isGone ? "deleted" : FIELD[act]]: 1 };
    });
  });
}
