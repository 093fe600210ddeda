/** What operators hear of deliveries: lines without personal data. */
import type { BillingConfig } from "../../core/runtime/config.js";
import { factsOf } from "../../core/runtime/error-facts.js";
import type { Outcome } from "./deliver.js";

export function observeOutcome({ logger }: Pick<BillingConfig, "logger">, outcome: Outcome): void {
  const { change } = outcome;
  const line = { resource: change.resource, object: change.id, key: change.key };
  if (outcome.outcome === "failed") {
    logger?.warn(
      {
        ...line,
        name: outcome.name,
        attempts: (change.attempts ?? 0) + 1,
        ...factsOf(outcome.error),
      },
      "A handler failed, and what it wrote was taken back; it is called again",
    );
  } else if (outcome.outcome === "parked") {
    logger?.error(
      { ...line, attempts: change.attempts },
      "A change could not be told for days, and is set aside: see `npx backend-billing hooks list`",
    );
  }
}
