/** The library's routes, as one Fetch handler: webhook and return. */
import type { BodySource } from "./body.js";
import { routePath } from "./config.js";
import { configAdvice, reportConfigProblem } from "./config-problem.js";
import { handleReturn } from "./return.js";
import type { Runtime } from "./runtime.js";
import { handleWebhook, problem } from "./webhook.js";

/** Paths below the base URL, for routers that want them one by one. */
export function routesOf(runtime: Runtime): { readonly webhook: string; readonly return: string } {
  const path = routePath(runtime.config);
  return { webhook: `${path}/webhook`, return: `${path}/return/*` };
}

/** Never rejects for a setting that is missing or wrong: that is answered with 500 and reported. */
export async function handleRequest(
  runtime: Runtime,
  request: Request,
  body?: BodySource,
): Promise<Response> {
  try {
    return await route(runtime, request, body);
  } catch (error) {
    const advice = configAdvice(error);
    if (advice === undefined) throw error;
    reportConfigProblem(runtime, "A request was not handled: a setting is wrong", advice);
    return problem(500, "invalid_config", advice);
  }
}

async function route(runtime: Runtime, request: Request, body?: BodySource): Promise<Response> {
  const { pathname } = new URL(request.url);
  const { webhook, return: back } = routesOf(runtime);
  if (pathname === webhook) return handleWebhook(runtime, request, body);
  if (pathname.startsWith(back.slice(0, -1))) return handleReturn(runtime, request);
  return problem(
    404,
    "invalid_argument",
    `There is nothing at ${pathname}; the routes are ${webhook} and ${back}.`,
  );
}
