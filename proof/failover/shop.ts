/** Stripe, some replicas of an application on one database, and what their callers were answered. */
import { setTimeout as sleep } from "node:timers/promises";
import Stripe from "stripe";
import {
  createStripeDouble,
  type StripeDouble,
} from "../../packages/backend-billing/src/testing/index.js";
import {
  type Application,
  type Mail,
  NEVER,
  ORIGIN,
  type Replica,
  type Settings,
  startApplication,
  TABLES,
} from "./application.js";
import { catalogue } from "./catalogue.js";

export interface ShopOptions {
  /** Where the replicas reach the database. */
  readonly url: string;
  readonly seed: string;
  readonly replicas?: number;
  /** Connections of each replica. */
  readonly max?: number;
  /** Webhooks are answered before they are stored, to show that it would be found. */
  readonly isFaulty?: boolean;
  /** What waits for the time that a handler has is told at once. */
  readonly isHurried?: boolean;
}

export interface Shop extends Awaited<ReturnType<typeof openShop>> {}

export async function openShop(options: ShopOptions) {
  const { url, seed, replicas = 2, max, isFaulty = false, isHurried = false } = options;
  const double = await createStripeDouble({
    seed,
    catalogue,
    webhook: `${ORIGIN}/stripe/webhook`,
  });
  const settings: Settings = {
    secret_key: double.secretKey,
    webhook_secret: double.webhook?.secret,
    stripe_options: { ...double.stripeConfig, maxNetworkRetries: 2 },
    rate: false,
  };
  const sent: Mail[] = [];
  const more = { sent, ...(max === undefined ? {} : { max }) };
  const all = Array.from({ length: replicas }, () => startApplication(url, settings, more));
  const [first] = all as [Application, ...Application[]];
  await first.store.migrate();
  await first.pool.query(TABLES);
  await first.sync();

  /** Events that were answered by 2xx, and how all were answered. */
  const acknowledged = new Map<string, string>();
  const statuses = new Map<number, number>();
  let turn = 0;
  /** The next replica; a scenario may put others in their place. */
  const own = () => (all[turn++ % all.length] ?? first).replica;
  const placed: { any: () => Replica } = { any: own };
  const any = () => placed.any();
  double.answer(ORIGIN, async (request) => {
    const body = await request.clone().text();
    const answer = await any().fetch(request);
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    if (!new URL(request.url).pathname.endsWith("/webhook")) return answer;
    const isTaken = answer.ok || isFaulty;
    const { id, type } = JSON.parse(body) as { id: string; type: string };
    if (isTaken) acknowledged.set(id, type);
    return isTaken ? new Response() : answer;
  });
  return {
    double,
    stripe: new Stripe(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 3 }),
    settings,
    url,
    all,
    first,
    sent,
    acknowledged,
    statuses,
    any,
    own,
    place: (next: () => Replica) => {
      placed.any = next;
    },
    settle: () => settle(double, first, isHurried),
    async close() {
      await Promise.all(all.map((each) => each.close()));
      await double.close();
    },
  };
}

/** Events whose last delivery was refused are sent again, as Stripe would in the hours that follow. */
function resend(double: StripeDouble): number {
  const last = new Map(double.deliveries.all().map((each) => [each.event, each]));
  let again = 0;
  for (const { event, attempts } of last.values()) {
    const status = attempts.at(-1)?.status;
    if (attempts.length === 0 || (status !== undefined && status < 300)) continue;
    double.deliveries.resend(event);
    again++;
  }
  return again;
}

const LEFT = `
  SELECT 'question about ' || resource || ' ' || id AS what FROM billing.backend_billing_versions
    WHERE ask_at IS NOT NULL
  UNION ALL SELECT 'usage of ' || entity_id || ' ' || key || ' at ' || at
    FROM billing.backend_billing_usage_records WHERE billed AND batch IS NULL
  UNION ALL SELECT kind || ' ' || id || ' due ' || due FROM billing.backend_billing_records
    WHERE due IS NOT NULL AND kind IN ('change', 'refresh', 'batch', 'credits', 'share', 'seats')`;
const HURRY =
  "UPDATE billing.backend_billing_records SET due = 0 WHERE kind = 'change' AND due IS NOT NULL";

/** Until every event is delivered and nothing is left to do; Stripe's list of events is not read. */
async function settle(
  double: StripeDouble,
  { billing, pool }: Application,
  isHurried: boolean,
): Promise<void> {
  const left = async () => (await pool.query<{ what: string }>(LEFT)).rows.map(({ what }) => what);
  for (const end = Date.now() + 90_000; ; await sleep(100)) {
    try {
      const again = resend(double);
      await double.settle();
      if (isHurried) await pool.query(HURRY);
      const { more } = await billing.tick({ budget: 3_000 });
      if (again === 0 && !more && (await left()).length === 0) return;
    } catch {} // the database is away for another moment
    if (Date.now() > end) throw new Error(`It does not come to rest at ${end}: ${await left()}`);
  }
}

/** Reads from Stripe's list of events what no webhook has brought, as the schedule does. */
export async function catchUp(shop: Shop, what: "events" | "everything" = "events") {
  const timing = { ...NEVER, ...(what === "events" ? { catchUpEvery: 0 } : { reconcileEvery: 0 }) };
  const keeper = startApplication(shop.url, { ...shop.settings, timing, background: false });
  const began = Date.now();
  try {
    await keeper.billing.tick({ budget: 20_000 });
  } finally {
    await keeper.close();
  }
  await shop.settle();
  return Date.now() - began;
}
