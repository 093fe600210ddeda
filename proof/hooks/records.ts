/** The library's own way: a change is a record that the store's commit writes. */
import type { Delivery } from "../../packages/backend-billing/src/core/reactions/delivery.js";
import { migrate } from "../../packages/backend-billing/src/postgres/schema/migrations.js";
import { createPostgresStore } from "../../packages/backend-billing/src/postgres/store/store.js";
import { listeningTo } from "../../support/conformance/changes.js";
import { created, event, NOW, receipt } from "../../support/conformance/fixtures.js";
import { surely, type Way } from "./way.js";

let store: ReturnType<typeof createPostgresStore>;

export const records: Way = {
  worker: new URL("./worker.ts", import.meta.url),
  async prepare(pool) {
    await migrate(pool);
    store = createPostgresStore({ pool });
    const listening = [listeningTo({ products: "changes" })];
    await store.commit({ source: "record", now: NOW, units: [], records: listening });
  },
  async write(_pool, id, step) {
    const name = String(step);
    const snapshot = (step === 0 ? created : event)("products", id, 100 + 10 * step, { name });
    const units = [{ snapshots: [snapshot], receipt: receipt(`evt_${id}_${step}`) }];
    const draw = crypto.randomUUID();
    await surely(() => store.commit({ source: "event", now: Date.now(), draw, units }));
  },
  async waiting(pool) {
    const { rows } = await pool.query(
      `SELECT count(due)::int AS waiting, (count(*) - count(due))::int AS parked
       FROM billing.backend_billing_records WHERE kind = 'change'`,
    );
    return rows[0];
  },
  async left(pool) {
    const { rows } = await pool.query<{ data: Delivery }>(
      "SELECT data FROM billing.backend_billing_records WHERE kind = 'change'",
    );
    return rows.map(({ data }) => {
      const { name = "" } = data.after as { name?: string };
      return { object: data.id, name, isParked: data.parked === true };
    });
  },
};
