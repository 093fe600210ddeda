/** Settings of Vitest, for tests of functions on Convex. They must not import anything. */

/**
 * Runs tests as Convex runs functions: in an isolate, with Stripe's build for workers. Needs
 * `@edge-runtime/vm`.
 *
 * @example
 * ```ts
 * import { convexVitestConfig } from "backend-billing/testing";
 * import { defineConfig, mergeConfig } from "vitest/config";
 *
 * export default mergeConfig(convexVitestConfig, defineConfig({ test: { include: ["test/*.test.ts"] } }));
 * ```
 */
export const convexVitestConfig = {
  ssr: { resolve: { conditions: ["worker", "module", "import", "default"] } },
  test: {
    environment: "edge-runtime",
    // Node would resolve them by its own conditions.
    server: { deps: { inline: ["backend-billing", "stripe", "convex-test"] } },
  },
};
