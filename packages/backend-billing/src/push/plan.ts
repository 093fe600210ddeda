/**
 * Compares what should be at Stripe with what is: what to do, in which order, what was edited by
 * hand, what cannot be done, and what is not push's. Pure.
 */
import type { Desired, DesiredMeter, DesiredProduct } from "./desired.js";
import { isOwn, type Observed, type ObservedMeter } from "./observed.js";
import {
  joined,
  NOTHING,
  type Operation,
  type Part,
  type PushPlan,
  type Situation,
  type Unmanaged,
} from "./operations.js";
import { archivePart, type SlotContext, slotPart } from "./plan-prices.js";
import { defaultPart, leftPart, productPart } from "./plan-products.js";

export function planOf(
  desired: Desired,
  observed: Observed,
  { overwrites = false }: { readonly overwrites?: boolean } = {},
): PushPlan {
  const situation: Situation = { app: desired.app, overwrites };
  const wantedKeys = new Set(
    desired.products.flatMap(({ prices }) => prices.map(({ key }) => key)),
  );
  const meters = new Map(
    desired.meters.flatMap(({ eventName }) => {
      const meter = meterFor(observed, eventName);
      return meter === undefined ? [] : [[eventName, meter] as const];
    }),
  );
  const wanted = new Set(desired.products.map(({ id }) => id));
  const left = observed.products.filter(
    ({ id, metadata }) => metadata.billing_app === desired.app && !wanted.has(id),
  );
  const { operations, drift, conflicts } = joined([
    ...desired.meters.map((meter) => meterPart(meter, meters.get(meter.eventName))),
    ...desired.products.map((product) =>
      wholeProduct({ situation, product, observed, wantedKeys, meters }),
    ),
    ...left.map((product) => leftPart(situation, product, observed, wantedKeys)),
  ]);
  return {
    operations: ordered(operations),
    drift,
    conflicts,
    unmanaged: unmanagedOf(desired.app, observed),
  };
}

/** An active one, or else one that can be active again. */
export const meterFor = ({ meters }: Observed, eventName: string): ObservedMeter | undefined => {
  const named = meters.filter((meter) => meter.eventName === eventName);
  return named.find(({ active }) => active) ?? named.find(({ isPlain }) => isPlain);
};

function meterPart(want: DesiredMeter, meter: ObservedMeter | undefined): Part {
  const { eventName } = want;
  if (meter === undefined) return { ...NOTHING, operations: [{ do: "create_meter", ...want }] };
  if (!meter.isPlain) {
    const message = `The meter ${meter.id} of the event ${eventName} does not add up \`value\` for \`stripe_customer_id\`. Deactivate it in Stripe's dashboard, or give the feature ${want.displayName} another meter.`;
    const place = `features.${want.displayName}`;
    return { ...NOTHING, conflicts: [{ place, id: meter.id, message }] };
  }
  if (meter.active) return NOTHING;
  return { ...NOTHING, operations: [{ do: "reactivate_meter", id: meter.id, eventName }] };
}

/** A product with its prices and its default price. */
function wholeProduct(context: SlotContext): Part {
  const { situation, product, observed, wantedKeys } = context;
  const before = observed.products.find(({ id }) => id === product.id);
  const { part, isReady } = productPart(situation, product, before);
  if (!isReady || product.isRetired) return part;
  const slots = product.prices.map((want) =>
    isBillable(context, product, want.slot) ? slotPart(context, want) : undefined,
  );
  const first = slots[0];
  const to = product.prices.length === 0 ? null : first?.price;
  const moved =
    to === undefined
      ? NOTHING
      : defaultPart(
          situation,
          before ?? { ...product, metadata: {}, defaultPrice: null },
          product.place,
          to,
          observed,
        );
  const names = new Set(product.prices.map(({ slot }) => slot));
  const gone = observed.prices.filter(
    (price) =>
      price.product === product.id &&
      isOwn(price) &&
      !names.has(price.metadata.billing_price ?? ""),
  );
  const all = joined([
    part,
    ...slots.flatMap((slot) => slot?.part ?? []),
    ...gone.map((price) => archivePart(situation, price, product.place, wantedKeys)),
    moved,
  ]);
  const staysDefault = moved.operations.length === 0 ? before?.defaultPrice : undefined;
  // Stripe archives no default price: while that cannot be moved, the price stays.
  const operations = all.operations.filter(
    (each) => each.do !== "archive_price" || each.id !== staysDefault,
  );
  return { ...all, operations };
}

/** A price by usage waits for a meter that fits. */
function isBillable({ meters }: SlotContext, product: DesiredProduct, slot: string): boolean {
  const recurring = product.prices.find((price) => price.slot === slot)?.content.recurring;
  const meter = recurring?.meter ? meters.get(recurring.meter) : undefined;
  return meter === undefined || meter.isPlain;
}

const ORDER: readonly Operation["do"][] = [
  "create_meter",
  "reactivate_meter",
  "create_product",
  "update_product",
  "create_price",
  "update_price",
  "set_default",
  "archive_price",
];

/** What something else needs comes before it; products are put away last. */
function ordered(operations: readonly Operation[]): readonly Operation[] {
  const rank = (operation: Operation) =>
    operation.do === "update_product" && !operation.active
      ? ORDER.length
      : ORDER.indexOf(operation.do);
  return [...operations].sort((a, b) => rank(a) - rank(b));
}

/** What can be bought and was not made by push for this application. */
export function unmanagedOf(app: string, { products, prices }: Observed): readonly Unmanaged[] {
  const own = new Set(
    products.filter(({ metadata }) => metadata.billing_app === app).map(({ id }) => id),
  );
  return [
    ...products
      .filter(({ id, active }) => active && !own.has(id))
      .map(({ id, name, metadata }): Unmanaged => {
        return { object: "product", id, name, app: metadata.billing_app ?? null };
      }),
    ...prices
      .filter((price) => own.has(price.product) && price.active && !isOwn(price))
      .map(({ id, product }): Unmanaged => ({ object: "price", id, name: product, app: null })),
  ];
}
