/** The same over real sockets, byte by byte: what no client would send, and what is broken off. */
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Dice } from "./dice.js";
import { Broken, type Family, shown } from "./family.js";
import { type Shop, seconds, sign } from "./shop.js";

const HEAD = "POST /stripe/webhook HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
const UNSIGNED = `${HEAD}Stripe-Signature: t=1,v1=a\r\n`;
/** Requests that are odd as a whole; none is signed. */
const ODD: readonly string[] = [
  `${UNSIGNED}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`,
  `${UNSIGNED}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`,
  `${UNSIGNED}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
  `${UNSIGNED}Content-Length: -1\r\n\r\n{}`,
  `${UNSIGNED}Content-Length: 1e9\r\n\r\n{}`,
  `${UNSIGNED}Content-Length: \r\n\r\n{}`,
  "POST http://evil/stripe/webhook HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}",
  "POST //evil.example/stripe/webhook HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}",
  "POST /\\\\x%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
  "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
  "TRACE /stripe/webhook HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
  "CONNECT a:443 HTTP/1.1\r\nHost: x\r\n\r\n",
  `${UNSIGNED}Connection: upgrade\r\nUpgrade: websocket\r\nContent-Length: 2\r\n\r\n{}`,
  `${UNSIGNED}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`,
  "M-SEARCH /stripe/webhook HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
  "POST /stripe/webhook HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}",
  `${HEAD}Stripe-Signature: t=1,v1=\xff\r\nContent-Length: 2\r\n\r\n{}`,
  `${HEAD}${"Stripe-Signature: t=1,v1=b\r\n".repeat(100)}Content-Length: 2\r\n\r\n{}`,
  "POST /stripe/return/checkout HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}",
  "GET /stripe/webhook HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}",
  "\x16\x03\x01\x02\x00\x01\x00",
];

export async function socketFamily(shop: Shop): Promise<Family & { close(): Promise<void> }> {
  const server = createServer((request, response) => {
    void shop.b.billing.nodeHandler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  let before: string | undefined;
  return {
    name: "sockets",
    share: 8_000,
    batch: 1_000,
    width: 8,
    begin: async () => {
      before = await shop.everything();
    },
    attack: async (dice) => {
      const { pieces, isAborted, isSigned } = request(dice, shop.secret);
      const said = await exchange(port, pieces, isAborted, isSigned ? 20_000 : 1_000);
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(said)?.[1] ?? 0);
      if (status >= 200 && status < 400 && !isSigned) {
        throw new Broken("accepted", `${status} for ${shown(pieces.join(""))}`);
      }
      if (status >= 500 && status !== 501)
        throw new Broken("crash", `${status} for ${shown(pieces.join(""))}`);
      if (isSigned && !isAborted && status !== 200) {
        throw new Broken(
          "broken",
          `A signed event was answered with ${status}: ${shown(said)} to ${shown(pieces.join(""), 900)}`,
        );
      }
      return status === 0 ? "closed" : String(status);
    },
    check: async () => {
      const was = before;
      before = await shop.everything();
      if (was !== before) throw new Broken("rows", "Requests over sockets have changed the tables");
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function request(dice: Dice, secret: string) {
  if (dice.oneIn(3)) {
    const whole = Buffer.from(dice.pick(ODD), "latin1");
    if (dice.oneIn(3) && whole.length > 0) whole[dice.below(whole.length)] = dice.below(256);
    return { pieces: [whole], isAborted: false, isSigned: false };
  }
  // An event that nothing depends on: it is taken and leaves nothing.
  const body = Buffer.from(
    JSON.stringify({
      id: "evt_x",
      object: "event",
      type: "foo.bar",
      created: 1,
      livemode: false,
      data: { object: { id: "x" } },
    }),
  );
  const isSigned = dice.oneIn(3);
  const signature = sign(body, isSigned ? secret : "whsec_wrong", seconds());
  const isChunked = dice.oneIn(2);
  const length = isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${body.length}`;
  const head = Buffer.from(`${HEAD}Stripe-Signature: ${signature}\r\n${length}\r\n\r\n`);
  const cut = 1 + dice.below(body.length - 1);
  const parts = [body.subarray(0, cut), body.subarray(cut)];
  const chunk = (part: Buffer) => Buffer.from(`${part.length.toString(16)}\r\n${part}\r\n`);
  const sent = isChunked ? [...parts.map(chunk), Buffer.from("0\r\n\r\n")] : parts;
  const isAborted = dice.oneIn(4);
  return { pieces: [head, ...(isAborted ? sent.slice(0, 1) : sent)], isAborted, isSigned };
}

/** Sends the pieces one by one, and answers what came back until the end. */
function exchange(
  port: number,
  pieces: readonly Buffer[],
  isAborted: boolean,
  patience: number,
): Promise<string> {
  return new Promise((resolve) => {
    let said = "";
    const socket = connect(port, "127.0.0.1", async () => {
      for (const piece of pieces) {
        if (socket.destroyed) return;
        await new Promise<void>((sent) => socket.write(piece, () => sent()));
      }
      // Not half closed otherwise: Node's server would end the connection before a slow answer.
      if (isAborted) socket.resetAndDestroy();
    });
    socket.setTimeout(patience, () => socket.destroy());
    socket.on("data", (data) => {
      said += data.toString("latin1");
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(said));
  });
}
