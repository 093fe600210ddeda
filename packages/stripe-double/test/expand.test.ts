import type Stripe from "stripe";
import { beforeEach, expect, it } from "vitest";
import { errorOf, expanded, openShop, payer, type Rig, rig, type Shop } from "./kit.js";

let it_: Rig;
let stripe: Stripe;
let shop: Shop;
let customer: Stripe.Customer;
let subscription: Stripe.Subscription;

beforeEach(async () => {
  it_ = await rig();
  stripe = it_.stripe;
  shop = await openShop(stripe);
  customer = await payer(stripe);
  const items = [{ price: shop.monthly.id }];
  subscription = await stripe.subscriptions.create({ customer: customer.id, items });
});

it("a reference becomes the object, on reading and on writing", async () => {
  const read = await stripe.subscriptions.retrieve(subscription.id, {
    expand: ["customer", "latest_invoice"],
  });
  expect(expanded(read.customer)).toMatchObject({ object: "customer", email: "ada@example.com" });
  expect(expanded(read.latest_invoice)).toMatchObject({ object: "invoice", status: "paid" });
  const written = await stripe.subscriptions.update(subscription.id, {
    metadata: { a: "1" },
    expand: ["customer"],
  });
  expect(expanded(written.customer)).toMatchObject({ id: customer.id });
  // What was expanded for one reader is an id again for the next.
  expect((await stripe.subscriptions.retrieve(subscription.id)).customer).toBe(customer.id);
});

it("a path reaches through objects and arrays", async () => {
  const read = await stripe.subscriptions.retrieve(subscription.id, {
    expand: ["items.data.price.product", "latest_invoice.customer"],
  });
  expect(read.items.data[0]?.price.product).toMatchObject({ name: "Difference Engine" });
  const invoice = expanded<Stripe.Invoice>(read.latest_invoice);
  expect(invoice.customer).toMatchObject({ id: customer.id, object: "customer" });
});

it("a path into a list starts with data", async () => {
  const page = await stripe.subscriptions.list({ expand: ["data.customer"] });
  expect(page.data[0]?.customer).toMatchObject({ object: "customer" });
  const search = stripe.subscriptions.list({ expand: ["customer"] });
  expect(await errorOf(search)).toMatchObject({ statusCode: 400, param: "expand" });
});

it("a path has at most four levels, of which data is one", async () => {
  const four = ["items.data.price.product"];
  expect(await stripe.subscriptions.retrieve(subscription.id, { expand: four })).toBeTruthy();
  const five = ["latest_invoice.customer.invoice_settings.default_payment_method.customer"];
  const deep = stripe.subscriptions.retrieve(subscription.id, { expand: five });
  expect(await errorOf(deep)).toMatchObject({ statusCode: 400, param: "expand" });
  const listed = await stripe.invoices.list({ expand: ["data.customer.invoice_settings"] });
  expect(listed.data).toHaveLength(1);
  const page = stripe.subscriptions.list({ expand: ["data.items.data.price.product"] });
  expect((await errorOf(page)).message).toContain("more than 4 levels");
});

it("a field that is absent by default can be asked for", async () => {
  const bare = await stripe.customers.retrieve(customer.id);
  for (const field of ["subscriptions", "sources", "tax_ids"])
    expect(bare).not.toHaveProperty(field);
  const whole = await stripe.customers.retrieve(customer.id, {
    expand: ["subscriptions", "sources", "tax_ids"],
  });
  expect(whole).toMatchObject({
    subscriptions: { object: "list", data: [{ id: subscription.id }], has_more: false },
    sources: { object: "list", data: [] },
    tax_ids: { object: "list", data: [] },
  });
  const invoice = String(subscription.latest_invoice);
  expect(await stripe.invoices.retrieve(invoice)).not.toHaveProperty("payments");
  const paid = await stripe.invoices.retrieve(invoice, {
    expand: ["payments", "confirmation_secret"],
  });
  expect(paid.payments?.data[0]).toMatchObject({
    object: "invoice_payment",
    status: "paid",
    amount_paid: 2000,
  });
  expect(paid.confirmation_secret?.client_secret).toMatch(/_secret_/);
  const price = await stripe.prices.retrieve(shop.monthly.id, { expand: ["currency_options"] });
  expect(price.currency_options?.usd?.unit_amount).toBe(2000);
  // There are no tiers to show.
  const flat = await stripe.prices.retrieve(shop.monthly.id, { expand: ["tiers"] });
  expect(flat).not.toHaveProperty("tiers");
});

it("a path goes on through a field that was asked for", async () => {
  const whole = await stripe.customers.retrieve(customer.id, {
    expand: ["subscriptions.data.latest_invoice"],
  });
  const [only] = (whole as Stripe.Customer).subscriptions?.data ?? [];
  expect(expanded(only?.latest_invoice)).toMatchObject({ object: "invoice" });
  const invoice = await stripe.invoices.retrieve(String(subscription.latest_invoice), {
    expand: ["payments.data.payment.payment_intent"],
  });
  const intent = invoice.payments?.data[0]?.payment.payment_intent;
  expect(intent).toMatchObject({ object: "payment_intent", status: "succeeded" });
});

it("what is null stays null, and what is no reference cannot be expanded", async () => {
  const read = await stripe.subscriptions.retrieve(subscription.id, {
    expand: ["default_payment_method"],
  });
  expect(read.default_payment_method).toBeNull();
  for (const path of ["status", "created", "customer.email", "livemode"]) {
    const call = stripe.subscriptions.retrieve(subscription.id, { expand: [path] });
    expect(await errorOf(call)).toMatchObject({ statusCode: 400, param: "expand" });
  }
});

it("a deleted customer expands to what is left of them", async () => {
  await stripe.customers.del(customer.id);
  const read = await stripe.subscriptions.retrieve(subscription.id, { expand: ["customer"] });
  expect(read.customer).toEqual({ id: customer.id, object: "customer", deleted: true });
});

it("a deleted coupon expands to what it was, and is not valid any more", async () => {
  await stripe.coupons.create({ id: "TEN", percent_off: 10, duration: "forever" });
  const discounted = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: shop.yearly.id }],
    discounts: [{ coupon: "TEN" }],
  });
  await stripe.coupons.del("TEN");
  const read = await stripe.subscriptions.retrieve(discounted.id, {
    expand: ["discounts.source.coupon"],
  });
  expect(read.discounts[0]).toMatchObject({
    object: "discount",
    subscription: discounted.id,
    source: { coupon: { id: "TEN", percent_off: 10, valid: false } },
  });
});

it("an expansion that the double does not model answers 501, never a guess", async () => {
  const invoice = String(subscription.latest_invoice);
  for (const path of ["from_invoice_of", "nonsense"]) {
    const call = stripe.invoices.retrieve(invoice, { expand: [path] });
    expect(await errorOf(call)).toMatchObject({ statusCode: 501, code: "not_modelled" });
  }
});
