/**
 * The control API: what a test does to the double beside Stripe's own API, as JSON over HTTP below
 * `/_double`, so that a test in any language can do it. It offers nothing that `StripeDouble` has not.
 */
import { ApiError } from "../api/errors.js";
import type { Incoming, Outgoing } from "../http/handle.js";
import { isLoopbackHost } from "../http/host.js";
import { isRefusal } from "../parts.js";
import type { StripeDouble } from "../stripe-double.js";
import { ControlError, checkBody, parseBody } from "./body.js";
import { type ControlRoute, controlRoutes } from "./routes.js";

const ROOT = "/_double";

export const isControl = ({ url }: Incoming): boolean => /^\/_double(?:[/?]|$)/.test(url);

/** Answers control requests about this double. */
export function createControl(double: StripeDouble): (incoming: Incoming) => Promise<Outgoing> {
  return async (incoming) => {
    try {
      return json(200, await perform(double, incoming));
    } catch (error) {
      return failure(error);
    }
  };
}

async function perform(
  double: StripeDouble,
  { method, url, headers, body }: Incoming,
): Promise<unknown> {
  const { origin } = headers;
  if (typeof origin === "string" && !isLocal(origin)) {
    throw new ControlError(403, "A page of another site may not control the double.");
  }
  const [path = "", query = ""] = url.split("?");
  const below = path.slice(ROOT.length).replace(/\/$/, "");
  if (below === "") return { routes: table() };
  const there = controlRoutes.flatMap((route) => {
    const id = idIn(route.path, below);
    return id === undefined ? [] : [{ route, id }];
  });
  if (there.length === 0) {
    throw new ControlError(404, `There is no ${path}. GET ${ROOT} lists what there is.`);
  }
  const found = there.find(({ route }) => route.method === method);
  if (found === undefined) {
    const methods = there.map(({ route }) => route.method).join(" or ");
    throw new ControlError(405, `${path} takes ${methods}, not ${method}.`);
  }
  const { route, id } = found;
  const given = method === "GET" ? Object.fromEntries(new URLSearchParams(query)) : parseBody(body);
  const checked = route.body === "any" ? given : checkBody(given, route.body);
  return route.run(double, checked as never, id);
}

/** What stands for `:id`, an empty text if the path has none, or undefined if it is another path. */
function idIn(pattern: string, path: string): string | undefined {
  if (pattern === path) return "";
  const start = pattern.endsWith(":id") ? pattern.slice(0, -":id".length) : undefined;
  if (start === undefined || !path.startsWith(start)) return undefined;
  return path.slice(start.length);
}

/** Browsers name the page that a request comes from; only one on this machine may change anything. */
function isLocal(origin: string): boolean {
  return URL.canParse(origin) && isLoopbackHost(new URL(origin).host);
}

const table = () =>
  controlRoutes.map(({ method, path, about, body }: ControlRoute) => ({
    method,
    path: `${ROOT}${path}`,
    ...(body === "any" ? {} : { fields: Object.keys(body) }),
    about,
  }));

function failure(error: unknown): Outgoing {
  if (error instanceof ControlError || error instanceof ApiError) {
    return json(error.status, { error: { message: error.message } });
  }
  if (isRefusal(error)) return json(400, { error: { message: error.message } });
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const message = `The double itself failed, which is a defect of it: ${what}`;
  return json(500, { error: { message } });
}

function json(status: number, value: unknown): Outgoing {
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-store" };
  return { status, headers, body: JSON.stringify(value) };
}
