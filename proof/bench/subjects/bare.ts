/**
 * The engine itself: `pg`, prepared statements and nothing else. No order of events, no receipts,
 * no deletions, no links; it is what is left when everything a mirror must get right is left out.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import pg from "pg";
import Stripe from "stripe";
import { copyInto } from "../copy.js";
import { BEGINNING, type Kind, SECRET_KEY, SPAN, WEBHOOK_SECRET } from "../data.js";
import { lines, pageFrom } from "./seed.js";
import { CONCURRENCY, type Open } from "./subject.js";

const TABLES: readonly Kind[] = ["customers", "subscriptions"];

interface Listed {
  readonly id: string;
  readonly created: number;
}

interface Page {
  readonly data: readonly Listed[];
  readonly has_more: boolean;
}

interface Event {
  readonly created: number;
  readonly data: { readonly object: { readonly id: string; readonly object: string } };
}

export function verified(body: string, signature: string): Event {
  const [, time = "", hex = ""] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
  const expected = createHmac("sha256", WEBHOOK_SECRET).update(`${time}.${body}`).digest();
  if (!timingSafeEqual(expected, Buffer.from(hex, "hex"))) throw new Error("Bad signature");
  return JSON.parse(body) as Event;
}

const newer = `ON CONFLICT (id) DO UPDATE SET data = excluded.data, created = excluded.created
  WHERE t.created <= excluded.created`;

/** What the bare subjects have in common. */
export async function openBare(databaseUrl: string) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  for (const table of TABLES) {
    await pool.query(
      `CREATE TABLE IF NOT EXISTS ${table} (id text PRIMARY KEY, data jsonb NOT NULL, created bigint NOT NULL)`,
    );
  }
  const upsert = (table: Kind, objects: readonly Listed[]) =>
    pool.query({
      name: `batch_${table}`,
      text: `INSERT INTO ${table} AS t (id, data, created)
        SELECT * FROM unnest($1::text[], $2::jsonb[], $3::bigint[]) ${newer}`,
      values: [
        objects.map((object) => object.id),
        objects.map((object) => JSON.stringify(object)),
        objects.map((object) => object.created),
      ],
    });
  return {
    pool,
    upsert,
    async store(kind: Kind, count: number) {
      const client = await pool.connect();
      try {
        await copyInto(
          client,
          `${kind} (id, data, created)`,
          lines(kind, count, (object) => [object.id, JSON.stringify(object), object.created]),
        );
      } finally {
        client.release();
      }
      await pool.query(`VACUUM ANALYZE ${kind}`);
    },
    async storePage(from: number) {
      await upsert("customers", pageFrom(from));
    },
    async count(kind: Kind): Promise<number> {
      const { rows } = await pool.query(`SELECT count(*)::int AS n FROM ${kind}`);
      return rows[0].n;
    },
    async clear() {
      await pool.query(`TRUNCATE ${TABLES.join(", ")}`);
    },
    close: () => pool.end(),
  };
}

/** Pages of a list, with nothing between the socket and the parser but `fetch`. */
export async function* pages(
  listPort: number,
  kind: Kind,
  range: { readonly from: number; readonly to: number },
): AsyncGenerator<Page> {
  const all = kind === "subscriptions" ? "&status=all" : "";
  const within = `created[gte]=${range.from}&created[lt]=${range.to}`;
  for (let after = ""; ; ) {
    const response = await fetch(
      `http://127.0.0.1:${listPort}/v1/${kind}?limit=100&${within}${all}${after}`,
      { headers: { authorization: `Bearer ${SECRET_KEY}` } },
    );
    const page = (await response.json()) as Page;
    yield page;
    if (!page.has_more) return;
    after = `&starting_after=${page.data.at(-1)?.id}`;
  }
}

/** Equal parts of the time in which objects were made. */
export function segments(count: number): { from: number; to: number }[] {
  const edge = (index: number) => BEGINNING + Math.ceil((SPAN * index) / count);
  return Array.from({ length: count }, (_, index) => ({ from: edge(index), to: edge(index + 1) }));
}

/** Verify, and one prepared upsert for each event; pages by segment, each written while the next is read. */
export const open: Open = async ({ databaseUrl, listPort }) => {
  const bare = await openBare(databaseUrl);
  const stripe = new Stripe(SECRET_KEY, { host: "127.0.0.1", port: listPort, protocol: "http" });
  return {
    ...bare,
    accept:
      ({ body, signature }) =>
      async () => {
        const { created, data } = verified(body, signature);
        const table = data.object.object === "customer" ? "customers" : "subscriptions";
        await bare.pool.query({
          name: `single_${table}`,
          text: `INSERT INTO ${table} AS t (id, data, created) VALUES ($1, $2, $3) ${newer}`,
          values: [data.object.id, JSON.stringify(data.object), created],
        });
      },
    async backfill() {
      for (const kind of TABLES) {
        await Promise.all(
          segments(CONCURRENCY).map(async (range) => {
            let written: Promise<unknown> = Promise.resolve();
            for await (const page of pages(listPort, kind, range)) {
              await written;
              written = bare.upsert(kind, page.data);
            }
            await written;
          }),
        );
      }
    },
    calls: {
      subscribe: () =>
        stripe.checkout.sessions.create({
          mode: "subscription",
          customer: "cus_1",
          line_items: [{ price: "price_1", quantity: 1 }],
          success_url: "http://localhost/welcome",
          cancel_url: "http://localhost/pricing",
        }),
      portal: () =>
        stripe.billingPortal.sessions.create({ customer: "cus_1", return_url: "http://localhost" }),
    },
  };
};
