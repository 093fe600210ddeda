/**
 * The promise of the mirror as a test: whatever happens, once nothing happens any more the tables
 * equal what Stripe would answer. A store's own test file calls `describeConvergence`.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { search } from "./check.js";
import type { OpenStore } from "./stores/memory.js";

export interface Convergence {
  readonly histories: number;
  readonly seed?: number;
  readonly timeout?: number;
}

/** The same in every run; `npm run converge` looks further. */
const SEED = 20_260_115;

export function describeConvergence(
  name: string,
  open: () => Promise<OpenStore>,
  { histories: all, seed = SEED, timeout = 1_800_000 }: Convergence,
): void {
  // A second run of the same histories, on another version of Node, may look at a share of them.
  const histories = Math.ceil(all * Number(globalThis.process?.env?.CONVERGENCE_SHARE ?? 1));
  describe(`convergence: ${name}`, () => {
    let store: OpenStore;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close?.());

    it(`ends as Stripe has it, in ${histories} histories`, { timeout }, async () => {
      const path = globalThis.process?.env?.CONVERGENCE_PATH;
      const { failure, ...result } = await search(store, {
        histories,
        seed,
        patience: timeout - 60_000,
        ...(path ? { path } : {}),
      });
      if (failure !== undefined) {
        throw new Error(
          `A history ends wrong.\n\n${failure.report}\n\nTo run it again: CONVERGENCE_PATH=${failure.path} npx vitest run -t "convergence: ${name}"`,
        );
      }
      if (!path) expect(result.histories).toBe(histories);
    });
  });
}
