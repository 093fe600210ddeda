// A process that tells changes until it is killed, as the library does.
import pg from "pg";
import {
  DELIVERY_TIMING,
  type Delivery,
} from "../../packages/backend-billing/src/core/reactions/delivery.js";
import type { Queryable } from "../../packages/backend-billing/src/postgres/database.js";
import type { DeliverOptions } from "../../packages/backend-billing/src/postgres/reactions/deliver.js";
import { lendFrom } from "../../packages/backend-billing/src/postgres/reactions/lend.js";
import { deliverDue } from "../../packages/backend-billing/src/postgres/reactions/workers.js";
import { namesIn } from "../../packages/backend-billing/src/postgres/store/names.js";
import { LISTENERS } from "./behaviour.js";
import { connect, handlerWith } from "./handler.js";
import { IDLE, LANES, LIMIT } from "./way.js";

const timing = {
  ...DELIVERY_TIMING,
  limit: LIMIT,
  pause: 100,
  longestPause: 3_000,
  patience: Number(process.env.PATIENCE),
};
const pool = connect(pg.Pool, 2 * LANES);
const handle = handlerWith(connect(pg.Pool, LANES));

const options: DeliverOptions<Queryable> = {
  pool,
  names: namesIn("billing"),
  occasions: ["products"],
  lend: lendFrom(pool),
  tellings: async (change) => ({
    all: LISTENERS.map((name) => ({ name, to: name, payload: change })),
    writes: [],
    requests: [],
  }),
  handler: ({ to: listener, payload }) => {
    const { id: object, after } = payload as Delivery;
    const { name } = after as { name: string };
    return (tx) => handle(listener, { object, name }, tx);
  },
  timing,
};

for (;;) {
  const told = await deliverDue(options, LANES).catch(() => 0); // while PostgreSQL is away
  if (told === 0) await new Promise((resolve) => setTimeout(resolve, IDLE));
}
