/** A random but repeatable life of an account, through the real SDK, with everything going wrong. */
import Stripe from "stripe";
import { createStripeDouble, type StripeDouble } from "../src/index.js";
import { stream } from "../src/world/random.js";

export interface History {
  /** Each step by name, with the status that it got. */
  readonly steps: readonly string[];
  readonly dump: string;
  /** What the double said of defects of its own. */
  readonly defects: readonly string[];
  readonly events: number;
}

const CARDS = [
  "pm_card_visa",
  "pm_card_mastercard",
  "pm_card_chargeCustomerFail",
  "pm_card_authenticationRequired",
];
const FAULTS: readonly Parameters<StripeDouble["faults"]["add"]>[0][] = [
  { fault: "rate_limited", rate: 0.02 },
  { fault: "lock_timeout", rate: 0.01 },
  { fault: "error_before", rate: 0.02 },
  { fault: "error_after", rate: 0.02 },
  { fault: "error_late", rate: 0.02, milliseconds: 90_000 },
  { fault: "list_lag", rate: 0.2, milliseconds: 20_000 },
  { fault: "skewed_date", rate: 0.2, milliseconds: 2000 },
  { fault: "lost", rate: 0.05 },
  { fault: "doubled", rate: 0.1 },
  { fault: "late", rate: 0.1, milliseconds: 45_000 },
  { fault: "shuffled", rate: 0.1, within: 4 },
  { fault: "thin", rate: 0.05 },
  { fault: "old_version", rate: 0.05, version: "2024-06-20" },
  { fault: "skewed_created", rate: 0.3 },
];

export async function live(seed: string | number, steps = 300): Promise<History> {
  const double = await createStripeDouble({ seed, now: "2026-01-31T23:00:00Z" });
  const stripe = new Stripe(double.secretKey, { ...double.stripeConfig, maxNetworkRetries: 0 });
  const next = stream(seed, "script");
  const below = (count: number) => Math.floor(next() * count);
  const one = <T>(all: readonly T[]): T | undefined => all[below(all.length)];
  const known = new Map<string, string[]>();
  const some = (kind: string) => one(known.get(kind) ?? []) ?? `${kind}_none`;
  const keep = <T extends { id?: string }>(kind: string, made: T): T => {
    known.set(kind, [...(known.get(kind) ?? []), made.id ?? ""]);
    return made;
  };

  const answers = stream(seed, "endpoint");
  double.answer("https://app.example", () => {
    return new Response(null, { status: answers() < 0.15 ? 500 : 200 });
  });
  for (const path of ["a", "b"]) {
    await stripe.webhookEndpoints.create({
      url: `https://app.example/${path}`,
      enabled_events: ["*"],
    });
  }
  for (const fault of FAULTS) double.faults.add(fault);

  const acts = actsOn({ stripe, double, below, one, some, keep });
  const names = Object.keys(acts);
  const log: string[] = [];
  const defects: string[] = [];
  for (let step = 0; step < steps; step++) {
    const name = one(names) ?? "";
    try {
      await acts[name]?.();
      log.push(`${name} ok`);
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeError)) throw error;
      log.push(`${name} ${error.statusCode} ${error.code ?? ""}`);
      if (error.message.includes("double itself failed")) defects.push(error.message);
    }
  }
  await double.clock.advance({ days: 5 });
  await double.settle();
  const history = {
    steps: log,
    dump: double.dump(),
    defects,
    events: JSON.parse(double.dump()).accounts[0].events.at(-1).order + 1, // also those let go since
  };
  await double.close();
  return history;
}

interface Tools {
  readonly stripe: Stripe;
  readonly double: StripeDouble;
  below(count: number): number;
  one<T>(all: readonly T[]): T | undefined;
  some(kind: string): string;
  keep<T extends { id?: string }>(kind: string, made: T): T;
}

function actsOn({ stripe, double, below, one, some, keep }: Tools) {
  const item = async () => {
    const subscription = some("sub");
    const { items } = await stripe.subscriptions.retrieve(subscription);
    return { subscription, id: items.data[0]?.id ?? "" };
  };
  const acts: { readonly [name: string]: () => Promise<unknown> } = {
    customer: async () => {
      const card = one(CARDS) ?? "";
      const made = await stripe.customers.create({
        name: `c${below(1000)}`,
        metadata: { entityId: `e${below(50)}` },
        payment_method: card,
        invoice_settings: { default_payment_method: card },
      });
      keep("cus", made);
    },
    customerChange: () => stripe.customers.update(some("cus"), { name: `d${below(1000)}` }),
    customerEnd: () => (below(4) ? stripe.customers.list() : stripe.customers.del(some("cus"))),
    card: async () => {
      const customer = some("cus");
      const { id } = await stripe.paymentMethods.attach(one(CARDS) ?? "", { customer });
      const invoice_settings = { default_payment_method: id };
      await stripe.customers.update(customer, { invoice_settings });
    },
    product: async () => keep("prod", await stripe.products.create({ name: `p${below(99)}` })),
    productChange: () => stripe.products.update(some("prod"), { active: below(3) > 0 }),
    price: async () => {
      const made = await stripe.prices.create({
        product: some("prod"),
        currency: "usd",
        unit_amount: 100 + below(5000),
        ...(below(5) ? { recurring: { interval: below(3) ? "month" : "year" } } : {}),
      });
      keep("price", made);
    },
    priceChange: () => stripe.prices.update(some("price"), { nickname: `n${below(9)}` }),
    coupon: async () => {
      const made = await stripe.coupons.create({ percent_off: 1 + below(99), duration: "once" });
      keep("coupon", made);
    },
    code: async () => {
      const promotion = { type: "coupon", coupon: some("coupon") } as const;
      keep("promo", await stripe.promotionCodes.create({ promotion }));
    },
    subscribe: async () => {
      const made = await stripe.subscriptions.create({
        customer: some("cus"),
        items: [{ price: some("price"), quantity: 1 + below(5) }],
        ...(below(3) ? {} : { trial_period_days: 1 + below(20) }),
        ...(below(4) ? {} : { discounts: [{ coupon: some("coupon") }] }),
        ...(below(4) ? {} : { payment_behavior: "default_incomplete" }),
      });
      keep("sub", made);
    },
    quantity: async () => {
      const { subscription, id } = await item();
      const items = [{ id, quantity: 1 + below(9) }];
      const behaviors = ["always_invoice", "create_prorations", "none"] as const;
      const proration_behavior = behaviors[below(3)] ?? "none";
      await stripe.subscriptions.update(subscription, { items, proration_behavior });
    },
    plan: async () => {
      const { subscription, id } = await item();
      await stripe.subscriptions.update(subscription, { items: [{ id, price: some("price") }] });
    },
    ending: () =>
      stripe.subscriptions.update(some("sub"), { cancel_at_period_end: below(2) === 0 }),
    end: () => (below(3) ? stripe.subscriptions.list() : stripe.subscriptions.cancel(some("sub"))),
    schedule: async () => {
      const { id, phases } = await stripe.subscriptionSchedules.create({
        from_subscription: some("sub"),
      });
      keep("sub_sched", { id });
      const [now] = phases;
      const anchors = ["automatic", "phase_start"] as const;
      await stripe.subscriptionSchedules.update(id, {
        end_behavior: below(3) ? "release" : "cancel",
        phases: [
          {
            items: (now?.items ?? []).map(({ price }) => ({ price: String(price) })),
            start_date: now?.start_date ?? 0,
            end_date: (now?.end_date ?? 0) - below(2) * 86_400,
          },
          {
            items: [{ price: some("price"), quantity: 1 + below(3) }],
            duration: { interval: "month", interval_count: 1 + below(2) },
            billing_cycle_anchor: anchors[below(2)] ?? "automatic",
            ...(below(3) ? {} : { discounts: [{ coupon: some("coupon") }] }),
          },
        ],
      });
    },
    scheduleAhead: async () => {
      const made = await stripe.subscriptionSchedules.create({
        customer: some("cus"),
        start_date: double.clock.seconds() + below(9) * 86_400,
        phases: [
          { items: [{ price: some("price") }], duration: { interval: "week" } },
          { items: [{ price: some("price") }], duration: { interval: "month" } },
        ],
      });
      keep("sub_sched", made);
    },
    scheduleEnd: () =>
      below(2)
        ? stripe.subscriptionSchedules.release(some("sub_sched"))
        : stripe.subscriptionSchedules.cancel(some("sub_sched")),
    clock: async () => {
      const frozen_time = double.clock.seconds() + below(3) * 86_400;
      const clock = keep("clock", await stripe.testHelpers.testClocks.create({ frozen_time }));
      const made = await stripe.customers.create({
        payment_method: "pm_card_visa",
        invoice_settings: { default_payment_method: "pm_card_visa" },
        test_clock: clock.id,
      });
      keep("cus", made);
    },
    tick: async () => {
      const { testClocks } = stripe.testHelpers;
      const { id, frozen_time } = await testClocks.retrieve(some("clock"));
      await testClocks.advance(id, { frozen_time: frozen_time + below(40) * 86_400 });
    },
    pause: () =>
      below(2)
        ? stripe.subscriptions.pause(some("sub"))
        : stripe.subscriptions.resume(some("sub"), {
            billing_cycle_anchor: { type: below(2) ? "now" : "unchanged" },
          }),
    fee: () =>
      stripe.subscriptions.update(some("sub"), {
        add_invoice_items: [{ price: some("price") }],
        proration_behavior: "always_invoice",
      }),
    hold: () =>
      stripe.subscriptions.update(some("sub"), {
        pause_collection: below(2) ? { behavior: "void" } : "",
      }),
    invoice: async () => {
      const customer = some("cus");
      await stripe.invoiceItems.create({ customer, amount: 100 + below(900), currency: "usd" });
      const made = await stripe.invoices.create({
        customer,
        pending_invoice_items_behavior: "include",
        auto_advance: below(2) === 0,
      });
      keep("in", made);
    },
    bill: () => stripe.invoices.finalizeInvoice(some("in")),
    pay: () => stripe.invoices.pay(some("in")),
    void: () => stripe.invoices.voidInvoice(some("in")),
    charge: async () => {
      const made = await stripe.paymentIntents.create({
        amount: 100 + below(9000),
        currency: "usd",
        payment_method: one(["pm_card_visa", "pm_card_chargeDeclined", "pm_card_refundFail"]) ?? "",
        automatic_payment_methods: { enabled: true, allow_redirects: "never" },
        confirm: true,
      });
      keep("pi", made);
    },
    refund: () => stripe.refunds.create({ payment_intent: some("pi"), amount: 50 + below(200) }),
    payout: () => stripe.payouts.create({ amount: 1 + below(999), currency: "usd" }),
    checkout: async () => {
      const session = await stripe.checkout.sessions.create({
        mode: "subscription",
        line_items: [{ price: some("price"), quantity: 1 }],
        success_url: "https://app.example/ok",
      });
      if (below(3)) double.dashboard.payCheckout(session.id, { email: "b@example.com" });
    },
    lists: async () => {
      await stripe.customers.list({ limit: 1 + below(20) });
      await stripe.events.list({ limit: 1 + below(20) });
      await stripe.customers.search({ query: `metadata['entityId']:'e${below(50)}'` });
    },
    moment: () => double.clock.advance({ seconds: below(120), milliseconds: below(1000) }),
    hours: () => double.clock.advance({ hours: below(30) }),
    days: () => double.clock.advance({ days: below(15) }),
  };
  return acts;
}
