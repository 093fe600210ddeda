/** What is to be done with products: made, changed, put away. Pure. */
import type { Metadata } from "../core/plans/metadata.js";
import type { DesiredProduct } from "./desired.js";
import { isOwn, isPutAway, type Observed, type ObservedProduct } from "./observed.js";
import {
  type Difference,
  joined,
  NOTHING,
  type Operation,
  type Part,
  type Situation,
  unlessEdited,
} from "./operations.js";
import { archivePart } from "./plan-prices.js";
import { isEdited, managedMetadata, type ProductFields, productDigest } from "./pushed.js";

/** Makes a product, or brings it up to date; null for its prices if they have to wait. */
export function productPart(
  situation: Situation,
  product: DesiredProduct,
  observed: ObservedProduct | undefined,
): { readonly part: Part; readonly isReady: boolean } {
  const { id, place } = product;
  if (observed === undefined) {
    return {
      part: { ...NOTHING, operations: [written("create_product", product)] },
      isReady: true,
    };
  }
  const owner = observed.metadata.billing_app;
  // mutant "another application's product taken"
  if (owner !== situation.app) {
    const whose = owner === undefined ? "was not made by push" : `belongs to the app ${owner}`;
    const message = `The product ${id} ${whose}. Give ${place} another name; or, if it is this plan, set its metadata billing_app to ${situation.app} in Stripe's dashboard and push with --overwrite.`;
    return { part: { ...NOTHING, conflicts: [{ place, id, message }] }, isReady: false };
  }
  const edited = isEdited(observed.metadata, productDigest(observed));
  const differences = differencesOf(observed, product);
  if (differences.length === 0 && !edited) return { part: NOTHING, isReady: true };
  const update = written("update_product", product, observed, differences);
  // What was edited to be as the catalogue says is only recorded.
  const part =
    differences.length === 0
      ? { ...NOTHING, operations: [update] }
      : unlessEdited(situation, edited, { object: "product", id, place, differences }, update);
  return { part, isReady: part.drift.length === 0 || observed.active };
}

function written(
  kind: "create_product" | "update_product",
  { id, name, active, metadata }: ProductFields & { readonly id: string },
  before?: ObservedProduct,
  differences: readonly Difference[] = [],
): Operation {
  const removed = Object.keys(managedMetadata(before?.metadata ?? {}))
    .filter((key) => metadata[key] === undefined)
    .map((key) => [key, ""]);
  const pushed = { billing_pushed: productDigest({ name, active, metadata }) };
  const all: Metadata = { ...Object.fromEntries(removed), ...metadata, ...pushed };
  return { do: kind, id, name, active, metadata: all, differences };
}

function differencesOf(before: ProductFields, after: ProductFields): readonly Difference[] {
  const flat = ({ name, active, metadata }: ProductFields): Metadata => ({
    name,
    active: String(active),
    ...Object.fromEntries(
      Object.entries(managedMetadata(metadata)).map(([key, value]) => [`metadata.${key}`, value]),
    ),
  });
  const [from, to] = [flat(before), flat(after)];
  const fields = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return fields
    .filter((field) => from[field] !== to[field])
    .map((field) => ({ field, from: from[field] ?? null, to: to[field] ?? null }));
}

/** Moves the default price; the one that push chose last is in the metadata. */
export function defaultPart(
  situation: Situation,
  product: ObservedProduct,
  place: string,
  to: Extract<Operation, { do: "set_default" }>["to"],
  { prices }: Observed,
): Part {
  const from = product.defaultPrice;
  const recorded = product.metadata.billing_default_price ?? null;
  const target = to === null ? null : "id" in to ? to.id : undefined;
  if (from === target && recorded === target) return NOTHING;
  // With a price that is deleted by hand its product loses the default price.
  const isLost = from === null && !prices.some(({ id }) => id === recorded);
  const edited = from !== target && from !== recorded && !isLost;
  const differences = [{ field: "default_price", from, to: target ?? null }];
  return unlessEdited(
    situation,
    edited,
    { object: "product", id: product.id, place, differences },
    { do: "set_default", product: product.id, from, to },
  );
}

/** Puts away a product whose plan or pack is no longer in the catalogue. */
export function leftPart(
  situation: Situation,
  product: ObservedProduct,
  observed: Observed,
  wantedKeys: ReadonlySet<string>,
): Part {
  const { id, metadata } = product;
  const prices = observed.prices.filter((price) => price.product === id && isOwn(price));
  if (isPutAway(product, prices)) return NOTHING;
  const isPack = metadata.billing_pack !== undefined;
  const name = metadata.billing_plan ?? metadata.billing_pack ?? id;
  const place = `${isPack ? "packs" : "plans"}.${name}`;
  // mutant "a plan with subscribers dropped"
  if (observed.subscribed.has(id)) {
    const first = id.slice(situation.app.length + 1);
    const message = `${place} has subscribers, so it cannot leave the catalogue. Put it back with \`retired: true\`, which keeps it for them; or, if it has another name now, write \`was: "${first}"\` there.`;
    return { ...NOTHING, conflicts: [{ place, id, message }] };
  }
  const after = { ...product, active: false, metadata: managedMetadata(metadata) };
  const differences = [{ field: "active", from: String(product.active), to: "false" }];
  const archived = product.active
    ? unlessEdited(
        situation,
        isEdited(metadata, productDigest(product)),
        { object: "product", id, place, differences },
        written("update_product", after, product, differences),
      )
    : NOTHING;
  if (archived.drift.length > 0) return archived;
  const unset =
    product.defaultPrice === null
      ? NOTHING
      : defaultPart(situation, product, place, null, observed);
  if (unset.drift.length > 0) return unset;
  const put = prices.map((price) => archivePart(situation, price, place, wantedKeys));
  return joined([unset, ...put, archived]);
}
