/**
 * One mirror holds one mode, and is one application's: live data and test data never meet in the
 * same tables, and a process that runs without the application's name would link other customers.
 */

import type { Store } from "../mirror/store.js";
import { type BillingConfig, isLive } from "./config.js";
import { BillingError } from "./errors.js";
import { records, type StoredMode } from "./records/records.js";
import type { Runtime } from "./runtime.js";

/** What the tables are of. */
export interface Belonging {
  readonly livemode: boolean;
  /** Undefined while no process had a name. */
  readonly app: string | undefined;
}

/** Configurations that this process has found to fit the tables. What is stored never changes. */
const fitting = new WeakMap<BillingConfig, boolean>();

/**
 * Remembers the mode and the application's name at first use, in one record, and refuses a key of
 * the other mode or another name from then on.
 */
export async function checkModeAndApp(runtime: Runtime): Promise<void> {
  const own = { livemode: isLive(runtime.config), app: runtime.app };
  if (fitting.get(runtime.config) === own.livemode) return;
  await records.mode.update(runtime, (stored) => {
    if (judgeBelonging(stored && belongingIn(stored), own) === "fits") return undefined;
    const { livemode, app } = own;
    return { livemode, ...(app === undefined ? {} : { app }) };
  });
  fitting.set(runtime.config, own.livemode);
}

/** What is stored of it; undefined before the first use. */
export async function storedBelonging(
  store: Pick<Store, "record">,
): Promise<Belonging | undefined> {
  const { data } = await records.mode.read({ store });
  return data && belongingIn(data);
}

const belongingIn = ({ livemode, app }: StoredMode): Belonging => ({
  livemode: livemode === true,
  app: typeof app === "string" ? app : undefined,
});

/**
 * Whether a process may use the tables. `store`: it may, once what it is of is stored. Throws if it
 * may not.
 */
export function judgeBelonging(stored: Belonging | undefined, own: Belonging): "fits" | "store" {
  if (stored === undefined) return "store";
  if (stored.livemode !== own.livemode) throw modeMismatch(own.livemode);
  if (stored.app === own.app) return "fits";
  if (stored.app === undefined) return "store";
  throw appMismatch(stored.app, own.app);
}

/** The key is of the one mode, the data of the other. */
export function modeMismatch(livemode: boolean): BillingError {
  const [key, data] = livemode ? ["live", "test"] : ["test", "live"];
  return new BillingError(
    "livemode_mismatch",
    `\`secret_key\` is a ${key} key, but these tables hold ${data} data. Use a ${data} key, or another database or schema for ${key} data.`,
  );
}

function appMismatch(stored: string, own: string | undefined): BillingError {
  const given = own === undefined ? "is not set" : `is "${own}"`;
  return new BillingError(
    "invalid_config",
    `\`app\` ${given}, but these tables are of the application "${stored}". Set \`app: "${stored}"\`, and BILLING_APP=${stored} for the command, or use another database or schema.`,
  );
}
