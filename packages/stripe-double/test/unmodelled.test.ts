/** What Stripe does not know, what the double does not model, and what it only keeps. */
import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { errorOf, eventsOf, openShop, raisedBy, rig } from "./kit.js";

const as = <T>(params: object) => params as T;

describe("what Stripe does not know", () => {
  it("is refused as Stripe does: a parameter (github.com/flutter-stripe/flutter_stripe/issues/1450)", async () => {
    const { stripe } = await rig();
    const error = await errorOf(stripe.customers.create(as({ emial: "ada@example.com" })));
    expect(error).toMatchObject({
      statusCode: 400,
      type: "StripeInvalidRequestError",
      code: "parameter_unknown",
      param: "emial",
      message: "Received unknown parameter: emial",
    });
    const inside = await errorOf(
      stripe.subscriptions.create({ customer: "cus_1", items: [as({ prize: "price_1" })] }),
    );
    expect(inside).toMatchObject({ code: "parameter_unknown", param: "items[0][prize]" });
  });

  it("includes the amount of a price, which cannot change (docs: Manage prices)", async () => {
    const { stripe } = await rig();
    const { monthly } = await openShop(stripe);
    const error = await errorOf(stripe.prices.update(monthly.id, as({ unit_amount: 5 })));
    expect(error).toMatchObject({ statusCode: 400, code: "parameter_unknown" });
  });

  it.each([
    ["/v1/custmers", " Please"],
    // https://github.com/stripe/stripe-php/issues/598
    ["/v1/customers/", " If you are trying to list objects, remove the trailing slash."],
  ])(
    "is refused as Stripe does: the address %s (github.com/devgpt-labs/devgpt/issues/70)",
    async (path, then) => {
      const { double, stripe } = await rig();
      const error = await errorOf(stripe.rawRequest("GET", path));
      expect(error).toMatchObject({ statusCode: 404, type: "StripeInvalidRequestError" });
      expect(error.message).toContain(`Unrecognized request URL (GET: ${path}).${then}`);
      expect(error.message).toMatch(
        /Please see https:\/\/stripe\.com\/docs or we can help at https:\/\/support\.stripe\.com\/\.$/,
      );
      expect(double.unmodelled()).toEqual([]);
    },
  );
});

describe("what Stripe knows and the double does not model", () => {
  const transfer = { transfer_data: { destination: "acct_1" } };

  it("answers 501, and is reported with how often it was asked for", async () => {
    const { double, stripe } = await rig();
    await errorOf(stripe.topups.retrieve("tu_1"));
    await errorOf(stripe.topups.retrieve("tu_2"));
    const asked = await errorOf(
      stripe.subscriptions.create({ customer: "cus_1", items: [], ...transfer }),
    );
    expect(asked).toMatchObject({ statusCode: 501, code: "not_modelled" });
    expect(double.unmodelled()).toMatchObject([
      { request: "GET /v1/topups/:id", parameter: undefined, times: 2 },
      { request: "POST /v1/subscriptions", parameter: "transfer_data", times: 1 },
    ]);
    await double.reset();
    expect(double.unmodelled()).toEqual([]);
  });

  it("is not taken for an id: a preview of an invoice is no invoice", async () => {
    const { stripe } = await rig();
    const preview = stripe.rawRequest("POST", "/v1/invoices/create_preview", { customer: "cus_1" });
    expect((await errorOf(preview)).message).toBe("No such customer: 'cus_1'");
    expect(await errorOf(stripe.invoices.retrieve("in_none"))).toMatchObject({ statusCode: 404 });
  });

  it("with `record`, a request goes on without the parameter, which the object shows", async () => {
    const { double, stripe } = await rig({ unknown: "record" });
    const { monthly } = await openShop(stripe);
    const customer = await stripe.customers.create({ payment_method: "pm_card_visa" });
    const [method] = (await stripe.paymentMethods.list({ customer: customer.id })).data;
    const made = await stripe.subscriptions.create({
      customer: customer.id,
      default_payment_method: method?.id ?? "",
      items: [{ price: monthly.id, billing_thresholds: { usage_gte: 5 } }],
      application_fee_percent: 12.5,
    });
    expect(made).toMatchObject({ status: "active", application_fee_percent: 12.5 });
    expect(await stripe.subscriptions.retrieve(made.id)).toMatchObject({
      application_fee_percent: 12.5,
    });
    const created = (await eventsOf(stripe)).find(
      ({ type }) => type === "customer.subscription.created",
    );
    expect(created?.data.object).toMatchObject({ application_fee_percent: 12.5 });
    expect(double.unmodelled().map(({ parameter }) => parameter)).toEqual([
      "items[0][billing_thresholds]",
      "application_fee_percent",
    ]);
  });

  it("with `record`, objects of other kinds are kept: made, read, listed, changed, deleted", async () => {
    const { double, stripe } = await rig({ unknown: "record" });
    const made = await stripe.topups.create({ amount: 5, currency: "usd", metadata: { a: "1" } });
    expect(made).toMatchObject({ object: "topup", amount: 5, metadata: { a: "1" } });
    const changed = await stripe.topups.update(made.id, { description: "better" });
    expect(await stripe.topups.retrieve(made.id)).toEqual(changed);
    expect((await stripe.topups.cancel(made.id)).id).toBe(made.id);
    expect((await stripe.topups.list()).data).toEqual([changed]);
    const till = await stripe.terminal.locations.create({ display_name: "Till" });
    expect(till).toMatchObject({ object: "terminal.location", display_name: "Till" });
    expect(await stripe.terminal.locations.del(till.id)).toMatchObject({ deleted: true });
    expect(await errorOf(stripe.topups.retrieve("tu_none"))).toMatchObject({ statusCode: 404 });
    expect(await errorOf(stripe.reporting.reportTypes.list())).toMatchObject({ statusCode: 501 });
    expect(double.unmodelled()).toHaveLength(8);
  });

  it("with `record`, what Stripe does not know is refused all the same", async () => {
    const { stripe } = await rig({ unknown: "record" });
    expect(await errorOf(stripe.customers.create(as({ emial: "x" })))).toMatchObject({
      statusCode: 400,
    });
  });
});

describe("what has no effect is kept and shown again", () => {
  it("on a checkout session, with Stripe's defaults beside it", async () => {
    const { double, stripe } = await rig();
    const { monthly } = await openShop(stripe);
    const session = await stripe.checkout.sessions.create({
      mode: "subscription",
      success_url: "https://app.example",
      currency: "usd",
      line_items: [{ price: monthly.id, quantity: 1 }],
      tax_id_collection: { enabled: true },
      custom_text: { submit: { message: "Thank you" } },
    });
    expect(session.tax_id_collection).toEqual({ enabled: true, required: "never" });
    expect(session.custom_text).toMatchObject({
      submit: { message: "Thank you" },
      after_submit: null,
    });
    expect(double.unmodelled()).toEqual([]);
  });

  it("and a change of nothing else raises the event of a change", async () => {
    const { stripe } = await rig();
    const customer = await stripe.customers.create({});
    const params: Stripe.CustomerUpdateParams = { business_name: "Engines" };
    expect(await raisedBy(stripe, () => stripe.customers.update(customer.id, params))).toEqual([
      "customer.updated",
    ]);
    expect(await stripe.customers.retrieve(customer.id)).toMatchObject(params);
    const last = (await eventsOf(stripe)).at(-1);
    expect(last?.data.previous_attributes).toEqual({ business_name: null });
  });
});
