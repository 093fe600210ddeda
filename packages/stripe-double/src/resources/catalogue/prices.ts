/** Prices. Recurring ones are shown as plans too, so their changes raise plan events as well. */
import type Stripe from "stripe";
import { invalid, refused } from "../../api/errors.js";
import { flag, listOf, metadata, oneOf, type Parsed, text, word } from "../../api/params.js";
import { searchRoute } from "../../api/search.js";
import { planOf } from "../../billing/plan.js";
import { currencyOptionsOf } from "../../billing/prices/rates.js";
import { route } from "../../http/route.js";
import type { Plain } from "../../world/plain.js";
import { same } from "../../world/same.js";
import type { World } from "../../world/world.js";
import { given, listKind, listShape, mergeMetadata } from "../common.js";
import { createPrice, currencyOptionsFrom } from "./new-price.js";
import { currencyOptions, type inlinePriceShape, priceShape } from "./price-shapes.js";
import { createProduct } from "./products.js";

const updateShape = {
  active: flag,
  currency_options: currencyOptions,
  lookup_key: text,
  metadata,
  nickname: text,
  tax_behavior: oneOf("exclusive", "inclusive", "unspecified"),
  transfer_lookup_key: flag,
};

/**
 * A price made on the spot, for one checkout or subscription. It is inactive and in no list, so
 * that only its id leads to it.
 */
export function createInlinePrice(
  world: World,
  { product, product_data: data, ...rest }: Parsed<typeof inlinePriceShape>,
  param: string,
): Plain<Stripe.Price> {
  if ((product === undefined) === (data === undefined)) {
    throw invalid("You must specify either `product` or `product_data`.", param);
  }
  const owner =
    product ?? createProduct(world, { ...data, name: data?.name ?? "", active: false }).id;
  const price = createPrice(world, { ...rest, product: owner, active: false });
  world.inline.add(price.id);
  return price;
}

const MOST_KEYS = 10;

const isDefault = (world: World, { id, product }: Plain<Stripe.Price>): boolean =>
  world.objects.product.get(product)?.default_price === id;

/** Frees a lookup key for a price: one that another price has is only taken on request. */
function freeKey(
  world: World,
  { key, transfer, taker }: { key: string; transfer: boolean | undefined; taker?: string },
): void {
  const holder = [...world.objects.price.values()].find(
    ({ id, lookup_key: held }) => held === key && id !== taker,
  );
  if (holder === undefined) return;
  if (!transfer) {
    throw invalid(`A price (\`${holder.id}\`) already uses that lookup key.`, "lookup_key");
  }
  world.change("price", holder.id, { lookup_key: null }, "price.updated");
}

/** Whether prices include tax is said once; only what is unspecified can still be said. */
function checkTax({ tax_behavior: before }: Plain<Stripe.Price>, after: string | undefined): void {
  if (after === undefined || after === before || before === "unspecified") return;
  throw invalid(
    "The tax behavior of a price cannot be changed once it is set to `inclusive` or `exclusive`.",
    "tax_behavior",
  );
}

export const prices = [
  searchRoute("/v1/prices/search", "price"),
  route(
    "POST /v1/prices",
    {
      ...priceShape,
      active: flag,
      lookup_key: word,
      metadata,
      nickname: text,
      transfer_lookup_key: flag,
    },
    (
      { world, version },
      { product, product_data: data, transfer_lookup_key: transfer, ...params },
    ) => {
      if ((product === undefined) === (data === undefined)) {
        throw invalid(
          "You must specify either `product` or `product_data`.",
          "product",
          "parameter_missing",
        );
      }
      if (params.lookup_key) freeKey(world, { key: params.lookup_key, transfer });
      const owner = product ?? createProduct(world, { ...data, name: data?.name ?? "" }).id;
      return createPrice(world, { ...params, product: owner, version });
    },
  ),
  route(
    "GET /v1/prices",
    {
      ...listShape,
      active: flag,
      currency: word,
      lookup_keys: listOf(word),
      product: word,
      type: oneOf("one_time", "recurring"),
    },
    (call, params) => {
      if ((params.lookup_keys?.length ?? 0) > MOST_KEYS) {
        throw invalid(
          `Invalid array: lookup_keys can have at most ${MOST_KEYS} elements.`,
          "lookup_keys",
        );
      }
      return listKind(call, "price", params, {
        url: "/v1/prices",
        // Without being asked, Stripe lists those that are active.
        equal: { active: params.active ?? true, currency: params.currency, type: params.type },
        where: { field: "product", value: params.product },
        matches: ({ id, lookup_key: key }) =>
          !call.world.inline.has(id) &&
          (params.lookup_keys === undefined || (key !== null && params.lookup_keys.includes(key))),
      });
    },
  ),
  route("GET /v1/prices/:price", {}, ({ world, path }) => world.find("price", path.price)),
  route(
    "POST /v1/prices/:price",
    updateShape,
    (
      { world, path },
      { currency_options: options, metadata: change, transfer_lookup_key: transfer, ...params },
    ) => {
      const before = world.find("price", path.price);
      checkTax(before, params.tax_behavior);
      if (params.active === false && isDefault(world, before)) {
        throw refused(
          "This price cannot be archived because it is the default price of its product.",
          "active",
        );
      }
      const key = params.lookup_key;
      if (key) freeKey(world, { key, transfer, taker: before.id });
      if (options !== undefined) {
        const kept = world.hidden.get(before.id);
        const added = currencyOptionsFrom(options, before);
        const all = { ...currencyOptionsOf(world, before), ...added };
        world.hidden.set(before.id, { ...kept, currency_options: all });
      }
      const changes = given({
        ...params,
        metadata: change === undefined ? undefined : mergeMetadata(before.metadata, change),
      });
      if (same(before, { ...before, ...changes })) return before;
      const after = world.patch("price", before.id, changes);
      const [plan, old] = [planOf(after), planOf(before)];
      if (before.recurring && !same(plan, old)) world.raise("plan.updated", plan, old);
      world.raise("price.updated", after, before);
      return after;
    },
  ),
];
