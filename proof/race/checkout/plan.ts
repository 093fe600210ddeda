/** What one seed of the race of checkouts decides. */
import type { RequestFault } from "../../../packages/backend-billing/src/testing/index.js";
import { stream } from "../../../packages/stripe-double/src/world/random.js";
import type { Purchase } from "./buyer.js";

export interface CheckoutPlan {
  readonly seed: number;
  /** Whether the mirror was filled before, and whether the entity has a customer. */
  readonly filled: boolean;
  readonly hasCustomer: boolean;
  readonly webhooks: "none" | "prompt" | "unreliable";
  readonly faults: readonly RequestFault[];
  /** Milliseconds over which the calls are spread. */
  readonly span: number;
  /** Which process dies, and how many milliseconds after the calls began. */
  readonly kill: { readonly process: number; readonly after: number };
  /** Milliseconds after which a subscription that was paid ends again; null if it stays. */
  readonly ends: number | null;
  /** How likely a page is paid as it comes, and how many milliseconds later at most. */
  readonly pays: { readonly rate: number; readonly within: number };
  /** By number, for all processes in turn. */
  purchase(id: number, prices: readonly [string, string]): Purchase;
  chance(): number;
}

/** Milliseconds for which one caller has the entity's checkout to itself, in these races. */
export const LEASE = 1_000;

const SESSIONS = "/v1/checkout/sessions";
const REQUESTS = [
  `POST ${SESSIONS}`,
  `GET ${SESSIONS}`,
  `GET ${SESSIONS}/:session`,
  `POST ${SESSIONS}/:session/expire`,
  "GET /v1/subscriptions",
];

const FAULTS: readonly RequestFault[] = [
  { fault: "latency", milliseconds: 1.5 * LEASE }, // others go on meanwhile
  { fault: "latency", milliseconds: 100 },
  { fault: "cut_before" },
  { fault: "cut_after" },
  { fault: "half_answer" },
  { fault: "rate_limited" },
  { fault: "error_before" },
  { fault: "error_after" },
];

export function planOf(seed: number): CheckoutPlan {
  const chance = stream("checkout race", seed);
  const upTo = (most: number) => chance() * most;
  const pick = <T>(...choices: readonly [T, ...T[]]): T =>
    choices[Math.floor(chance() * choices.length)] ?? choices[0];
  const faults = REQUESTS.flatMap((on) =>
    FAULTS.map((fault): RequestFault => ({ ...fault, on, rate: upTo(0.1), times: pick(1, 2, 4) })),
  );
  const span = pick(50, 1_000, 3_000);
  return {
    seed,
    filled: pick(true, false),
    hasCustomer: pick(true, false),
    webhooks: pick("none", "prompt", "unreliable"),
    faults,
    span,
    kill: { process: Math.floor(upTo(4)), after: 50 + upTo(span + 500) },
    ends: pick(null, null, 300),
    pays: { rate: pick(0.05, 0.5, 1), within: pick(1, 100, 1_000) },
    purchase(id, prices) {
      const order = Math.floor(upTo(3));
      return {
        id,
        after: upTo(span),
        variant: pick("A", "B"),
        priceId: prices[order === 1 ? 1 : 0],
        quantity: order === 2 ? 3 : 1,
        trialDays: order === 2 ? 14 : null,
        idempotencyKey: pick(null, null, null, `key ${order} ${pick(1, 2)}`),
      };
    },
    chance,
  };
}
