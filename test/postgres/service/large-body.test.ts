// Nobody can fill the memory by posting to the webhook.
import { request as httpRequest } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { applications, bytes, listen } from "./kit.js";

const open = applications();

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
        const headers = withLength ? { "Content-Length": SIZE } : {};
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
    expect(text).toContain("larger than 4194304 bytes");
    expect(sent).toBeLessThan(SIZE / 2); // it was not even taken
    expect(grown).toBeLessThan(25 * 1024 * 1024);
  });

  it("whose length is told is not even begun to be read", async () => {
    const app = await open({ endpoint: false });
    let pulled = 0;
    const body = new ReadableStream(
      {
        pull: (stream) => {
          pulled++;
          stream.enqueue(new Uint8Array(1024));
        },
      },
      { highWaterMark: 0 },
    );
    const request = new Request("https://app.example/stripe/webhook", {
      method: "POST",
      headers: { "Content-Length": String(SIZE) },
      body,
      duplex: "half",
    } as RequestInit);
    expect((await app.b.billing.fetch(request)).status).toBe(413);
    expect(pulled).toBe(0);
  });

  it("is far more than what is still read", async () => {
    const app = await open({ endpoint: false });
    const send = (size: number) =>
      fetch(`${app.url}/stripe/webhook`, {
        method: "POST",
        headers: { "Stripe-Signature": "t=1,v1=00" },
        body: "x".repeat(size),
      });
    expect((await send(4 * 1024 * 1024)).status).toBe(400);
    expect((await send(4 * 1024 * 1024 + 1)).status).toBe(413);
  });
});
