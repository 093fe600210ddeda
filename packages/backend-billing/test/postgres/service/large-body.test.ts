// Nobody can fill the memory by posting to the webhook: what is not proven to be Stripe's is bounded.
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createBilling } from "../../../src/postgres/index.js";
import { applications, bytes, eventually, listen } from "./kit.js";
import { send as sendEvent } from "./webhook-kit.js";

const open = applications();
const MEGABYTE = 1024 * 1024;

/** A header that may be Stripe's, as far as can be told without the body. */
const plausible = () => `t=${Math.floor(Date.now() / 1000)},v1=${"0".repeat(64)}`;

/** A body without end that counts how often it is asked for more. */
function endless() {
  const asked = { times: 0 };
  const body = new ReadableStream(
    {
      pull: (stream) => {
        asked.times++;
        stream.enqueue(new Uint8Array(64 * 1024));
      },
    },
    { highWaterMark: 0 },
  );
  return { body, asked };
}

describe("a body of 50 MB", () => {
  const SIZE = 50 * 1024 * 1024;

  /** Sends as much as the server takes, and tells how far the process grew meanwhile. */
  async function flood(url: string, withLength: boolean) {
    const chunk = Buffer.alloc(64 * 1024, "x");
    const before = process.memoryUsage().rss;
    let peak = before;
    let sent = 0;
    const answer = await new Promise<{ status: number | undefined; text: string }>(
      (resolve, reject) => {
        const headers = {
          "Stripe-Signature": plausible(),
          ...(withLength ? { "Content-Length": SIZE } : {}),
        };
        const request = httpRequest(`${url}/stripe/webhook`, { method: "POST", headers });
        request.on("response", async (response) => {
          const text = (await bytes(response)).toString();
          // It is the server that ends the connection: nothing good can come of it any more.
          request.socket?.once("close", () => resolve({ status: response.statusCode, text }));
        });
        request.on("error", (error: NodeJS.ErrnoException) => {
          if (error.code !== "EPIPE" && error.code !== "ECONNRESET") reject(error);
        });
        const write = () => {
          while (sent < SIZE && !request.destroyed) {
            sent += chunk.length;
            peak = Math.max(peak, process.memoryUsage().rss);
            if (!request.write(chunk)) return void request.once("drain", write);
          }
          request.end();
        };
        write();
      },
    );
    return { ...answer, sent, grown: peak - before };
  }

  it.each([
    ["with its length told", true],
    ["in chunks", false],
  ])("%s is refused with 413, and not kept in memory", async (_, withLength) => {
    const app = await open({ endpoint: false });
    const server = await listen(app.b.billing.nodeHandler);
    onTestFinished(server.close);
    await flood(server.url, withLength); // warms up
    const { status, text, sent, grown } = await flood(server.url, withLength);
    expect(status).toBe(413);
    expect(text).toContain("larger than 1048576 bytes");
    expect(sent).toBeLessThan(SIZE / 2); // it was not even taken
    expect(grown).toBeLessThan(25 * 1024 * 1024);
  });

  const posted = (headers: Record<string, string>, body: ReadableStream) =>
    new Request("https://app.example/stripe/webhook", {
      method: "POST",
      headers,
      body,
      duplex: "half",
    } as RequestInit);

  it.each([
    ["whose length is told", { "Content-Length": String(SIZE) }, 413],
    ["that is not signed", { "Stripe-Signature": "" }, 400],
    ["whose signature is none", { "Stripe-Signature": "t=1,v1=zz" }, 400],
    ["whose signature is of yesterday", { "Stripe-Signature": `t=1,v1=${"0".repeat(64)}` }, 400],
  ])("%s is not even begun to be read", async (_, headers, status) => {
    const app = await open({ endpoint: false });
    const { body, asked } = endless();
    const request = posted({ "Stripe-Signature": plausible(), ...headers }, body);
    expect((await app.b.billing.fetch(request)).status).toBe(status);
    expect(asked.times).toBe(0);
  });

  it("that says it is small is counted all the same", async () => {
    const app = await open({ endpoint: false });
    const { body, asked } = endless();
    const headers = { "Stripe-Signature": plausible(), "Content-Length": "10" };
    expect((await app.b.billing.fetch(posted(headers, body))).status).toBe(413);
    expect(asked.times).toBe(17);
  });

  it("is far more than what is still read", async () => {
    const app = await open({ endpoint: false });
    const send = (size: number) =>
      fetch(`${app.url}/stripe/webhook`, {
        method: "POST",
        headers: { "Stripe-Signature": plausible() },
        body: "x".repeat(size),
      });
    expect((await send(MEGABYTE)).status).toBe(400);
    expect((await send(MEGABYTE + 1)).status).toBe(413);
  });
});

/** A sender that begins a body and then says nothing. */
function begin(url: string, bytes: number) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const heard = { text: "" };
  socket.on("data", (data) => {
    heard.text += data;
  });
  socket.on("error", () => {}); // the server may end it
  socket.write(
    `POST /stripe/webhook HTTP/1.1\r\nHost: x\r\nStripe-Signature: ${plausible()}\r\nContent-Length: ${MEGABYTE}\r\n\r\n`,
  );
  socket.write(Buffer.alloc(bytes, "x"));
  return { socket, heard };
}

it("senders that hold more than 32 MB together are turned away, oldest first, and events are still stored", async () => {
  const app = await open();
  const silent = Array.from({ length: 40 }, () => begin(app.url, 900 * 1024));
  onTestFinished(() => {
    for (const { socket } of silent) socket.destroy();
  });
  const away = () => silent.filter(({ heard }) => heard.text.startsWith("HTTP/1.1 503 "));
  await eventually(
    () => away().length,
    (count) => count >= 3,
  );
  expect(await sendEvent(app)).toMatchObject({ status: 200 });
  for (const { heard } of away()) {
    expect(heard.text).toMatch(/retry-after: 30\r\n/i);
    expect(heard.text).toMatch(/connection: close\r\n/i);
  }
  expect(away().length).toBeLessThan(10);
});

it("a sender that goes away in the middle is not logged as an error", async () => {
  const app = await open({ endpoint: false });
  const lines: string[] = [];
  const to = (level: string) => (_: object, message: string) =>
    void lines.push(`${level} ${message}`);
  const logger = { info: to("info"), warn: to("warn"), error: to("error") };
  const server = await listen(createBilling({ ...app.config, logger }).billing.nodeHandler);
  onTestFinished(server.close);
  for (const [n, end] of (["destroy", "resetAndDestroy"] as const).entries()) {
    const { socket } = begin(server.url, 1000);
    await new Promise((resolve) => socket.once("connect", resolve));
    await eventually(
      () => socket.writableLength,
      (left) => left === 0,
    );
    socket[end]();
    await eventually(
      () => lines.length,
      (count) => count > n,
    );
  }
  const line = "info A request ended before its body was complete";
  expect(lines).toEqual([line, line]);
});
