/** What the peers have in common. They are installed in a folder of their own. */
import { createRequire } from "node:module";
import { type Delivery, deliveries, type Kind } from "../data.js";
import type { Subject } from "./subject.js";

/** Neither engine lets itself be told where Stripe is; both show their client. */
export interface Peer {
  readonly stripe: object;
  readonly postgresClient: {
    query(text: string): Promise<{ readonly rows: readonly { readonly n?: number }[] }>;
  };
}

/** A peer's package, as `require` gives it: the module builds do not find their own migrations. */
export function peerPackage<T>(name: string): T {
  return createRequire(new URL("../peers/package.json", import.meta.url))(name) as T;
}

export const quiet = { info() {}, warn() {}, error() {} };

export function endpointOf({ stripe }: Peer, port: number): void {
  const { _api: api } = stripe as { _api: object };
  Object.assign(api, { host: "127.0.0.1", port, protocol: "http" });
}

/** A peer's tables are its own affair: they are filled by events. */
export function storeByEvents(
  accept: (delivery: Delivery) => () => Promise<void>,
): Required<Pick<Subject, "accept" | "store">> {
  return {
    accept,
    async store(kind, count) {
      const apiVersion = "2025-01-01"; // the peers do not look at it
      const all = deliveries({ kind, stored: count, count, round: 0, apiVersion });
      let next = 0;
      const caller = async () => {
        for (let mine = all[next++]; mine !== undefined; mine = all[next++]) await accept(mine)();
      };
      await Promise.all(Array.from({ length: 16 }, caller));
    },
  };
}

/** How many rows a peer's table has. */
export async function countOf({ postgresClient }: Peer, kind: Kind): Promise<number> {
  const { rows } = await postgresClient.query(`SELECT count(*)::int AS n FROM stripe.${kind}`);
  return Number(rows[0]?.n);
}
