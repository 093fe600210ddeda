/** What can go wrong on demand, by name. Each fault has its own stream of chance, from the seed. */
import type { LimitReason } from "./http/limits.js";
import { stream } from "./world/random.js";
import type { EventType } from "./world/world.js";

interface Common {
  /** How often it strikes before it is gone; endless when absent. */
  readonly times?: number;
  /** The chance that it strikes, from 0 to 1; certain when absent. */
  readonly rate?: number;
}

/** A fault of a request. `on` is its method and path pattern; absent, any request. */
export type RequestFault = Common & { readonly on?: string } & (
    | { readonly fault: "rate_limited"; readonly reason?: LimitReason }
    | { readonly fault: "lock_timeout" }
    /** A 5xx without effect. Unless `kept` is false the answer is kept under the idempotency key. */
    | { readonly fault: "error_before"; readonly status?: number; readonly kept?: boolean }
    /** The effect happens, and the caller is told 5xx. */
    | { readonly fault: "error_after"; readonly status?: number; readonly kept?: boolean }
    /** The caller is told 500 at once, and the effect happens that much later all the same. */
    | { readonly fault: "error_late"; readonly milliseconds: number }
    | { readonly fault: "latency"; readonly milliseconds: number }
    | { readonly fault: "cut_before" }
    | { readonly fault: "cut_after" }
    | { readonly fault: "half_answer" }
    /** Lists and searches show the state of that long ago, an hour at most. */
    | { readonly fault: "list_lag"; readonly milliseconds: number }
    /** The `Date` header is off by up to that much, either way. */
    | { readonly fault: "skewed_date"; readonly milliseconds: number }
  );

/** A fault of events or their delivery. `on` is an event type; absent, any event. */
export type DeliveryFault = Common & { readonly on?: EventType } & (
    | { readonly fault: "lost" }
    | { readonly fault: "doubled" }
    | { readonly fault: "late"; readonly milliseconds: number }
    /** Delivered after up to `within` others that were raised later. */
    | { readonly fault: "shuffled"; readonly within?: number }
    | { readonly fault: "old_version"; readonly version: string }
    | { readonly fault: "thin" }
    /** `created` is off by up to that much, either way, a second when absent. */
    | { readonly fault: "skewed_created"; readonly milliseconds?: number }
  );

/** What is to go wrong. */
export type Fault = RequestFault | DeliveryFault;
/** The name of a fault. */
export type FaultName = Fault["fault"];
type Named<N extends FaultName> = Extract<Fault, { fault: N }>;

/** A fault that was added and can still strike. */
export interface ActiveFault {
  readonly id: string;
  readonly fault: Fault;
  /** How often it will still strike; null when that is endless. */
  readonly left: number | null;
}

/** The faults of a double. */
export interface Faults {
  /** Adds a fault; answers a function that takes it away again. */
  add(fault: Fault): () => void;
  /** Takes one away by its id; false if there is none with that id. */
  remove(id: string): boolean;
  /** Those that can still strike, in the order in which they were added. */
  all(): readonly ActiveFault[];
  /** Nothing goes wrong any more. */
  clear(): void;
}

export interface FaultSource extends Omit<Faults, "add"> {
  /** Adds a fault, and answers its id. */
  add(fault: Fault): string;
  /** The first fault of this name that strikes here and now, if any. */
  strike<N extends FaultName>(name: N, subject: string): Named<N> | undefined;
  /** A number in [-1, 1], for faults that have an amount. */
  spread(): number;
}

/** As far back as a collection remembers what its objects were. */
const LONGEST_LAG = 60 * 60 * 1000;

export function createFaults(seed: string | number): FaultSource {
  let active: {
    readonly id: string;
    readonly fault: Fault;
    left: number;
    readonly chance: () => number;
  }[] = [];
  const spread = stream(seed, "spread");
  let added = 0;
  return {
    add(fault) {
      if (fault.fault === "list_lag" && fault.milliseconds > LONGEST_LAG) {
        throw new RangeError("A list lags by an hour at most.");
      }
      const chance = stream(seed, "fault", added++);
      const id = `fault_${added}`;
      active.push({ id, fault, left: fault.times ?? Infinity, chance });
      return id;
    },
    remove(id) {
      const before = active.length;
      active = active.filter((each) => each.id !== id);
      return active.length < before;
    },
    all: () =>
      active
        .filter(({ left }) => left > 0)
        .map(({ id, fault, left }) => ({ id, fault, left: left === Infinity ? null : left })),
    clear: () => {
      active = [];
    },
    strike<N extends FaultName>(name: N, subject: string): Named<N> | undefined {
      for (const entry of active) {
        const { fault } = entry;
        if (fault.fault !== name || entry.left <= 0) continue;
        if (fault.on !== undefined && fault.on !== subject) continue;
        if (fault.rate !== undefined && entry.chance() >= fault.rate) continue;
        entry.left--;
        return fault as Named<N>;
      }
      return undefined;
    },
    spread: () => spread() * 2 - 1,
  };
}
