/** One mirror holds one mode: live data and test data never meet in the same tables. */
import { isLive } from "./config.js";
import { BillingError } from "./errors.js";
import type { Runtime } from "./runtime.js";

/** Remembers the mode at first use, and refuses a key of the other one from then on. */
export async function checkMode(runtime: Runtime): Promise<void> {
  const livemode = isLive(runtime.config);
  for (;;) {
    const known = await runtime.store.record("setting", "mode");
    if (known?.data.livemode === livemode) return;
    if (known !== undefined) {
      throw modeMismatch(livemode);
    }
    const write = { ref: null, due: null, data: { livemode } };
    const result = await runtime.store.commit({
      now: runtime.now(),
      units: [],
      records: [{ kind: "setting", id: "mode", expect: 0, next: write }],
    });
    if (result.committed) return;
  }
}

/** The key is of the one mode, the data of the other. */
export function modeMismatch(livemode: boolean): BillingError {
  const [key, data] = livemode ? ["live", "test"] : ["test", "live"];
  return new BillingError(
    "livemode_mismatch",
    `\`secret_key\` is a ${key} key, but these tables hold ${data} data. Use a ${data} key, or another database or schema for ${key} data.`,
  );
}
