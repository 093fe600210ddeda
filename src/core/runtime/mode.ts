/**
 * One mirror holds one mode, and is one application's: live data and test data never meet in the
 * same tables, and a process that runs without the application's name would link other customers.
 */

import type { RecordData, Store } from "../mirror/store.js";
import { commit } from "./commit/commit.js";
import { type BillingConfig, isLive } from "./config.js";
import { BillingError } from "./errors.js";
import { AGAIN, inRounds } from "./rounds.js";
import type { Runtime } from "./runtime.js";

const RECORD = ["setting", "mode"] as const;

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
  await inRounds("The record of the mode", async () => {
    const record = await runtime.store.record(...RECORD);
    const stored = record && belongingIn(record.data);
    if (judgeBelonging(stored, own) === "fits") return;
    const [kind, id] = RECORD;
    const { livemode, app } = own;
    const data = { livemode, ...(app === undefined ? {} : { app }) };
    const next = { ref: null, due: null, data };
    const result = await commit(runtime, {
      source: "record",
      records: [{ kind, id, expect: record?.revision ?? 0, next }],
    });
    return result.committed ? undefined : AGAIN;
  });
  fitting.set(runtime.config, own.livemode);
}

/** What is stored of it; undefined before the first use. */
export async function storedBelonging(
  store: Pick<Store, "record">,
): Promise<Belonging | undefined> {
  const record = await store.record(...RECORD);
  return record && belongingIn(record.data);
}

const belongingIn = ({ livemode, app }: RecordData): Belonging => ({
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
