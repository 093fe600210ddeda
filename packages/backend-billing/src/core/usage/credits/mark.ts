/** What of a checkout page says which credits it sells, and whose they are. Pure. */
import type { StripeObject } from "../../catalogue/catalogue.js";
import { CREDITED_KEY, CREDITS_KEY } from "../../mirror/credits.js";
import type { AnyCatalogue } from "../../plans/catalogue.js";
import { packOfProduct } from "../../plans/names.js";

/** Units of each feature. */
export interface Units {
  readonly [feature: string]: number;
}

/** What a page sells. */
export interface Sold {
  readonly app: string;
  readonly entityId: string;
  /** By the id of a price: for one of it. */
  readonly prices: { readonly [priceId: string]: Units };
}

export interface Metadata {
  readonly [key: string]: string;
}

/** The metadata of a page and of its payment; undefined where none of these prices is a pack with credits. */
export function creditsMetadata(
  catalogue: AnyCatalogue | undefined,
  prices: Iterable<Pick<StripeObject<"prices">, "id" | "product">>,
  entityId: string,
): { readonly page: Metadata; readonly payment: Metadata } | undefined {
  const app = catalogue?.app ?? null;
  if (catalogue === undefined || app === null) return undefined;
  const sold = [...prices].flatMap(({ id, product }) => {
    const credits = packOfProduct(catalogue, product)?.credits ?? {};
    return Object.keys(credits).length === 0 ? [] : [[id, credits] as const];
  });
  if (sold.length === 0) return undefined;
  const mark = JSON.stringify([app, Object.fromEntries(sold)]);
  return {
    page: { [CREDITS_KEY]: mark, [CREDITED_KEY]: entityId },
    payment: { [CREDITS_KEY]: app },
  };
}

/** What a page's metadata says that it sells; undefined if that is nothing, or cannot be read. */
export function soldBy(metadata: Metadata | null | undefined): Sold | undefined {
  const { [CREDITS_KEY]: mark, [CREDITED_KEY]: entityId } = metadata ?? {};
  if (mark === undefined || !entityId) return undefined;
  const [app, prices] = parsed(mark);
  if (typeof app !== "string" || typeof prices !== "object" || prices === null) return undefined;
  const all = Object.values(prices).flatMap((units) => Object.values((units ?? {}) as Units));
  const isWhole = all.every((units) => Number.isSafeInteger(units) && units > 0);
  return isWhole ? { app, entityId, prices: prices as Sold["prices"] } : undefined;
}

function parsed(mark: string): readonly unknown[] {
  try {
    const found: unknown = JSON.parse(mark);
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}
