/** What becomes of a change as it is told, and what is stored along with that. Pure. */
import { advanced, type Delivery } from "../delivery.js";
import type { Follows, Telling, Tellings } from "./context.js";

export interface Became extends Follows {
  /** What is left of the change; null after the last telling. */
  readonly left: Delivery | null;
}

/** After something was told of it, if anything was. What follows is stored with the last telling. */
export function afterTelling(
  change: Delivery,
  { all, writes, requests }: Tellings,
  next: Telling | undefined,
): Became {
  const after = next === undefined ? change : advanced(change, next.name);
  const isLast = all.every(({ name }) => after.done?.includes(name));
  const isNow = isLast && change.followed !== true;
  return {
    left: isLast ? null : after,
    writes: [...(next?.writes ?? []), ...(isNow ? writes : [])],
    requests: isNow ? requests : [],
  };
}

/**
 * Where a telling has failed: what follows is stored by itself, before anything more is tried. A look at
 * the entity's access must neither wait for a handler of something else, nor be lost when that is parked.
 * Undefined where there is no need of it. The attempt that is under way is counted by then.
 */
export function beforeTelling(
  { attempts = 0, ...change }: Delivery,
  { all, writes, requests }: Tellings,
): Became | undefined {
  if (attempts < 2 || change.followed || all.length === 0) return undefined;
  if (writes.length + requests.length === 0) return undefined;
  return { left: { ...change, followed: true }, writes, requests };
}
