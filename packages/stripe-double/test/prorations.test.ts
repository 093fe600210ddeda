/** What a change within a period credits and charges, to the cent. */
import Stripe from "stripe";
import { beforeEach, describe, expect, it } from "vitest";
import { discountParts, partOf, shareOut } from "../src/billing/invoices/shares.js";
import { ask, errorOf, expanded, payer, type Rig, rig } from "./kit.js";

let it_: Rig;
let stripe: Stripe;
let basic: Stripe.Price;
let pro: Stripe.Price;
let customer: Stripe.Customer;

/** April has 30 days, so that half of the period is 15 of them. */
beforeEach(async () => {
  it_ = await rig({ now: "2026-04-01T00:00:00Z" });
  stripe = it_.stripe;
  const product = await stripe.products.create({ name: "Pro" });
  const monthly = (unit_amount: number) =>
    stripe.prices.create({
      product: product.id,
      currency: "usd",
      unit_amount,
      recurring: { interval: "month" },
    });
  [basic, pro] = [await monthly(1000), await monthly(3000)];
  customer = await payer(stripe);
});

const subscribe = (params: Partial<Stripe.SubscriptionCreateParams> = {}) =>
  stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: basic.id }],
    ...params,
  });
const half = (duration: "forever" | "once" = "forever") =>
  stripe.coupons.create({ percent_off: 50, duration });

/** Changes the price of the first item and invoices the difference at once. */
async function upgrade(
  made: Stripe.Subscription,
  price = pro,
  proration_behavior: "always_invoice" | "none" = "always_invoice",
): Promise<Stripe.Invoice> {
  const after = await stripe.subscriptions.update(made.id, {
    items: [{ id: made.items.data[0]?.id ?? "", price: price.id }],
    proration_behavior,
    expand: ["latest_invoice"],
  });
  return expanded(after.latest_invoice);
}

const amounts = ({ lines }: Stripe.Invoice) => lines.data.map(({ amount }) => amount);
const TO_HALF = { days: 15 };

describe("a credit is for what was debited", () => {
  it("a coupon that is used up counts for the credit only (Stripe staff, api-discuss lvd7Ht4F41Y)", async () => {
    const coupon = await half("once");
    const made = await subscribe({ discounts: [{ coupon: coupon.id }] });
    await it_.double.clock.advance(TO_HALF);
    const invoice = await upgrade(made);
    expect(amounts(invoice)).toEqual([-250, 1500]);
    expect(invoice.total).toBe(1250);
  });

  it("a coupon that came later counts for the charge only (api-discuss C7yM2sNZhjU)", async () => {
    const coupon = await half();
    const made = await subscribe();
    await it_.double.clock.advance(TO_HALF);
    await stripe.subscriptions.update(made.id, { discounts: [{ coupon: coupon.id }] });
    const invoice = await upgrade(made);
    expect(amounts(invoice)).toEqual([-500, 750]);
    expect(invoice.total).toBe(250);
  });

  it("a coupon for one invoice that came later serves the next invoice, and no other", async () => {
    const coupon = await half("once");
    const made = await subscribe();
    await stripe.subscriptions.update(made.id, { discounts: [{ coupon: coupon.id }] });
    await it_.double.clock.advance({ days: 62 });
    const { data } = await stripe.invoices.list({ customer: customer.id });
    expect(data.map(({ total }) => total)).toEqual([1000, 500, 1000]);
  });

  it("an item that was never billed is not credited, and one that was is credited what it cost (docs: compare billing modes)", async () => {
    const made = await subscribe();
    await upgrade(made, pro, "none");
    await it_.double.clock.advance(TO_HALF);
    expect(amounts(await upgrade(made, basic))).toEqual([-500, 500]);
    const added = await stripe.subscriptionItems.create({
      subscription: made.id,
      price: pro.id,
      proration_behavior: "none",
    });
    await stripe.subscriptionItems.del(added.id);
    const pending = await stripe.invoiceItems.list({ customer: customer.id, pending: true });
    expect(pending.data).toEqual([]);
  });

  it("in classic mode it follows from the current price and the last discounts (changelog 2025-04-30: billing mode)", async () => {
    const coupon = await half("once");
    const made = await subscribe({
      billing_mode: { type: "classic" },
      discounts: [{ coupon: coupon.id }],
    });
    await upgrade(made, pro, "none");
    await it_.double.clock.advance(TO_HALF);
    expect(amounts(await upgrade(made, basic))).toEqual([-750, 500]);
  });

  it("a debit is credited once, however often the item changes", async () => {
    const made = await subscribe();
    await it_.double.clock.advance(TO_HALF);
    expect(amounts(await upgrade(made))).toEqual([-500, 1500]);
    await it_.double.clock.advance({ days: 5 });
    expect(amounts(await upgrade(made, basic))).toEqual([-1000, 333]);
    const { data } = await stripe.invoiceItems.list({ customer: customer.id });
    const [, last, , first] = data;
    const bills = await stripe.invoices.list({ customer: customer.id });
    const lineOf = (invoice: number, line: number) => bills.data[invoice]?.lines.data[line]?.id;
    // changelog 2026-05-27: a credit names the lines that it credits.
    expect(first?.proration_details?.credited_items).toMatchObject({
      type: "invoice_line_items",
      invoice_line_item_details: { invoice_line_items: [lineOf(2, 0)] },
    });
    expect(last?.proration_details?.credited_items).toMatchObject({
      invoice_line_item_details: { invoice_line_items: [lineOf(1, 1)] },
    });
  });

  it("a charge that waits for its invoice is credited too, and named as an item", async () => {
    const made = await subscribe();
    const item = made.items.data[0]?.id ?? "";
    const change = (price: Stripe.Price) =>
      stripe.subscriptions.update(made.id, { items: [{ id: item, price: price.id }] });
    await it_.double.clock.advance(TO_HALF);
    await change(pro);
    await it_.double.clock.advance({ days: 5 });
    await change(basic);
    const { data } = await stripe.invoiceItems.list({ customer: customer.id });
    expect(data.map(({ amount }) => amount).reverse()).toEqual([-500, 1500, -1000, 333]);
    const [, credit, charge] = data;
    expect(credit?.proration_details?.credited_items).toEqual({
      type: "invoice_item",
      invoice_item: charge?.id,
    });
    await it_.double.clock.advance({ days: 12 });
    await change(pro);
    const [, renewed] = (await stripe.invoiceItems.list({ customer: customer.id })).data;
    // Two days into May, whose period has 31: only the renewal is left to credit.
    expect(renewed?.amount).toBe(-Math.round((1000 * 29) / 31));
  });

  it("what a void invoice debited is not credited (docs: prorations)", async () => {
    const made = await subscribe({ collection_method: "send_invoice", days_until_due: 7 });
    await it_.double.clock.advance({ hours: 2 });
    await stripe.invoices.voidInvoice(String(made.latest_invoice));
    await it_.double.clock.advance({ days: 14, hours: 22 });
    const after = await stripe.subscriptions.update(made.id, {
      items: [{ id: made.items.data[0]?.id ?? "", price: pro.id }],
    });
    const { data } = await stripe.invoiceItems.list({ customer: customer.id });
    expect(after.items.data[0]?.price.id).toBe(pro.id);
    expect(data.map(({ amount }) => amount)).toEqual([1500]);
  });
});

describe("discounts of prorations (changelog 2025-09-30: itemize proration discount amounts)", () => {
  const upgraded = async (proration_discounts?: "included" | "itemized") => {
    const coupon = await half();
    const made = await subscribe({
      discounts: [{ coupon: coupon.id }],
      ...(proration_discounts
        ? { billing_mode: { type: "flexible", flexible: { proration_discounts } } }
        : {}),
    });
    await it_.double.clock.advance(TO_HALF);
    return upgrade(made);
  };
  const discounts = ({ lines }: Stripe.Invoice) =>
    lines.data.map(({ discount_amounts: parts }) => parts?.map(({ amount }) => amount));

  it("are in the amount unless it is said otherwise, and are named without an amount", async () => {
    const invoice = await upgraded();
    expect(amounts(invoice)).toEqual([-250, 750]);
    expect(discounts(invoice)).toEqual([[0], [0]]);
    expect(invoice).toMatchObject({ subtotal: 500, total: 500, amount_paid: 500 });
    const { data } = await stripe.invoiceItems.list({ customer: customer.id });
    expect(data.map((item) => item.proration_details?.discount_amounts[0]?.amount)).toEqual([
      750, -250,
    ]);
  });

  it("are shown apart where they are itemized, and the total is the same", async () => {
    const invoice = await upgraded("itemized");
    expect(amounts(invoice)).toEqual([-500, 1500]);
    expect(discounts(invoice)).toEqual([[-250], [750]]);
    expect(invoice).toMatchObject({ subtotal: 1000, total: 500, amount_paid: 500 });
    expect(invoice.total_discount_amounts).toMatchObject([{ amount: 500 }]);
  });

  it("lines of a period show what each discount takes off them, and credits none", async () => {
    const coupon = await stripe.coupons.create({
      amount_off: 100,
      currency: "usd",
      duration: "forever",
    });
    await stripe.invoiceItems.create({ customer: customer.id, amount: -300, currency: "usd" });
    const made = await subscribe({
      items: [{ price: basic.id }, { price: pro.id }],
      discounts: [{ coupon: coupon.id }],
      expand: ["latest_invoice"],
    });
    const invoice = expanded<Stripe.Invoice>(made.latest_invoice);
    expect(amounts(invoice)).toEqual([-300, 1000, 3000]);
    expect(discounts(invoice)).toEqual([[], [25], [75]]);
    expect(invoice.total).toBe(3600);
  });
});

describe("lines say what they are for (lines of public invoices: 09 Dec 2025, $900.00 / every 3 months)", () => {
  it("a period names quantity, product and price", async () => {
    const made = await subscribe({
      items: [
        { price: basic.id },
        {
          price_data: {
            currency: "usd",
            product: String(basic.product),
            unit_amount_decimal: Stripe.Decimal.from("0.5"),
            recurring: { interval: "month" },
          },
          quantity: 400,
        },
      ],
      expand: ["latest_invoice"],
    });
    const invoice = expanded<Stripe.Invoice>(made.latest_invoice);
    expect(invoice.lines.data.map(({ description }) => description)).toEqual([
      "1 × Pro (at $10.00 / month)",
      "400 × Pro (at $0.005 / month)",
    ]);
    const quarterly = await stripe.prices.create({
      product: String(basic.product),
      currency: "jpy",
      unit_amount: 900,
      recurring: { interval: "month", interval_count: 3 },
    });
    const other = await stripe.subscriptions.create({
      customer: (await payer(stripe)).id,
      items: [{ price: quarterly.id }],
      expand: ["latest_invoice"],
    });
    const [line] = expanded<Stripe.Invoice>(other.latest_invoice).lines.data;
    expect(line?.description).toBe("1 × Pro (at ¥900 / every 3 months)");
  });

  it("a proration names the day from which on it counts", async () => {
    const made = await subscribe({ items: [{ price: basic.id, quantity: 2 }] });
    await it_.double.clock.advance({ days: 8 });
    const after = await stripe.subscriptions.update(made.id, {
      items: [{ id: made.items.data[0]?.id ?? "", price: pro.id, quantity: 1 }],
      proration_behavior: "always_invoice",
      expand: ["latest_invoice"],
    });
    const { data } = expanded<Stripe.Invoice>(after.latest_invoice).lines;
    expect(data.map(({ description }) => description)).toEqual([
      "Unused time on 2 × Pro after 09 Apr 2026",
      "Remaining time on Pro after 09 Apr 2026",
    ]);
    expect(data[0]?.parent).toMatchObject({
      type: "subscription_item_details",
      subscription_item_details: { proration: true, subscription: made.id },
    });
  });
});

describe("billing mode", () => {
  it("is classic by default before 2025-09-30, flexible since (changelog 2025-09-30)", async () => {
    const create = async (version: string) =>
      (
        await ask(it_.double, "/v1/subscriptions", {
          method: "POST",
          body: new URLSearchParams({ customer: customer.id, "items[0][price]": basic.id }),
          headers: { "Stripe-Version": version },
        })
      ).body.billing_mode;
    expect(await create("2025-08-27.basil")).toMatchObject({ type: "classic" });
    expect(await create("2025-09-30.clover")).toEqual({
      type: "flexible",
      flexible: { proration_discounts: "included" },
    });
  });

  it("can be migrated to flexible, and not back", async () => {
    const made = await subscribe({ billing_mode: { type: "classic" } });
    expect(made.billing_mode).toMatchObject({ type: "classic", flexible: null });
    const moved = await stripe.subscriptions.migrate(made.id, {
      billing_mode: { type: "flexible" },
    });
    expect(moved.billing_mode.type).toBe("flexible");
    const back = { billing_mode: { type: "classic" as "flexible" } };
    expect((await errorOf(stripe.subscriptions.migrate(made.id, back))).statusCode).toBe(400);
  });
});

describe("sharing out", () => {
  it.each([
    [100, [1, 1, 1], [34, 33, 33]],
    [100, [1, 2], [33, 67]],
    [1, [5, 5], [1, 0]],
    // The remainders of the last two are equal, 6 of 14; as fractions they would not quite be.
    [2, [1, 3, 10], [0, 1, 1]],
    [0, [1, 2], [0, 0]],
    [7, [0, 0], [0, 0]],
  ])("%i by the weights %j is %j", (amount, weights, shares) => {
    expect(shareOut(amount, weights)).toEqual(shares);
  });

  it("applies discounts in order, each to what is left, and only to what they are for", () => {
    const part = (amount: number, product: string) => ({ amount, product, discountable: true });
    const parts = [part(1000, "a"), part(500, "b"), { ...part(200, "a"), discountable: false }];
    const percent = (discount: string, percent_off: number, products?: string[]) => ({
      discount,
      percent_off,
      amount_off: null,
      products,
    });
    expect(discountParts(parts, [percent("x", 10), percent("y", 50, ["a"])])).toEqual([
      [
        { discount: "x", amount: 100 },
        { discount: "y", amount: 450 },
      ],
      [{ discount: "x", amount: 50 }],
      [],
    ]);
  });

  it("rounds the net amount of a part, whatever the discounts", () => {
    const whole = { gross: 999, discounts: [{ discount: "x", amount: 333 }] };
    expect(partOf(whole, 0.5)).toEqual({ gross: 500, discounts: [{ discount: "x", amount: 167 }] });
  });
});
