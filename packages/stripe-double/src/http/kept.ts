/** Parameters that a request carries and the double gives no effect: the object shows them again. */
import { isPlainObject } from "../world/same.js";
import type { Kind, World } from "../world/world.js";

/** The event of a change to each kind whose object Stripe sends when one of its fields changes. */
const CHANGED = {
  coupon: "coupon.updated",
  customer: "customer.updated",
  invoice: "invoice.updated",
  payment_link: "payment_link.updated",
  price: "price.updated",
  product: "product.updated",
  promotion_code: "promotion_code.updated",
  subscription: "customer.subscription.updated",
} as const;

/**
 * Puts the values on the object that a request answered, and into the events that it raised about
 * it. A change of nothing else raises the event of a change.
 */
export function keepOn(
  world: World,
  result: object,
  kept: { readonly [name: string]: unknown },
  request: string,
): object {
  const { id, object } = result as { id?: string; object?: Kind };
  if (Object.keys(kept).length === 0 || id === undefined || object === undefined) return result;
  const known = world.objects[object]?.get(id) as { readonly [name: string]: unknown } | undefined;
  if (known === undefined) return result;
  const fields = Object.fromEntries(
    Object.entries(kept).map(([name, value]) => {
      const was = known[name];
      return [name, isPlainObject(was) && isPlainObject(value) ? { ...was, ...value } : value];
    }),
  );
  const raised = world.events
    .list({ limit: 100 })
    .data.filter((event) => event.request?.id === request && isAbout(event.object, id));
  const type = CHANGED[object as keyof typeof CHANGED];
  if (raised.length === 0 && type !== undefined) {
    return world.change(object, id, fields as never, type as never);
  }
  for (const event of raised) {
    world.events.replace({ ...event, object: { ...event.object, ...fields } });
  }
  return world.patch(object, id, fields as never);
}

const isAbout = (object: object, id: string): boolean => "id" in object && object.id === id;
