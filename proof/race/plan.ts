/** What one seed decides: what goes wrong and how often, how webhooks come, and who is killed when. */

import type {
  RequestFault,
  StripeDouble,
} from "../../packages/backend-billing/src/testing/index.js";
import { stream } from "../../packages/stripe-double/src/world/random.js";

export interface Plan {
  readonly seed: number;
  /** Whether the mirror was filled before: then nobody searches at Stripe. */
  readonly filled: boolean;
  readonly webhooks: "none" | "prompt" | "unreliable";
  readonly faults: readonly RequestFault[];
  /** Of a hundred callers, how many bring an email that Stripe refuses. */
  readonly badEmails: number;
  /**
   * Which process dies: the one that sends the creation of this number, or simply the first one;
   * and how many milliseconds later.
   */
  readonly kill: { readonly posting: number | undefined; readonly after: number };
}

/** Milliseconds for which one caller holds the claim, in these races. */
export const LEASE = 1_000;

const CREATE = "POST /v1/customers";
const READS = ["GET /v1/customers", "GET /v1/customers/search", "GET /v1/customers/:customer"];

/** What goes wrong with creations, and how likely it is at most. */
const CREATION_FAULTS: readonly [RequestFault, number][] = [
  // Longer than the lease: the next one finds the key in use, which Stripe answers with 409.
  [{ fault: "latency", milliseconds: 1.5 * LEASE }, 0.4],
  [{ fault: "latency", milliseconds: 20 }, 1],
  [{ fault: "cut_before" }, 0.4],
  [{ fault: "cut_after" }, 0.5],
  [{ fault: "half_answer" }, 0.4],
  [{ fault: "rate_limited" }, 0.4],
  [{ fault: "lock_timeout" }, 0.3],
  [{ fault: "error_before" }, 0.6],
  [{ fault: "error_before", kept: false, status: 503 }, 0.4],
  [{ fault: "error_after" }, 0.6],
];

/**
 * A 500 whose effect comes later is left out: Stripe calls it indeterminate, and a customer that
 * appears after we looked cannot be prevented by anybody. It is reported, which other tests show.
 */
export function planOf(seed: number): Plan {
  const chance = stream("race", seed);
  const upTo = (most: number) => chance() * most;
  const pick = <T>(...choices: readonly [T, ...T[]]): T =>
    choices[Math.floor(chance() * choices.length)] ?? choices[0];
  // Each strikes a few times at most, so that a seed ends: what counts is how they meet.
  const onCreate = CREATION_FAULTS.map(([fault, most]): RequestFault => {
    const times = pick(1, 1, 2, 3);
    return { ...fault, on: CREATE, rate: upTo(most), times };
  });
  const onReads = READS.flatMap((on): RequestFault[] => [
    { fault: "rate_limited", on, rate: upTo(0.1) },
    { fault: "error_before", on, rate: upTo(0.1) },
    { fault: "cut_before", on, rate: upTo(0.1) },
    { fault: "list_lag", on, milliseconds: 100 },
  ]);
  return {
    seed,
    filled: pick(true, false),
    webhooks: pick("none", "prompt", "unreliable"),
    faults: [...onCreate, ...onReads],
    badEmails: pick(0, 0, 5),
    kill: {
      posting: pick(1, 1, 2, 3, undefined),
      after: upTo(pick(5, 30, 150)),
    },
  };
}

export function misbehave({ faults }: StripeDouble, plan: Plan): void {
  for (const fault of plan.faults) faults.add(fault);
  if (plan.webhooks !== "unreliable") return;
  faults.add({ fault: "doubled", rate: 0.5 });
  faults.add({ fault: "late", milliseconds: 150, rate: 0.5 });
  faults.add({ fault: "lost", rate: 0.2 });
}
