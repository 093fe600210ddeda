/** What an application asks of the mirror, as far as it does not depend on the database. */
import type { StripeObject } from "../../catalogue/catalogue.js";
import type { Plan } from "../store.js";

/**
 * The states in which a subscription counts as active. One that is past due does not: whether to
 * let it be for a while is the application's decision, which finds it by its status.
 */
export const activeStatuses: ReadonlySet<string> = new Set(["active", "trialing"]);

/** The states in which a subscription may give access: one that is past due does so for a while. */
export const heldStatuses: ReadonlySet<string> = new Set([...activeStatuses, "past_due"]);

/** The statuses of subscriptions that are over: Stripe never revives one. */
export const endedStatuses: ReadonlySet<string> = new Set(["canceled", "incomplete_expired"]);

/** The statuses of subscriptions that wait for the payment of an invoice. */
export const owingStatuses: ReadonlySet<string> = new Set(["past_due", "unpaid", "incomplete"]);

/** Active products with their active prices, products by name, prices by amount. */
export function plansFrom(
  products: readonly StripeObject<"products">[],
  prices: readonly StripeObject<"prices">[],
): Plan[] {
  const byProduct = new Map<string, StripeObject<"prices">[]>();
  for (const price of prices) {
    if (!price.active) continue;
    const known = byProduct.get(price.product);
    if (known === undefined) byProduct.set(price.product, [price]);
    else known.push(price);
  }
  return products
    .filter(({ active }) => active)
    .sort((a, b) => compare(a.name, b.name) || compare(a.id, b.id))
    .map((product) => ({
      product,
      prices: (byProduct.get(product.id) ?? []).sort(
        (a, b) => (a.unit_amount ?? 0) - (b.unit_amount ?? 0) || compare(a.id, b.id),
      ),
    }));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
