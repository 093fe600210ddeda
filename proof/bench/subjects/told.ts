/** The library with one handler, which writes down what it is told of. */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Queryable } from "../../../packages/backend-billing/src/postgres/database.js";
import type { Kind } from "../data.js";
import { openWith } from "./ours.js";
import type { Place, Subject } from "./subject.js";

/** Milliseconds between looks at what is left to tell, and until that is taken to be stuck. */
const LOOK = 10;
const STUCK = 300_000;

interface Changed {
  readonly id: string;
  readonly after: { readonly metadata: { readonly [key: string]: string } } | null;
}

const tell = ({ id, after }: Changed, { tx }: { readonly tx: Queryable }) =>
  tx.query("INSERT INTO told (id, revision) VALUES ($1, $2)", [id, after?.metadata.revision]);

/** Told of the changes of one kind of objects. */
export async function openTold(place: Place, kind: Kind): Promise<Subject> {
  const pool = new pg.Pool({ connectionString: place.databaseUrl, max: 1 });
  await pool.query("CREATE TABLE told (id text NOT NULL, revision text NOT NULL)");
  const on = { change: { [kind]: tell } };
  const subject = await openWith(place, ["customers", "subscriptions"], on);
  const waits = async () => {
    const { rows } = await pool.query(
      "SELECT EXISTS (SELECT FROM billing.backend_billing_records WHERE kind = 'change') AS waits",
    );
    return rows[0].waits;
  };
  return {
    ...subject,
    reactions: {
      async settled() {
        const end = Date.now() + STUCK;
        while (await waits()) {
          if (Date.now() > end) throw new Error("Some changes are not told");
          await sleep(LOOK);
        }
      },
      async told() {
        const { rows } = await pool.query(
          "SELECT count(*)::int AS times, count(DISTINCT (id, revision))::int AS updates FROM told",
        );
        return rows[0];
      },
    },
    async close() {
      await pool.end();
      await subject.close();
    },
  };
}
