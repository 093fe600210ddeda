/** A replica with one connection: no call may wait for a second one, alone or beside others. */
import { setTimeout as sleep } from "node:timers/promises";
import { administer, databaseAt } from "../../../support/postgres/admin.js";
import { startApplication } from "../application.js";
import { found, type Outcome, type Row, type Scene } from "../outcome.js";
import { startServer } from "../pair.js";
import { openShop, type Shop } from "../shop.js";
import { differences } from "../verify.js";

/** Milliseconds for any call, on a busy machine. */
const BOUND = 20_000;

export async function poolOfOne({ tools, seed, isBroken, say }: Scene): Promise<Outcome> {
  const server = await startServer(tools.binaries);
  const shop = await openShop({ url: server.url, seed, replicas: 1, max: 1, isHurried: true });
  const rows: Row[] = [];
  const wrong: string[] = [];
  const timed = async (name: string, work: () => Promise<unknown>) => {
    const began = performance.now();
    const answer = await Promise.race([
      work().then(
        () => "done",
        (error: unknown) => `failed: ${error}`,
      ),
      sleep(BOUND, "is stuck", { ref: false }),
    ]);
    const took = Math.round(performance.now() - began);
    rows.push([`${name}, ms`, took, `below ${BOUND}`]);
    if (answer !== "done") wrong.push(`${name} ${answer}`);
  };
  try {
    await administer(server.url, "CREATE DATABASE other");
    const other = startApplication(databaseAt(server.url, "other"), shop.settings, { max: 1 });
    await timed("migrate of an empty database", () => other.store.migrate());
    await timed("sync", () => other.sync({ data: true, portal: true }));
    await other.close();
    // With the only connection in hand, every call waits for it.
    const taken = isBroken ? await shop.first.pool.connect() : undefined;
    for (const [name, work] of Object.entries(operations(shop))) {
      await timed(name, work);
      if (wrong.length > 0) break;
    }
    if (wrong.length === 0) {
      await timed("60 calls at once", () => crowd(shop));
      await timed("all delivered, asked and told", () => shop.settle());
      wrong.push(...found("rows differ from Stripe's", await differences(shop)));
    }
    taken?.release();
    say(`${rows.length} operations`);
    return { rows, wrong };
  } finally {
    await shop.close();
    await server.stop();
  }
}

type Operations = { readonly [name: string]: () => Promise<unknown> };

function operations({ first, double, settle }: Shop): Operations {
  const { billing, store, setup, sync, replica } = first;
  const entityId = "org_one";
  const of = { entityId, feature: "credits" } as const;
  let url = "";
  return {
    setup: () => setup({ entityId }),
    checkout: async () => {
      ({ url } = await replica.checkout(entityId));
    },
    "payment and return": async () => {
      await double.payCheckout(url, { email: "ada@example.com" });
      await double.comeBack(url);
    },
    "webhooks and handlers": () => settle(),
    consume: () => store.consume({ ...of, key: "a", amount: 1 }),
    "consume in a transaction": () => replica.consumeWithin({ ...of, key: "b", amount: 1 }),
    "grant, reserve and finish": async () => {
      await store.grant({ ...of, key: "c", amount: 5 });
      const held = await store.reserve({ ...of, key: "d", amount: 5 });
      if (held.allowed) await store.finish({ reservationId: held.reservationId, amount: 2 });
    },
    usageOf: () => store.usageOf(entityId),
    "change of the quantity": () => billing.change({ entityId, quantity: 2 }),
    cancel: () => billing.cancel({ entityId }),
    resume: () => billing.resume({ entityId }),
    refresh: () => billing.refresh({ entityId }),
    "portal's configuration": () => sync({ data: false, portal: true }),
    portal: () => billing.portal({ entityId, returnUrl: "https://app.example/" }),
    tick: () => billing.tick({ budget: 2_000 }),
    reconcile: () => billing.reconcile(),
    verify: () => billing.verify(),
    "migrate of what is there": () => store.migrate(),
  };
}

/** Everything at once, of entities that have nothing yet. */
async function crowd({ first, stripe }: Shop): Promise<void> {
  const { replica, billing } = first;
  await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const entityId = `org_crowd_${index % 6}`;
      const use = { entityId, feature: "credits", key: `k${index}`, amount: 1 } as const;
      await Promise.all([
        replica.setup(entityId),
        replica.consume(use),
        replica.consumeWithin({ ...use, key: `w${index}` }),
        stripe.products.create({ name: `p${index}` }),
        billing.tick({ budget: 500 }),
      ]);
      await replica.checkout(entityId);
    }),
  );
}
