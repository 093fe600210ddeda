/** One caller at a time, across processes: a record that is held for a while and given back. */
import { isAhead } from "../mirror/due.js";
import { commit } from "./commit/commit.js";
import { BillingError } from "./errors.js";
import type { Runtime } from "./runtime.js";

const LEASE = 60_000;

/** Runs `work` while nobody else runs under the same name. A holder that dies is waited for. */
export async function exclusively<T>(
  runtime: Runtime,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  const id = `lock ${name}`;
  const end = runtime.now() + 2 * LEASE;
  for (;;) {
    const record = await runtime.store.record("setting", id);
    const until = Number(record?.data.until ?? 0);
    if (isAhead(until, runtime.now())) {
      if (runtime.now() > end) {
        throw new BillingError(
          "store_error",
          `Somebody else has been at "${name}" for too long. Try again later.`,
        );
      }
      await runtime.sleep(100 + Math.random() * 200);
      continue;
    }
    const expect = record?.revision ?? 0;
    const hold = { ref: null, due: null, data: { until: runtime.now() + LEASE } };
    const taken = await commit(runtime, {
      source: "record",
      records: [{ kind: "setting", id, expect, next: hold }],
    });
    if (!taken.committed) continue;
    try {
      return await work();
    } finally {
      // If the lease ran out and somebody else has it, this changes nothing.
      await commit(runtime, {
        source: "record",
        records: [{ kind: "setting", id, expect: expect + 1, next: null }],
      });
    }
  }
}
