/** Asks before something is done that can not be undone. */
import { BillingError } from "../../core/runtime/errors.js";
import type { Io } from "./io.js";

export async function isConfirmed(io: Io, message: string): Promise<boolean> {
  if (!io.isInteractive) {
    throw new BillingError("invalid_argument", "There is no terminal to ask on. Pass --yes.");
  }
  const { confirm } = await import("@clack/prompts");
  return (await confirm({ message, initialValue: false })) === true;
}
