// An account of Stripe's as plain objects: what operations of push, and people, do to it.
import type { Observed, ObservedPrice, ObservedProduct } from "../../../src/push/observed.js";
import type { Operation } from "../../../src/push/operations.js";
import { priceMetadata } from "../../../src/push/pushed.js";

const unset = (metadata: { readonly [key: string]: string }) =>
  Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== ""));

/** What is at Stripe when an operation is done. */
export function after(observed: Observed, operation: Operation): Observed {
  const { products, prices, meters } = observed;
  const product = (id: string, change: (before: ObservedProduct) => Partial<ObservedProduct>) => ({
    ...observed,
    products: products.map((each) => (each.id === id ? { ...each, ...change(each) } : each)),
  });
  const merged = (before: { metadata: object }, more: object) =>
    unset({ ...before.metadata, ...more } as { [key: string]: string });
  switch (operation.do) {
    case "create_meter": {
      const { eventName } = operation;
      const meter = { id: `mtr_${eventName}`, eventName, active: true, isPlain: true };
      return { ...observed, meters: [...meters, meter] };
    }
    case "reactivate_meter":
      return {
        ...observed,
        meters: meters.map((each) => (each.id === operation.id ? { ...each, active: true } : each)),
      };
    case "create_product": {
      const { id, name, active, metadata } = operation;
      const made = { id, name, active, metadata: unset(metadata), defaultPrice: null };
      return { ...observed, products: [...products, made] };
    }
    case "update_product": {
      const { id, name, active, metadata } = operation;
      return product(id, (before) => ({ name, active, metadata: merged(before, metadata) }));
    }
    case "create_price": {
      const { slot, key, content } = operation;
      const { isPerSeat, recurring } = content;
      const made: ObservedPrice = {
        id: `price_${prices.length}`,
        created: prices.length,
        product: operation.product,
        active: true,
        key,
        metadata: unset(priceMetadata({ app: "acme", slot, key, isPerSeat }, true)),
        currency: content.currency,
        amount: content.amount,
        taxBehavior: content.taxBehavior,
        recurring: recurring && {
          interval: recurring.interval,
          intervalCount: recurring.intervalCount,
          meterId: recurring.meter && `mtr_${recurring.meter}`,
        },
      };
      return { ...observed, prices: [...without(prices, key), made] };
    }
    case "update_price": {
      const { id, key, metadata } = operation;
      const given = prices.map((each) =>
        each.id === id
          ? { ...each, active: true, key, metadata: merged(each, metadata) }
          : each.key === key
            ? { ...each, key: null }
            : each,
      );
      return { ...observed, prices: given };
    }
    case "set_default": {
      const { to } = operation;
      const slotOf = ({ metadata }: ObservedPrice) => metadata.billing_price;
      const id =
        to === null
          ? null
          : "id" in to
            ? to.id
            : (prices.findLast((each) => each.active && slotOf(each) === to.slot)?.id ?? null);
      return product(operation.product, (before) => ({
        defaultPrice: id,
        metadata: merged(before, { billing_default_price: id ?? "" }),
      }));
    }
    case "archive_price":
      return edit(observed, operation.id, (before) => ({
        active: false,
        metadata: merged(before, operation.metadata),
      }));
  }
}

const without = (prices: readonly ObservedPrice[], key: string) =>
  prices.map((each) => (each.key === key ? { ...each, key: null } : each));

/** What a person does in the dashboard. */
export function edit<T extends ObservedPrice | ObservedProduct>(
  observed: Observed,
  id: string,
  change: (before: T) => Partial<T>,
): Observed {
  const edited = <U extends { readonly id: string }>(all: readonly U[]): U[] =>
    all.map((each) => (each.id === id ? { ...each, ...change(each as unknown as T) } : each));
  return { ...observed, products: edited(observed.products), prices: edited(observed.prices) };
}
