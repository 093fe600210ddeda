// Steps in a life that the double gives a subscription, and what is told of each of them.
import type Stripe from "stripe";
import { afterEach, beforeEach, expect } from "vitest";
import { openWorld, type World } from "./world.js";

export type Act = () => unknown;
/** What is done, and what is told of it. */
export type Step = readonly [words: string, act: Act, told: readonly string[]];

export const VISA = "pm_card_visa";
export const DECLINED = "pm_card_chargeCustomerFail";

export interface Life {
  readonly world: World;
  readonly stripe: Stripe;
  /** The subscription, and its customer. */
  readonly id: string;
  readonly customer: string;
  /** Takes the steps one after the other, and looks at all of them at once. */
  live(...steps: readonly Step[]): Promise<void>;
  /** Subscribes a new customer with this card. */
  subscribe(card?: string, params?: Partial<Stripe.SubscriptionCreateParams>): Act;
  update(params: Stripe.SubscriptionUpdateParams): Act;
  /** Changes the first item. */
  sell(item: () => Stripe.SubscriptionUpdateParams.Item): Act;
  later(by: Parameters<World["double"]["clock"]["advance"]>[0]): Act;
  useCard(card: string): Act;
  /** Pays the latest invoice with a card that works. */
  readonly payLatest: Act;
  readonly cancel: Act;
}

/** A new world for each test of the file. */
export function eachLife(): Life {
  let world: World;
  let id = "";
  let customer = "";
  beforeEach(async () => {
    world = await openWorld();
  });
  afterEach(() => world.double.close());
  const subscription = () => world.stripe.subscriptions.retrieve(id);
  return {
    get world() {
      return world;
    },
    get stripe() {
      return world.stripe;
    },
    get id() {
      return id;
    },
    get customer() {
      return customer;
    },
    async live(...steps) {
      const seen: { step: string; told: readonly string[] }[] = [];
      for (const [step, act] of steps) seen.push({ step, told: await world.told(act) });
      expect(seen).toEqual(steps.map(([step, , told]) => ({ step, told })));
    },
    subscribe: (card, params) => async () => {
      customer = await world.payer(card);
      const items = [{ price: world.basic }];
      id = (await world.stripe.subscriptions.create({ customer, items, ...params })).id;
    },
    update: (params) => () => world.stripe.subscriptions.update(id, params),
    sell: (item) => async () => {
      const first = (await subscription()).items.data[0]?.id ?? "";
      await world.stripe.subscriptions.update(id, { items: [{ id: first, ...item() }] });
    },
    later: (by) => () => world.double.clock.advance(by),
    useCard: (card) => () => world.useCard(customer, card),
    payLatest: async () => {
      const { latest_invoice: invoice } = await subscription();
      await world.useCard(customer, VISA);
      await world.stripe.invoices.pay(String(invoice));
    },
    cancel: () => world.stripe.subscriptions.cancel(id),
  };
}
