/** What a seed decides: who joins and leaves which team and when, what fails, and who is killed. */
import type { RequestFault } from "../../packages/backend-billing/src/testing/index.js";
import { stream } from "../../packages/stripe-double/src/world/random.js";
import { UPDATE } from "../../support/seat-updates.js";

/** One member more or less, in a transaction of the application's. */
export interface Change {
  readonly id: number;
  readonly entityId: string;
  readonly kind: "join" | "leave";
  /** Milliseconds after the beginning. */
  readonly after: number;
  /** Whether the change is told before it is made, or after; null if it is not told at all. */
  readonly told: "before" | "after" | null;
  /** Milliseconds for which the transaction stays open. */
  readonly open: number;
  /** Whether the same is done and rolled back first. */
  readonly isRolledBackFirst: boolean;
}

export interface Kill {
  /** Milliseconds after the beginning. */
  readonly after: number;
  /** What the process is to be doing. */
  readonly aim: "any" | "counting" | "sending";
  /** Which one, where it may be any; and milliseconds from the aim to the kill. */
  readonly chance: number;
  readonly delay: number;
}

export interface SeatsPlan {
  /** Milliseconds over which the changes are spread. */
  readonly span: number;
  readonly entities: readonly string[];
  readonly changes: readonly Change[];
  readonly kills: readonly Kill[];
  readonly faults: readonly RequestFault[];
}

const ENTITIES = 20;
/** Milliseconds from one change to the next, on average. */
const SPREAD = 45;
/** Changes for each kill. */
const PER_KILL = 125;
const AIMS = ["any", "counting", "sending"] as const;

const FAULTS: readonly RequestFault[] = [
  { fault: "error_before" },
  { fault: "error_after" },
  { fault: "rate_limited" },
  { fault: "cut_before" },
  { fault: "cut_after" },
  { fault: "half_answer" },
];

export function planOf(
  seed: number,
  { changes, isTold }: { readonly changes: number; readonly isTold: boolean },
): SeatsPlan {
  const chance = stream("seats", seed);
  const span = changes * SPREAD;
  const entities = Array.from({ length: ENTITIES }, (_, nth) => `team ${nth + 1}`);
  // Some teams change all the time, and some once in a while.
  const team = () => entities[Math.floor(chance() ** 2 * ENTITIES)] ?? "team 1";
  const changeOf = (id: number): Change => ({
    id,
    entityId: team(),
    kind: chance() < 0.6 ? "join" : "leave",
    after: chance() * span,
    told: chance() < 0.5 ? "before" : "after",
    open: chance() < 0.1 ? chance() * 400 : chance() * 20,
    isRolledBackFirst: chance() < 0.15,
  });
  const told = new Set(entities.filter((_, nth) => nth % 2 === 0));
  const all = Array.from({ length: changes }, (_, id) => changeOf(id));
  const count = Math.max(1, Math.round(changes / PER_KILL));
  return {
    span,
    entities,
    changes: all.map((each) =>
      isTold || told.has(each.entityId) ? each : { ...each, told: null },
    ),
    kills: Array.from({ length: count }, (_, nth) => ({
      after: ((nth + chance()) / count) * span,
      aim: AIMS[nth % AIMS.length] ?? "any",
      chance: chance(),
      delay: chance() * 300,
    })),
    faults: FAULTS.map((fault) => ({ ...fault, on: UPDATE, rate: 0.035 })),
  };
}
