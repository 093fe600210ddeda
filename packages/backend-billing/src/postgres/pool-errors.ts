/**
 * Listens to a pool's errors. A pool of `pg` emits `error` when an idle connection ends (a restart,
 * a failover, an idle timeout), and Node ends the process if nothing listens.
 */
import type { Logger } from "../core/runtime/config.js";
import { factsOf } from "../core/runtime/error-facts.js";
import type { Connection, PoolLike } from "./database.js";

/** For each pool that is listened to: where its errors are logged, if anywhere. */
const pools = new WeakMap<PoolLike, { log: Logger | undefined }>();

/**
 * Listens to the pool, once however often it is called; the first logger that is given is used.
 * The application's own listeners are called as before. Nothing else has to be done: the pool drops
 * the connection and opens another when it needs one.
 */
export function surviveIdleErrors(pool: PoolLike, log?: Logger): void {
  const known = pools.get(pool);
  if (known !== undefined) {
    known.log ??= log;
    return;
  }
  const listening = { log };
  pools.set(pool, listening);
  pool.on?.("error", (error) => {
    listening.log?.warn(
      factsOf(error),
      "An idle database connection ended; the pool opens another",
    );
  });
  // Between `pg` lending a connection and its borrower listening to it nothing listens, and a server
  // that ends it at once is caught in that gap. The borrower's next query fails, which is enough.
  const onConnect = pool.on as ((event: "connect", listener: Greeting) => unknown) | undefined;
  onConnect?.call(pool, "connect", (connection) => connection.on?.("error", () => {}));
}

type Greeting = (connection: Pick<Connection, "on">) => void;
