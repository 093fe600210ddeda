/**
 * Random changes of running subscriptions: what the preview shows, what the invoice says and what the
 * ledger of the double's own suite works out from Stripe's published rules are the same, to the cent.
 */
import Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { accountOf } from "../../../../support/lives/ledger.js";
import { openShop } from "../../../../support/lives/runner.js";
import {
  COUPONS,
  type CycleName,
  type Product,
  type Timed,
} from "../../../../support/lives/script.js";
import { stream } from "../../../stripe-double/src/world/random.js";
import { setup } from "../../src/core/customers/setup.js";
import { createRuntime, type Runtime } from "../../src/core/runtime/runtime.js";
import type { ChangeArgs } from "../../src/core/subscriptions/change/args.js";
import { change } from "../../src/core/subscriptions/change/change.js";
import { preview } from "../../src/core/subscriptions/change/preview.js";
import { createMemoryStore } from "../../src/memory/store.js";
import { createStripeDouble, type StripeDouble } from "../../src/testing/index.js";

const START = Date.parse("2026-01-05T09:00:00Z") / 1000;
const DAY = 86_400;
const PLANS = ["mini", "basic", "pro", "max"] as const;
const CYCLES = ["week", "month", "quarter", "year"] as const;
const PRORATIONS = ["always_invoice", "always_invoice", "create_prorations", "none"] as const;

interface World {
  readonly double: StripeDouble;
  readonly stripe: Stripe;
  readonly runtime: Runtime;
  readonly price: (product: Product, cycle: CycleName) => string;
}

async function openWorld(seed: number): Promise<World> {
  const double = await createStripeDouble({ seed, now: START * 1000 });
  const stripe = new Stripe(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 0 });
  const { price } = await openShop(stripe, (product) =>
    product === "seats" ? { billing_group: "seats" } : {},
  );
  const runtime = createRuntime(
    {
      secret_key: double.secretKey,
      webhook_secret: "whsec_none",
      stripe_options: double.stripeConfig,
    },
    {
      store: createMemoryStore(),
      baseUrl: () => "https://app.example",
      wake: () => {},
      now: double.clock.now,
    },
  );
  return { double, stripe, runtime, price };
}

interface Tally {
  changes: number;
  charged: number;
  credited: number;
  nexts: number;
}

/** One subscriber: joins, then changes several times; every change is previewed and compared. */
async function live(world: World, life: number, changes: number, tally: Tally): Promise<void> {
  const { double, stripe, runtime, price } = world;
  const next = stream("running", life);
  const below = (count: number) => Math.floor(next() * count);
  const one = <T>(all: readonly [T, ...T[]]): T => all[below(all.length)] ?? all[0];
  const names = Object.keys(COUPONS);
  const entityId = `org_${life}`;
  const now = () => Math.floor(double.clock.now() / 1000);
  const acts: Timed[] = [];
  const add = (act: object) => acts.push({ ...act, at: now(), customer: life } as Timed);

  await double.clock.advance({ seconds: 1 + below(2 * DAY) });
  const { customerId: customer } = await setup(runtime, { entityId });
  const card = await stripe.paymentMethods.attach("pm_card_visa", { customer });
  await stripe.customers.update(customer, {
    invoice_settings: { default_payment_method: card.id },
  });
  add({ kind: "sign up", card: "good" });
  const coupons = [...new Set([below(2) === 0 ? names[below(names.length)] : undefined])].flatMap(
    (name) => name ?? [],
  );
  let cycle: CycleName = one(CYCLES);
  const seats = below(2) * (1 + below(9));
  const [plan, trialDays, itemized] = [one(PLANS), below(6) === 0 ? 7 : 0, below(3) === 0];
  const made = await stripe.subscriptions.create({
    customer,
    items: [
      { price: price(plan, cycle), quantity: 1 },
      ...(seats > 0 ? [{ price: price("seats", cycle), quantity: seats }] : []),
    ],
    ...(trialDays > 0 ? { trial_period_days: trialDays } : {}),
    ...(coupons.length > 0 ? { discounts: coupons.map((coupon) => ({ coupon })) } : {}),
    ...(itemized
      ? { billing_mode: { type: "flexible", flexible: { proration_discounts: "itemized" } } }
      : {}),
  });
  add({ kind: "join", plan, cycle, seats, trialDays, coupons, itemized, metered: false });
  const seatsItem = made.items.data[1]?.id;

  for (let left = changes; left > 0; ) {
    await double.clock.advance({ seconds: 60 + below(25 * DAY) });
    if (below(5) === 0) {
      const amount = below(3) === 0 ? -1 - below(900) : 1 + below(2_500);
      await stripe.invoiceItems.create({ customer, amount, currency: "usd" });
      add({ kind: "extra", amount });
    }
    const proration = one(PRORATIONS);
    const kind =
      seatsItem === undefined
        ? one(["plan", "plan", "cycle"] as const)
        : one(["plan", "seats"] as const);
    const to = { plan: one(PLANS), cycle: one(CYCLES), seats: 1 + below(13) };
    const act = { kind, [kind]: to[kind], behaviour: proration };
    const before = accountOf(acts, now());
    const after = accountOf([...acts, { ...act, at: now(), customer: life } as Timed], now());
    if (after.deeds.length === before.deeds.length) continue; // it is so already
    // Of another cycle the plan's own price is known by the last act that named it.
    const planNow = acts.reduce<Product>(
      (known, each) => (each.kind === "join" || each.kind === "plan" ? each.plan : known),
      plan,
    );
    if (kind === "cycle") cycle = to.cycle;
    const args: ChangeArgs = {
      entityId,
      proration,
      ...(kind === "seats"
        ? { quantity: to.seats, itemId: seatsItem }
        : { priceId: price(kind === "plan" ? to.plan : planNow, cycle) }),
    };
    const shown = await preview(runtime, args);
    const [period] = (await stripe.subscriptions.retrieve(made.id)).items.data;
    // A renewal is a draft for an hour; once it is final, balances have changed.
    const isDraft = now() - (period?.current_period_start ?? 0) < 3_600;
    const asked = kind === "cycle" || isDraft ? 0 : below(2) * below(3_500);
    const wait = now() + asked < (period?.current_period_end ?? 0) - 1 ? asked : 0;
    add(act);
    if (wait > 0) await double.clock.advance({ seconds: wait });
    const known = double.objects("invoice").length;
    await change(runtime, { ...args, quote: shown.quote });
    const [invoice, ...more] = double.objects("invoice").slice(known);
    const [bill, ...others] = after.bills.slice(before.bills.length);
    const told = { life, act, dueNow: shown.dueNow };

    expect({ ...told, invoices: more.length }).toEqual({ ...told, invoices: others.length });
    expect({ ...told, due: invoice?.amount_due ?? 0 }).toEqual({ ...told, due: shown.dueNow });
    expect({ ...told, ledger: bill?.due ?? 0 }).toEqual({ ...told, ledger: shown.dueNow });
    if (invoice !== undefined) {
      expect({ ...told, total: invoice.total }).toEqual({ ...told, total: bill?.total });
      const amounts = invoice.lines.data.map(({ amount, description }) => [
        amount,
        description ?? "",
      ]);
      expect(shown.lines.map(({ amount, description }) => [amount, description])).toEqual(amounts);
    }
    // What comes next is certain where no coupon is spread over what waits today.
    if (shown.next !== null && coupons.length === 0 && !isDraft) {
      const later = accountOf(acts, shown.next.at / 1000 + 2 * 3_600).bills[after.bills.length];
      const { amount } = shown.next;
      // Too little to be charged stays on the balance.
      const due = amount < 50 ? 0 : amount;
      expect({ ...told, proration, next: later?.due }).toEqual({ ...told, proration, next: due });
      tally.nexts++;
    }
    tally.changes++;
    if (shown.dueNow > 0) tally.charged++;
    if ((invoice?.total ?? 0) < 0) tally.credited++;
    left--;
  }
}

async function changes(lives: number, each: number, seed: number): Promise<Tally> {
  const world = await openWorld(seed);
  const tally = { changes: 0, charged: 0, credited: 0, nexts: 0 };
  try {
    for (let life = 0; life < lives; life++) await live(world, seed * 1_000 + life, each, tally);
    return tally;
  } finally {
    await world.double.close();
  }
}

describe("the preview is the invoice, and both are what the rules say", () => {
  it("in 24 random changes", async () => {
    const tally = await changes(6, 4, 1);
    expect(tally.changes).toBe(24);
    expect(tally.charged).toBeGreaterThan(3);
  });

  it("in 500 random changes", { tags: ["long"] }, async () => {
    const tally = await changes(100, 5, 2);
    expect(tally.changes).toBe(500);
    expect(tally.charged).toBeGreaterThan(100);
    expect(tally.credited).toBeGreaterThan(30);
    expect(tally.nexts).toBeGreaterThan(150);
  });
});
