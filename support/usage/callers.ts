/** Random calls of usage: of new keys, of some again, and of reservations that were made. */

/** A call, with all that it is given. */
export interface Call {
  readonly name: "consume" | "track" | "reserve" | "finish" | "release" | "grant";
  readonly args: {
    readonly entityId: string;
    readonly feature: string;
    readonly key: string;
    readonly amount: number;
    readonly expiresAt?: number;
    readonly reservationId?: string;
  };
  /** Milliseconds: how long something is held, from when the call is made. */
  readonly lasts?: number;
}

export interface Callers {
  draw(): Call;
  /** What became of a call. */
  learn(call: Call, answer: unknown): void;
  entity(): string;
}

const HOUR = 3_600_000;
const NAMES = [
  ...["consume", "consume", "consume", "consume", "track", "grant"],
  ...["reserve", "reserve", "finish", "finish", "release"],
] as const;

export function createCallers({
  below,
  clock,
  entities,
}: {
  below(count: number): number;
  readonly clock: { readonly now: number };
  readonly entities: number;
}): Callers {
  const one = <T>(all: readonly T[]): T => all[below(all.length)] as T;
  const entity = () => `user_${below(entities)}`;
  const made: Call[] = [];
  const reserved: Call[] = [];
  let keys = 0;

  const anew = (name: Call["name"]): Call => {
    const feature = one(["credits", "credits", "calls"]);
    const amount = 1 + below(feature === "credits" ? 9 : 150);
    const use = { entityId: entity(), feature, key: `key_${++keys}`, amount };
    if (name === "reserve") return { name, args: use, lasts: HOUR + below(48 * HOUR) };
    if (name !== "grant" || below(2) === 0) return { name, args: use };
    return { name, args: { ...use, expiresAt: clock.now + HOUR + below(480 * HOUR) } };
  };
  /** Ends a reservation, at what it held, at more or at less. */
  const ending = (name: "finish" | "release"): Call => {
    const { args } = one(reserved);
    return { name, args: { ...args, amount: below(2) === 0 ? args.amount : below(12) } };
  };
  return {
    entity,
    draw() {
      const again = below(6) === 0 && made.length > 0 ? one(made) : undefined;
      if (again !== undefined) return again;
      const name = one(NAMES);
      if (name === "finish" || name === "release") {
        return reserved.length === 0 ? anew("consume") : ending(name);
      }
      const call = anew(name);
      made.push(call);
      return call;
    },
    learn({ name, args }, answer) {
      const { reservationId } = (answer ?? {}) as { reservationId?: string };
      if (name === "reserve" && reservationId !== undefined) {
        reserved.push({ name, args: { ...args, reservationId } });
      }
    },
  };
}
