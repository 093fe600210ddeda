/** The routes on Convex's HTTP router. */
import { type HttpRouter, httpActionGeneric } from "convex/server";
import { type BillingConfig, routePath } from "../core/config.js";
import { handleRequest } from "../core/http.js";
import type { ConvexRuntime } from "./runtime.js";

/** What is used of the application's HTTP router. */
export type RouterLike = Pick<HttpRouter, "route">;

/** Registers the webhook and return routes. A webhook by another method is told so, not lost. */
export function addConvexRoutes(
  convex: ConvexRuntime,
  config: BillingConfig,
  http: RouterLike,
): void {
  const path = routePath(config);
  const handler = httpActionGeneric((ctx, request) => handleRequest(convex.in(ctx), request));
  for (const method of ["POST", "GET", "PUT", "PATCH", "DELETE"] as const) {
    http.route({ path: `${path}/webhook`, method, handler });
  }
  http.route({ pathPrefix: `${path}/return/`, method: "GET", handler });
}
