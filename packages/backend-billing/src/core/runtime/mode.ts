/**
 * One mirror holds one mode, and is one application's: live data and test data never meet in the
 * same tables, and a process that runs without the application's name would link other customers.
 */

import type { RecordWrite, Store } from "../mirror/store.js";
import { isLive } from "./config.js";
import { BillingError } from "./errors.js";
import type { Read } from "./records/record.js";
import { records, type StoredMode } from "./records/records.js";
import type { Runtime } from "./runtime.js";

/** What the tables are of. */
export interface Belonging {
  readonly livemode: boolean;
  /** Undefined while no process had a name. */
  readonly app: string | undefined;
}

/**
 * The write that remembers the mode and the application's name at first use, in one record; none
 * where they are stored. Throws if the tables are of the other mode or another application.
 */
export function judgeMode(
  { config, app }: Pick<Runtime, "config" | "app">,
  read: Read<StoredMode>,
): RecordWrite | undefined {
  const own = { livemode: isLive(config), app };
  if (judgeBelonging(read.data && belongingIn(read.data), own) === "fits") return undefined;
  const { livemode } = own;
  return records.mode.write(read, { livemode, ...(app === undefined ? {} : { app }) });
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
