/** `add_invoice_items` of a request. */
import { invalid } from "../../api/errors.js";
import type { Parsed } from "../../api/params.js";
import type { Extra } from "../../billing/invoices/extras.js";
import type { World } from "../../world/world.js";
import { createInlinePrice } from "../catalogue/prices.js";
import { mergeMetadata } from "../common.js";
import type { extraShape } from "./shapes.js";

/** Extras as they were asked for, with a price made for those that bring their own. */
export function pricedExtras(
  world: World,
  extras: readonly Parsed<typeof extraShape>[],
  inside = "add_invoice_items",
): Extra[] {
  return extras.map(({ price_data: data, metadata, ...extra }, index) => {
    const param = `${inside}[${index}]`;
    const price = data ? createInlinePrice(world, data, `${param}[price_data]`).id : extra.price;
    if (price === undefined) {
      throw invalid("Missing required param: price.", `${param}[price]`, "parameter_missing");
    }
    return { price, quantity: extra.quantity, metadata: mergeMetadata({}, metadata) };
  });
}
