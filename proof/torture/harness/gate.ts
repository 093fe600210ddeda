/**
 * The subject's own way to Stripe: a proxy before the double that records what the subject asks
 * and can hold answers back after Stripe has given them, as a slow network does. The merchant and
 * the inspection go past it.
 */
import {
  createServer,
  request as forward,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { unhurried } from "../../../support/unhurried.js";

export interface Asked {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** The API version that was asked for. */
  readonly version: string | undefined;
}

export interface Held {
  /** Resolves once an answer is being held; rejects if none comes. */
  readonly caught: Promise<void>;
  release(): void;
}

export interface Gate {
  readonly port: number;
  readonly asked: readonly Asked[];
  /** Holds the next answer to a request such as `/^GET \/v1\/customers\?/` until it is released. */
  hold(request: RegExp, patience?: number): Held;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
  readonly whole: boolean;
}

export async function openGate(port: number): Promise<Gate> {
  const asked: Asked[] = [];
  const holds: { request: RegExp; catch: () => void; open: Promise<void> }[] = [];

  const server = createServer(async (request, response) => {
    const { method = "GET", url = "/" } = request;
    asked.push({ method, url, version: request.headers["stripe-version"]?.toString() });
    try {
      const answer = await ask(port, request, await bytes(request));
      const index = holds.findIndex((each) => each.request.test(`${method} ${url}`));
      const hold = index < 0 ? undefined : holds.splice(index, 1)[0];
      hold?.catch();
      await hold?.open;
      pass(answer, response);
    } catch {
      response.destroy(); // the double cut the connection, so this one is cut too
    }
  });
  await new Promise<void>((resolve) => unhurried(server).listen(0, "127.0.0.1", resolve));

  return {
    port: (server.address() as AddressInfo).port,
    asked,
    hold(request, patience = 20_000) {
      let release = () => {};
      const open = new Promise<void>((resolve) => {
        release = resolve;
      });
      const caught = new Promise<void>((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`It never asked ${request}`)), patience);
        holds.push({
          request,
          open,
          catch: () => {
            clearTimeout(late);
            resolve();
          },
        });
      });
      caught.catch(() => {}); // whoever waits for it hears of it
      return { caught, release };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function ask(port: number, request: IncomingMessage, body: Buffer): Promise<Answer> {
  const { method, url, headers } = request;
  return new Promise((resolve, reject) => {
    const outgoing = forward(
      { host: "127.0.0.1", port, method, path: url, headers },
      (incoming) => {
        const chunks: Buffer[] = [];
        const finish = (whole: boolean) =>
          resolve({
            status: incoming.statusCode ?? 500,
            headers: incoming.headers,
            body: Buffer.concat(chunks),
            whole,
          });
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("end", () => finish(true));
        incoming.on("error", () => finish(false));
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

function pass({ status, headers, body, whole }: Answer, response: ServerResponse): void {
  response.writeHead(status, headers);
  if (whole) response.end(body);
  else response.write(body, () => response.destroy());
}

async function bytes(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
