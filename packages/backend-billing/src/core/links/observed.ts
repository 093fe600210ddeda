/** Links with their spans and log lines. */
import { factsOf } from "../runtime/error-facts.js";
import type { Runtime } from "../runtime/runtime.js";
import { observed } from "../runtime/telemetry/telemetry.js";

/** A function that makes a link, with its span and its log line. */
export function observedLink<A extends readonly unknown[], T>(
  link: "checkout" | "payment" | "portal" | "setup",
  make: (runtime: Runtime, ...args: A) => Promise<T>,
): (runtime: Runtime, ...args: A) => Promise<T> {
  return (runtime, ...args) =>
    observed(runtime.telemetry, "link", async (annotate) => {
      annotate?.({ link });
      try {
        return await make(runtime, ...args);
      } catch (error) {
        runtime.log?.warn({ link, ...factsOf(error) }, "A link was not made");
        throw error;
      }
    });
}
