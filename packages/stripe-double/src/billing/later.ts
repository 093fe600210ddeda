/** What no request causes: it happens by itself, so many seconds later. */
import type { World } from "../world/world.js";

export const HOUR = 3600;
export const DAY = 24 * HOUR;

/** Runs something that no request causes. */
export function later(world: World, seconds: number, act: () => void): void {
  world.clock.schedule(world.clock.now() + seconds * 1000, () => {
    world.causedBy({ id: null, idempotency_key: null }, act);
  });
}
