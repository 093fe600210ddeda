/** Requests that wait when Stripe says that there were too many: its SDK does not. */

/** Longer each time; together about a minute. */
const WAITS = [500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000];

export async function patiently<T>(request: () => Promise<T>): Promise<T> {
  for (const wait of WAITS) {
    try {
      return await request();
    } catch (error) {
      if (statusOf(error) !== 429) throw error;
      await new Promise((done) => setTimeout(done, wait * (0.5 + Math.random() / 2)));
    }
  }
  return request();
}

/** The status of HTTP with which Stripe refused a request. */
export const statusOf = (error: unknown): number | undefined =>
  (error as { statusCode?: number } | null)?.statusCode;
