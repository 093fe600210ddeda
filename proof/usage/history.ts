/** What is done in a run, by a seed: every process can work out any call, and do it again. */
import { stream } from "../../packages/stripe-double/src/world/random.js";

export const FEATURES = ["calls", "credits"] as const;

export interface Call {
  readonly number: number;
  readonly entityId: string;
  readonly feature: (typeof FEATURES)[number];
  readonly key: string;
  readonly amount: number;
  readonly kind: "consume" | "track" | "reserve" | "grant";
  /** How often it is done in all: repetitions have the same key. */
  readonly times: number;
  /** Inside a transaction of the application, which is then taken back, or kept. */
  readonly within: "nothing" | "kept" | "taken back";
  /** What becomes of a reservation, and what the work cost. */
  readonly ending: "finished" | "released" | "forgotten";
  readonly cost: number;
  /** Milliseconds of the run's own clock for which something is held, or a grant lasts; 0 for ever. */
  readonly lasting: number;
}

const HOUR = 3_600_000;

export function callOf(seed: string, number: number, entities: number): Call {
  const next = stream("usage", seed, number);
  const below = (count: number) => Math.floor(next() * count);
  const kind = below(100);
  const amount = 1 + (below(4) === 0 ? below(30) : below(3));
  const within = below(10);
  return {
    number,
    // Some entities are asked for much more often than others.
    entityId: `user_${below(3) === 0 ? below(Math.ceil(entities / 20)) : below(entities)}`,
    feature: FEATURES[below(2)] ?? "credits",
    key: `k${number}`,
    amount,
    kind: kind < 74 ? "consume" : kind < 79 ? "track" : kind < 94 ? "reserve" : "grant",
    times: below(8) === 0 ? 2 + below(2) : 1,
    within: within === 0 ? "taken back" : within < 3 ? "kept" : "nothing",
    ending: below(10) < 7 ? "finished" : below(2) === 0 ? "released" : "forgotten",
    cost: Math.max(1, Math.ceil(amount * next() * 1.2)),
    lasting: below(3) === 0 ? 0 : HOUR * (1 + below(200)),
  };
}
