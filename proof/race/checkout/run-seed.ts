/**
 * One seed of the race of checkouts: all processes ask for pages for one entity, people pay them as
 * they come, one process is killed, and at the end somebody pays every page that there ever was.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import Stripe from "stripe";
import { createBilling } from "../../../packages/backend-billing/src/postgres/index.js";
import {
  createStripeDouble,
  type StripeDouble,
} from "../../../packages/backend-billing/src/testing/index.js";
import { type Child, startChild } from "../child.js";
import type { Answer, Order, Told } from "./buyer.js";
import { type CheckoutPlan, LEASE } from "./plan.js";

const BASE = "https://app.example";
const timing = { claimLease: LEASE, claimSettle: 200, guardLease: LEASE };

export interface Buyer extends Child<Order> {
  onAnswer: (answer: Answer) => void;
  /** Resolves with `false` if the process dies first. */
  until(answer: "ready" | "done"): Promise<boolean>;
}

export function startBuyer(): Buyer {
  let heard: (answer: Answer | undefined) => void = () => {};
  const child = startChild<Order, Answer>("./checkout/buyer.ts", {
    onAnswer: (answer) => {
      buyer.onAnswer(answer);
      heard(answer);
    },
    onExit: () => heard(undefined),
  });
  const buyer: Buyer = {
    ...child,
    onAnswer: () => {},
    until: (wanted) =>
      new Promise((resolve) => {
        if (!child.isAlive()) resolve(false);
        heard = (answer) => {
          if (answer === undefined || answer === wanted) resolve(answer === wanted);
        };
      }),
  };
  return buyer;
}

export interface CheckoutOutcome {
  readonly seed: number;
  readonly answered: number;
  /** Of those, how many were refused with a code before, and asked again. */
  readonly askedAgain: number;
  readonly kinds: { readonly [kind: string]: number };
  /** Pages that were handed out, each counted once; and those of them that were paid. */
  readonly pages: number;
  readonly paid: number;
  readonly milliseconds: number;
  readonly wrong: readonly string[];
}

interface SeedOptions {
  readonly pool: pg.Pool;
  readonly database: string;
  readonly calls: number;
  /** Whether to sell second subscriptions on purpose, to show that the race can be lost. */
  readonly isAllowed: boolean;
}

export async function runCheckoutSeed(
  plan: CheckoutPlan,
  buyers: readonly Buyer[],
  { pool, database, calls, isAllowed }: SeedOptions,
): Promise<CheckoutOutcome> {
  const double = await createStripeDouble({ seed: plan.seed });
  const schema = `checkout_${plan.seed}`;
  const entityId = `entity ${plan.seed}`;
  const wrong: string[] = [];
  try {
    const prices = await stock(double);
    const config = {
      secret_key: double.secretKey,
      webhook_secret: "whsec_unused",
      base_url: BASE,
      schema,
      timing,
      if_subscribed: isAllowed ? ("allow" as const) : ("portal" as const),
      stripe_options: double.stripeConfig,
    };
    await listen(double, pool, config, plan, entityId);
    await Promise.all(
      buyers.map((buyer) => {
        const isReady = buyer.until("ready");
        buyer.send({ database, config });
        return isReady;
      }),
    );

    const people = watch(double, plan, wrong);
    for (const buyer of buyers) {
      buyer.onAnswer = (answer) => {
        if (typeof answer === "string") return;
        if ("error" in answer) wrong.push(answer.error);
        else people.given(answer.told);
      };
    }
    for (const fault of plan.faults) double.faults.add(fault);
    if (plan.webhooks === "unreliable") {
      double.faults.add({ fault: "late", milliseconds: 400, rate: 0.5 });
      double.faults.add({ fault: "lost", rate: 0.3 });
    }
    const share = calls / buyers.length;
    const shares = buyers.map((buyer, nth) => ({
      buyer,
      purchases: Array.from({ length: share }, (_, index) =>
        plan.purchase(nth * share + index, prices),
      ),
    }));
    const started = performance.now();
    const running = shares.map(({ buyer, purchases }) => {
      const isDone = buyer.until("done");
      buyer.send({ entityId, purchases });
      return isDone;
    });
    await sleep(plan.kill.after);
    await buyers[plan.kill.process % buyers.length]?.kill();
    const survived = await Promise.all(running);
    const milliseconds = performance.now() - started;

    // Whoever was not killed has an answer, and one more call is answered when all is calm.
    for (const [nth, { purchases }] of shares.entries()) {
      if (!survived[nth]) continue;
      const left = purchases.filter(({ id }) => !people.told.has(id)).length;
      if (left > 0) wrong.push(`${left} calls of process ${nth} have no answer`);
    }
    if (survived.filter(Boolean).length < buyers.length - 1) wrong.push("a second process died");
    double.faults.clear();
    await people.settle();
    const survivors = buyers.filter((buyer) => buyer.isAlive());
    await Promise.all(
      survivors.map((buyer, nth) => {
        const isDone = buyer.until("done");
        const last = { ...plan.purchase(calls + nth, prices), after: 0 };
        buyer.send({ entityId, purchases: [last] });
        return isDone;
      }),
    );
    await people.settle();
    people.payAll();
    await people.settle();
    await double.settle();
    return {
      seed: plan.seed,
      answered: people.told.size,
      askedAgain: [...people.told.values()].filter(({ retries }) => retries > 0).length,
      kinds: people.kinds,
      pages: people.pages.size,
      paid: people.paid(),
      milliseconds,
      wrong,
    };
  } finally {
    for (const buyer of buyers) buyer.onAnswer = () => {};
    await double.close();
    await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  }
}

/** Two prices of one product, and a portal. */
async function stock(double: StripeDouble): Promise<readonly [string, string]> {
  const stripe = new Stripe(double.secretKey, double.stripeConfig);
  const product = await stripe.products.create({ name: "Pro" });
  const price = (unit_amount: number) =>
    stripe.prices.create({
      product: product.id,
      currency: "usd",
      unit_amount,
      recurring: { interval: "month" },
    });
  double.dashboard.savePortalSettings();
  return [(await price(1_000)).id, (await price(2_000)).id];
}

type Config = Parameters<typeof createBilling>[0];

/** The application's own part: its tables, and its webhook endpoint if this seed has one. */
async function listen(
  double: StripeDouble,
  pool: pg.Pool,
  config: Omit<Config, "db">,
  { filled, hasCustomer, webhooks }: CheckoutPlan,
  entityId: string,
): Promise<void> {
  const secrets: string[] = [];
  const app = createBilling({ ...config, webhook_secret: secrets, db: pool });
  await app.store.migrate();
  const report = await app.sync({ data: filled, webhook: webhooks !== "none" });
  if (report.webhook?.secret) secrets.push(report.webhook.secret);
  if (hasCustomer) await app.setup({ entityId });
  double.answer(BASE, app.billing.fetch);
}

/** What people do with the pages that they are given. */
function watch(double: StripeDouble, plan: CheckoutPlan, wrong: string[]) {
  const told = new Map<number, Told>();
  const pages = new Set<string>();
  const kinds: { [kind: string]: number } = {};
  const pending = new Set<Promise<unknown>>();
  let paid = 0;

  const live = () =>
    double
      .objects("subscription")
      .filter(({ status }) => status !== "canceled" && status !== "incomplete_expired");

  function pay(session: string): void {
    if (double.dashboard.payCheckout(session, { email: "ada@example.com" }) !== "paid") return;
    paid++;
    const ids = live().map(({ id }) => id);
    const [newest] = ids.slice(-1);
    if (ids.length > 1) wrong.push(`${ids.join(" and ")} are live at once`);
    if (plan.ends !== null && newest !== undefined) later(plan.ends, () => end(newest));
  }

  async function end(id: string): Promise<void> {
    const stripe = new Stripe(double.secretKey, double.stripeConfig);
    await stripe.subscriptions.cancel(id);
  }

  function later(milliseconds: number, act: () => unknown): void {
    const waiting = sleep(milliseconds)
      .then(act)
      .catch((error: unknown) => void wrong.push(String(error)))
      .finally(() => pending.delete(waiting));
    pending.add(waiting);
  }

  return {
    told,
    pages,
    kinds,
    paid: () => paid,
    given(answer: Told) {
      told.set(answer.id, answer);
      kinds[answer.kind] = (kinds[answer.kind] ?? 0) + 1;
      const { sessionId } = answer;
      if (sessionId === null) return;
      pages.add(sessionId);
      if (plan.chance() < plan.pays.rate) {
        later(plan.chance() * plan.pays.within, () => pay(sessionId));
      }
    },
    /** Until everybody has done what they meant to. */
    async settle() {
      while (pending.size > 0) await Promise.all(pending);
    },
    /** Somebody finds every page that there ever was, and pays. */
    payAll() {
      for (const session of pages) pay(session);
    },
  };
}
