/** An address that stays while the server behind it changes, as a virtual address or a name does. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Address {
  readonly url: string;
  /** What was connected is cut off. */
  point(serverUrl: string): Promise<void>;
  stop(): Promise<void>;
}

export async function openAddress(serverUrl: string): Promise<Address> {
  let target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket.on("error", () => {}));
    socket.once("close", () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((incoming) => {
    const outgoing = keep(connect(Number(target.port), target.hostname));
    keep(incoming).pipe(outgoing).pipe(incoming);
    incoming.once("close", () => outgoing.destroy());
    outgoing.once("close", () => incoming.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(serverUrl);
  url.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    async point(next) {
      target = new URL(next);
      cut();
    },
    async stop() {
      server.close();
      cut();
      await once(server, "close");
    },
  };
}
