// The discounts of subscriptions, which Stripe shows only with them, and the events that tell of them.
import type Stripe from "stripe";
import { beforeEach, expect, it } from "vitest";
import { openShop, payer, type Rig, raisedBy, receiver, rig, type Shop } from "./kit.js";

let it_: Rig;
let stripe: Stripe;
let shop: Shop;
beforeEach(async () => {
  it_ = await rig();
  stripe = it_.stripe;
  shop = await openShop(stripe);
  await stripe.coupons.create({ id: "ONE", percent_off: 10, duration: "once" });
  await stripe.coupons.create({ id: "EVER", percent_off: 20, duration: "forever" });
  const months = { duration: "repeating", duration_in_months: 2 } as const;
  await stripe.coupons.create({ id: "TWO", percent_off: 30, ...months });
});

async function subscribe(coupons: readonly string[] = []): Promise<Stripe.Subscription> {
  const customer = (await payer(stripe)).id;
  const discounts = coupons.map((coupon) => ({ coupon }));
  return stripe.subscriptions.create({ customer, items: [{ price: shop.monthly.id }], discounts });
}

const discountsOf = async (id: string) =>
  (await stripe.subscriptions.retrieve(id, { expand: ["discounts"] })).discounts;

const give = (id: string, coupons: readonly string[]) =>
  stripe.subscriptions.update(id, {
    discounts: coupons.length === 0 ? "" : coupons.map((coupon) => ({ coupon })),
  });

it("tells of each before it tells of the subscription", async () => {
  const { id } = await subscribe();
  const updated = "customer.subscription.updated";
  const raised = (coupons: readonly string[]) => raisedBy(stripe, () => give(id, coupons));
  expect(await raised(["EVER"])).toEqual(["customer.discount.created", updated]);
  expect(await raised(["TWO"])).toEqual(["customer.discount.updated", updated]);
  expect(await raised([])).toEqual(["customer.discount.deleted", updated]);
  expect(await raised(["EVER", "TWO"])).toEqual([
    "customer.discount.created",
    "customer.discount.created",
    updated,
  ]);
  const removed = await raisedBy(stripe, () => stripe.subscriptions.deleteDiscount(id));
  expect(removed).toEqual(["customer.discount.deleted", "customer.discount.deleted", updated]);
  expect(await discountsOf(id)).toEqual([]);
});

it("carries in the event what an expansion shows", async () => {
  const { id, customer } = await subscribe(["EVER"]);
  const [shown] = await discountsOf(id);
  expect(shown).toMatchObject({
    object: "discount",
    customer,
    end: null,
    source: { coupon: "EVER", type: "coupon" },
    subscription: id,
  });
  const [event] = (await stripe.events.list({ types: ["customer.discount.created"] })).data;
  expect(event?.data.object).toEqual(shown);
});

it("uses up at once what is for one invoice, and later what is given later", async () => {
  const { id, discounts, latest_invoice: first } = await subscribe(["ONE"]);
  expect(discounts).toEqual([]);
  const { total, discounts: used } = await stripe.invoices.retrieve(String(first));
  expect([total, used.length]).toEqual([1800, 1]);
  await give(id, ["ONE"]);
  expect(await discountsOf(id)).toHaveLength(1);
  const hook = await receiver(it_);
  await it_.double.clock.advance({ days: 32 });
  const ours = hook.types().filter((type) => /^customer\.(discount|subscription)/.test(type));
  expect(ours).toEqual(["customer.discount.deleted", "customer.subscription.updated"]);
  expect(await discountsOf(id)).toEqual([]);
});

it("ends with its months, and not with the subscription", async () => {
  const { id } = await subscribe(["TWO"]);
  const other = await subscribe(["TWO"]);
  const canceled = await raisedBy(stripe, () => stripe.subscriptions.cancel(other.id));
  expect(canceled).toEqual(["customer.subscription.deleted"]);
  const hook = await receiver(it_, { enabled_events: ["customer.discount.deleted"] });
  await it_.double.clock.advance({ days: 32 });
  expect(hook.types()).toEqual([]);
  await it_.double.clock.advance({ days: 30 });
  expect(hook.types()).toEqual(["customer.discount.deleted"]);
  expect(await discountsOf(id)).toEqual([]);
});
