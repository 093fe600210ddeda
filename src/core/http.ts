/** The library's routes, as one Fetch handler: webhook and return. */
import { routePath } from "./config.js";
import { handleReturn } from "./return.js";
import type { Runtime } from "./runtime.js";
import { handleWebhook, problem } from "./webhook.js";

/** Paths below the base URL, for routers that want them one by one. */
export function routesOf(runtime: Runtime): { readonly webhook: string; readonly return: string } {
  const path = routePath(runtime.config);
  return { webhook: `${path}/webhook`, return: `${path}/return/*` };
}

export async function handleRequest(runtime: Runtime, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  const { webhook, return: back } = routesOf(runtime);
  if (pathname === webhook) return handleWebhook(runtime, request);
  if (pathname.startsWith(back.slice(0, -1))) return handleReturn(runtime, request);
  return problem(
    404,
    "invalid_argument",
    `There is nothing at ${pathname}; the routes are ${webhook} and ${back}.`,
  );
}
