import Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  discountFrom,
  discountsFrom,
  findDiscount,
  termsOf,
} from "../src/billing/invoices/discounts.js";
import { discountParts } from "../src/billing/invoices/shares.js";
import { createCoupon } from "../src/resources/catalogue/coupons.js";
import { bareWorld, errorOf, NOW, openTill, type Till } from "./money-kit.js";

let till: Till;
beforeEach(async () => {
  till = await openTill();
});
afterEach(() => till.double.close());

const seconds = (moment: string) => Date.parse(moment) / 1000;

describe("coupons", () => {
  it("can be given an id, which is free again once the coupon is deleted", async () => {
    const first = await till.stripe.coupons.create({
      id: "SPRING",
      percent_off: 25.5,
      duration: "forever",
    });
    expect(first).toMatchObject({
      percent_off: 25.5,
      amount_off: null,
      currency: null,
      valid: true,
    });
    const taken = await errorOf(till.stripe.coupons.create({ id: "SPRING", percent_off: 5 }));
    expect(taken).toMatchObject({
      code: "resource_already_exists",
      message: "Coupon already exists.",
    });
    expect(await till.stripe.coupons.del("SPRING")).toMatchObject({ id: "SPRING", deleted: true });
    expect((await errorOf(till.stripe.coupons.retrieve("SPRING"))).statusCode).toBe(404);
    await till.stripe.coupons.create({ id: "SPRING", amount_off: 300, currency: "usd" });
    const events = await till.events();
    expect(events.map(({ type }) => type)).toEqual([
      "coupon.created",
      "coupon.deleted",
      "coupon.created",
    ]);
    expect(events[1]?.data.object).toMatchObject({ id: "SPRING", valid: false });
  });

  it("show the products they are limited to only when asked", async () => {
    const product = await till.stripe.products.create({ name: "Engine" });
    const made = await till.stripe.coupons.create({
      percent_off: 10,
      applies_to: { products: [product.id] },
    });
    expect(made).not.toHaveProperty("applies_to");
    expect(made.id).toMatch(/^[A-Z0-9]{8}$/);
    const shown = await till.stripe.coupons.retrieve(made.id, { expand: ["applies_to"] });
    expect(shown.applies_to).toEqual({ products: [product.id] });
  });

  it("become invalid without an event when their time is over", async () => {
    const coupon = await till.stripe.coupons.create({
      percent_off: 10,
      redeem_by: seconds("2026-03-02T00:00:00Z"),
    });
    await till.double.clock.advance({ days: 1 });
    expect((await till.stripe.coupons.retrieve(coupon.id)).valid).toBe(false);
    expect(await till.types()).toEqual(["coupon.created"]);
  });

  it("are changed in name and metadata only", async () => {
    const coupon = await till.stripe.coupons.create({ percent_off: 10, name: "Ten" });
    await till.stripe.coupons.update(coupon.id, { name: "Ten percent", metadata: { by: "ada" } });
    const last = (await till.events()).at(-1);
    expect(last?.type).toBe("coupon.updated");
    expect(last?.data.previous_attributes).toEqual({ name: "Ten", metadata: { by: null } });
  });

  it.each([
    [{}, "Must provide percent_off or amount_off."],
    [{ percent_off: 10, amount_off: 5 }, "Please pass in only one."],
    [{ amount_off: 5 }, "You must pass currency when passing amount_off"],
    [{ percent_off: 10, duration: "repeating" as const }, "duration_in_months param must be set"],
    [{ percent_off: 101 }, "less than or equal to 100"],
    [{ percent_off: 10, redeem_by: seconds(NOW) - 1 }, "which is in the past"],
  ])("are refused when they make no sense: %j", async (params, message) => {
    const error = await errorOf(till.stripe.coupons.create(params));
    expect(error.statusCode).toBe(400);
    expect(error.message).toContain(message);
  });
});

describe("promotion codes", () => {
  const coupon = () => till.stripe.coupons.create({ id: "TEN", percent_off: 10 });

  it("are unique among the active ones, whatever their case", async () => {
    await coupon();
    const promotion = { type: "coupon" as const, coupon: "TEN" };
    const first = await till.stripe.promotionCodes.create({ promotion, code: "FALL20" });
    expect(first).toMatchObject({ active: true, code: "FALL20", promotion });
    const taken = await errorOf(till.stripe.promotionCodes.create({ promotion, code: "fall20" }));
    expect(taken.message).toBe("An active promotion code with `code: fall20` already exists.");
    await till.stripe.promotionCodes.update(first.id, { active: false });
    const second = await till.stripe.promotionCodes.create({ promotion, code: "FALL20" });
    expect(
      (await errorOf(till.stripe.promotionCodes.update(first.id, { active: true }))).message,
    ).toContain("already exists");
    const active = await till.stripe.promotionCodes.list({
      active: true,
      code: "fall20",
      coupon: "TEN",
    });
    expect(active.data.map(({ id }) => id)).toEqual([second.id]);
    const generated = await till.stripe.promotionCodes.create({ promotion });
    expect(generated.code).toMatch(/^[A-Z0-9]{8}$/);
  });

  it("expand to their coupon", async () => {
    await coupon();
    const made = await till.stripe.promotionCodes.create({
      promotion: { type: "coupon", coupon: "TEN" },
      expand: ["promotion.coupon"],
    });
    expect(made.promotion.coupon).toMatchObject({ id: "TEN", percent_off: 10 });
  });

  it("take and show the coupon at the top before 2025-09-30", async () => {
    await coupon();
    const apiVersion = "2025-08-27.basil";
    const old = (path: string, body?: string) =>
      fetch(`${till.double.url}${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: {
          Authorization: `Bearer ${till.double.secretKey}`,
          "Stripe-Version": apiVersion,
          "Content-Type": "application/x-www-form-urlencoded",
        },
        ...(body === undefined ? {} : { body }),
      }).then((answer) => answer.json());
    const made = await old("/v1/promotion_codes", "coupon=TEN&code=OLD");
    expect(made).toMatchObject({
      code: "OLD",
      coupon: { id: "TEN", object: "coupon", percent_off: 10 },
    });
    expect(made).not.toHaveProperty("promotion");
    const refused = await old(
      "/v1/promotion_codes",
      "promotion[type]=coupon&promotion[coupon]=TEN",
    );
    expect(refused.error).toMatchObject({ code: "parameter_unknown", param: "promotion" });
    const now = new Stripe(till.double.secretKey, till.double.stripeConfig);
    expect((await now.promotionCodes.retrieve(made.id)).promotion.coupon).toBe("TEN");
    const event = (await till.events()).at(-1);
    expect(event?.data.object).toMatchObject({ promotion: { coupon: "TEN" } });
  });

  it("stop with their time, their coupon or their last redemption, without an event", async () => {
    await coupon();
    const promotion = { type: "coupon" as const, coupon: "TEN" };
    const short = await till.stripe.promotionCodes.create({
      promotion,
      expires_at: seconds("2026-03-02T00:00:00Z"),
    });
    const long = await till.stripe.promotionCodes.create({ promotion });
    await till.double.clock.advance({ days: 2 });
    expect((await till.stripe.promotionCodes.retrieve(short.id)).active).toBe(false);
    await till.stripe.coupons.del("TEN");
    expect((await till.stripe.promotionCodes.retrieve(long.id)).active).toBe(false);
    expect((await till.types()).filter((type) => type === "promotion_code.updated")).toEqual([]);
  });
});

describe("discounts", () => {
  const params = {
    amount_off: undefined,
    applies_to: undefined,
    currency: undefined,
    duration: undefined,
    duration_in_months: undefined,
    id: undefined,
    max_redemptions: undefined,
    metadata: undefined,
    name: undefined,
    percent_off: undefined,
    redeem_by: undefined,
  };

  it("take a part or an amount off, and never more than there is", () => {
    const { world } = bareWorld();
    createCoupon(world, { ...params, id: "THIRD", percent_off: "33.33" });
    createCoupon(world, { ...params, id: "FIVE", amount_off: 500, currency: "usd" });
    const third = discountFrom(world, { coupon: "THIRD" }, { customer: "cus_1" });
    const five = discountFrom(world, { coupon: "FIVE" }, {});
    const off = (discount: string, amount: number) => {
      const part = { amount, discountable: true, product: undefined };
      return discountParts([part], termsOf(world, [discount]))[0]?.[0]?.amount;
    };
    expect(off(third.id, 999)).toBe(333);
    expect(off(five.id, 999)).toBe(500);
    expect(off(five.id, 300)).toBe(300);
  });

  it("end after their months, and count as redeemed in silence", () => {
    const { world, types } = bareWorld();
    createCoupon(world, {
      ...params,
      id: "Q",
      percent_off: "10",
      duration: "repeating",
      duration_in_months: 3,
      max_redemptions: 1,
    });
    const [id = ""] = discountsFrom(world, [{ coupon: "Q" }], {
      customer: "cus_1",
      subscription: "sub_1",
    });
    expect(findDiscount(world, id)).toMatchObject({
      end: seconds("2026-06-01T12:00:00Z"),
      subscription: "sub_1",
      source: { coupon: "Q", type: "coupon" },
    });
    expect(world.find("coupon", "Q")).toMatchObject({ times_redeemed: 1, valid: false });
    expect(types()).toEqual(["coupon.created"]);
    expect(() => discountsFrom(world, [{ coupon: "Q" }], {})).toThrow("Coupon expired: Q");
    expect(termsOf(world, [id])).toMatchObject([{ discount: id, percent_off: 10 }]);
  });
});
