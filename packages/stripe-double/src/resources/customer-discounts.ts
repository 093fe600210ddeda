/**
 * The discount of a customer, which counts on what has none of its own. Requests name it by `coupon`
 * or `promotion_code` until 2025-03-31.basil (changelog: Basil); it can still be taken away.
 */
import { ApiError } from "../api/errors.js";
import { type Discount, discountsFrom, findDiscount } from "../billing/invoices/discounts.js";
import { route } from "../http/route.js";
import type { World } from "../world/world.js";

interface Asked {
  readonly coupon?: string | null | undefined;
  readonly promotion_code?: string | null | undefined;
}

/** Gives a customer the discount that a request asks for; an empty one takes it away. */
export function discountCustomer(world: World, id: string, asked: Asked): void {
  const { coupon, promotion_code: code } = asked;
  if (coupon === undefined && code === undefined) return;
  const source = coupon ? { coupon } : code ? { promotion_code: code } : undefined;
  const before = world.find("customer", id).discount ?? undefined;
  if (source === undefined) {
    if (before !== undefined) removeDiscount(world, id, before);
    return;
  }
  const [made = ""] = discountsFrom(world, [source], { customer: id });
  const discount = findDiscount(world, made) ?? null;
  world.patch("customer", id, { discount });
  if (discount === null) return;
  if (before) world.raise("customer.discount.updated", discount, before);
  else world.raise("customer.discount.created", discount);
}

function removeDiscount(world: World, id: string, discount: Discount): object {
  world.patch("customer", id, { discount: null });
  world.raise("customer.discount.deleted", discount);
  return { ...discount, deleted: true };
}

export const customerDiscounts = [
  route("DELETE /v1/customers/:customer/discount", {}, ({ world, path }) => {
    const { id, discount } = world.find("customer", path.customer);
    if (discount) return removeDiscount(world, id, discount);
    throw new ApiError(404, {
      type: "invalid_request_error",
      code: "resource_missing",
      message: `No active discount for customer: ${id}`,
    });
  }),
];
