/** Products. An id may be chosen by the caller, so a deleted one can come back. */
import type Stripe from "stripe";
import { ApiError, invalid, refused } from "../../api/errors.js";
import {
  flag,
  group,
  listOf,
  metadata,
  type Parsed,
  required,
  text,
  word,
} from "../../api/params.js";
import { searchRoute } from "../../api/search.js";
import { route } from "../../http/route.js";
import type { Plain } from "../../world/plain.js";
import { same } from "../../world/same.js";
import type { World } from "../../world/world.js";
import { given, listKind, listShape, mergeMetadata, referenced } from "../common.js";
import { createPrice } from "./new-price.js";
import { defaultPriceShape } from "./price-shapes.js";

const shape = {
  active: flag,
  description: text,
  images: listOf(word),
  marketing_features: listOf(group({ name: required(word) })),
  metadata,
  name: word,
  shippable: flag,
  statement_descriptor: text,
  tax_code: text,
  unit_label: text,
  url: text,
};

function fields(params: Parsed<typeof shape>, before?: Plain<Stripe.Product>) {
  const { metadata: change, ...rest } = params;
  return given({
    ...rest,
    marketing_features: params.marketing_features?.map(({ name }) => ({ name })),
    metadata: change === undefined ? undefined : mergeMetadata(before?.metadata ?? {}, change),
  });
}

export function createProduct(
  world: World,
  params: Partial<Parsed<typeof shape>> & { name: string; id?: string | undefined },
): Plain<Stripe.Product> {
  const { id = world.id("prod"), ...rest } = params;
  if (world.objects.product.get(id) !== undefined) {
    throw new ApiError(400, {
      type: "invalid_request_error",
      code: "resource_already_exists",
      message: `Product already exists: ${id}`,
      param: "id",
    });
  }
  const product: Plain<Stripe.Product> = {
    id,
    object: "product",
    active: true,
    created: world.now(),
    default_price: null,
    description: null,
    images: [],
    livemode: world.livemode,
    marketing_features: [],
    metadata: {},
    package_dimensions: null,
    shippable: null,
    statement_descriptor: null,
    tax_code: null,
    tax_details: null,
    type: "service",
    unit_label: null,
    updated: world.now(),
    url: null,
    ...(fields(rest as Parsed<typeof shape>) as object),
    name: params.name,
  };
  world.objects.product.add(product);
  world.raise("product.created", product);
  return product;
}

/** The default price of a product is one of its own. */
function checkDefault(world: World, product: string, price: string): void {
  const found = referenced(world, "price", price, "default_price");
  if (found.product !== product) {
    throw invalid("The default price must belong to the product.", "default_price");
  }
}

export const products = [
  searchRoute("/v1/products/search", "product"),
  route(
    "POST /v1/products",
    { ...shape, id: word, name: required(word), default_price_data: group(defaultPriceShape) },
    ({ world }, { default_price_data: data, ...params }) => {
      const product = createProduct(world, params);
      if (data === undefined) return product;
      const price = createPrice(world, { ...data, product: product.id });
      return world.change("product", product.id, { default_price: price.id }, "product.updated");
    },
  ),
  route(
    "GET /v1/products",
    { ...listShape, active: flag, ids: listOf(word), shippable: flag, url: word },
    (call, params) =>
      listKind(call, "product", params, {
        url: "/v1/products",
        equal: { active: params.active, shippable: params.shippable, url: params.url },
        matches: ({ id }) => params.ids === undefined || params.ids.includes(id),
      }),
  ),
  route("GET /v1/products/:product", {}, ({ world, path }) => world.find("product", path.product)),
  route(
    "POST /v1/products/:product",
    { ...shape, default_price: text },
    ({ world, path }, params) => {
      const { default_price: price, ...rest } = params;
      const before = world.find("product", path.product);
      if (price) checkDefault(world, before.id, price);
      const changes = { ...fields(rest, before), ...given({ default_price: price }) };
      if (same(before, { ...before, ...changes })) return before;
      const updated = { ...changes, updated: world.now() };
      return world.change("product", before.id, updated, "product.updated");
    },
  ),
  route("DELETE /v1/products/:product", {}, ({ world, path }) => {
    const product = world.find("product", path.product);
    if (world.objects.price.where("product", product.id).length > 0) {
      throw refused(
        "This product cannot be deleted because it has one or more user-created prices.",
        "id",
      );
    }
    world.objects.product.remove(product.id);
    world.raise("product.deleted", product);
    return { id: product.id, object: "product", deleted: true };
  }),
];
