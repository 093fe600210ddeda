/**
 * Reports a setting that is missing or wrong when a request needs it. Without a logger it goes to
 * the console, once: the application could not learn of it otherwise, and Stripe repeats its requests.
 */
import { BillingError } from "./errors.js";
import type { Runtime } from "./runtime.js";

/** What this process has printed; each advice is printed once. */
const printed = new Set<string>();

export function reportConfigProblem(
  { log }: Pick<Runtime, "log">,
  message: string,
  advice: string,
): void {
  if (log !== undefined) {
    log.error({ error: "invalid_config", advice }, message);
    return;
  }
  if (printed.has(advice)) return;
  printed.add(advice);
  console.error(`backend-billing: ${message}. ${advice}`);
}

/** The text of an error about the configuration, which quotes settings and no secrets. */
export function configAdvice(error: unknown): string | undefined {
  return error instanceof BillingError && error.code === "invalid_config"
    ? error.message
    : undefined;
}
