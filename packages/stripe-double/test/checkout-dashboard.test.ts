/** Checkouts without a browser: what the page does, `payCheckout` and `authenticate` do. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openShop, type Shop, URLS } from "./checkout-kit.js";

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.double.close());

const AUTHENTICATES = "4000002500003155";
const email = "ada@example.com";

async function session(params: { allow_promotion_codes?: boolean } = {}) {
  return shop.stripe.checkout.sessions.create({
    mode: "subscription",
    line_items: [{ price: shop.basic, quantity: 1 }],
    ...URLS,
    ...params,
  });
}

describe("3-D Secure (docs: Testing, 3D Secure authentication)", () => {
  it.each(["succeed", "fail"] as const)("the payment intent is told: %s", async (outcome) => {
    const { id } = await session();
    const { dashboard } = shop.double;
    expect(dashboard.payCheckout(id, { email, card: AUTHENTICATES })).toBe("requires_action");
    const [intent] = (await shop.stripe.paymentIntents.list()).data;
    dashboard.authenticate(intent?.id ?? "", outcome);
    const after = await shop.stripe.checkout.sessions.retrieve(id, { expand: ["subscription"] });
    expect(after).toMatchObject(
      outcome === "succeed"
        ? { status: "complete", payment_status: "paid", subscription: { status: "active" } }
        : { status: "open", payment_status: "unpaid" },
    );
    expect((await shop.types()).includes("checkout.session.completed")).toBe(outcome === "succeed");
  });
});

describe("a promotion code", () => {
  beforeEach(async () => {
    const { id } = await shop.stripe.coupons.create({ percent_off: 25, duration: "once" });
    const promotion = { type: "coupon", coupon: id } as const;
    await shop.stripe.promotionCodes.create({ promotion, code: "SPRING" });
  });

  it("is typed as on the page (docs: Add discounts, allow_promotion_codes)", async () => {
    const { id, url } = await session({ allow_promotion_codes: true });
    const { dashboard } = shop.double;
    expect(() => dashboard.payCheckout(id, { email, promotionCode: "AUTUMN" })).toThrow("invalid");
    expect(dashboard.payCheckout(url ?? "", { email, promotionCode: "spring" })).toBe("paid");
    expect(await shop.stripe.checkout.sessions.retrieve(id)).toMatchObject({
      amount_subtotal: 1200,
      amount_total: 900,
      total_details: { amount_discount: 300 },
    });
  });

  it("cannot be typed where the page does not ask for one", async () => {
    const { id } = await session();
    const pay = () => shop.double.dashboard.payCheckout(id, { email, promotionCode: "SPRING" });
    expect(pay).toThrow("allow_promotion_codes");
  });
});
