/** A random history of a shop behind a serverless host: what people, the merchant and the schedule do. */
import type pg from "pg";
import Stripe from "stripe";
import type { StripeDouble } from "../../../src/testing/index.js";
import type { Host } from "./host.js";
import { CRON_SECRET, ORIGIN } from "./shop.js";

export interface Scene {
  readonly double: StripeDouble;
  readonly host: Host;
  readonly pool: pg.Pool;
  readonly next: () => number;
  /** Whether the mirror has it running: then it is told of, and so is its end. */
  isKnown(subscriptionId: string): Promise<boolean>;
}

const ENTITIES = 6;
/** Tries of a call whose answer says that it failed on the way. */
const TRIES = 20;

export function createHistory({ double, host, pool, next, isKnown }: Scene) {
  const stripe = new Stripe(double.secretKey, double.stripeConfig);
  const upTo = (most: number) => Math.floor(next() * most);
  const pick = <T>(from: readonly T[]): T | undefined => from[upTo(from.length)];
  /** What was taken of calls, by entity. */
  const used = new Map<string, number>();
  let keys = 0;

  /** Repeated while it fails on the way, as a client would: connections may be gone after a thaw. */
  const call = async (path: string, headers: { [name: string]: string } = {}) => {
    for (let tries = 0; ; tries++) {
      const answer = await host.fetch(new Request(`${ORIGIN}${path}`, { headers }));
      if (answer.status < 500 || tries === TRIES) {
        const body = (await answer.json()) as { [name: string]: unknown };
        if (answer.status >= 500) throw new Error(`${path}: ${JSON.stringify(body)}`);
        return body;
      }
    }
  };
  const tick = () => call("/stripe/tick?budget=5000", { authorization: `Bearer ${CRON_SECRET}` });
  /** The database ends what the processes hold: whatever is frozen finds out when it wakes. */
  const cut = () =>
    pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'function' AND datname = current_database()",
    );
  const deliver = async (most: number) => {
    const held = [...double.deliveries.held()];
    const some = Array.from({ length: Math.min(most, held.length) }, () =>
      held.splice(upTo(held.length), 1),
    ).flat();
    await Promise.all(some.map(({ id }) => double.deliveries.release([id])));
    for (const { state, event } of double.deliveries.all()) {
      if (state === "failed") double.deliveries.resend(event);
    }
  };
  const running = () => double.objects("subscription").filter(({ status }) => status === "active");

  const sell = async (entity = upTo(ENTITIES)) => {
    const { url, kind, error } = await call(`/checkout?entityId=org_${entity}`);
    if (kind === undefined && String(error).includes("already")) return;
    if (kind !== "checkout" && kind !== "open") throw new Error(String(error ?? kind));
    double.dashboard.payCheckout(String(url), { email: "ada@example.com" });
    const session = double.objects("checkout.session").find((each) => each.url === url);
    const back = session?.success_url?.replace("{CHECKOUT_SESSION_ID}", session.id);
    if (back && next() < 0.7) await host.fetch(new Request(back));
  };
  const consume = async (entity = upTo(ENTITIES)) => {
    const entityId = `org_${entity}`;
    const amount = 1 + upTo(9);
    const query = `/consume?entityId=${entityId}&key=k${keys++}&amount=${amount}`;
    const { allowed } = await call(query);
    await call(query); // a client that did not hear the answer
    if (allowed) used.set(entityId, (used.get(entityId) ?? 0) + amount);
  };
  const steps: readonly (() => Promise<unknown>)[] = [
    () => sell(),
    () => consume(),
    () => consume(),
    async function setUp() {
      await call(`/setup?entityId=org_${upTo(ENTITIES)}`);
    },
    async function rename() {
      const customer = pick(double.objects("customer"));
      if (customer !== undefined)
        await stripe.customers.update(customer.id, { name: `n${keys++}` });
    },
    async function announce() {
      await stripe.products.create({ name: `p${keys++}` });
    },
    async function plan() {
      const subscription = pick(running());
      if (subscription === undefined) return;
      const cancel_at_period_end = !subscription.cancel_at_period_end;
      await stripe.subscriptions.update(subscription.id, { cancel_at_period_end });
    },
    async function end() {
      const { id } = pick(running()) ?? {};
      if (id !== undefined && (await isKnown(id))) await stripe.subscriptions.cancel(id);
    },
    () => deliver(1 + upTo(4)),
    () => deliver(1 + upTo(4)),
    tick,
  ];

  return {
    stripe,
    used,
    tick,
    deliver,
    /** A first customer, who takes something: so even the shortest history has all of it. */
    async begin() {
      await sell(0);
      await deliver(50);
      await tick();
      for (let times = 0; times < 3; times++) await consume(0);
    },
    async step() {
      if (next() < 0.3) await cut();
      await pick(steps)?.();
    },
  };
}
