/** An HTTP server on loopback before a handler that speaks Fetch. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { unhurried } from "../../../support/unhurried.js";

export interface Serving {
  readonly url: string;
  close(): Promise<void>;
}

/** Thrown by a handler to cut the connection instead of answering. */
export class Unreachable extends Error {}

export async function serve(handle: (request: Request) => Promise<Response>): Promise<Serving> {
  const server = createServer(async (incoming, response) => {
    try {
      const answer = await handle(await read(incoming));
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(Buffer.from(await answer.arrayBuffer()));
    } catch (error) {
      if (error instanceof Unreachable) response.destroy();
      else response.writeHead(500).end(); // as any platform answers for a handler that throws
    }
  });
  await new Promise<void>((resolve) => unhurried(server).listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function read(incoming: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers.set(name, String(value));
  }
  const { method = "GET" } = incoming;
  return new Request(new URL(incoming.url ?? "/", `http://${incoming.headers.host}`), {
    method,
    headers,
    body: method === "GET" || method === "HEAD" ? null : Buffer.concat(chunks),
  });
}
