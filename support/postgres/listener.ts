// Products whose changes are told to a handler that fails, as the store and the delivery leave them.
import type pg from "pg";
import {
  DELIVERY_TIMING,
  type Delivery,
} from "../../packages/backend-billing/src/core/reactions/delivery.js";
import type { Queryable } from "../../packages/backend-billing/src/postgres/database.js";
import {
  type Delivered,
  type DeliverOptions,
  deliverTo,
} from "../../packages/backend-billing/src/postgres/reactions/deliver.js";
import { dueObjects } from "../../packages/backend-billing/src/postgres/reactions/head.js";
import {
  lendFrom,
  lendPrepared,
} from "../../packages/backend-billing/src/postgres/reactions/lend.js";
import { namesIn } from "../../packages/backend-billing/src/postgres/store/names.js";
import {
  prepareOn,
  queryableBy,
} from "../../packages/backend-billing/src/postgres/store/prepared.js";
import { createPostgresStore } from "../../packages/backend-billing/src/postgres/store/store.js";
import { listeningTo } from "../conformance/changes.js";
import { batch, created, event } from "../conformance/fixtures.js";

const names = namesIn("billing");

/** What runs the library's own statements, as in an application. */
function preparedOn(pool: pg.Pool): Pick<DeliverOptions<Queryable>, "pool" | "lend"> {
  const prepared = prepareOn(pool, true);
  return { pool: queryableBy(prepared.run), lend: lendPrepared(lendFrom(pool), prepared) };
}

/** A delivery whose listeners are told of products that change; the handler is to be added. */
export const listening = (
  pool: pg.Pool,
  listeners: readonly string[],
): Omit<DeliverOptions<Queryable>, "handler"> => ({
  ...preparedOn(pool),
  names,
  occasions: ["products"],
  tellings: async (change) => ({
    all: listeners.map((name) => ({ name, to: name, payload: change })),
    writes: [],
    requests: [],
  }),
});

/** Tells one thing that is due, if there is any. */
export async function deliverOne(options: DeliverOptions<Queryable>): Promise<Delivered> {
  for (const ref of await dueObjects(options)) {
    const delivered = await deliverTo(options, ref);
    if (delivered !== "nothing") return delivered;
  }
  return "nothing";
}

/** What failed is not tried again by itself, however long a test takes. */
const LONG_PAUSES = { ...DELIVERY_TIMING, pause: DELIVERY_TIMING.longestPause };

export interface Listener {
  /** Has the application listen to products. */
  listen(): Promise<void>;
  /** A row is made and then changed to these names, one commit each. */
  change(id: string, ...names: readonly string[]): Promise<void>;
  /** Tells all that is due to two listeners; the second fails where it is said to. */
  deliver(fails: boolean): Promise<Delivered[]>;
  /** Tells what is due, which fails, until it has failed for so long that it is parked. */
  park(): Promise<void>;
  /** What the second listener was told: names, and those that were late. */
  readonly heard: string[];
  left(): Promise<Delivery[]>;
}

export function listenerOn(pool: pg.Pool): Listener {
  const store = createPostgresStore({ pool });
  const heard: string[] = [];
  let [draws, second] = [0, 100];
  const tell = ({ after, late }: Delivery, fails: boolean): void => {
    if (fails) throw new Error("No mail today.");
    heard.push(`${(after as { name?: string }).name}${late ? " late" : ""}`);
  };
  const listener: Listener = {
    heard,
    listen: async () => {
      const records = [listeningTo({ products: "changes" })];
      await store.commit({ source: "record", now: Date.now(), units: [], records });
    },
    change: async (id, ...all) => {
      for (const name of all) {
        const isNew = (await store.version("products", id)) === undefined;
        second += 10;
        const snapshot = (isNew ? created : event)("products", id, second, { name });
        await store.commit({ ...batch(snapshot), now: Date.now(), draw: `draw_${++draws}` });
      }
    },
    deliver: async (fails) => {
      const all: Delivered[] = [];
      for (;;) {
        const delivered = await deliverOne({
          ...listening(pool, ["first", "second"]),
          timing: LONG_PAUSES,
          handler:
            ({ to, payload }) =>
            async () => {
              if (to === "second") tell(payload as Delivery, fails);
            },
        });
        if (delivered === "nothing") return all;
        all.push(delivered);
      }
    },
    park: async () => {
      await listener.deliver(true);
      await pool.query(
        `UPDATE ${names.records} SET due = 0, data = data || '{"attempts": ${DELIVERY_TIMING.least}, "since": ${Date.now() - DELIVERY_TIMING.patience - 1000}}'
         WHERE kind = 'change' AND data ? 'since' AND due IS NOT NULL`,
      );
      await listener.deliver(true);
    },
    left: async () =>
      (
        await pool.query(`SELECT data FROM ${names.records} WHERE kind = 'change' ORDER BY id`)
      ).rows.map(({ data }) => data as Delivery),
  };
  return listener;
}
