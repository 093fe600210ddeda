/** What Stripe's answer to the creation of a customer means for its claim: a pure decision. */

/** How Stripe answered the creation. */
export interface Attempted {
  /** Undefined when there was no answer. */
  readonly status: number | undefined;
  readonly replayed: boolean;
  /** Stripe's `type` of an error. */
  readonly type: string | undefined;
}

/**
 * What follows from an answer that is no success. `again`: same key, a little later. `doubt`: it
 * may have been made, look before trying anew. `conflict`: the same, the key was used with other
 * parameters. `refuse`: it was not made, and will not be. `rotate`: Stripe keeps an earlier
 * refusal under this key and would repeat it for a day, so the question is put under the next key.
 */
export type Following = "again" | "doubt" | "conflict" | "refuse" | "rotate";

export function afterFailure({ status, replayed, type }: Attempted): Following {
  if (type === "idempotency_error") return "conflict";
  if (status === undefined || [401, 403, 409, 429].includes(status)) return "again";
  if (status >= 500) return replayed ? "doubt" : "again";
  return replayed ? "rotate" : "refuse";
}
