/** How often `setup` of an entity that has its customer goes to the database. */
import pg from "pg";
import { createStripe } from "../../packages/backend-billing/src/postgres/billing.js";
import { SECRET_KEY, WEBHOOK_SECRET } from "./data.js";

export async function setupTrips(
  serverUrl: string,
  admin: pg.Client,
  listPort: number,
): Promise<number> {
  await admin.query("CREATE DATABASE bench_trips");
  const url = new URL(serverUrl);
  url.pathname = "bench_trips";
  const pool = new pg.Pool({ connectionString: url.href });
  let trips = 0;
  pool.on("connect", (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    Object.assign(client, {
      query: (...args: unknown[]) => {
        trips++;
        return query(...args);
      },
    });
  });
  try {
    const { store, setup } = createStripe({
      secret_key: SECRET_KEY,
      webhook_secret: WEBHOOK_SECRET,
      db: pool,
      base_url: "http://localhost",
      stripe_options: { host: "127.0.0.1", port: listPort, protocol: "http" },
    });
    await store.migrate();
    const entity = { entityId: "entity_1", email: "ada@example.com" };
    const { customerId } = await setup(entity);
    trips = 0;
    const again = await setup(entity);
    if (again.customerId !== customerId) throw new Error("Another customer was made");
    return trips;
  } finally {
    await pool.end();
    await admin.query("DROP DATABASE bench_trips");
  }
}
