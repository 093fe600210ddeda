/**
 * The promise of the guard as a test: whatever happens, nobody comes to pay two subscriptions, and
 * everybody is helped. A store's own test file calls `describeGuard`.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { search } from "./check.js";
import type { OpenGuardStore } from "./stores/memory.js";

export interface GuardHistories {
  /** Of the quick tier; the slow one has others. */
  readonly few: number;
  readonly many: number;
}

/** The same in every run; `npm run guard` looks further. */
const SEED = 20_260_117;
const TIMEOUT = 1_800_000;

export function describeGuard(
  name: string,
  open: () => Promise<OpenGuardStore>,
  { few, many }: GuardHistories,
): void {
  describe(`the guard: ${name}`, () => {
    let store: OpenGuardStore;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close?.());

    const env = globalThis.process?.env ?? {};
    async function expectGuarded(histories: number, seed: number) {
      const path = env.GUARD_PATH;
      const { failure, tally, ...result } = await search(store, {
        histories,
        seed,
        patience: TIMEOUT - 60_000,
        ...(path ? { path } : {}),
      });
      if (failure !== undefined) {
        throw new Error(
          `A history ends wrong.\n\n${failure.report}\n\nTo run it again: GUARD_PATH=${failure.path} GUARD_SEED=${seed} GUARD_HISTORIES=1`,
        );
      }
      if (!path) expect(result.histories).toBe(histories);
      return { ...result, tally };
    }

    const asked = Number(env.GUARD_HISTORIES ?? 0);
    if (asked > 0) {
      it("nobody is subscribed twice", { timeout: TIMEOUT }, async () => {
        const seed = Number(env.GUARD_SEED ?? SEED);
        const { histories, tally } = await expectGuarded(asked, seed);
        const line = `${histories} histories on ${name} from seed ${seed}, nobody subscribed twice`;
        console.log(`${line}: ${JSON.stringify(tally)}`);
      });
      return;
    }
    it(`nobody is subscribed twice, in ${few} histories`, { timeout: TIMEOUT }, async () => {
      await expectGuarded(few, SEED + 1);
    });
    it(`nobody is subscribed twice, in ${many} histories`, {
      timeout: TIMEOUT,
      tags: ["slow"],
    }, async () => {
      await expectGuarded(many, SEED);
    });
  });
}
