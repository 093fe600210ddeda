import { BillingError } from "./errors.js";
import { records } from "./records/records.js";
import type { Runtime } from "./runtime.js";

const LEASE = 60_000;

/**
 * Runs `work` under a lock of that name, shared by all processes. The lock of a dead holder
 * expires.
 */
export async function exclusively<T>(
  runtime: Runtime,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  const lock = records.lock(name);
  const end = runtime.now() + 2 * LEASE;
  for (;;) {
    const held = await lock.take(runtime, LEASE);
    if (held === undefined) {
      if (runtime.now() > end) {
        throw new BillingError(
          "store_error",
          `Another process has been at "${name}" for too long. Try again later.`,
        );
      }
      await runtime.sleep(100 + Math.random() * 200);
      continue;
    }
    try {
      return await work();
    } finally {
      // If the lease ran out and another caller has it, this changes nothing.
      await lock.remove(runtime, held);
    }
  }
}
