/** Adopts many pairs, some at once, at a pace that Stripe bears. */
import type { Verdict } from "../../core/customers/adopt/judge.js";
import { BillingError, type BillingErrorCode } from "../../core/runtime/errors.js";
import type { Runtime } from "../../core/runtime/runtime.js";
import { adoptInTurn, lookInTurn } from "../../core/subscriptions/adopt.js";
import type { Pair, Refused } from "./pairs.js";

/** How far it is. */
export interface Adopted {
  /** Pairs that are linked, or could be. */
  linked: number;
  readonly refused: Refused[];
  /** Of those, the ones that Stripe or the database failed at: the same command tries them again. */
  failed: number;
}

export interface AdoptOptions {
  readonly isDry: boolean;
  /** Pairs at once. */
  readonly concurrency: number;
  /** Asked before each pair. */
  readonly isOver: () => boolean;
}

/** Does all pairs, counting in `adopted`. Throws what no other pair would be spared. */
export async function adoptAll(
  runtime: Runtime,
  pairs: readonly Pair[],
  adopted: Adopted,
  { isDry, concurrency, isOver }: AdoptOptions,
): Promise<void> {
  const left = pairs.values();
  let isBroken = false;
  const worker = async () => {
    for (const pair of left) {
      if (isBroken || isOver()) return;
      try {
        await adoptOne(runtime, pair, adopted, isDry);
      } catch (error) {
        isBroken = true;
        throw error;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: concurrency }, worker));
  for (const each of ended) if (each.status === "rejected") throw each.reason;
}

async function adoptOne(
  runtime: Runtime,
  { line, entityId, customerId }: Pair,
  adopted: Adopted,
  isDry: boolean,
): Promise<void> {
  const verdict = await patiently(runtime, () => judged(runtime, { entityId, customerId }, isDry));
  if (verdict.act !== "refuse") {
    adopted.linked++;
    return;
  }
  const { code, reason } = verdict;
  if (FAILURES.includes(code)) adopted.failed++;
  adopted.refused.push({ line, entityId, customerId, code, reason });
}

/** Codes that say nothing of the pair. */
const FAILURES: readonly BillingErrorCode[] = ["provider_error", "store_error"];

/** Of this pair alone; other errors are thrown. */
const REFUSALS: readonly BillingErrorCode[] = [
  "already_linked",
  "customer_not_found",
  "invalid_argument",
  "livemode_mismatch",
];

async function judged(
  runtime: Runtime,
  pair: Pick<Pair, "entityId" | "customerId">,
  isDry: boolean,
): Promise<Verdict> {
  if (isDry) return lookInTurn(runtime, pair);
  try {
    await adoptInTurn(runtime, pair);
    return { act: "done" };
  } catch (error) {
    if (!(error instanceof BillingError) || !REFUSALS.includes(error.code)) throw error;
    return { act: "refuse", code: error.code, reason: error.message };
  }
}

/** Attempts at a pair that Stripe fails at, beside those of the SDK. */
const ATTEMPTS = 4;

/** Tries again what Stripe failed at; at last it is a refusal that is no pair's fault. */
async function patiently(runtime: Runtime, work: () => Promise<Verdict>): Promise<Verdict> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof BillingError) || !isPassing(error)) throw error;
      if (attempt === ATTEMPTS) return { act: "refuse", code: error.code, reason: error.message };
      await runtime.sleep(500 * 2 ** attempt);
    }
  }
}

/** Whether a later attempt may succeed: not with a key that Stripe does not know, or that lacks a right. */
function isPassing({ code, cause }: BillingError): boolean {
  const status = (cause as { readonly statusCode?: unknown } | undefined)?.statusCode;
  return FAILURES.includes(code) && status !== 401 && status !== 403;
}
