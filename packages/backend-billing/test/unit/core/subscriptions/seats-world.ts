/** Teams that pay per seat, on the store in memory, and processes that follow the seats and may die. */
import Stripe from "stripe";
import { seatUpdates } from "../../../../../../support/seat-updates.js";
import { setup } from "../../../../src/core/customers/setup.js";
import { running, withoutContext } from "../../../../src/core/facade.js";
import type { Store } from "../../../../src/core/mirror/store.js";
import { createRuntime, type Runtime } from "../../../../src/core/runtime/runtime.js";
import { followSeats } from "../../../../src/core/subscriptions/seats/follow.js";
import { createMemoryStore } from "../../../../src/memory/store.js";
import { createStripeDouble, type StripeDouble } from "../../../../src/testing/index.js";

/** A process of the application; dead, it does nothing any more. */
export interface Process {
  /** Follows the seats until nothing is due, or until it dies. */
  follow(): Promise<void>;
  isAlive(): boolean;
}

export interface World {
  readonly double: StripeDouble;
  /** The members of each team. */
  readonly members: Map<string, number>;
  /** What happens after a count and before it is answered. */
  onCount: (entityId: string) => Promise<void>;
  /** A process that dies at its n-th call of the store; without a number it lives on. */
  process(calls?: number): Process;
  /** Changes a team's members and says so. */
  change(entityId: string, by: number): Promise<void>;
  /** Turns the clock until nothing of the seats is left to do, with a process that lives. */
  settle(): Promise<void>;
  quantityOf(entityId: string): number | undefined;
  /** When updates of a team's quantity took effect. */
  updates(entityId: string): Promise<readonly number[]>;
}

/** Teams with one member each, with nothing left to do. */
export async function openWorld(seed: number, teams: readonly string[]): Promise<World> {
  const double = await createStripeDouble({ seed, now: "2026-03-01T00:00:00Z" });
  const stripe = new Stripe(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 0 });
  const store = createMemoryStore();
  const members = new Map(teams.map((team) => [team, 1]));
  const subscriptions = new Map<string, string>();

  const runtimeOver = (over: Store): Runtime =>
    createRuntime(
      {
        secret_key: double.secretKey,
        webhook_secret: "whsec_none",
        stripe_options: double.stripeConfig,
        rate: false,
      },
      {
        store: over,
        baseUrl: () => "https://app.example",
        wake: () => {},
        now: double.clock.now,
        seats: async (entityId) => {
          const counted = members.get(entityId) ?? 0;
          await world.onCount(entityId);
          return counted;
        },
      },
    );

  const own = runtimeOver(store);
  const billing = withoutContext(running, (_, work) => work(own));
  const world: World = {
    double,
    members,
    onCount: async () => {},
    process(calls = Number.POSITIVE_INFINITY) {
      const { mortal, death, isAlive } = dyingAt(store, calls);
      const runtime = runtimeOver(mortal);
      const work = async () => {
        while ((await followSeats(runtime)) > 0);
      };
      return { isAlive, follow: () => Promise.race([work(), death]) };
    },
    async change(entityId, by) {
      members.set(entityId, (members.get(entityId) ?? 0) + by);
      await billing.seatsChanged({ entityId });
    },
    async settle() {
      for (let round = 0; round < 1_000; round++) {
        if ((await store.records("seats", "", 1)).length === 0) return;
        await double.clock.advance({ seconds: 1 });
        await followSeats(own);
      }
      throw new Error("The seats are never done");
    },
    quantityOf: (entityId) =>
      double.objects("subscription").find(({ id }) => id === subscriptions.get(entityId))?.items
        .data[0]?.quantity,
    updates: async (entityId) => {
      const found = await seatUpdates(stripe, double.requests.recent());
      return found.get(subscriptions.get(entityId) ?? "") ?? [];
    },
  };

  const product = await stripe.products.create({
    name: "Team",
    metadata: { billing_per_seat: "true" },
  });
  const price = await stripe.prices.create({
    product: product.id,
    currency: "usd",
    unit_amount: 1_000,
    recurring: { interval: "month" },
  });
  for (const entityId of teams) {
    const { customerId: customer } = await setup(own, { entityId });
    const card = await stripe.paymentMethods.attach("pm_card_visa", { customer });
    const made = await stripe.subscriptions.create({
      customer,
      default_payment_method: card.id,
      items: [{ price: price.id, quantity: 1 }],
    });
    subscriptions.set(entityId, made.id);
    await billing.refresh({ entityId }); // the tables know it from here on
  }
  await world.settle();
  double.requests.clear();
  return world;
}

/** A store whose calls are not answered from the n-th on: the process that holds it has died. */
function dyingAt(store: Store, calls: number) {
  let left = calls;
  let die = () => {};
  const death = new Promise<void>((resolve) => {
    die = resolve;
  });
  const mortal = new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        if (--left > 0) return member.apply(target, args);
        die();
        return new Promise<never>(() => {});
      };
    },
  });
  return { mortal, death, isAlive: () => left > 0 };
}
