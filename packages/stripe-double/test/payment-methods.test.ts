import { afterEach, beforeEach, expect, it } from "vitest";
import { errorOf, openTill, type Till } from "./money-kit.js";

let till: Till;
beforeEach(async () => {
  till = await openTill();
});
afterEach(() => till.double.close());

const customer = async () => (await till.stripe.customers.create({})).id;

it("a well-known id becomes a fresh payment method each time it is attached", async () => {
  const owner = await customer();
  const one = await till.stripe.paymentMethods.attach("pm_card_visa", { customer: owner });
  const two = await till.stripe.paymentMethods.attach("pm_card_visa", { customer: owner });
  expect(one.id).not.toBe(two.id);
  expect(one.id).toMatch(/^pm_1/);
  expect(one).toMatchObject({
    customer: owner,
    card: { last4: "4242", checks: { cvc_check: "pass" } },
  });
  expect(one.card?.fingerprint).toBe(two.card?.fingerprint);
  const list = await till.stripe.paymentMethods.list({ customer: owner, type: "card" });
  expect(list.data.map(({ id }) => id)).toEqual([two.id, one.id]);
});

it("the card numbers of Stripe's documentation do what they do there", async () => {
  const owner = await customer();
  const card = (number: string) =>
    till.stripe.paymentMethods.create({
      type: "card",
      card: { number, exp_month: 4, exp_year: 2031, cvc: "314" },
    });
  const declining = await card("4000000000000002");
  expect(declining.card?.checks?.cvc_check).toBe("unchecked");
  const refused = await errorOf(
    till.stripe.paymentMethods.attach(declining.id, { customer: owner }),
  );
  expect(refused).toMatchObject({
    statusCode: 402,
    code: "card_declined",
    decline_code: "generic_decline",
  });
  const later = await card("4000000000000341");
  await till.stripe.paymentMethods.attach(later.id, { customer: owner });
  const error = await errorOf(till.pay(later.id, { customer: owner }));
  expect(error.code).toBe("card_declined");
  expect((await errorOf(card("4242424242424241"))).code).toBe("incorrect_number");
  expect((await errorOf(card("4111111111111111"))).statusCode).toBe(501);
});

it("detaching is for good, and shows whose it was", async () => {
  const owner = await customer();
  const method = await till.stripe.paymentMethods.attach("pm_card_visa", { customer: owner });
  await till.stripe.customers.update(owner, {
    invoice_settings: { default_payment_method: method.id },
  });
  const detached = await till.stripe.paymentMethods.detach(method.id);
  expect(detached.customer).toBeNull();
  const [event] = (await till.events()).filter(({ type }) => type === "payment_method.detached");
  expect(event?.data.previous_attributes).toEqual({ customer: owner });
  const after = await till.stripe.customers.retrieve(owner);
  expect(after).toMatchObject({ invoice_settings: { default_payment_method: null } });
  expect(
    (await errorOf(till.stripe.paymentMethods.attach(method.id, { customer: owner }))).message,
  ).toContain("It may not be used again");
  expect((await errorOf(till.stripe.paymentMethods.detach(method.id))).message).toContain(
    "is not attached to a customer",
  );
});

it("a customer can be created with a payment method as the default", async () => {
  const made = await till.stripe.customers.create({
    payment_method: "pm_card_mastercard",
    invoice_settings: { default_payment_method: "pm_card_mastercard" },
  });
  const [method] = (await till.stripe.customers.listPaymentMethods(made.id)).data;
  expect(method?.card?.brand).toBe("mastercard");
  expect(made.invoice_settings.default_payment_method).toBe(method?.id);
  expect(await till.types()).toEqual(["customer.created", "payment_method.attached"]);
});

it("what is not there is told apart by whether a path or a parameter names it", async () => {
  const path = await errorOf(till.stripe.paymentMethods.retrieve("pm_none"));
  expect(path).toMatchObject({
    statusCode: 404,
    code: "resource_missing",
    param: "payment_method",
  });
  expect(path.message).toBe("No such PaymentMethod: 'pm_none'");
  const param = await errorOf(
    till.stripe.paymentMethods.attach("pm_card_visa", { customer: "cus_none" }),
  );
  expect(param).toMatchObject({ statusCode: 400, code: "resource_missing", param: "customer" });
  const bank = await errorOf(till.stripe.paymentMethods.create({ type: "us_bank_account" }));
  expect(bank.statusCode).toBe(501);
});

it("updates change only what they name", async () => {
  const owner = await customer();
  const method = await till.stripe.paymentMethods.attach("pm_card_visa", { customer: owner });
  await till.stripe.paymentMethods.update(method.id, {
    billing_details: { name: "Ada", address: { city: "London" } },
  });
  const changed = await till.stripe.paymentMethods.update(method.id, {
    billing_details: { address: { country: "GB" } },
    metadata: { card: "work" },
  });
  expect(changed.billing_details).toMatchObject({
    name: "Ada",
    address: { city: "London", country: "GB" },
  });
  const last = (await till.events()).at(-1);
  expect(last?.type).toBe("payment_method.updated");
  expect(last?.data.previous_attributes).toEqual({
    billing_details: { address: { country: null } },
    metadata: { card: null },
  });
});

it.each([
  ["pm_card_visa_debit", { brand: "visa", funding: "debit" }],
  ["pm_card_mastercard_prepaid", { brand: "mastercard", funding: "prepaid" }],
  ["pm_card_jcb", { brand: "jcb", last4: "0505" }],
  ["pm_card_diners", { brand: "diners", last4: "0004" }],
  ["pm_card_unionpay", { brand: "unionpay" }],
  ["pm_card_us", { country: "US", last4: "4242" }],
  ["pm_card_de", { country: "DE", last4: "0016" }],
  ["pm_card_threeDSecureOptional", { last4: "3055" }],
  ["pm_card_bypassPending", { last4: "0077" }],
])("%s is charged, and looks as in Stripe's list (docs: Testing)", async (id, card) => {
  const owner = await customer();
  const method = await till.stripe.paymentMethods.attach(id, { customer: owner });
  expect(method.card).toMatchObject(card);
  expect((await till.pay(method.id, { customer: owner })).status).toBe("succeeded");
});

it("Radar shows the risk of its test cards, and blocks the highest (docs: Testing, fraud prevention)", async () => {
  const owner = await customer();
  const elevated = await till.pay("pm_card_riskLevelElevated");
  const charge = await till.stripe.charges.retrieve(String(elevated.latest_charge));
  expect(charge.outcome).toMatchObject({ risk_level: "elevated", type: "authorized" });
  for (const id of ["pm_card_riskLevelHighest", "pm_card_chargeDeclinedFraudulent"]) {
    const method = await till.stripe.paymentMethods.attach(id, { customer: owner });
    const error = await errorOf(till.pay(method.id, { customer: owner }));
    expect(error).toMatchObject({ code: "card_declined", decline_code: "fraudulent" });
    const [blocked] = (await till.stripe.charges.list({ limit: 1 })).data;
    expect(blocked?.outcome).toMatchObject({ risk_level: "highest", type: "blocked" });
  }
});

it.each(["pm_usBankAccount_dispute", "pm_sepaDebit", "pm_card_createMultipleDisputes"])(
  "%s is Stripe's and not modelled",
  async (id) => {
    const attach = till.stripe.paymentMethods.attach(id, { customer: await customer() });
    expect(await errorOf(attach)).toMatchObject({ statusCode: 501, code: "not_modelled" });
  },
);

it("off session no return_url is needed: nobody can be redirected (six production applications)", async () => {
  const owner = await customer();
  const method = await till.stripe.paymentMethods.attach("pm_card_visa", { customer: owner });
  const params = { amount: 500, currency: "usd", customer: owner, payment_method: method.id };
  const pay = (more: object) =>
    till.stripe.paymentIntents.create({ ...params, confirm: true, ...more });
  expect((await pay({ off_session: true })).status).toBe("succeeded");
  expect((await errorOf(pay({}))).message).toContain("return_url");
});
