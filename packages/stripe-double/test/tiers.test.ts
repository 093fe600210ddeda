/** Prices in tiers, in packages and in several currencies: what they cost, line by line. */
import type Stripe from "stripe";
import { beforeEach, describe, expect, it } from "vitest";
import { piecesOf, type Rate, type Tier, timesDecimal } from "../src/billing/prices/amounts.js";
import { errorOf, payer, type Rig, rig } from "./kit.js";

const tier = (up_to: number | null, unit: string | null, flat: string | null = null): Tier => ({
  flat_amount: null,
  flat_amount_decimal: flat,
  unit_amount: null,
  unit_amount_decimal: unit,
  up_to,
});

describe("what a quantity costs", () => {
  // docs: products-prices/pricing-models, "Flat fees and tiers": its example, and its totals.
  const tiers = [
    tier(5, "500", "1000"),
    tier(10, "400", "2000"),
    tier(15, "300", "3000"),
    tier(20, "200", "4000"),
    tier(null, "100", "5000"),
  ];
  const rate = (tiers_mode: "graduated" | "volume"): Rate => ({
    unit_amount_decimal: null,
    tiers,
    tiers_mode,
    transform_quantity: null,
  });
  it.each([
    ["graduated", 12, 11_100],
    ["volume", 12, 6600],
    // "We always bill the first flat fee tier when quantity=0."
    ["graduated", 0, 1000],
    ["volume", 0, 1000],
    ["graduated", 5, 3500],
    ["volume", 5, 3500],
    ["graduated", 21, 22_000 + 100],
    ["volume", 21, 7100],
  ] as const)("%s: %i cost %i", (mode, quantity, total) => {
    const pieces = piecesOf(rate(mode), quantity);
    expect(pieces.reduce((sum, { amount }) => sum + amount, 0)).toBe(total);
  });

  // docs: usage-based/manage-billing-setup, "Transform quantities": 150 minutes cost three hours.
  it.each([
    ["up", 150, 3000],
    ["down", 150, 2000],
    ["up", 120, 2000],
    ["up", 0, 0],
  ] as const)("packages of 60, rounded %s: %i cost %i", (round, quantity, total) => {
    const transform_quantity = { divide_by: 60, round };
    const [piece] = piecesOf(
      { unit_amount_decimal: "1000", tiers: null, tiers_mode: null, transform_quantity },
      quantity,
    );
    expect(piece).toMatchObject({ quantity, amount: total });
  });

  it.each([
    ["0.005", 100, 1],
    ["0.005", 99, 0],
    ["1.005", 100, 101], // a float says 100.49999999999999
    ["3.6", 31, 112],
    ["0.000000000001", 1_000_000_000_000, 1],
    ["-1.5", 1, -2],
  ])("%s times %i is %i", (decimal, count, product) => {
    expect(timesDecimal(decimal, count)).toBe(product);
  });
});

describe("tiered prices", () => {
  let shop: Rig;
  let product: string;
  beforeEach(async () => {
    shop = await rig();
    product = (await shop.stripe.products.create({ name: "Standard" })).id;
  });

  const create = (params: Partial<Stripe.PriceCreateParams>) =>
    shop.stripe.prices.create({
      product,
      currency: "usd",
      recurring: { interval: "month" },
      billing_scheme: "tiered",
      ...params,
    });
  const graduated = (more: Partial<Stripe.PriceCreateParams> = {}) =>
    create({
      tiers_mode: "graduated",
      tiers: [
        { up_to: 10, unit_amount: 0, flat_amount: 9900 },
        { up_to: "inf", unit_amount: 995, flat_amount: 0 },
      ],
      ...more,
    });
  const subscribe = async (price: Stripe.Price, quantity: number, customer?: string) =>
    shop.stripe.subscriptions.create({
      customer: customer ?? (await payer(shop.stripe)).id,
      items: [{ price: price.id, quantity }],
      expand: ["latest_invoice"],
    });
  const linesOf = (subscription: Stripe.Subscription) =>
    (subscription.latest_invoice as Stripe.Invoice).lines.data.map(
      ({ amount, description, quantity }) => [description, quantity, amount],
    );

  it("show their tiers only when they are asked for", async () => {
    const price = await graduated();
    expect(price).toMatchObject({
      billing_scheme: "tiered",
      tiers_mode: "graduated",
      unit_amount: null,
      unit_amount_decimal: null,
    });
    expect(price.tiers).toBeUndefined();
    const { tiers } = await shop.stripe.prices.retrieve(price.id, { expand: ["tiers"] });
    expect(
      tiers?.map(({ up_to, unit_amount, flat_amount }) => [up_to, unit_amount, flat_amount]),
    ).toEqual([
      [10, 0, 9900],
      [null, 995, 0],
    ]);
    const plan = await shop.stripe.plans.retrieve(price.id, { expand: ["tiers"] });
    expect(plan).toMatchObject({ amount: null, billing_scheme: "tiered", tiers_mode: "graduated" });
    expect(plan.tiers).toHaveLength(2);
  });

  // payload: gitpod-io/gitpod, an invoice of a graduated price: for each tier its units, rounded,
  // then its flat fee with the quantity 0.
  it("graduated: have a line for the units and one for the flat fee of each tier", async () => {
    expect(linesOf(await subscribe(await graduated(), 12))).toEqual([
      ["10 × Standard (Tier 1 at $0.00 / month)", 10, 0],
      ["Standard (Tier 1 at $99.00 / month)", 0, 9900],
      ["2 × Standard (Tier 2 at $9.95 / month)", 2, 1990],
      ["Standard (Tier 2 at $0.00 / month)", 0, 0],
    ]);
  });

  // payload: the same invoice, of a product whose unit is a credit.
  it("name the unit of the product", async () => {
    await shop.stripe.products.update(product, { unit_label: "credit" });
    const price = await create({
      tiers_mode: "graduated",
      tiers: [{ up_to: "inf", unit_amount_decimal: "3.6" as never }],
    });
    expect(linesOf(await subscribe(price, 31))).toEqual([
      ["31 credit × Standard (Tier 1 at $0.036 / month)", 31, 112],
    ]);
  });

  it("volume: all units cost what the last one does", async () => {
    const price = await create({
      tiers_mode: "volume",
      tiers: [
        { up_to: 5, unit_amount: 700 },
        { up_to: "inf", unit_amount: 600, flat_amount: 50 },
      ],
    });
    expect(linesOf(await subscribe(price, 6))).toEqual([
      ["6 × Standard (Tier 2 at $6.00 / month)", 6, 3600],
      ["Standard (Tier 2 at $0.50 / month)", 0, 50],
    ]);
  });

  it("are prorated as a whole, and previewed as they are billed", async () => {
    // 31 days from the 15th of January; half of them are over on the 30th at 22:00.
    const price = await graduated();
    const subscription = await subscribe(price, 12);
    await shop.double.clock.advance({ hours: 31 * 12 });
    const item = subscription.items.data[0]?.id ?? "";
    const change = { items: [{ id: item, quantity: 14 }] };
    const preview = await shop.stripe.invoices.createPreview({
      subscription: subscription.id,
      subscription_details: { ...change, proration_behavior: "always_invoice" },
    });
    await shop.stripe.subscriptions.update(subscription.id, {
      ...change,
      proration_behavior: "always_invoice",
    });
    const [invoice] = (await shop.stripe.invoices.list({ subscription: subscription.id })).data;
    const amounts = invoice?.lines.data.map(({ amount }) => amount);
    expect(amounts).toEqual([-(9900 + 1990) / 2, (9900 + 4 * 995) / 2]);
    expect(preview.lines.data.map(({ amount }) => amount)).toEqual(amounts);
    expect(preview.total).toBe(invoice?.total);
  });

  it.each([
    ["no tiers", { tiers_mode: "volume" as const }],
    ["no mode", { tiers: [{ up_to: "inf" as const, unit_amount: 1 }] }],
    ["no last tier", { tiers_mode: "volume" as const, tiers: [{ up_to: 5, unit_amount: 1 }] }],
    [
      "tiers that fall",
      {
        tiers_mode: "volume" as const,
        tiers: [
          { up_to: 5, unit_amount: 1 },
          { up_to: 4, unit_amount: 1 },
          { up_to: "inf" as const, unit_amount: 1 },
        ],
      },
    ],
    [
      "a tier without amount",
      { tiers_mode: "volume" as const, tiers: [{ up_to: "inf" as const }] },
    ],
    // API reference: prices/create#transform_quantity, "Cannot be combined with `tiers`."
    [
      "packages",
      {
        tiers_mode: "volume" as const,
        tiers: [{ up_to: "inf" as const, unit_amount: 1 }],
        transform_quantity: { divide_by: 2, round: "up" as const },
      },
    ],
  ])("with %s are refused", async (_, params) => {
    expect((await errorOf(create(params))).statusCode).toBe(400);
  });

  // payload: a public invoice with "(at $0.08 per 60 units / month)".
  it("in packages show what a package costs", async () => {
    const price = await shop.stripe.prices.create({
      product,
      currency: "usd",
      unit_amount: 8,
      recurring: { interval: "month" },
      transform_quantity: { divide_by: 60, round: "up" },
    });
    expect(linesOf(await subscribe(price, 9892))).toEqual([
      ["9892 × Standard (at $0.08 per 60 units / month)", 9892, 1320],
    ]);
  });
});

describe("prices in several currencies", () => {
  const euro = {
    eur: {
      tax_behavior: "exclusive" as const,
      tiers: [
        { up_to: 1, flat_amount: 800 },
        { up_to: "inf" as const, unit_amount: 450 },
      ],
    },
  };
  async function openEuroShop() {
    const { double, stripe } = await rig();
    const product = (await stripe.products.create({ name: "Pro" })).id;
    const price = await stripe.prices.create({
      product,
      currency: "usd",
      billing_scheme: "tiered",
      tiers_mode: "graduated",
      tiers: [
        { up_to: 1, flat_amount: 1000 },
        { up_to: "inf", unit_amount: 500 },
      ],
      recurring: { interval: "month" },
      currency_options: euro,
    });
    return { double, stripe, price };
  }

  it("show each currency when asked, their own first", async () => {
    const { stripe, price } = await openEuroShop();
    const { currency_options: options } = await stripe.prices.retrieve(price.id, {
      expand: ["currency_options"],
    });
    expect(Object.keys(options ?? {})).toEqual(["usd", "eur"]);
    expect(options?.eur).toMatchObject({ tax_behavior: "exclusive", unit_amount: null });
    expect(options?.eur?.tiers).toHaveLength(2);
  });

  // docs: payments/checkout/localize-prices/manual-currency-prices
  it("are sold in the currency that is asked for, and renewed in it", async () => {
    const { double, stripe, price } = await openEuroShop();
    const { id: customer } = await payer(stripe);
    const subscription = await stripe.subscriptions.create({
      customer,
      currency: "eur",
      items: [{ price: price.id, quantity: 3 }],
    });
    expect(subscription).toMatchObject({ currency: "eur" });
    await double.clock.advance({ days: 32 });
    const { data } = await stripe.invoices.list({ customer });
    expect(data.map(({ currency, total }) => [currency, total])).toEqual([
      ["eur", 800 + 2 * 450],
      ["eur", 800 + 2 * 450],
    ]);
    // Once billed in it, the customer's currency chooses.
    await stripe.subscriptions.cancel(subscription.id);
    const again = await stripe.subscriptions.create({ customer, items: [{ price: price.id }] });
    expect(again.currency).toBe("eur");
  });

  it("are sold by a checkout in its currency", async () => {
    const { double, stripe, price } = await openEuroShop();
    const session = await stripe.checkout.sessions.create({
      mode: "subscription",
      currency: "eur",
      line_items: [{ price: price.id, quantity: 2 }],
      success_url: "https://app.example",
    });
    expect(session).toMatchObject({ currency: "eur", amount_total: 1250 });
    double.dashboard.payCheckout(session.id, { email: "ada@example.com" });
    const [invoice] = (await stripe.invoices.list()).data;
    expect(invoice).toMatchObject({ currency: "eur", amount_paid: 1250 });
  });

  it("refuse a currency that they do not have", async () => {
    const { stripe, price } = await openEuroShop();
    const { id: customer } = await payer(stripe);
    const items = [{ price: price.id }];
    const error = await errorOf(stripe.subscriptions.create({ customer, currency: "gbp", items }));
    expect(error.message).toContain("expected currency: `gbp`");
  });

  it("take another currency later", async () => {
    const { stripe, price } = await openEuroShop();
    await stripe.prices.update(price.id, {
      currency_options: { gbp: { tiers: [{ up_to: "inf", unit_amount: 700 }] } },
    });
    const { id: customer } = await payer(stripe);
    const items = [{ price: price.id, quantity: 2 }];
    const subscription = await stripe.subscriptions.create({ customer, currency: "gbp", items });
    const [invoice] = (await stripe.invoices.list({ subscription: subscription.id })).data;
    expect(invoice).toMatchObject({ currency: "gbp", total: 1400 });
  });
});

it("an amount that the customer chooses has no unit amount", async () => {
  const { stripe } = await rig();
  const { id: product } = await stripe.products.create({ name: "Tip" });
  const params = { product, currency: "usd" };
  const price = await stripe.prices.create({
    ...params,
    custom_unit_amount: { enabled: true, minimum: 100, preset: 500 },
  });
  expect(price).toMatchObject({
    custom_unit_amount: { maximum: null, minimum: 100, preset: 500 },
    unit_amount: null,
    unit_amount_decimal: null,
  });
  const session = await stripe.checkout.sessions.create({
    mode: "payment",
    line_items: [{ price: price.id, quantity: 1 }],
    success_url: "https://app.example",
  });
  expect(session.amount_total).toBe(500);
  const both = { ...params, unit_amount: 5, custom_unit_amount: { enabled: true } };
  expect((await errorOf(stripe.prices.create(both))).statusCode).toBe(400);
});
