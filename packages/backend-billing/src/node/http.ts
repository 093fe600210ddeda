/** The routes on Node: for Hono, for any Fetch server, and for `(req, res)` as Express and Fastify have it. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { BodySource } from "../core/events/body.js";
import { bodyGone, problem } from "../core/events/webhook.js";
import { routesOf } from "../core/http.js";
import { factsOf } from "../core/runtime/error-facts.js";
import { BillingError } from "../core/runtime/errors.js";
import type { Runtime } from "../core/runtime/runtime.js";

/** What is used of a Hono application. */
export interface HonoLike {
  on(
    methods: string[],
    path: string,
    handler: (context: { req: { raw: Request } }) => Promise<Response>,
  ): unknown;
}

/** Answers a request; `body` where it does not come with it. */
export type Answering = (request: Request, body?: BodySource) => Promise<Response>;

/**
 * Registers the webhook, return and tick routes. Every method is taken, so that a wrong one gets an
 * answer.
 */
export function addHonoRoutes(runtime: Runtime, app: HonoLike, answer: Answering): void {
  const routes = routesOf(runtime.config);
  const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"];
  const returns = routes.return.map((prefix) => `${prefix}*`);
  for (const path of [...routes.webhook, ...returns, ...routes.tick]) {
    app.on(methods, path, ({ req }) => answer(req.raw));
  }
}

/** A request that may have been read already by a body parser. */
type MaybeRead = IncomingMessage & {
  readonly rawBody?: string | Uint8Array;
  readonly originalUrl?: string;
};

export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export function createNodeHandler(runtime: Runtime, route: Answering): NodeHandler {
  return async (request, response) => {
    // A rejection here would end the process: plain `node:http` does not catch it.
    const answered = await answer(runtime, request, route).catch((error: unknown) => {
      runtime.log?.error(factsOf(error), "A request failed");
      const code = error instanceof BillingError ? error.code : "store_error";
      return problem(500, code, "The request failed. The log says why.");
    });
    await send(request, response, answered).catch((error: unknown) => {
      runtime.log?.error(factsOf(error), "An answer could not be sent");
    });
  };
}

async function answer(runtime: Runtime, incoming: MaybeRead, route: Answering): Promise<Response> {
  let request: Request;
  try {
    request = toRequest(incoming);
  } catch {
    return problem(400, "invalid_argument", "The request is malformed.");
  }
  const body = bodyOf(incoming);
  return body === undefined ? bodyGone(runtime) : route(request, body);
}

/** The request in Fetch's shape, without its body. */
function toRequest(incoming: MaybeRead): Request {
  const { method = "GET", headers, originalUrl, url: rest = "/" } = incoming;
  const target = originalUrl ?? rest;
  // Only the path is used; the host is chosen by the sender.
  const url = new URL(target.startsWith("/") ? `http://localhost${target}` : target);
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [[name, Array.isArray(value) ? value.join(", ") : value] as [string, string]],
  );
  return new Request(url, { method, headers: pairs });
}

/** The body as it comes from the socket, or as a parser kept it; undefined if it is gone. */
function bodyOf(incoming: MaybeRead): BodySource | undefined {
  const { method = "GET", rawBody } = incoming;
  if (method === "GET" || method === "HEAD") return NO_BODY;
  if (rawBody !== undefined) return once(Buffer.from(rawBody));
  if (incoming.readableDidRead || incoming.readableEnded) return undefined;
  const pieces = incoming[Symbol.asyncIterator]();
  return {
    next: async () => {
      const { done, value } = (await pieces.next()) as IteratorResult<Uint8Array | string>;
      if (done) return undefined;
      return typeof value === "string" ? Buffer.from(value) : value;
    },
    cancel: () => {}, // the answer closes the connection
  };
}

const NO_BODY: BodySource = { next: async () => undefined, cancel: () => {} };

function once(bytes: Uint8Array): BodySource {
  let rest: Uint8Array | undefined = bytes;
  return {
    next: async () => {
      const piece = rest;
      rest = undefined;
      return piece;
    },
    cancel: () => {},
  };
}

/** Does nothing if the application has answered meanwhile, as its own time limits do. */
async function send(
  request: IncomingMessage,
  response: ServerResponse,
  answered: Response,
): Promise<void> {
  const headers = Object.fromEntries(answered.headers);
  // What is left of a body that was refused is not read, so the connection cannot be used again.
  if (!request.complete) headers.connection = "close";
  const body = Buffer.from(await answered.arrayBuffer());
  if (response.headersSent || response.writableEnded) return;
  response.writeHead(answered.status, headers);
  response.end(body);
}
