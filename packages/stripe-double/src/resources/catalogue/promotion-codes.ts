/**
 * Promotion codes: what a customer types to get a coupon. They are never deleted, only made
 * inactive, and a code can be used again once no active one holds it.
 */

import { invalid, notModelled, refused } from "../../api/errors.js";
import { flag, group, integer, metadata, type Parsed, required, word } from "../../api/params.js";
import type { PromotionCode } from "../../billing/invoices/discounts.js";
import { type Call, route } from "../../http/route.js";
import type { World } from "../../world/world.js";
import { given, listKind, listShape, mergeMetadata, referenced } from "../common.js";
import { pastTime } from "./coupons.js";

const createShape = {
  active: flag,
  code: word,
  /** Before 2025-09-30. */
  coupon: word,
  customer: word,
  expires_at: integer,
  max_redemptions: integer,
  metadata,
  /** Since 2025-09-30. */
  promotion: group({ coupon: word, type: required(word) }),
  restrictions: group({
    first_time_transaction: flag,
    minimum_amount: integer,
    minimum_amount_currency: word,
  }),
};
type Params = Parsed<typeof createShape>;

const MOVED = "2025-09-30";
const LONGEST = 5 * 365 * 86_400;

/** The coupon that the request names, in the way its API version has it. */
function couponParam(call: Call, params: Params): string {
  const old = call.version.slice(0, 10) < MOVED;
  const unknown = old ? "promotion" : "coupon";
  if (params[unknown] !== undefined) {
    throw invalid(`Received unknown parameter: ${unknown}`, unknown, "parameter_unknown");
  }
  if (old) {
    if (params.coupon !== undefined) return params.coupon;
    throw invalid("Missing required param: coupon.", "coupon", "parameter_missing");
  }
  if (params.promotion === undefined) {
    throw invalid("Missing required param: promotion.", "promotion", "parameter_missing");
  }
  const { type, coupon } = params.promotion;
  if (type !== "coupon") throw notModelled(`promotions of type '${type}'`);
  if (coupon === undefined) {
    throw invalid("You must pass promotion.coupon when passing promotion", "promotion.coupon");
  }
  return coupon;
}

function check(world: World, params: Params): void {
  const { code, expires_at: end, restrictions } = params;
  if (code !== undefined && !/^[a-zA-Z0-9\-_]+$/.test(code)) {
    throw invalid(
      `This value must match the regex pattern. (/\\A[a-zA-Z0-9\\-_]+\\z/ does not match for the value ${code}).`,
      "code",
    );
  }
  if (params.customer !== undefined) referenced(world, "customer", params.customer, "customer");
  if (end !== undefined && end <= world.now()) throw pastTime("expires_at", end);
  if (end !== undefined && end - world.now() > LONGEST) {
    throw invalid("Invalid timestamp: can be no more than five years in the future.", "expires_at");
  }
  const { minimum_amount: least, minimum_amount_currency: currency } = restrictions ?? {};
  if ((least === undefined) !== (currency === undefined)) {
    throw invalid(
      "You must pass minimum_amount and minimum_amount_currency together.",
      `restrictions[${least === undefined ? "minimum_amount" : "minimum_amount_currency"}]`,
    );
  }
  if (code !== undefined) refuseTaken(world, code, params.customer ?? null);
}

/** Codes are alike whatever their case, and one customer's own do not collide with another's. */
function refuseTaken(world: World, code: string, customer: string | null, except?: string): void {
  for (const other of world.objects.promotion_code.values()) {
    if (!other.active || other.id === except || !alike(other.code, code)) continue;
    if (customer !== null && other.customer !== null && other.customer !== customer) continue;
    throw invalid(`An active promotion code with \`code: ${code}\` already exists.`);
  }
}

const alike = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

function create(call: Call, params: Params): PromotionCode {
  const { world } = call;
  const coupon = couponParam(call, params);
  const where = params.promotion === undefined ? "coupon" : "promotion[coupon]";
  if (!referenced(world, "coupon", coupon, where).valid) {
    throw refused(`Coupon expired: ${coupon}`, where, "coupon_expired");
  }
  check(world, params);
  const id = world.id("promo");
  const { expires_at: end, restrictions } = params;
  const promotion: PromotionCode = {
    id,
    object: "promotion_code",
    active: params.active ?? true,
    code: params.code ?? id.slice(-8).toUpperCase(),
    created: world.now(),
    customer: params.customer ?? null,
    customer_account: null,
    expires_at: end ?? null,
    livemode: world.livemode,
    max_redemptions: params.max_redemptions ?? null,
    metadata: mergeMetadata({}, params.metadata ?? {}),
    promotion: { coupon, type: "coupon" },
    restrictions: {
      first_time_transaction: restrictions?.first_time_transaction ?? false,
      minimum_amount: restrictions?.minimum_amount ?? null,
      minimum_amount_currency: restrictions?.minimum_amount_currency ?? null,
    },
    times_redeemed: 0,
  };
  world.objects.promotion_code.add(promotion);
  if (end !== undefined) {
    // It stops being active by itself, for which Stripe is not known to raise an event.
    world.clock.schedule(end * 1000, () => world.patch("promotion_code", id, { active: false }));
  }
  world.raise("promotion_code.created", promotion);
  return promotion;
}

function update(
  world: World,
  id: string,
  params: Pick<Params, "active" | "metadata">,
): PromotionCode {
  const before = world.find("promotion_code", id, "promotion_code");
  if (params.active === true && !before.active) checkRevivable(world, before);
  const changes = given({
    active: params.active,
    metadata:
      params.metadata === undefined
        ? undefined
        : mergeMetadata(before.metadata ?? {}, params.metadata),
  });
  return world.change("promotion_code", id, changes, "promotion_code.updated");
}

/** One that is used up, expired or without a valid coupon stays inactive. */
function checkRevivable(world: World, code: PromotionCode): void {
  const { max_redemptions: most, expires_at: end, promotion } = code;
  const usedUp = most !== null && code.times_redeemed >= most;
  const over = end !== null && end <= world.now();
  if (usedUp || over || !world.objects.coupon.get(promotion.coupon ?? "")?.valid) {
    throw invalid(
      "This promotion code cannot be activated because it has expired, is fully redeemed, or its coupon is invalid.",
      "active",
    );
  }
  refuseTaken(world, code.code, code.customer, code.id);
}

export const promotionCodes = [
  route("POST /v1/promotion_codes", createShape, create),
  route(
    "GET /v1/promotion_codes",
    { ...listShape, active: flag, code: word, coupon: word, customer: word },
    (call, params) =>
      listKind(call, "promotion_code", params, {
        url: "/v1/promotion_codes",
        equal: { active: params.active, customer: params.customer },
        matches: ({ code, promotion }) =>
          (params.code === undefined || alike(code, params.code)) &&
          (params.coupon === undefined || promotion.coupon === params.coupon),
      }),
  ),
  route("GET /v1/promotion_codes/:promotion_code", {}, ({ world, path }) =>
    world.find("promotion_code", path.promotion_code, "promotion_code"),
  ),
  route(
    "POST /v1/promotion_codes/:promotion_code",
    { active: flag, metadata },
    ({ world, path }, params) => update(world, path.promotion_code, params),
  ),
];
