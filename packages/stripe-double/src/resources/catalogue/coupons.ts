/** Coupons. Their id may be chosen by the caller, so a deleted one can come back as another. */

import { invalid } from "../../api/errors.js";
import {
  decimal,
  group,
  integer,
  listOf,
  metadata,
  oneOf,
  type Parsed,
  text,
  word,
} from "../../api/params.js";
import { type Coupon, retirePromotionCodes } from "../../billing/invoices/discounts.js";
import { route } from "../../http/route.js";
import type { World } from "../../world/world.js";
import { given, listKind, listShape, mergeMetadata, referenced } from "../common.js";

const createShape = {
  amount_off: integer,
  applies_to: group({ products: listOf(word) }),
  currency: word,
  duration: oneOf("forever", "once", "repeating"),
  duration_in_months: integer,
  id: word,
  max_redemptions: integer,
  metadata,
  name: text,
  percent_off: decimal,
  redeem_by: integer,
};
type Params = Parsed<typeof createShape>;

function check(world: World, params: Params): void {
  const { amount_off: amount, percent_off: percent, redeem_by: end } = params;
  if (amount === undefined && percent === undefined) {
    throw invalid("Must provide percent_off or amount_off.", undefined, "parameter_missing");
  }
  if (amount !== undefined && percent !== undefined) {
    throw invalid("Received both percent_off and amount_off parameters. Please pass in only one.");
  }
  if (amount !== undefined && params.currency === undefined) {
    throw invalid("You must pass currency when passing amount_off", "currency");
  }
  if (amount !== undefined && amount < 1) {
    throw invalid(
      "This value must be greater than or equal to 1.",
      "amount_off",
      "parameter_invalid_integer",
    );
  }
  if (percent !== undefined && Number(percent) < 0.01) {
    throw invalid(
      `This value must be greater than or equal to 0.01 (it currently is '${percent}').`,
      "percent_off",
    );
  }
  if (percent !== undefined && Number(percent) > 100) {
    throw invalid(
      `This value must be less than or equal to 100 (it currently is '${percent}').`,
      "percent_off",
    );
  }
  const repeating = params.duration === "repeating";
  if (repeating && params.duration_in_months === undefined) {
    throw invalid(
      "The duration_in_months param must be set when creating a coupon with a repeating duration",
      "duration",
    );
  }
  if (!repeating && params.duration_in_months !== undefined) {
    throw invalid(
      "The duration_in_months param can only be set when creating a coupon with a repeating duration",
      "duration_in_months",
    );
  }
  if (end !== undefined && end <= world.now()) throw pastTime("redeem_by", end);
  for (const product of params.applies_to?.products ?? []) {
    referenced(world, "product", product, "applies_to[products]");
  }
  if (params.id !== undefined && world.objects.coupon.get(params.id) !== undefined) {
    throw invalid("Coupon already exists.", undefined, "resource_already_exists");
  }
}

/** Stripe's words for a moment that should lie ahead. */
export function pastTime(param: string, value: number) {
  return invalid(
    `The parameter \`${param}\` expects a unix timestamp representing a date and time in the future. You specified the value \`${value}\` which is in the past.`,
    param,
  );
}

export function createCoupon(world: World, params: Params): Coupon {
  check(world, params);
  const coupon: Coupon = {
    id: params.id ?? world.id("coupon").slice(-8).toUpperCase(),
    object: "coupon",
    amount_off: params.amount_off ?? null,
    created: world.now(),
    currency: params.amount_off === undefined ? null : (params.currency?.toLowerCase() ?? null),
    duration: params.duration ?? "once",
    duration_in_months: params.duration_in_months ?? null,
    livemode: world.livemode,
    max_redemptions: params.max_redemptions ?? null,
    metadata: mergeMetadata({}, params.metadata ?? {}),
    name: params.name ?? null,
    percent_off: params.percent_off === undefined ? null : Number(params.percent_off),
    redeem_by: params.redeem_by ?? null,
    times_redeemed: 0,
    valid: true,
  };
  world.objects.coupon.add(coupon);
  if (params.applies_to?.products !== undefined) {
    world.hidden.set(coupon.id, { applies_to: { products: params.applies_to.products } });
  }
  if (params.redeem_by !== undefined) {
    world.clock.schedule(params.redeem_by * 1000, () => expire(world, coupon));
  }
  world.raise("coupon.created", coupon);
  return coupon;
}

/** Past its time it is no longer valid, for which Stripe raises no event. */
function expire(world: World, coupon: Coupon): void {
  const current = world.objects.coupon.get(coupon.id);
  // The id may belong to another coupon by now.
  if (current?.created !== coupon.created || current.redeem_by !== coupon.redeem_by) return;
  world.patch("coupon", coupon.id, { valid: false });
  retirePromotionCodes(world, coupon.id);
}

/** Deletes it; what it was applied to before keeps its discount. */
function deleteCoupon(world: World, id: string): object {
  const coupon = world.find("coupon", id, "coupon");
  const invalidated = { ...coupon, valid: false };
  world.objects.coupon.remove(id);
  world.hidden.delete(id);
  retirePromotionCodes(world, id);
  world.raise("coupon.deleted", invalidated);
  return { id, object: "coupon", deleted: true };
}

export const coupons = [
  route("POST /v1/coupons", createShape, ({ world }, params) => createCoupon(world, params)),
  route("GET /v1/coupons", listShape, (call, params) =>
    listKind(call, "coupon", params, { url: "/v1/coupons" }),
  ),
  route("GET /v1/coupons/:coupon", {}, ({ world, path }) =>
    world.find("coupon", path.coupon, "coupon"),
  ),
  route("POST /v1/coupons/:coupon", { metadata, name: text }, ({ world, path }, params) => {
    const before = world.find("coupon", path.coupon, "coupon");
    const changes = given({
      name: params.name,
      metadata:
        params.metadata === undefined
          ? undefined
          : mergeMetadata(before.metadata ?? {}, params.metadata),
    });
    return world.change("coupon", before.id, changes, "coupon.updated");
  }),
  route("DELETE /v1/coupons/:coupon", {}, ({ world, path }) => deleteCoupon(world, path.coupon)),
];
