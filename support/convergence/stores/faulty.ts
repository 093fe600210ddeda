/**
 * A process's connection to a store: others may come in before and after every call, and a call
 * may fail, also after it took effect.
 */
import type {
  Batch,
  Committed,
  Store,
} from "../../../packages/backend-billing/src/core/mirror/store.js";
import { START } from "../model.js";

export class StoreFault extends Error {}

export interface Weather {
  pause(): Promise<void>;
  part<T>(work: () => Promise<T>): Promise<T>;
  outcome(): "good" | "fails before" | "fails after";
  log(line: string): void;
}

export function connection(store: Store, { pause, part, outcome, log }: Weather): Store {
  const wrapped = Object.entries(store).map(([name, member]) => {
    if (typeof member !== "function") return [name, member];
    const call = member as (...args: unknown[]) => Promise<unknown>;
    return [
      name,
      async (...args: unknown[]) => {
        const ends = outcome();
        await pause();
        if (ends === "fails before") throw new StoreFault(`${name} failed, and had no effect`);
        const result = await part(() => call(...args));
        if (name === "commit") log(`commits ${told(args[0] as Batch, result as Committed)}`);
        await pause();
        if (ends === "fails after") throw new StoreFault(`${name} failed, and had its effect`);
        return result;
      },
    ];
  });
  return Object.fromEntries(wrapped) as Store;
}

function told(batch: Batch, result: Committed): string {
  if (!result.committed)
    return `nothing: ${result.conflict.kind} ${result.conflict.id} has changed`;
  const units = result.units.map((unit, index) => {
    if (unit.duplicate) return "a duplicate";
    const { snapshots = [], requests = [] } = batch.units[index]!;
    const acts = unit.outcomes.map(({ act, revision }, nth) => {
      const { origin, id, lo, hi } = snapshots[nth]!;
      const interval = hi > 1e12 ? "any time" : `${lo - START / 1000} to ${hi - START / 1000}`;
      return `${origin} of ${id} [${interval}]: ${act}, revision ${revision}`;
    });
    return [...acts, ...requests.map(({ id }) => `a refresh of ${id}`)].join("; ");
  });
  const records = (batch.records ?? []).map(({ kind, id }) => `${kind} ${id}`);
  return [...units, ...records].join("; ") || "nothing";
}
