/** What can be an id at Stripe: it becomes a part of a path, and must not lead to another one. */

const LONGEST = 255;
/** Parts of a path that mean something else than an object. */
const OTHER: ReadonlySet<string> = new Set([".", "..", "search"]);

/** Whether a path that ends in it is not an object's. */
export const leadsElsewhere = (id: string): boolean => OTHER.has(id);

/**
 * Merchants have chosen some of the ids, so nearly everything is allowed: Stripe's client encodes it. Only slashes
 * are not, because what stands between may decode them.
 */
export const isStripeId = (value: unknown): value is string =>
  typeof value === "string" &&
  value.length > 0 &&
  value.length <= LONGEST &&
  !leadsElsewhere(value) &&
  !/[/\\\p{Cc}\p{Cs}]/u.test(value);
