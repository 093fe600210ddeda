// @module-tag slow
// `convex-test` runs one mutation after another, as serialisable transactions appear to, but it has
// no conflicts of its own to show. So the order in which the mutations of several callers run is
// chosen here, by seed, and the claim must come to one customer in every order.
import { afterEach, describe, expect, it } from "vitest";
import { deployStore } from "../../../../support/convex/store.js";
import { setup } from "../../src/core/customers/setup.js";
import type { Store } from "../../src/core/mirror/store.js";
import { createRuntime } from "../../src/core/runtime/runtime.js";
import { createStripeDouble, type StripeDouble } from "../../src/testing/index.js";

/** Small and seeded: the orders of a failing seed can be had again. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >>> 8) % sides;
  };
}

/** One mutation at a time, the next one that of a caller drawn by lot. */
function turnstile(seed: number) {
  const draw = dice(seed);
  const waiting: (() => void)[] = [];
  let running = false;
  const next = () => {
    if (running || waiting.length === 0) return;
    running = true;
    const [enter] = waiting.splice(draw(waiting.length), 1);
    enter?.();
  };
  return async <T>(call: () => Promise<T>): Promise<T> => {
    await new Promise<void>((enter) => {
      waiting.push(enter);
      setTimeout(next, 1); // so that others have come to the gate too
    });
    try {
      return await call();
    } finally {
      running = false;
      next();
    }
  };
}

const through = (store: Store, pass: ReturnType<typeof turnstile>): Store =>
  Object.fromEntries(
    Object.entries(store).map(([name, member]) => [
      name,
      typeof member === "function"
        ? (...args: unknown[]) =>
            pass(() => (member as (...all: unknown[]) => Promise<unknown>)(...args))
        : member,
    ]),
  ) as unknown as Store;

describe("a claim whose callers' mutations run in any order", () => {
  let double: StripeDouble;
  afterEach(() => double.close());

  /** Six callers at once, in an order drawn by lot; answers what they were told. */
  async function race(store: Store, entityId: string, seed: number): Promise<Set<string>> {
    const pass = turnstile(seed);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => {
        const config = {
          secret_key: double.secretKey,
          webhook_secret: undefined,
          stripe_options: double.stripeConfig,
        };
        const platform = { store: through(store, pass), baseUrl: () => "", wake: () => {} };
        return setup(createRuntime(config, platform), { entityId });
      }),
    );
    return new Set(answers.map(({ customerId }) => customerId));
  }

  const customersOf = (entityId: string) =>
    double
      .objects("customer")
      .filter(({ metadata }) => metadata.entityId === entityId)
      .map(({ id }) => id);

  it("comes to one customer, whoever is first", async () => {
    double = await createStripeDouble();
    for (let seed = 1; seed <= 25; seed++) {
      const { store } = deployStore();
      const entityId = `user_${seed}`;
      const answers = await race(store, entityId, seed);
      const own = customersOf(entityId);
      expect(own, `seed ${seed}`).toHaveLength(1);
      expect([...answers]).toEqual(own);
      expect((await store.customerOf(entityId))?.customerId).toBe(own[0]);
    }
  });

  it("comes to the same customer after a restore that has lost the claim", async () => {
    double = await createStripeDouble();
    for (let seed = 1; seed <= 10; seed++) {
      const entityId = `user_${seed}`;
      const before = await race(deployStore().store, entityId, seed);
      const restored = deployStore().store; // as it was before anything happened
      expect(await race(restored, entityId, seed + 100), `seed ${seed}`).toEqual(before);
      expect(customersOf(entityId)).toEqual([...before]);
      expect((await restored.customerOf(entityId))?.customerId).toBe([...before][0]);
    }
  });
});
