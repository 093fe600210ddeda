import type { Server } from "node:http";

/**
 * A server that cuts no connection by itself. Node's cuts one that was idle for five seconds, and a
 * test can keep its process busy for longer: a request on its way would fail then.
 */
export function unhurried(server: Server): Server {
  return Object.assign(server, { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 });
}
