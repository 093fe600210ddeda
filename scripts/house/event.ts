/**
 * The files that one event passes, measured: an application on PostgreSQL answers one webhook over
 * HTTP while V8 counts calls, and a file counts if one of its functions ran. What is done once in the
 * life of a process (looking at the tables, the key's account) was done by the events before.
 */
import { Session } from "node:inspector/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import Stripe from "stripe";
import { createBilling } from "../../packages/backend-billing/src/postgres/index.js";
import { createStripeDouble } from "../../packages/backend-billing/src/testing/index.js";
import { startPostgres } from "../../support/postgres/server.js";
import { serve } from "../../support/spec/platforms/serve.js";
import { LIBRARY, root } from "./source.js";

/** How many events come before the one that is looked at. */
const EARLIER = 3;

/** In the order of their paths, from the root. */
export async function filesOfAnEvent(): Promise<string[]> {
  const server = await startPostgres({ settings: { fsync: "off" } });
  const pool = new pg.Pool({ connectionString: server.url });
  const double = await createStripeDouble({ delivery: "held" });
  const webhook_secret = "whsec_house";
  const { billing, store } = createBilling({
    secret_key: double.secretKey,
    webhook_secret,
    db: pool,
    base_url: "http://localhost:3000",
    stripe_options: double.stripeConfig,
    logger: { info: () => {}, warn: () => {}, error: () => {} }, // the answer tells
  });
  const application = await serve(billing.nodeHandler);
  try {
    await store.migrate();
    const stripe = new Stripe(double.secretKey, double.stripeConfig);
    for (let nth = 0; nth <= EARLIER; nth++) await stripe.products.create({ name: `No. ${nth}` });
    const { data: events } = await stripe.events.list({ type: "product.created" });
    const [last, ...earlier] = events.map((event) => JSON.stringify(event));
    const deliver = async (payload: string) => {
      const header = Stripe.webhooks.generateTestHeaderString({ payload, secret: webhook_secret });
      const answer = await fetch(`${application.url}/stripe/webhook`, {
        method: "POST",
        headers: { "Stripe-Signature": header },
        body: payload,
      });
      if (answer.status !== 200) throw new Error(`The event was answered with ${answer.status}`);
    };
    for (const payload of earlier.reverse()) await deliver(payload);
    return await called(() => deliver(last ?? ""));
  } finally {
    await billing.close();
    await application.close();
    await double.close();
    await pool.end();
    await server.stop();
  }
}

/** The files of `src`, without the double, of which a function ran while the work was done. */
async function called(work: () => Promise<void>): Promise<string[]> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await work();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  session.disconnect();
  return result
    .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    .filter(({ url }) => url.startsWith("file:"))
    .map(({ url }) => fileURLToPath(url).slice(root.length))
    .filter((path) => path.startsWith(`${LIBRARY}/`) && !path.startsWith(`${LIBRARY}/testing/`))
    .sort();
}
