/** What behaviours are checked by. It uses nothing of any runtime. */

class Missed extends Error {}

export function check(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Missed(what);
}

export function same(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  check(a === b, `${what}: ${a} instead of ${b}`);
}

/** The code of the error that work ends with. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    return String((error as { readonly code?: unknown }).code ?? (error as Error).message);
  }
  return "none";
}

/** Waits until something is so. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
): Promise<T> {
  const end = Date.now() + 60_000;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    check(Date.now() < end, `waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
