/** Does what a plan says, one request after the other. What is done already is not done again. */
import type Stripe from "stripe";
import { sha256 } from "../core/runtime/digest.js";
import type { Operation } from "./operations.js";
import { patiently, statusOf } from "./patience.js";
import { priceMetadata } from "./pushed.js";

/** What earlier steps made that later ones name. */
export interface Made {
  readonly app: string;
  /** Ids of meters by the event's name. */
  readonly meters: Map<string, string>;
  /** Ids of prices by product and slot. */
  readonly prices: Map<string, string>;
}

type Of<K extends Operation["do"]> = Extract<Operation, { readonly do: K }>;

const slotOf = (product: string, slot: string): string => `${product} ${slot}`;

export function applyOperation(stripe: Stripe, operation: Operation, made: Made): Promise<void> {
  return patiently(() => request(stripe, operation, made));
}

async function request(stripe: Stripe, operation: Operation, made: Made): Promise<void> {
  switch (operation.do) {
    case "create_meter": {
      const { eventName, displayName } = operation;
      const meter = await stripe.billing.meters.create({
        event_name: eventName,
        display_name: displayName,
        default_aggregation: { formula: "sum" },
      });
      made.meters.set(eventName, meter.id);
      return;
    }
    case "reactivate_meter":
      await stripe.billing.meters.reactivate(operation.id);
      return;
    case "create_product": {
      const { id, name, active, metadata } = operation;
      await stripe.products.create({ id, name, active, metadata: { ...metadata } });
      return;
    }
    case "update_product": {
      const { id, name, active, metadata } = operation;
      await stripe.products.update(id, { name, active, metadata: { ...metadata } });
      return;
    }
    case "create_price": {
      const id = await createPrice(stripe, operation, made);
      made.prices.set(slotOf(operation.product, operation.slot), id);
      return;
    }
    case "update_price": {
      const { id, key, takesKey, metadata } = operation;
      await stripe.prices.update(id, {
        active: true,
        lookup_key: key,
        ...(takesKey ? { transfer_lookup_key: true } : {}),
        metadata: { ...metadata },
      });
      return;
    }
    case "set_default":
      return setDefault(stripe, operation, made);
    case "archive_price":
      await stripe.prices.update(operation.id, {
        active: false,
        metadata: { ...operation.metadata },
      });
  }
}

async function setDefault(stripe: Stripe, { product, to }: Of<"set_default">, made: Made) {
  const id = to === null ? "" : "id" in to ? to.id : made.prices.get(slotOf(product, to.slot));
  if (id === undefined) throw new Error(`The default price of ${product} was not made`);
  await stripe.products.update(product, {
    default_price: id, // the empty text takes it away
    metadata: { billing_default_price: id },
  });
}

/** Part of every key of a request, to be raised when the parameters of `createPrice` change. */
const FORM = 1;

/**
 * Processes that push the same at once send the same key, and Stripe makes one price. For a day that
 * is what it answers, though the price was deleted or edited in the dashboard since; then another
 * key is used.
 */
async function createPrice(
  stripe: Stripe,
  operation: Of<"create_price">,
  made: Made,
): Promise<string> {
  const params = priceParams(operation, made);
  const parts = JSON.stringify([FORM, operation.after, params]);
  for (let attempt = 0; ; attempt += 1) {
    // mutant "random keys of prices": await sha256(`${attempt} ${parts}`) -> crypto.randomUUID()
    const idempotencyKey = `billing-push-${await sha256(`${attempt} ${parts}`)}`;
    const price = await stripe.prices.create(params, { idempotencyKey });
    const { headers } = price.lastResponse;
    if (headers["idempotent-replayed"] !== "true") return price.id;
    if (await isInPlace(stripe, price.id, operation)) return price.id;
  }
}

function priceParams(
  { product, slot, key, content, nickname, takesKey }: Of<"create_price">,
  { app, meters }: Made,
): Stripe.PriceCreateParams {
  const { currency, amount, taxBehavior, isPerSeat, recurring } = content;
  return {
    ...{ product, currency, lookup_key: key },
    ...(takesKey ? { transfer_lookup_key: true } : {}),
    ...(nickname === null ? {} : { nickname }),
    // Stripe's package takes the text for the decimal that it is.
    unit_amount_decimal: amount as unknown as Stripe.Decimal,
    ...(taxBehavior === "unspecified" ? {} : { tax_behavior: taxBehavior }),
    ...(recurring === null ? {} : { recurring: recurringParams(recurring, meters) }),
    metadata: { ...priceMetadata({ app, slot, key, isPerSeat }, true) },
  };
}

function recurringParams(
  { interval, intervalCount, meter }: NonNullable<Of<"create_price">["content"]["recurring"]>,
  meters: ReadonlyMap<string, string>,
): Stripe.PriceCreateParams.Recurring {
  const rhythm = { interval, interval_count: intervalCount };
  if (meter === null) return rhythm;
  const id = meters.get(meter);
  if (id === undefined) throw new Error(`The meter of ${meter} was not made`);
  return { ...rhythm, usage_type: "metered", meter: id };
}

/** Whether a price is still what was asked for. */
async function isInPlace(
  stripe: Stripe,
  id: string,
  { slot, key }: Of<"create_price">,
): Promise<boolean> {
  try {
    const { lookup_key: held, metadata } = await stripe.prices.retrieve(id);
    return held === key && metadata.billing_price === slot;
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw error;
  }
}
