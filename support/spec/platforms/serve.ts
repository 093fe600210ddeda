/** A real HTTP server on loopback, for the application of a test. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { unhurried } from "../../unhurried.js";

export interface Served {
  readonly url: string;
  close(): Promise<void>;
}

export async function serve(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<Served> {
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((resolve) => unhurried(server).listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
