/** What a person does to a shop's products and prices in Stripe's dashboard. */
import type Stripe from "stripe";
import type { Account } from "./reading.js";
import { firstName, type Shop } from "./shop.js";

export interface HandEdit {
  readonly name: string;
  make(stripe: Stripe): Promise<unknown>;
}

/** The edits that are possible, each of something that push manages. */
export function handEdits(shop: Shop, { products, prices }: Account): readonly HandEdit[] {
  return shop.plans.flatMap((plan) => {
    const product = products.find(({ id }) => id === `${shop.app}_${firstName(plan)}`);
    if (product === undefined) return [];
    const { id } = product;
    const edit = (name: string, params: Stripe.ProductUpdateParams): HandEdit => ({
      name,
      make: (stripe) => stripe.products.update(id, params),
    });
    const sold = prices.filter((each) => each.product === id && each.active);
    const [price, other] = sold.filter((each) => each.id !== product.default_price);
    const managed = plan.isRetired ? [] : [price, other];
    return [
      edit("a product's name", { name: "By hand" }),
      edit("a feature", { metadata: { feature_sso: "by hand" } }),
      edit("a feature more", { metadata: { feature_other: "true" } }),
      edit("a product switched on or off", { active: !product.active }),
      ...(managed[0] === undefined ? [] : priceEdits(id, managed[0], managed[1])),
    ];
  });
}

function priceEdits(
  product: string,
  price: Stripe.Price,
  other: Stripe.Price | undefined,
): readonly HandEdit[] {
  const edit = (name: string, params: Stripe.PriceUpdateParams): HandEdit => ({
    name,
    make: (stripe) => stripe.prices.update(price.id, params),
  });
  const isSeat = price.metadata.billing_per_seat === "true";
  const key = other?.lookup_key;
  return [
    edit("a price archived", { active: false }),
    edit("a key taken away", { lookup_key: "" }),
    edit("the mark of seats", { metadata: { billing_per_seat: isSeat ? "" : "true" } }),
    edit("the marks of push taken away", { metadata: "" }),
    ...(key ? [edit("a key moved", { lookup_key: key, transfer_lookup_key: true })] : []),
    {
      name: "the default price",
      make: (stripe) => stripe.products.update(product, { default_price: price.id }),
    },
  ];
}
