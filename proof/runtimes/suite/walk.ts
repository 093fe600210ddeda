/** Goes through the behaviours, and says what became of each in a line. */
import type { App } from "./app.js";
import { behaviours } from "./behaviours.js";

export async function* linesOf(app: App, runtime: string): AsyncGenerator<string> {
  yield `RUNTIME ${runtime}`;
  await app.pool.query("CREATE TABLE started (key text PRIMARY KEY, entity text)");
  for (const { area, name, run } of behaviours) {
    const began = Date.now();
    const error = await run(app).then(
      () => undefined,
      (reason: unknown) => (reason instanceof Error ? reason.message : String(reason)),
    );
    const took = Date.now() - began;
    yield `BEHAVIOUR ${JSON.stringify({ area, name, took, ...(error !== undefined && { error }) })}`;
  }
}
