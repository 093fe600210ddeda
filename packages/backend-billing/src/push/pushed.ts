/**
 * What push writes into the metadata of objects to know them again: whose they are, and a digest of
 * what it wrote, by which an edit by hand is told from a change of the catalogue. Pure.
 */
import { hash } from "../core/mirror/content/hash.js";
import type { Metadata } from "../core/plans/metadata.js";

/** Metadata of a product that push manages, beside what begins with `feature_`. */
const PRODUCT_KEYS = new Set([
  "billing_app",
  "billing_plan",
  "billing_pack",
  "billing_group",
  "billing_default",
  "billing_trial_days",
  "billing_kinds",
]);

/** What push manages of a product's metadata. */
export function managedMetadata(metadata: Metadata): Metadata {
  const managed = Object.entries(metadata).filter(
    ([key]) => PRODUCT_KEYS.has(key) || key.startsWith("feature_"),
  );
  return Object.fromEntries(managed.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What push manages of a product. */
export interface ProductFields {
  readonly name: string;
  readonly active: boolean;
  readonly metadata: Metadata;
}

export const productDigest = ({ name, active, metadata }: ProductFields): string =>
  digest([name, active, Object.entries(managedMetadata(metadata))]);

/** What push manages of a price. */
export interface PriceFields {
  readonly active: boolean;
  readonly metadata: Metadata;
}

const PRICE_KEYS = ["billing_app", "billing_price", "billing_key", "billing_per_seat"] as const;

/** The lookup key counts as it was written: another price may have taken it over since. */
export const priceDigest = ({ active, metadata }: PriceFields): string =>
  digest([active, PRICE_KEYS.map((key) => metadata[key] || null)]);

/** Two hashes, so that two contents of one object do not meet by chance. */
function digest(value: unknown): string {
  const text = JSON.stringify(value);
  return [hash(text), hash(text, 1)].map((part) => part.toString(16).padStart(8, "0")).join("");
}

/** Whether an object differs from what push last wrote to it. */
export const isEdited = (metadata: Metadata, digested: string): boolean =>
  metadata.billing_pushed !== digested;

/** The metadata of a price as push writes it; an empty value takes a key away. */
export function priceMetadata(
  fields: {
    readonly app: string;
    readonly slot: string;
    readonly key: string | null;
    readonly isPerSeat: boolean;
  },
  active: boolean,
): Metadata {
  const metadata = {
    billing_app: fields.app,
    billing_price: fields.slot,
    billing_key: fields.key ?? "",
    billing_per_seat: fields.isPerSeat ? "true" : "",
  };
  return { ...metadata, billing_pushed: priceDigest({ active, metadata }) };
}
