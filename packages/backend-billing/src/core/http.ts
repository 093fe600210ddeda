/** The library's routes, as one Fetch handler: webhook and return. */
import type { BodySource } from "./events/body.js";
import { handleWebhook, problem } from "./events/webhook.js";
import { handleReturn } from "./links/return.js";
import { type BillingConfig, basePath, routePath } from "./runtime/config.js";
import { configAdvice, reportConfigProblem } from "./runtime/config-problem.js";
import type { Runtime } from "./runtime/runtime.js";

/**
 * The paths of the routes, for routers that want them one by one. A path of the base URL is a part
 * of the addresses that Stripe and people are given. A router mounted below that path, or a proxy
 * that removes it, sees the rest alone, so both are served.
 */
export function routesOf(config: BillingConfig): {
  readonly webhook: readonly string[];
  readonly return: readonly string[];
  /** Not on Convex, whose schedules call functions. */
  readonly tick: readonly string[];
} {
  const prefixes = [...new Set([basePath(config), ""])].map((base) => base + routePath(config));
  return {
    webhook: prefixes.map((prefix) => `${prefix}/webhook`),
    return: prefixes.map((prefix) => `${prefix}/return/`),
    tick: prefixes.map((prefix) => `${prefix}/tick`),
  };
}

/** Answers the route of a schedule, where the platform has it. */
export type OnTick = (runtime: Runtime, request: Request) => Promise<Response>;

/** Never rejects for a setting that is missing or wrong: that is answered with 500 and reported. */
export async function handleRequest(
  runtime: Runtime,
  request: Request,
  body?: BodySource,
  onTick?: OnTick,
): Promise<Response> {
  try {
    return await route(runtime, request, body, onTick);
  } catch (error) {
    const advice = configAdvice(error);
    if (advice === undefined) throw error;
    reportConfigProblem(runtime, "A request was not handled: a setting is wrong", advice);
    return problem(500, "invalid_config", advice);
  }
}

async function route(
  runtime: Runtime,
  request: Request,
  body: BodySource | undefined,
  onTick: OnTick | undefined,
): Promise<Response> {
  const { pathname } = new URL(request.url);
  const { webhook, return: back, tick } = routesOf(runtime.config);
  if (webhook.includes(pathname)) return handleWebhook(runtime, request, body);
  const prefix = back.find((path) => pathname.startsWith(path));
  if (prefix !== undefined) return handleReturn(runtime, request, pathname.slice(prefix.length));
  if (onTick !== undefined && tick.includes(pathname)) return onTick(runtime, request);
  return problem(
    404,
    "invalid_argument",
    `There is nothing at ${pathname}; the routes are ${webhook[0]} and ${back[0]}*.`,
  );
}
