/** Tiered prices: what a quantity costs, and the lines that an invoice shows of it. */
import type Stripe from "stripe";
import type { Theme } from "../../harness/behaviour.js";
import { expanded, first, statusOf } from "../../harness/read.js";
import { docs, payload, reference } from "../../harness/sources.js";
import { APRIL_1, type World } from "../../harness/world.js";

type Params = Partial<Stripe.PriceCreateParams>;

/** The tiers of the documentation's example: 5 dollars and 10 of flat fee, then less and more. */
const TIERS: Stripe.PriceCreateParams.Tier[] = [
  { up_to: 5, unit_amount: 500, flat_amount: 1000 },
  { up_to: 10, unit_amount: 400, flat_amount: 2000 },
  { up_to: 15, unit_amount: 300, flat_amount: 3000 },
  { up_to: 20, unit_amount: 200, flat_amount: 4000 },
  { up_to: "inf", unit_amount: 100, flat_amount: 5000 },
];

async function create({ stripe }: World, params: Params): Promise<Stripe.Price> {
  const product_data = { name: "Pro" };
  const recurring = { interval: "month" } as const;
  return stripe.prices.create({ currency: "usd", product_data, recurring, ...params });
}

const tiered = (world: World, tiers_mode: "graduated" | "volume", tiers = TIERS) =>
  create(world, { billing_scheme: "tiered", tiers_mode, tiers });

/** The first invoice of a subscription to so many. */
async function billed(world: World, { id: price }: Stripe.Price, quantity: number) {
  const subscription = await world.subscribe(0, {
    items: [{ price, quantity }],
    expand: ["latest_invoice"],
  });
  return expanded<Stripe.Invoice>(subscription.latest_invoice);
}

export const tiers: Theme = {
  name: "Tiered prices",
  behaviours: [
    {
      name: "graduated: each unit costs what its tier says, and each tier its flat fee",
      source: docs("products-prices/pricing-models#tiered-pricing"),
      expected: 11_100,
      see: async (world) => (await billed(world, await tiered(world, "graduated"), 12)).total,
    },
    {
      name: "volume: all units cost what the tier of the last one says",
      source: docs("products-prices/pricing-models#tiered-pricing"),
      expected: 6600,
      see: async (world) => (await billed(world, await tiered(world, "volume"), 12)).total,
    },
    {
      name: "of nothing, the first flat fee is billed, in both modes",
      source: docs("products-prices/pricing-models#tiered-pricing"),
      expected: [1000, 1000],
      async see(world) {
        const graduated = await billed(world, await tiered(world, "graduated"), 0);
        const volume = await billed(world, await tiered(world, "volume"), 0);
        return [graduated.total, volume.total];
      },
    },
    {
      name: "graduated: the invoice has a line for the units and one for the fee of each tier",
      source: payload("gitpod-io/gitpod, usage/pkg/stripe: an invoice of a graduated price"),
      expected: [
        ["10 × Pro (Tier 1 at $0.00 / month)", 10, 0],
        ["Pro (Tier 1 at $9.00 / month)", 0, 900],
        ["31 × Pro (Tier 2 at $0.036 / month)", 31, 112],
        ["Pro (Tier 2 at $0.00 / month)", 0, 0],
      ],
      async see(world) {
        const price = await tiered(world, "graduated", [
          { up_to: 10, unit_amount: 0, flat_amount: 900 },
          { up_to: "inf", unit_amount_decimal: "3.6" as never, flat_amount: 0 },
        ]);
        const { lines } = await billed(world, price, 41);
        return lines.data.map(({ description, quantity, amount }) => [
          description,
          quantity,
          amount,
        ]);
      },
    },
    {
      name: "tiers are shown only when expanded, and there is no unit amount",
      source: reference("prices/object#tiers"),
      expected: { plain: false, expanded: 5, last: null, unit: null },
      async see(world) {
        const { id, tiers: plain } = await tiered(world, "volume");
        const price = await world.stripe.prices.retrieve(id, { expand: ["tiers"] });
        return {
          plain: plain !== undefined,
          expanded: price.tiers?.length,
          last: price.tiers?.at(-1)?.up_to,
          unit: price.unit_amount,
        };
      },
    },
    {
      name: "packages cannot be combined with tiers",
      source: reference("prices/create#transform_quantity"),
      expected: 400,
      see: (world) =>
        statusOf(
          create(world, {
            billing_scheme: "tiered",
            tiers_mode: "volume",
            tiers: TIERS,
            transform_quantity: { divide_by: 2, round: "up" },
          }),
        ),
    },
    {
      name: "150 minutes in hours, rounded up, are paid as three hours",
      source: docs("billing/subscriptions/usage-based/manage-billing-setup#transform-quantities"),
      expected: 3000,
      async see(world) {
        const price = await create(world, {
          unit_amount: 1000,
          transform_quantity: { divide_by: 60, round: "up" },
        });
        return (await billed(world, price, 150)).total;
      },
    },
    {
      name: "a change of the quantity prorates what all tiers cost together",
      source: docs("billing/subscriptions/prorations"),
      now: APRIL_1,
      expected: { credit: -5550, charge: 5700 },
      async see(world) {
        const { stripe, double } = world;
        const { id: price } = await tiered(world, "graduated");
        const subscription = await world.subscribe(0, { items: [{ price, quantity: 12 }] });
        await double.clock.advance({ days: 15 });
        const { id } = first(subscription.items);
        await stripe.subscriptions.update(subscription.id, { items: [{ id, quantity: 13 }] });
        const amounts = (await world.pendingItems(subscription)).map(({ amount }) => amount);
        return { credit: Math.min(...amounts), charge: Math.max(...amounts) };
      },
    },
    {
      name: "a currency option is billed in its currency",
      source: docs("payments/checkout/localize-prices/manual-currency-prices"),
      expected: { currency: "eur", total: 2700 },
      async see(world) {
        const { id: price } = await create(world, {
          unit_amount: 1000,
          currency_options: { eur: { unit_amount: 900 } },
        });
        const items = [{ price, quantity: 3 }];
        const expand = ["latest_invoice"];
        const subscription = await world.subscribe(0, { items, currency: "eur", expand });
        const { currency, total } = expanded<Stripe.Invoice>(subscription.latest_invoice);
        return { currency, total };
      },
    },
  ],
};
