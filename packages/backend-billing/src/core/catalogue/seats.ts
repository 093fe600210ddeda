/** Which prices are sold times the number of seats: those that are marked, or whose product is. */

/** The metadata key of that mark. */
const MARK = "billing_per_seat";

interface Marked {
  readonly metadata?: { readonly [key: string]: string } | null;
}

/** Whether a price is sold by the seat, by its own mark or its product's. */
export const isPerSeat = (price: Marked | undefined, product: Marked | undefined): boolean =>
  [price, product].some((each) => each?.metadata?.[MARK] === "true");
