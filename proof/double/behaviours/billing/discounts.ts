/** Coupons and promotion codes: what they take off, for how long, and who may use them. */
import type Stripe from "stripe";
import type { Theme } from "../../harness/behaviour.js";
import {
  expanded,
  first,
  idOf,
  iso,
  last,
  refusal,
  seconds,
  statusOf,
} from "../../harness/read.js";
import { changelog, docs, reference, thread } from "../../harness/sources.js";
import { APRIL_1, type World } from "../../harness/world.js";

const half = { percent_off: 50, duration: "forever" } as const;

/** Subscribes with a coupon, upgrades from 10 to 30 dollars at half of the period; the invoice. */
async function upgraded(
  { double, stripe, price, subscribe }: World,
  coupon: Stripe.CouponCreateParams,
  when: "from the start" | "later",
): Promise<Stripe.Invoice> {
  const discounts = [{ coupon: (await stripe.coupons.create(coupon)).id }];
  const { id, items } = await subscribe(1000, when === "later" ? {} : { discounts });
  await double.clock.advance({ days: 15 });
  if (when === "later") await stripe.subscriptions.update(id, { discounts });
  const changed = await stripe.subscriptions.update(id, {
    items: [{ id: first(items).id, price: await price(3000) }],
    proration_behavior: "always_invoice",
    expand: ["latest_invoice"],
  });
  return expanded(changed.latest_invoice);
}

/** The totals of the invoices of somebody who subscribes with a coupon, for so many days. */
async function totals(world: World, coupon: Stripe.CouponCreateParams, days: number) {
  const { id } = await world.stripe.coupons.create(coupon);
  const { customer } = await world.subscribe(1000, { discounts: [{ coupon: id }] });
  await world.double.clock.advance({ days });
  return (await world.invoices(idOf(customer))).map(({ total }) => total);
}

/** A promotion code for half of the price. */
async function code(
  { stripe }: World,
  params: Partial<Stripe.PromotionCodeCreateParams> = {},
): Promise<Stripe.PromotionCode> {
  const coupon = await stripe.coupons.create(half);
  return stripe.promotionCodes.create({
    promotion: { type: "coupon", coupon: coupon.id },
    ...params,
  });
}

const use = (world: World, { id }: { readonly id: string }, customer?: string) =>
  refusal(
    world.subscribe(1000, {
      discounts: [{ promotion_code: id }],
      ...(customer === undefined ? {} : { customer }),
    }),
  );

export const discounts: Theme = {
  name: "Coupons and promotion codes",
  behaviours: [
    {
      name: "an upgrade with half off: what was debited is credited, net is charged",
      source: thread("api-discuss lvd7Ht4F41Y, Stripe staff"),
      now: APRIL_1,
      expected: 500,
      see: async (world) => (await upgraded(world, half, "from the start")).total,
    },
    {
      name: "lines of prorations are net of their discounts",
      source: changelog("2025-09-30.clover: proration_discounts is included by default"),
      now: APRIL_1,
      expected: [-250, 750],
      async see(world) {
        const { lines } = await upgraded(world, half, "from the start");
        return lines.data.map(({ amount }) => amount);
      },
    },
    {
      name: "a coupon that is used up: the credit is of what was debited",
      source: thread("api-discuss lvd7Ht4F41Y, Stripe staff"),
      now: APRIL_1,
      expected: { lines: [-250, 1500], total: 1250 },
      async see(world) {
        const once = { percent_off: 50, duration: "once" } as const;
        const { lines, total } = await upgraded(world, once, "from the start");
        return { lines: lines.data.map(({ amount }) => amount), total };
      },
    },
    {
      name: "a coupon for one invoice is used up by the first: the subscription has it no longer",
      source: thread("stripe-go#944, Stripe staff"),
      now: APRIL_1,
      expected: 0,
      async see({ stripe, subscribe }) {
        const { id } = await stripe.coupons.create({ percent_off: 50, duration: "once" });
        return (await subscribe(1000, { discounts: [{ coupon: id }] })).discounts.length;
      },
    },
    {
      name: "a coupon added later: the credit is whole, the charge is net",
      source: thread("api-discuss C7yM2sNZhjU"),
      now: APRIL_1,
      expected: 250,
      see: async (world) => (await upgraded(world, half, "later")).total,
    },
    {
      name: "repeating for three months",
      source: reference("coupons/object#duration"),
      now: APRIL_1,
      expected: [500, 500, 500, 1000, 1000],
      see: (world) =>
        totals(world, { percent_off: 50, duration: "repeating", duration_in_months: 3 }, 125),
    },
    {
      name: "once is for the first invoice",
      source: reference("coupons/object#duration"),
      now: APRIL_1,
      expected: [500, 1000],
      see: (world) => totals(world, { percent_off: 50, duration: "once" }, 31),
    },
    {
      name: "an amount off takes at most the total",
      source: reference("coupons/object#amount_off"),
      now: APRIL_1,
      expected: [0, 0],
      see: (world) => totals(world, { amount_off: 1500, currency: "usd", duration: "forever" }, 31),
    },
    {
      name: "a deleted coupon's discounts stay",
      source: reference("coupons/delete"),
      now: APRIL_1,
      expected: { deleted: true, renewal: 500 },
      async see({ double, stripe, subscribe, invoices }) {
        const { id } = await stripe.coupons.create(half);
        const { customer } = await subscribe(1000, { discounts: [{ coupon: id }] });
        const { deleted } = await stripe.coupons.del(id);
        await double.clock.advance({ days: 31 });
        return { deleted, renewal: last(await invoices(idOf(customer))).total };
      },
    },
    {
      name: "several discounts apply one after another",
      source: docs("billing/subscriptions/coupons#stackable-discounts"),
      expected: { percentFirst: 400, amountFirst: 450 },
      async see({ stripe, subscribe }) {
        const percent = { coupon: (await stripe.coupons.create(half)).id };
        const dollar = await stripe.coupons.create({
          amount_off: 100,
          currency: "usd",
          duration: "forever",
        });
        const amount = { coupon: dollar.id };
        const totalOf = async (discounts: Stripe.SubscriptionCreateParams.Discount[]) => {
          const { latest_invoice } = await subscribe(1000, {
            discounts,
            expand: ["latest_invoice"],
          });
          return expanded(latest_invoice).total;
        };
        const percentFirst = await totalOf([percent, amount]);
        return { percentFirst, amountFirst: await totalOf([amount, percent]) };
      },
    },
    {
      name: "a repeating discount says when it ends",
      source: reference("discounts/object#end"),
      now: APRIL_1,
      expected: "2026-07-01T00:00:00Z",
      async see({ stripe, subscribe }) {
        const { id } = await stripe.coupons.create({
          percent_off: 50,
          duration: "repeating",
          duration_in_months: 3,
        });
        const discounts = [{ coupon: id }];
        const { discounts: given } = await subscribe(1000, { discounts, expand: ["discounts"] });
        const discount = first(given);
        return typeof discount === "string" ? discount : iso(discount.end ?? 0);
      },
    },
    {
      name: "max_redemptions makes it invalid, and it is refused",
      source: reference("coupons/object#max_redemptions"),
      expected: { valid: false, times: 1, status: 400 },
      async see({ stripe, subscribe }) {
        const { id } = await stripe.coupons.create({ ...half, max_redemptions: 1 });
        const discounts = [{ coupon: id }];
        await subscribe(1000, { discounts });
        const { valid, times_redeemed: times } = await stripe.coupons.retrieve(id);
        return { valid, times, status: await statusOf(subscribe(1000, { discounts })) };
      },
    },
    {
      name: "redeem_by makes it invalid, and keeps the discounts given",
      source: reference("coupons/object#redeem_by"),
      now: APRIL_1,
      expected: { valid: false, status: 400, renewal: 500 },
      async see({ double, stripe, subscribe, invoices }) {
        const redeem_by = seconds("2026-04-10T00:00:00Z");
        const { id } = await stripe.coupons.create({ ...half, redeem_by });
        const discounts = [{ coupon: id }];
        const { customer } = await subscribe(1000, { discounts });
        await double.clock.advance({ days: 31 });
        const { valid } = await stripe.coupons.retrieve(id);
        const status = await statusOf(subscribe(1000, { discounts }));
        return { valid, status, renewal: last(await invoices(idOf(customer))).total };
      },
    },
    {
      name: "another currency's amount off is refused",
      source: thread(
        "restrictcontentpro/restrict-content-pro#382: subscription, coupon or item with currency",
      ),
      expected: 400,
      async see({ stripe, subscribe }) {
        const { id } = await stripe.coupons.create({
          amount_off: 100,
          currency: "eur",
          duration: "once",
        });
        return statusOf(subscribe(1000, { discounts: [{ coupon: id }] }));
      },
    },
    {
      name: "a coupon is of a percentage or of an amount",
      source: reference("coupons/create"),
      expected: { both: 400, neither: 400 },
      async see({ stripe }) {
        const amount = { amount_off: 100, currency: "usd" };
        return {
          both: await statusOf(stripe.coupons.create({ ...half, ...amount })),
          neither: await statusOf(stripe.coupons.create({ duration: "once" })),
        };
      },
    },
    {
      name: "a promotion code that is switched off is refused",
      source: reference("promotion_codes/object#active"),
      expected: { before: 200, after: 400 },
      async see(world) {
        const promotion = await code(world);
        const before = await use(world, promotion);
        await world.stripe.promotionCodes.update(promotion.id, { active: false });
        return { before: before.status, after: (await use(world, promotion)).status };
      },
    },
    {
      name: "a code for first orders is refused to somebody who has paid",
      source: reference("promotion_codes/object#restrictions"),
      expected: { fresh: 200, returning: 400 },
      async see(world) {
        const promotion = await code(world, { restrictions: { first_time_transaction: true } });
        const { customer } = await world.subscribe(1000);
        const fresh = await use(world, promotion);
        const returning = await use(world, promotion, idOf(customer));
        return { fresh: fresh.status, returning: returning.status };
      },
    },
    {
      name: "a code of one customer is refused to others",
      source: reference("promotion_codes/object#customer"),
      expected: { own: 200, other: 400 },
      async see(world) {
        const customer = await world.customer();
        const promotion = await code(world, { customer });
        const own = await use(world, promotion, customer);
        return { own: own.status, other: (await use(world, promotion)).status };
      },
    },
    {
      name: "a code is unique among the active ones, whatever its case",
      source: reference("promotion_codes/create#code"),
      expected: { same: 400, otherCase: 400, afterwards: 200 },
      async see(world) {
        const { id } = await code(world, { code: "SPRING" });
        const same = await statusOf(code(world, { code: "SPRING" }));
        const otherCase = await statusOf(code(world, { code: "spring" }));
        await world.stripe.promotionCodes.update(id, { active: false });
        return { same, otherCase, afterwards: await statusOf(code(world, { code: "SPRING" })) };
      },
    },
  ],
};
