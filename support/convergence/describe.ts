/**
 * The promise of the mirror as a test: whatever happens, once nothing happens any more the tables
 * equal what Stripe would answer. A store's own test file calls `describeConvergence`.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ResourceName } from "../../packages/backend-billing/src/core/catalogue/catalogue.js";
import { search } from "./check.js";
import type { OpenStore } from "./stores/memory.js";

export interface Convergence {
  /** Of the whole tier; the quick one has a twentieth as many. */
  readonly histories: number;
  /** Of the quick tier, where that is another number. */
  readonly few?: number;
  /** What is played; without it, the few resources with the most to go wrong. */
  readonly resources?: readonly ResourceName[];
  readonly seed?: number;
  readonly timeout?: number;
}

/** The same in every run; `npm run converge` looks further. */
const SEED = 20_260_115;

export function describeConvergence(
  name: string,
  open: () => Promise<OpenStore>,
  {
    histories: all,
    few = Math.ceil(all / 20),
    resources,
    seed = SEED,
    timeout = 1_800_000,
  }: Convergence,
): void {
  describe(`convergence: ${name}`, () => {
    let store: OpenStore;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close?.());

    async function expectConvergence(histories: number, seed: number, title: string) {
      const path = globalThis.process?.env?.CONVERGENCE_PATH;
      const { failure, ...result } = await search(store, {
        histories,
        seed,
        ...(resources === undefined ? {} : { resources }),
        patience: timeout - 60_000,
        ...(path ? { path } : {}),
      });
      if (failure !== undefined) {
        throw new Error(
          `A history ends wrong.\n\n${failure.report}\n\nTo run it again: CONVERGENCE_PATH=${failure.path} npx vitest run -t "convergence: ${name} ${title}"`,
        );
      }
      if (!path) expect(result.histories).toBe(histories);
    }

    // Each tier has histories of its own: those of the quick one are not run twice.
    const quick = `ends as Stripe has it, in ${few} histories`;
    it(quick, { timeout }, () => expectConvergence(few, seed + 1, quick));

    const whole = `ends as Stripe has it, in ${all} histories`;
    it(whole, { timeout, tags: ["slow"] }, () => expectConvergence(all, seed, whole));
  });
}
