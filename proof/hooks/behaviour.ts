/** What is wrong with a handler, which follows from the change and the listener: it is the same in every process. */
import { createHash } from "node:crypto";

export const LISTENERS = ["first", "second"] as const;

export interface Behaviour {
  readonly does: "well" | "fail" | "hang" | "crash";
  /** How often; for ever, where only an operator can help. */
  readonly times: number;
}

const WELL: Behaviour = { does: "well", times: 0 };

/** Of a thousand changes to a listener, so many go wrong at first, each in one way. */
const TROUBLE = [
  { of: 60, does: "fail", times: 1 },
  { of: 20, does: "fail", times: 3 },
  { of: 10, does: "hang", times: 1 },
  { of: 5, does: "crash", times: 1 },
] as const;

export function behaviourOf(object: string, name: string, listener: string): Behaviour {
  if (isHopeless(object, name, listener)) return { does: "fail", times: Infinity };
  const digest = createHash("sha256").update(`${object} ${name} ${listener}`).digest();
  let lot = digest.readUInt32BE(0) % 1000;
  for (const { of, does, times } of TROUBLE) {
    if (lot < of) return { does, times };
    lot -= of;
  }
  return WELL;
}

/** Three changes that cannot be told. */
export const isHopeless = (object: string, name: string, listener: string): boolean =>
  ["prod_1", "prod_2", "prod_3"].includes(object) && name === "3" && listener === "second";
