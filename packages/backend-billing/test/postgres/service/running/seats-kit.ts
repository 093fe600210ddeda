/** A team whose plan is sold per seat, and whose members the test changes. */
import type Stripe from "stripe";
import { type RunningCalls, running, withoutContext } from "../../../../src/core/facade.js";
import type { Runtime } from "../../../../src/core/runtime/runtime.js";
import { followSeats } from "../../../../src/core/subscriptions/seats/follow.js";
import type { App, AppOptions } from "../kit.js";
import { deaf, entityId, openShop, type Shop, subscriber } from "./kit.js";

export const UPDATE = "POST /v1/subscriptions/:subscription";
export const PER_SEAT = { billing_per_seat: "true" };

export interface Team {
  readonly app: App;
  /** The calls of the client, in the double's time, and without a background of their own. */
  readonly billing: RunningCalls;
  readonly shop: Shop;
  /** The subscription. */
  readonly id: string;
  members: number;
  /** How often they were counted. */
  counts: number;
  /** What happens after a count and before it is answered. */
  onCount: () => Promise<void>;
}

interface TeamOptions {
  readonly members?: number;
  readonly more?: readonly Stripe.SubscriptionCreateParams.Item[];
  readonly params?: Partial<Stripe.SubscriptionCreateParams>;
}

/** A team that has begun, with nothing left to do. */
export async function openTeam(
  open: (options: AppOptions) => Promise<App>,
  { members = 1, more = [], params = {} }: TeamOptions = {},
): Promise<Team> {
  const own = { members, counts: 0, onCount: async () => {} };
  const seats = async () => {
    own.counts++;
    const counted = own.members;
    await own.onCount();
    return counted;
  };
  const app = await open(deaf({ config: { seats } }));
  const shop = await openShop(app);
  await app.stripe.products.update(String(shop.pro.product), { metadata: PER_SEAT });
  const items = [{ price: shop.pro.id, quantity: members }, ...more];
  const { id } = await subscriber(app, items, params);
  const billing = billingOf(app);
  await billing.refresh({ entityId }); // the tables know it from here on
  await settle(app);
  own.counts = 0;
  app.double.requests.clear();
  return Object.assign(own, { app, shop, id, billing });
}

/** The calls of the client, in the double's time, and without a background of their own. */
export const billingOf = ({ core }: App): RunningCalls =>
  withoutContext(running, (_, work) => work(core));

/** Says that the seats have changed. */
export const tell = (app: App): Promise<void> => billingOf(app).seatsChanged({ entityId });

/** Turns the clock until nothing of the seats is left to do. */
export async function settle(app: App, runtime: Runtime = app.core): Promise<void> {
  for (let round = 0; round < 200; round++) {
    if ((await app.b.store.records("seats", "", 1)).length === 0) return;
    await app.double.clock.advance({ seconds: 5 });
    await followSeats(runtime);
  }
  throw new Error("The seats are never done");
}

export const updates = ({ double }: App): number => double.requests.count(UPDATE);

export const quantityOf = async ({ app, id }: Pick<Team, "app" | "id">): Promise<unknown> =>
  (await app.stripe.subscriptions.retrieve(id)).items.data[0]?.quantity;
