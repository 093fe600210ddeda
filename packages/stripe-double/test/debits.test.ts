/** Bank accounts of the US (docs: payments/ach-direct-debit, test account numbers). */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { errorOf, openTill, type Till } from "./money-kit.js";

let till: Till;
beforeEach(async () => {
  till = await openTill();
});
afterEach(() => till.double.close());

const settle = () => till.double.clock.advance({ minutes: 1 });
const read = (id: string) =>
  till.stripe.paymentIntents.retrieve(id, { expand: ["latest_charge.balance_transaction"] });

describe("a debit", () => {
  it("is processing until the bank has answered, and then succeeds", async () => {
    const { id, status } = await till.pay("pm_usBankAccount_success");
    expect(status).toBe("processing");
    expect(await read(id)).toMatchObject({
      latest_charge: {
        id: expect.stringMatching(/^py_/),
        status: "pending",
        paid: false,
        payment_method_details: { type: "us_bank_account", us_bank_account: { last4: "6789" } },
      },
    });
    await settle();
    expect(await read(id)).toMatchObject({
      status: "succeeded",
      amount_received: 2000,
      latest_charge: {
        status: "succeeded",
        paid: true,
        balance_transaction: { type: "payment", amount: 2000, net: 1912 },
      },
    });
    expect(await till.types()).toEqual([
      "payment_intent.created",
      "charge.pending",
      "payment_intent.processing",
      "charge.succeeded",
      "payment_intent.succeeded",
    ]);
  });

  it.each([
    ["accountClosed", "account_closed"],
    ["noAccount", "no_account"],
    ["insufficientFunds", "insufficient_funds"],
    ["debitNotAuthorized", "debit_not_authorized"],
  ])("of %s comes back as %s", async (name, code) => {
    const { id } = await till.pay(`pm_usBankAccount_${name}`);
    await settle();
    expect(await read(id)).toMatchObject({
      status: "requires_payment_method",
      last_payment_error: { code },
      latest_charge: { status: "failed", failure_code: code, balance_transaction: null },
    });
    expect((await till.types()).slice(-2)).toEqual([
      "charge.failed",
      "payment_intent.payment_failed",
    ]);
  });

  it("that stays in processing can be canceled, and not confirmed again", async () => {
    const { id } = await till.pay("pm_usBankAccount_processing");
    await till.double.clock.advance({ days: 30 });
    const again = till.stripe.paymentIntents.confirm(id);
    expect((await errorOf(again)).code).toBe("payment_intent_unexpected_state");
    expect((await till.stripe.paymentIntents.cancel(id)).status).toBe("canceled");
  });

  it("is not taken by an intent for cards only", async () => {
    const params = {
      amount: 500,
      currency: "usd",
      payment_method: "pm_usBankAccount",
      payment_method_types: ["card"],
      confirm: true,
    };
    const before = { apiVersion: "2026-08-26.dahlia" };
    const call = till.stripe.paymentIntents.create(params, before);
    expect((await errorOf(call)).message).toContain("one of the following types: card");
  });
});

describe("a subscription that is paid by a bank account (docs: billing/subscriptions/overview, incomplete)", () => {
  async function subscribe(account: string) {
    const { stripe } = till;
    const customer = await stripe.customers.create({ email: "ada@example.com" });
    const method = await stripe.paymentMethods.attach(account, { customer: customer.id });
    const { id: price } = await stripe.prices.create({
      product_data: { name: "Pro" },
      currency: "usd",
      unit_amount: 1000,
      recurring: { interval: "month" },
    });
    return stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price }],
      default_payment_method: method.id,
      expand: ["latest_invoice"],
    });
  }
  const now = (id: string) =>
    till.stripe.subscriptions.retrieve(id, { expand: ["latest_invoice"] });

  it("is incomplete while the debit is processing, and renews without being past due", async () => {
    const { id, status, latest_invoice } = await subscribe("pm_usBankAccount_success");
    expect(status).toBe("incomplete");
    expect(latest_invoice).toMatchObject({ status: "open", attempt_count: 1 });
    await settle();
    expect(await now(id)).toMatchObject({
      status: "active",
      latest_invoice: { status: "paid", attempt_count: 1 },
    });
    await till.double.clock.advance({ days: 32 });
    expect(await now(id)).toMatchObject({ status: "active", latest_invoice: { status: "paid" } });
    expect(await till.types()).toContain("payment_intent.processing");
    const changes = (await till.events()).filter(
      ({ type, data }) =>
        type === "customer.subscription.updated" && "status" in (data.previous_attributes ?? {}),
    );
    // Those of the last 30 days: the renewal.
    expect(changes).toEqual([]);
  });

  it("stays incomplete when the debit comes back", async () => {
    const { id } = await subscribe("pm_usBankAccount_insufficientFunds");
    await settle();
    expect(await now(id)).toMatchObject({
      status: "incomplete",
      latest_invoice: { status: "open", attempt_count: 1 },
    });
    expect(await till.types()).toContain("invoice.payment_failed");
  });
});

describe("a checkout that is paid by debit", () => {
  const open = async (types: string[] = ["card", "us_bank_account"]) => {
    const { id } = await till.stripe.checkout.sessions.create({
      mode: "payment",
      line_items: [
        {
          price_data: { currency: "usd", unit_amount: 2000, product_data: { name: "Poster" } },
          quantity: 1,
        },
      ],
      allowed_payment_method_types: types as never,
      success_url: "https://app.example/thanks",
    });
    return id;
  };
  const email = "ada@example.com";
  const debit = (session: string, account: string) =>
    till.double.dashboard.payCheckout(session, { card: `pm_usBankAccount_${account}`, email });
  const session = (id: string) => till.stripe.checkout.sessions.retrieve(id);

  it.each([
    ["success", "paid", "checkout.session.async_payment_succeeded"],
    ["insufficientFunds", "unpaid", "checkout.session.async_payment_failed"],
  ])("of %s is complete at once, and %s once the bank has answered", async (name, is, last) => {
    const id = await open();
    expect(debit(id, name)).toBe("processing");
    expect(await session(id)).toMatchObject({ status: "complete", payment_status: "unpaid" });
    expect((await till.types()).at(-1)).toBe("checkout.session.completed");
    await settle();
    expect(await session(id)).toMatchObject({ status: "complete", payment_status: is });
    expect((await till.types()).at(-1)).toBe(last);
  });

  it("is refused where the page takes cards only", async () => {
    const cards = await open(["card"]);
    expect(() => debit(cards, "success")).toThrow("takes no bank accounts");
  });
});
