/** The control's units: a number for each customer, which events raise and requests lower. */
import type Stripe from "stripe";
import { sleep } from "../harness/patience.js";
import type { UsageShop } from "../harness/subject.js";

export function plainBalances(shop: UsageShop) {
  const balances = new Map<string, number>();
  const left = (customer: string) => balances.get(customer) ?? 0;
  const unitsOf = (price: unknown) =>
    [shop.small, shop.large].find((plan) => plan.price.id === price)?.units ?? 0;
  return {
    left,
    /** Reads, and writes what it has read less the amount: a database is asked twice. */
    take: async (customer: string, amount: number): Promise<boolean> => {
      const before = left(customer);
      await sleep(1);
      if (before < amount) return false;
      balances.set(customer, before - amount);
      return true;
    },
    heard: ({ type, data }: Stripe.Event): void => {
      if (type === "invoice.paid") {
        const { customer, billing_reason, lines } = data.object;
        const price = lines.data[0]?.pricing?.price_details?.price;
        if (billing_reason === "subscription_cycle") balances.set(String(customer), unitsOf(price));
      }
      if (type !== "customer.subscription.created" && type !== "customer.subscription.updated")
        return;
      const { customer, items } = data.object;
      const changed = data.previous_attributes as Partial<Stripe.Subscription> | undefined;
      const before = changed?.items?.data[0]?.price.id;
      const price = items.data[0]?.price.id;
      if (type.endsWith("created") || (before !== undefined && before !== price)) {
        balances.set(String(customer), left(String(customer)) + unitsOf(price));
      }
    },
  };
}
