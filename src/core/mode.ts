/** One mirror holds one mode: live data and test data never meet in the same tables. */
import { type BillingConfig, isLive } from "./config.js";
import { BillingError } from "./errors.js";
import { AGAIN, inRounds } from "./rounds.js";
import type { Runtime } from "./runtime.js";

/** Modes that this process has found to be the tables' own. A stored mode never changes. */
const fitting = new WeakMap<BillingConfig, boolean>();

/** Remembers the mode at first use, and refuses a key of the other one from then on. */
export async function checkMode(runtime: Runtime): Promise<void> {
  const livemode = isLive(runtime.config);
  if (fitting.get(runtime.config) === livemode) return;
  await inRounds("The record of the mode", async () => {
    const known = await runtime.store.record("setting", "mode");
    if (known?.data.livemode === livemode) return;
    if (known !== undefined) throw modeMismatch(livemode);
    const next = { ref: null, due: null, data: { livemode } };
    const result = await runtime.store.commit({
      now: runtime.now(),
      units: [],
      records: [{ kind: "setting", id: "mode", expect: 0, next }],
    });
    return result.committed ? undefined : AGAIN;
  });
  fitting.set(runtime.config, livemode);
}

/** The key is of the one mode, the data of the other. */
export function modeMismatch(livemode: boolean): BillingError {
  const [key, data] = livemode ? ["live", "test"] : ["test", "live"];
  return new BillingError(
    "livemode_mismatch",
    `\`secret_key\` is a ${key} key, but these tables hold ${data} data. Use a ${data} key, or another database or schema for ${key} data.`,
  );
}
