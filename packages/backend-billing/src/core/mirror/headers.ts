/**
 * Headers of Stripe's answers. The SDK's types say that they are a plain object. In its build for
 * Node they are; in the others, which use `fetch`, those of `lastResponse` are a `Headers`.
 */
export type AnswerHeaders = { readonly [name: string]: string } | Headers;

export function headerOf(headers: AnswerHeaders | undefined, name: string): string | undefined {
  if (headers === undefined) return undefined;
  // Not by `instanceof`: a runtime may have more than one such class.
  if (typeof headers.get === "function") return headers.get(name) ?? undefined;
  return (headers as { readonly [name: string]: string })[name];
}

/** Whether an answer is an old one, sent again under the same idempotency key. */
export const isReplayed = (headers: AnswerHeaders | undefined): boolean =>
  headerOf(headers, "idempotent-replayed") === "true";
