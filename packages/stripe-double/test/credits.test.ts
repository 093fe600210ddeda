/**
 * Billing credits: what is granted, how it expires, and what it pays of usage. Source, unless another
 * is named: Stripe's documentation of billing credits, and the SDK's types.
 */
import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { ask, DAY, errorOf, payer, type Rig, raisedBy, rig, START } from "./kit.js";

const EVENT = "tokens";
const METERED: Stripe.Billing.CreditGrantCreateParams["applicability_config"] = {
  scope: { price_type: "metered" },
};
const GRANTED = "billing.credit_grant.created";
const UPDATED = "billing.credit_grant.updated";
const MOVED = "billing.credit_balance_transaction.created";

const money = (value: number, currency = "usd") => ({
  type: "monetary" as const,
  monetary: { currency, value },
});

/** A transaction in a word: what it is for, and how much it adds to the balance. */
const said = ({ credit, debit }: Stripe.Billing.CreditBalanceTransaction) => [
  credit?.type ?? debit?.type,
  (credit?.amount.monetary?.value ?? 0) - (debit?.amount.monetary?.value ?? 0),
];

async function shop(clock?: (stripe: Stripe) => Promise<string>) {
  const { double, stripe }: Rig = await rig();
  const { creditBalanceSummaries, creditBalanceTransactions, creditGrants, meters } =
    stripe.billing;
  const { id: product } = await stripe.products.create({ name: "Model" });
  const meter = await meters.create({
    display_name: "Tokens",
    event_name: EVENT,
    default_aggregation: { formula: "sum" },
  });
  const price = async (unit_amount = 1) => {
    const recurring = { interval: "month", usage_type: "metered", meter: meter.id } as const;
    return (await stripe.prices.create({ product, currency: "usd", unit_amount, recurring })).id;
  };
  const { id: customer } = clock
    ? await stripe.customers.create({
        test_clock: await clock(stripe),
        payment_method: "pm_card_visa",
        invoice_settings: { default_payment_method: "pm_card_visa" },
      })
    : await payer(stripe);
  const grant = (value: number, more: Partial<Stripe.Billing.CreditGrantCreateParams> = {}) =>
    creditGrants.create({
      customer,
      amount: money(value),
      applicability_config: METERED,
      ...more,
    });
  const use = (value: number) =>
    stripe.billing.meterEvents.create({
      event_name: EVENT,
      payload: { stripe_customer_id: customer, value: String(value) },
    });
  const subscribe = (
    prices: readonly string[],
    more: Partial<Stripe.SubscriptionCreateParams> = {},
  ) =>
    stripe.subscriptions.create({
      customer,
      items: prices.map((id) => ({ price: id })),
      ...more,
    });
  /** What is available, and what is on the ledger, in dollars. */
  const balance = async (filter: Stripe.Billing.CreditBalanceSummaryRetrieveParams.Filter) => {
    const { balances } = await creditBalanceSummaries.retrieve({ customer, filter });
    return balances.map(({ available_balance: free, ledger_balance: all }) => [
      free.monetary?.value,
      all.monetary?.value,
    ]);
  };
  const all = { type: "applicability_scope", applicability_scope: METERED.scope } as const;
  const ledger = async (credit_grant?: string) => {
    const params = credit_grant ? { customer, credit_grant } : { customer };
    return (await creditBalanceTransactions.list(params)).data.map(said).reverse();
  };
  const last = async () => {
    const [invoice] = (await stripe.invoices.list({ customer })).data;
    if (invoice === undefined) throw new Error("There is no invoice");
    return invoice;
  };
  return { double, stripe, customer, price, grant, use, subscribe, balance, all, ledger, last };
}

describe("a credit grant", () => {
  it("is worth its amount at once, as its ledger and two events say", async () => {
    const { stripe, customer, grant, balance, all } = await shop();
    const types = await raisedBy(stripe, () => grant(1000, { name: "Welcome" }));
    expect(types).toEqual([GRANTED, MOVED]);
    const [made] = (await stripe.billing.creditGrants.list({ customer })).data;
    expect(made).toEqual({
      id: expect.stringMatching(/^credgr_test_/),
      object: "billing.credit_grant",
      amount: money(1000),
      applicability_config: METERED,
      category: "paid",
      created: START,
      customer,
      customer_account: null,
      effective_at: START,
      expires_at: null,
      livemode: false,
      metadata: {},
      name: "Welcome",
      priority: 50,
      test_clock: null,
      updated: START,
      voided_at: null,
    });
    const { data } = await stripe.billing.creditBalanceTransactions.list({ customer });
    expect(data).toEqual([
      {
        id: expect.stringMatching(/^cbtxn_test_/),
        object: "billing.credit_balance_transaction",
        created: START,
        credit: {
          amount: money(1000),
          credits_application_invoice_voided: null,
          type: "credits_granted",
        },
        credit_grant: made?.id,
        debit: null,
        effective_at: START,
        livemode: false,
        test_clock: null,
        type: "credit",
      },
    ]);
    const id = data[0]?.id ?? "";
    const shown = await stripe.billing.creditBalanceTransactions.retrieve(id, {
      expand: ["credit_grant"],
    });
    expect(shown.credit_grant).toEqual(made);
    expect(await balance(all)).toEqual([[1000, 1000]]);
  });

  it("changes its expiry and metadata, and nothing else", async () => {
    const { double, stripe, grant } = await shop();
    const { creditGrants } = stripe.billing;
    const { id } = await grant(1000, { metadata: { a: "1" } });
    await double.clock.advance({ days: 1 });
    const types = await raisedBy(stripe, async () => {
      const change = { expires_at: START + 9 * DAY, metadata: { b: "2" } };
      expect(await creditGrants.update(id, change)).toMatchObject({
        expires_at: START + 9 * DAY,
        metadata: { a: "1", b: "2" },
        updated: START + DAY,
      });
      await creditGrants.update(id, change);
      expect(await creditGrants.update(id, { expires_at: "" })).toMatchObject({ expires_at: null });
    });
    expect(types).toEqual([UPDATED, UPDATED]);
    const { status } = await ask(double, `/v1/billing/credit_grants/${id}`, {
      method: "POST",
      body: new URLSearchParams({ name: "Other" }),
    });
    expect(status).toBe(400);
  });

  it.each<[string, Partial<Stripe.Billing.CreditGrantCreateParams>]>([
    ["amount[monetary]", { amount: { type: "monetary" } }],
    ["amount[monetary][value]", { amount: money(0) }],
    ["amount[monetary][currency]", { amount: money(1, "dollars") }],
    ["applicability_config", { applicability_config: { scope: {} } }],
    [
      "applicability_config[scope]",
      { applicability_config: { scope: { price_type: "metered", prices: [{ id: "price_1" }] } } },
    ],
    [
      "applicability_config[scope][prices][0][id]",
      { applicability_config: { scope: { prices: [{ id: "price_no" }] } } },
    ],
    [
      "applicability_config[scope][prices]",
      {
        applicability_config: {
          scope: { prices: Array.from({ length: 21 }, () => ({ id: "price_1" })) },
        },
      },
    ],
    ["priority", { priority: 101 }],
    ["priority", { priority: -1 }],
    ["effective_at", { effective_at: START - 1 }],
    ["expires_at", { expires_at: START }],
    ["expires_at", { effective_at: START + 10, expires_at: START + 10 }],
    ["customer", { customer: "cus_no" }],
  ])("is refused for its %s", async (param, terms) => {
    const { grant, ledger } = await shop();
    expect(await errorOf(grant(1000, terms))).toMatchObject({ statusCode: 400, param });
    expect(await ledger()).toEqual([]);
  });

  it("is for prices that have a meter", async () => {
    const { stripe, grant, price } = await shop();
    const { id: product } = await stripe.products.create({ name: "Seats" });
    const licensed = await stripe.prices.create({
      product,
      currency: "usd",
      unit_amount: 100,
      recurring: { interval: "month" },
    });
    const scope = { prices: [{ id: await price() }] };
    expect((await grant(1, { applicability_config: { scope } })).applicability_config).toEqual({
      scope,
    });
    const other = { scope: { prices: [{ id: licensed.id }] } };
    expect((await errorOf(grant(1, { applicability_config: other }))).statusCode).toBe(400);
  });

  it("is one of a hundred at most that are unused", async () => {
    const { stripe, grant } = await shop();
    const { id } = await grant(1);
    for (let i = 1; i < 100; i++) await grant(1);
    expect((await errorOf(grant(1))).statusCode).toBe(400);
    await stripe.billing.creditGrants.voidGrant(id);
    await grant(1);
  });

  it("that takes effect later has no ledger before", async () => {
    const { double, grant, balance, all, ledger } = await shop();
    await grant(1000, { effective_at: START + 5 * DAY });
    expect(await balance(all)).toEqual([[0, 0]]);
    expect(await ledger()).toEqual([]);
    await double.clock.advance({ days: 5 });
    expect(await balance(all)).toEqual([[1000, 1000]]);
    expect(await ledger()).toEqual([["credits_granted", 1000]]);
  });
});

describe("the end of a credit grant", () => {
  it("comes by time, as a debit of what is left", async () => {
    const { double, stripe, customer, grant, balance, all, ledger } = await shop();
    await grant(1000, { expires_at: START + 5 * DAY });
    await double.clock.advance({ seconds: 5 * DAY - 1 });
    expect(await balance(all)).toEqual([[1000, 1000]]);
    expect(await raisedBy(stripe, () => double.clock.advance({ seconds: 1 }))).toEqual([MOVED]);
    expect(await balance(all)).toEqual([[0, 0]]);
    expect(await ledger()).toEqual([
      ["credits_granted", 1000],
      ["credits_expired", -1000],
    ]);
    const [debit] = (await stripe.billing.creditBalanceTransactions.list({ customer })).data;
    expect(debit).toMatchObject({ effective_at: START + 5 * DAY, credit: null, type: "debit" });
  });

  it("comes at another time, if that was changed", async () => {
    const { double, stripe, grant, ledger } = await shop();
    const { creditGrants } = stripe.billing;
    const [sooner, never] = [
      await grant(100, { expires_at: START + 5 * DAY }),
      await grant(10, { expires_at: START + 5 * DAY }),
    ];
    await creditGrants.update(sooner.id, { expires_at: START + 2 * DAY });
    await creditGrants.update(never.id, { expires_at: "" });
    await double.clock.advance({ days: 2 });
    expect(await ledger(sooner.id)).toContainEqual(["credits_expired", -100]);
    await double.clock.advance({ days: 9 });
    expect(await ledger(never.id)).toEqual([["credits_granted", 10]]);
    const late = creditGrants.update(sooner.id, { expires_at: START + 99 * DAY });
    expect((await errorOf(late)).statusCode).toBe(400);
  });

  it("comes by request", async () => {
    const { double, stripe, grant, ledger } = await shop();
    const { creditGrants } = stripe.billing;
    const { id } = await grant(1000);
    await double.clock.advance({ days: 1 });
    const types = await raisedBy(stripe, async () => {
      expect(await creditGrants.expire(id)).toMatchObject({
        expires_at: START + DAY,
        updated: START + DAY,
        voided_at: null,
      });
    });
    expect(types).toEqual([UPDATED, MOVED]);
    expect(await ledger(id)).toContainEqual(["credits_expired", -1000]);
    expect((await errorOf(creditGrants.expire(id))).statusCode).toBe(400);
    expect((await errorOf(creditGrants.voidGrant(id))).statusCode).toBe(400);
  });

  it("is a void, if nothing was used", async () => {
    const { stripe, double, grant, ledger, balance, all } = await shop();
    const { creditGrants } = stripe.billing;
    const { id } = await grant(1000);
    const waiting = await grant(50, { effective_at: START + DAY });
    const types = await raisedBy(stripe, async () => {
      expect(await creditGrants.voidGrant(id)).toMatchObject({
        voided_at: START,
        expires_at: null,
      });
      await creditGrants.voidGrant(waiting.id);
    });
    expect(types).toEqual([UPDATED, MOVED, UPDATED]);
    expect(await ledger(id)).toContainEqual(["credits_voided", -1000]);
    await double.clock.advance({ days: 2 });
    expect(await ledger(waiting.id)).toEqual([]);
    expect(await balance(all)).toEqual([[0, 0]]);
    expect((await errorOf(creditGrants.voidGrant(id))).statusCode).toBe(400);
    expect((await errorOf(creditGrants.expire(id))).statusCode).toBe(400);
  });
});

describe("the balance of credits", () => {
  it("is by currency, for a scope or for one grant", async () => {
    const { price, grant, balance, all } = await shop();
    const [one, other] = [await price(), await price()];
    const some = await grant(100, { applicability_config: { scope: { prices: [{ id: one }] } } });
    await grant(7, { amount: money(7, "eur") });
    await grant(20);
    expect(await balance(all)).toEqual([
      [7, 7],
      [20, 20],
    ]);
    const scoped = (...prices: string[]) => ({
      type: "applicability_scope" as const,
      applicability_scope: { prices: prices.map((id) => ({ id })) },
    });
    expect(await balance(scoped(one))).toEqual([
      [120, 120],
      [7, 7],
    ]);
    expect(await balance(scoped(one, other))).toEqual([
      [7, 7],
      [20, 20],
    ]);
    expect(await balance({ type: "credit_grant", credit_grant: some.id })).toEqual([[100, 100]]);
    expect((await errorOf(balance({ type: "credit_grant" }))).param).toBe("filter[credit_grant]");
  });

  it("is that of one customer, who must be named", async () => {
    const { double, stripe, customer, grant, ledger } = await shop();
    const { creditBalanceSummaries, creditBalanceTransactions } = stripe.billing;
    const { id: stranger } = await payer(stripe);
    const theirs = await grant(5, { customer: stranger });
    const own = await grant(10);
    expect(await ledger()).toEqual([["credits_granted", 10]]);
    const filter = { type: "credit_grant" as const, credit_grant: theirs.id };
    for (const call of [
      creditBalanceSummaries.retrieve({ customer, filter }),
      creditBalanceTransactions.list({ customer, credit_grant: theirs.id }),
      creditBalanceTransactions.list({ credit_grant: own.id }),
      creditBalanceTransactions.list({ customer: "cus_no" }),
    ]) {
      expect((await errorOf(call)).statusCode).toBe(400);
    }
    expect((await stripe.billing.creditGrants.list()).data).toHaveLength(2);
    const { status } = await ask(double, "/v1/billing/credit_grants?customer_account=acct_1");
    expect(status).toBe(501);
  });
});

/** Two prices at a cent, one subscription, and what it used in its first month. */
async function used(value: number, more: Partial<Stripe.SubscriptionCreateParams> = {}) {
  const it = await shop();
  const id = await it.price();
  await it.subscribe([id], more);
  await it.use(value);
  return { ...it, id };
}

describe("an invoice for usage", () => {
  it("takes credits when it is finalized, and shows them before", async () => {
    const { double, stripe, grant, balance, all, ledger, last } = await used(5000);
    const { id } = await grant(1200);
    await double.clock.advance({ days: 31 });
    const draft = await last();
    const shown = { amount: 1200, type: "credit_balance_transaction" };
    expect(draft).toMatchObject({
      status: "draft",
      subtotal: 5000,
      total: 3800,
      amount_due: 3800,
      total_pretax_credit_amounts: [{ ...shown, credit_balance_transaction: null }],
    });
    expect(await balance(all)).toEqual([[0, 1200]]);
    const types = await raisedBy(stripe, () => double.clock.advance({ hours: 1 }));
    expect(types.indexOf(MOVED)).toBeGreaterThanOrEqual(0);
    expect(types.indexOf(MOVED)).toBeLessThan(types.indexOf("invoice.finalized"));
    expect(await balance(all)).toEqual([[0, 0]]);
    expect(await ledger(id)).toEqual([
      ["credits_granted", 1200],
      ["credits_applied", -1200],
    ]);
    const paid = await stripe.invoices.retrieve(draft.id ?? "", {
      expand: ["total_pretax_credit_amounts.credit_balance_transaction"],
    });
    expect(paid).toMatchObject({ status: "paid", total: 3800, amount_paid: 3800, subtotal: 5000 });
    const [line] = paid.lines.data;
    expect(paid.total_pretax_credit_amounts).toMatchObject([
      {
        ...shown,
        credit_balance_transaction: {
          debit: { credits_applied: { invoice: paid.id, invoice_line_item: line?.id } },
        },
      },
    ]);
    expect(line).toMatchObject({ amount: 5000, pretax_credit_amounts: [shown] });
    expect((await errorOf(stripe.billing.creditGrants.voidGrant(id))).statusCode).toBe(400);
  });

  it("costs what its preview says", async () => {
    const { double, stripe, customer, grant, last } = await used(5000);
    await grant(1000);
    await grant(500, { effective_at: START + 20 * DAY });
    await grant(200, { expires_at: START + 20 * DAY });
    await double.clock.advance({ minutes: 2 });
    const preview = await stripe.invoices.createPreview({ customer });
    await double.clock.advance({ days: 32 });
    expect([preview.total, (await last()).total]).toEqual([3500, 3500]);
  });

  it("that credits pay for is paid at once, and what is left of them stays", async () => {
    const { double, grant, balance, all, last } = await used(300);
    await grant(1000);
    await double.clock.advance({ days: 32 });
    expect(await last()).toMatchObject({ status: "paid", total: 0, amount_paid: 0 });
    expect(await balance(all)).toEqual([[700, 700]]);
  });

  it("takes a grant that was made while it was a draft", async () => {
    const { double, grant, last } = await used(1000);
    await double.clock.advance({ days: 31 });
    await grant(400, { effective_at: START + 31 * DAY });
    await double.clock.advance({ hours: 1 });
    expect((await last()).total).toBe(600);
  });

  it("takes credits in the order of priority, expiry, category, effect and creation", async () => {
    const { double, customer, stripe, grant } = await used(450);
    const far = START + 90 * DAY;
    await grant(100, { name: "last created" });
    await grant(100, { name: "late effect", effective_at: START + 5 * DAY, expires_at: far });
    await grant(100, { name: "paid", expires_at: far });
    await grant(100, { name: "promotional", expires_at: far, category: "promotional" });
    await grant(100, { name: "expires first", expires_at: far - DAY });
    await grant(100, { name: "first", priority: 0 });
    await double.clock.advance({ days: 32 });
    const { data } = await stripe.billing.creditBalanceTransactions.list({
      customer,
      expand: ["data.credit_grant"],
    });
    const taken = data
      .filter(({ debit }) => debit?.type === "credits_applied")
      .reverse()
      .map((each) => [(each.credit_grant as Stripe.Billing.CreditGrant).name, said(each)[1]]);
    expect(taken).toEqual([
      ["first", -100],
      ["expires first", -100],
      ["promotional", -100],
      ["paid", -100],
      ["late effect", -50],
    ]);
  });

  it("takes credits after discounts and before taxes, line by line", async () => {
    const { double, stripe, customer, price, subscribe, grant, use, last } = await shop();
    const [one, two] = [await price(1), await price(2)];
    const { id: product } = await stripe.products.create({ name: "Seat" });
    const seat = await stripe.prices.create({
      product,
      currency: "usd",
      unit_amount: 5000,
      recurring: { interval: "month" },
    });
    const { id: tax } = await stripe.taxRates.create({
      display_name: "VAT",
      percentage: 10,
      inclusive: false,
    });
    await stripe.coupons.create({ id: "HALF", percent_off: 50, duration: "forever" });
    await subscribe([one, two, seat.id], {
      default_tax_rates: [tax],
      discounts: [{ coupon: "HALF" }],
    });
    await use(2000);
    await grant(1500);
    await double.clock.advance({ days: 32 });
    const invoice = await last();
    // 2000 and 4000 for usage, 5000 for the seat: half of it each. Credits pay the first line, and
    // 500 of the second; 1500 and 2500 are left to be taxed.
    expect(invoice).toMatchObject({
      customer,
      subtotal: 11_000,
      total_excluding_tax: 4000,
      total: 4400,
      total_pretax_credit_amounts: [
        { amount: 5500, type: "discount" },
        { amount: 1000, type: "credit_balance_transaction" },
        { amount: 500, type: "credit_balance_transaction" },
      ],
    });
    const parts = invoice.lines.data.map(({ amount, pretax_credit_amounts: off, taxes }) => [
      amount,
      off?.map((each) => each.amount),
      taxes?.map((each) => each.amount),
    ]);
    expect(parts).toEqual([
      [2000, [1000, 1000], [0]],
      [4000, [2000, 500], [150]],
      [5000, [2500], [250]],
    ]);
  });

  it("takes no credits of another scope, currency or time", async () => {
    const { double, price, grant, last, id } = await used(1000);
    const prices = (own: string) => ({
      applicability_config: { scope: { prices: [{ id: own }] } },
    });
    await grant(100, prices(await price()));
    await grant(100, { amount: money(100, "eur") });
    // A grant must outlast the period, and take effect before it ends.
    await grant(100, { expires_at: START + 31 * DAY });
    await grant(100, { effective_at: START + 31 * DAY + 1 });
    await grant(30, prices(id));
    await double.clock.advance({ days: 32 });
    expect((await last()).total).toBe(970);
  });

  it("without a subscription takes none", async () => {
    const { double, stripe, customer, grant, balance, all } = await shop();
    await grant(1000);
    const { id } = await stripe.invoices.create({ customer });
    const item = { customer, invoice: id ?? "", amount: 800, currency: "usd" };
    await stripe.invoiceItems.create(item);
    expect(await stripe.invoices.finalizeInvoice(id ?? "")).toMatchObject({ amount_due: 800 });
    await double.settle();
    expect(await balance(all)).toEqual([[1000, 1000]]);
  });

  it("that is voided gives them back; a grant that has expired loses them again", async () => {
    const letter = { collection_method: "send_invoice", days_until_due: 9 } as const;
    const { double, stripe, grant, ledger, last } = await used(1000, letter);
    const [stays, ends] = [await grant(100), await grant(10, { expires_at: START + 40 * DAY })];
    await double.clock.advance({ days: 41 });
    const { id, lines } = await last();
    const types = await raisedBy(stripe, () => stripe.invoices.voidInvoice(id ?? ""));
    expect(types.filter((type) => type === MOVED)).toHaveLength(3);
    expect(await ledger(stays.id)).toEqual([
      ["credits_granted", 100],
      ["credits_applied", -100],
      ["credits_application_invoice_voided", 100],
    ]);
    expect(await ledger(ends.id)).toEqual([
      ["credits_granted", 10],
      ["credits_applied", -10],
      ["credits_application_invoice_voided", 10],
      ["credits_expired", -10],
    ]);
    const { customer } = stays;
    const [back] = (
      await stripe.billing.creditBalanceTransactions.list({
        customer: String(customer),
        credit_grant: stays.id,
      })
    ).data;
    expect(back?.credit?.credits_application_invoice_voided).toEqual({
      invoice: id,
      invoice_line_item: lines.data[0]?.id,
    });
    // It was used once, and so it can only expire.
    expect((await errorOf(stripe.billing.creditGrants.voidGrant(stays.id))).statusCode).toBe(400);
  });
});

// API reference: credit balance transaction, whose example belongs to a clock
it("credits of a customer with a test clock live by that clock", async () => {
  const frozen = START + 700 * DAY;
  const { double, stripe, grant, balance, all, ledger } = await shop(
    async (own) => (await own.testHelpers.testClocks.create({ frozen_time: frozen })).id,
  );
  const { creditBalanceTransactions, creditGrants } = stripe.billing;
  const made = await grant(1000, { expires_at: frozen + 5 * DAY });
  expect(made).toMatchObject({ created: frozen, effective_at: frozen });
  expect(made.test_clock).toMatch(/^clock_/);
  expect((await creditGrants.list()).data).toEqual([]);
  const { id: ended } = await grant(5);
  expect(await creditGrants.expire(ended)).toMatchObject({ expires_at: frozen, updated: frozen });
  await double.clock.advance({ days: 6 });
  expect(await balance(all)).toEqual([[1000, 1000]]);
  await stripe.testHelpers.testClocks.advance(String(made.test_clock), {
    frozen_time: frozen + 6 * DAY,
  });
  await double.settle();
  expect(await ledger(made.id)).toEqual([
    ["credits_granted", 1000],
    ["credits_expired", -1000],
  ]);
  const [debit] = (await creditBalanceTransactions.list({ customer: String(made.customer) })).data;
  expect(debit).toMatchObject({
    created: START + 6 * DAY,
    effective_at: frozen + 5 * DAY,
    test_clock: made.test_clock,
  });
});

it("a customer who has grants already gets no test clock: that is not modelled", async () => {
  const { stripe, customer, grant } = await shop();
  await grant(1);
  const { testClocks } = stripe.testHelpers;
  const attach = testClocks.create({ frozen_time: START + DAY, customer });
  expect((await errorOf(attach)).statusCode).toBe(501);
});
