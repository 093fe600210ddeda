/** The socket: reads requests from loopback, writes answers, and cuts connections when told to. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Incoming, Outgoing } from "./handle.js";
import { isLoopbackHost } from "./host.js";

const LARGEST_BODY = 1024 * 1024;

export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** Listens on the port given or on any free one, and on loopback only unless another host is given. */
export async function listen(
  { port = 0, host = "127.0.0.1" }: { readonly port?: number; readonly host?: string },
  answer: (incoming: Incoming) => Promise<Outgoing>,
): Promise<Listening> {
  const guarded = isLoopbackHost(host.includes(":") ? `[${host}]` : host);
  const server = createServer((request, response) => {
    if (guarded && !isLoopbackHost(request.headers.host)) {
      refuse(response);
      return;
    }
    respond(request, response, answer).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : new Error(String(error)));
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}

function refuse(response: ServerResponse): void {
  const message =
    "This double of Stripe answers only requests to localhost, 127.0.0.1 or [::1], so that no page on the internet can reach it.";
  response.writeHead(403, { "Content-Type": "application/json", Connection: "close" });
  response.end(JSON.stringify({ error: { type: "invalid_request_error", message } }));
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (incoming: Incoming) => Promise<Outgoing>,
): Promise<void> {
  const body = await read(request);
  const { method = "GET", url = "/", headers } = request;
  const outgoing = await answer({ method, url, headers, body });
  if (outgoing.cut === "whole") {
    request.socket.destroy();
    return;
  }
  const length = Buffer.byteLength(outgoing.body);
  response.sendDate = false;
  response.writeHead(outgoing.status, { ...outgoing.headers, "Content-Length": length });
  if (outgoing.cut === "half") {
    const half = outgoing.body.slice(0, outgoing.body.length >> 1);
    response.write(half, () => request.socket.destroy());
    return;
  }
  response.end(outgoing.body);
}

async function read(request: IncomingMessage): Promise<string> {
  if (request.method === "GET") return "";
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_BODY) throw new Error("The request body is larger than the double accepts");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
