/**
 * How the library refers to what the application exports for it: by the name of the file and of the
 * export, because that is how Convex finds functions.
 */
import {
  type FunctionReference,
  type FunctionVisibility,
  makeFunctionReference,
} from "convex/server";
import { BillingError } from "../../core/runtime/errors.js";
import type { SyncReport } from "../../core/runtime/reports.js";
import type { SyncArgs } from "../../core/sync/sync.js";
import type { StoreReference, WorkReference, WorkStep } from "../schedule.js";

/** A part of the library's own work, done by the `sync` action. */
export type Step = WorkStep | "catch-up" | "reconcile";

type Plain<T> = { [K in keyof T]: T[K] };

/** What the `sync` action takes from an application; an interface would be no argument to Convex. */
export type SyncActionArgs = Plain<SyncArgs>;

export type SyncReference = FunctionReference<
  "action",
  FunctionVisibility,
  SyncActionArgs & { step?: Step },
  SyncReport
>;

export interface References {
  readonly store: StoreReference;
  readonly sync: SyncReference;
  /** The same function, as the store knows it. */
  readonly work: WorkReference;
}

export function referencesTo(module: string): References {
  const sync = makeFunctionReference<"action">(`${module}:sync`);
  return { store: makeFunctionReference<"mutation">(`${module}:store`), sync, work: sync };
}

/** The module path by which Convex knows the application's file. */
export function checkedModule(module: string): string {
  if (!/^\w+(\/\w+)*$/.test(module) || module.startsWith("convex/")) {
    throw new BillingError(
      "invalid_config",
      `\`module\` must be the path of the file below convex/ without its ending, such as "billing" or "lib/billing", not "${module}".`,
    );
  }
  return module;
}
