/** Why something did not answer, in few words. The innermost cause knows best. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause, detail, errors } = error as {
    cause?: unknown;
    /** Where Stripe's package keeps the cause. */
    detail?: unknown;
    errors?: readonly unknown[];
  };
  const inner = cause ?? detail ?? errors?.[0];
  if (inner instanceof Error) return reasonOf(inner);
  return error.message || error.name;
}
