/** The routes on Convex's HTTP router. */
import { type HttpRouter, httpActionGeneric } from "convex/server";
import { handleRequest, routesOf } from "../core/http.js";
import type { BillingConfig } from "../core/runtime/config.js";
import type { ConvexRuntime } from "./runtime.js";

/** What is used of the application's HTTP router. */
export type RouterLike = Pick<HttpRouter, "route">;

/**
 * Registers the webhook and return routes. A webhook by another method gets an answer that says so.
 */
export function addConvexRoutes(
  convex: ConvexRuntime,
  config: BillingConfig,
  http: RouterLike,
): void {
  const routes = routesOf(config);
  const handler = httpActionGeneric((ctx, request) => handleRequest(convex.in(ctx), request));
  for (const path of routes.webhook) {
    for (const method of ["POST", "GET", "PUT", "PATCH", "DELETE"] as const) {
      http.route({ path, method, handler });
    }
  }
  for (const pathPrefix of routes.return) http.route({ pathPrefix, method: "GET", handler });
}
