/**
 * Idle workers wait here. Work of other processes is found by looking again after a while; changes
 * by their own process wake them at once.
 */
import { defineLocal } from "../../runtime/local.js";
import type { Runtime } from "../../runtime/runtime.js";

const waitingIn = defineLocal("runtime", "idle workers", () => new Set<() => void>());

/** Waits so many milliseconds, or until there is news. */
export async function waitForWork(runtime: Runtime, milliseconds: number): Promise<void> {
  const those = waitingIn(runtime);
  let called: () => void = () => {};
  const news = new Promise<void>((resolve) => {
    called = resolve;
  });
  those.add(called);
  await Promise.race([news, runtime.sleep(milliseconds)]);
  those.delete(called);
}

/** There is something to do, or nothing any more. */
export function callWorkers(runtime: Runtime): void {
  for (const call of waitingIn(runtime)) call();
}
