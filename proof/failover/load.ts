/**
 * What people and programs do with the shop, all at once, until it is told to stop. A call that fails is
 * repeated as a caller would: with the same key. What was answered is written down outside of the database.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { stream } from "../../packages/stripe-double/src/world/random.js";
import { codeOf, type Replica, type Use } from "./application.js";
import type { Shop } from "./shop.js";

export interface Load {
  /** By entity: the customer that `setup` answered. */
  readonly customers: ReadonlyMap<string, string>;
  /** Entities that paid a page. */
  readonly buyers: ReadonlySet<string>;
  /** What was answered with `allowed`. */
  readonly used: readonly Use[];
  readonly calls: { done: number; failed: Map<string, number> };
  /** When the last call was done, and the longest time in which none was; milliseconds. */
  readonly pace: { lastAt: number; longest: number };
  /** Ends when the calls under way are done. */
  stop(): Promise<void>;
}

const PAUSE = 150;
const CALLERS = 6;

/** Of a shop: who answers, and Stripe. */
export type Target = Pick<Shop, "double" | "stripe"> & { any(): Replica };

/** `isMetered`: Stripe's meter is told of some uses. It takes none that a wrong clock has dated. */
export function startLoad(shop: Target, seed: string, isMetered = true): Load {
  const next = stream("load", seed);
  const upTo = (most: number) => Math.floor(next() * most);
  const pick = <T>(from: readonly T[]): T | undefined => from[upTo(from.length)];
  const customers = new Map<string, string>();
  const buyers = new Set<string>();
  const [buying, billed] = [new Set<string>(), new Set<string>()];
  const used: Use[] = [];
  const calls = { done: 0, failed: new Map<string, number>() };
  const pace = { lastAt: Date.now(), longest: 0 };
  let [numbers, isOver] = [0, false];

  /** Until it is done. */
  async function surely<T>(name: string, work: (replica: Replica) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const answer = await work(shop.any());
        const now = Date.now();
        pace.longest = Math.max(pace.longest, now - pace.lastAt);
        pace.lastAt = now;
        calls.done++;
        return answer;
      } catch (error) {
        const code = codeOf(error);
        if (code === "already_subscribed") throw error;
        const failure = `${name} ${code}`;
        calls.failed.set(failure, (calls.failed.get(failure) ?? 0) + 1);
        await sleep(PAUSE);
      }
    }
  }
  const setUp = async (entityId = `org_${seed}_${numbers++}`) => {
    const { customerId } = await surely("setup", (replica) => replica.setup(entityId));
    customers.set(entityId, customerId);
  };
  const buy = async () => {
    const entityId = pick([...customers.keys()].filter((each) => !buying.has(each)));
    if (entityId === undefined) return;
    buying.add(entityId);
    const page = await surely("checkout", (replica) => replica.checkout(entityId));
    if (page.kind !== "checkout" && page.kind !== "open") return;
    await shop.double.payCheckout(page.url, { email: "ada@example.com" });
    buyers.add(entityId);
    if (next() < 0.5) await shop.double.comeBack(page.url).catch(() => {});
  };
  const consume = async () => {
    // Of each once: a second batch of an entity is sent a minute after the first.
    const unbilled =
      isMetered && next() < 0.3 ? pick([...buyers].filter((each) => !billed.has(each))) : undefined;
    const isBilled = unbilled !== undefined;
    const entityId = unbilled ?? pick([...customers.keys()]);
    if (entityId === undefined) return;
    if (isBilled) billed.add(entityId);
    const feature = isBilled ? ("calls" as const) : ("credits" as const);
    const use: Use = { entityId, feature, key: `k_${seed}_${numbers++}`, amount: 1 + upTo(9) };
    const isWithin = next() < 0.4;
    const { allowed } = await surely(isWithin ? "own transaction" : "consume", (replica) =>
      isWithin ? replica.consumeWithin(use) : replica.consume(use),
    );
    if (allowed) used.push(use);
    if (allowed && next() < 0.2) await surely("consume", (replica) => replica.consume(use)); // the answer was not heard
  };
  const steps: readonly (() => Promise<unknown>)[] = [
    () => setUp(),
    () => setUp(pick([...customers.keys()])),
    buy,
    buy,
    consume,
    consume,
    consume,
    async function rename() {
      const id = pick([...customers.values()]);
      if (id !== undefined) await shop.stripe.customers.update(id, { name: `n${numbers++}` });
    },
    () => shop.stripe.products.create({ name: `p${numbers++}` }),
  ];
  const wrong: unknown[] = [];
  const going = Array.from({ length: CALLERS }, async () => {
    while (!isOver) {
      await pick(steps)?.().catch((error: unknown) => wrong.push(error));
      await sleep(upTo(40));
    }
  });
  return {
    customers,
    buyers,
    used,
    calls,
    pace,
    async stop() {
      isOver = true;
      await Promise.all(going);
      if (wrong.length > 0) throw new Error(`The load itself failed: ${wrong[0]}`);
    },
  };
}
