/**
 * What is put on drafts. Sources: API reference invoiceitems/create (invoice, subscription), invoices/
 * create (subscription, discounts, default_tax_rates), invoices/add_lines; docs invoicing/overview
 * (a finalized invoice is not edited), error codes invoice_not_editable and
 * invoice_no_subscription_line_items; changelog 2022-08-01 (pending items are left out by default).
 */
import Stripe from "stripe";
import { beforeEach, describe, expect, it } from "vitest";
import { client, errorOf, openShop, payer, type Rig, raisedBy, rig } from "./kit.js";

let it_: Rig;
let stripe: Stripe;
let customer: string;

beforeEach(async () => {
  it_ = await rig();
  stripe = it_.stripe;
  customer = (await payer(stripe)).id;
});

const usd = (amount: number) => ({ amount, currency: "usd" });
const draft = async (params: Partial<Stripe.InvoiceCreateParams> = {}) =>
  (await stripe.invoices.create({ customer, ...params })).id ?? "";
const read = (id: string) => stripe.invoices.retrieve(id);

describe("an invoice item", () => {
  it("of a draft goes into it at once", async () => {
    const id = await draft();
    const raised = await raisedBy(stripe, () =>
      stripe.invoiceItems.create({
        customer,
        invoice: id,
        unit_amount_decimal: Stripe.Decimal.from("12.5"),
        quantity: 100,
        description: "Calls",
        period: { start: 1_700_000_000, end: 1_700_086_400 },
      }),
    );
    expect(raised).toEqual(["invoiceitem.created", "invoice.updated"]);
    const invoice = await read(id);
    expect(invoice.total).toBe(1250);
    expect(invoice.lines.data[0]).toMatchObject({
      amount: 1250,
      description: "Calls",
      quantity: 100,
      period: { start: 1_700_000_000, end: 1_700_086_400 },
    });
    const [item] = (await stripe.invoiceItems.list({ invoice: id })).data;
    expect(item?.invoice).toBe(id);
  });

  it("is changed and deleted with its line, as long as it can be", async () => {
    const id = await draft();
    const item = await stripe.invoiceItems.create({ customer, invoice: id, ...usd(700) });
    await stripe.invoiceItems.update(item.id, { amount: 900, description: "More" });
    expect(await read(id)).toMatchObject({
      total: 900,
      lines: { data: [{ description: "More" }] },
    });
    expect(await stripe.invoiceItems.del(item.id)).toMatchObject({ deleted: true });
    expect(await read(id)).toMatchObject({ total: 0, lines: { data: [] } });
    const last = await stripe.invoiceItems.create({ customer, invoice: id, ...usd(500) });
    await stripe.invoices.finalizeInvoice(id);
    for (const call of [
      stripe.invoiceItems.del(last.id),
      stripe.invoiceItems.update(last.id, { amount: 1 }),
      stripe.invoiceItems.create({ customer, invoice: id, ...usd(1) }),
      stripe.invoices.addLines(id, { lines: [{ amount: 1 }] }),
      stripe.invoices.update(id, { default_tax_rates: "" }),
    ]) {
      expect(await errorOf(call)).toMatchObject({ statusCode: 400, code: "invoice_not_editable" });
    }
    expect((await read(id)).total).toBe(500);
  });

  it("for a subscription waits for its invoice, and an invoice can be made of it", async () => {
    const { monthly } = await openShop(stripe);
    const subscribe = () =>
      stripe.subscriptions.create({ customer, items: [{ price: monthly.id }] });
    const [one, other] = [await subscribe(), await subscribe()];
    const item = await stripe.invoiceItems.create({ customer, subscription: one.id, ...usd(300) });
    expect(item.parent?.subscription_details).toEqual({ subscription: one.id });
    const preview = (subscription: string) => stripe.invoices.createPreview({ subscription });
    expect((await preview(one.id)).total).toBe(2300);
    expect((await preview(other.id)).total).toBe(2000);
    expect(
      await errorOf(stripe.invoices.create({ customer, subscription: other.id })),
    ).toMatchObject({
      code: "invoice_no_subscription_line_items",
    });
    const made = await stripe.invoices.create({ customer, subscription: one.id });
    expect(made).toMatchObject({
      total: 300,
      billing_reason: "manual",
      parent: { subscription_details: { subscription: one.id } },
      lines: { data: [{ parent: { invoice_item_details: { subscription: one.id } } }] },
    });
    expect((await preview(one.id)).total).toBe(2000);
  });

  it("has discounts and tax rates of its own, before those of its invoice", async () => {
    const rate = (percentage: number) =>
      stripe.taxRates.create({ display_name: "VAT", percentage, inclusive: false });
    const [low, high] = [await rate(10), await rate(20)];
    const coupon = (percent_off: number) =>
      stripe.coupons.create({ percent_off, duration: "once" });
    const [half, fifth] = [await coupon(50), await coupon(20)];
    const id = await draft({
      discounts: [{ coupon: fifth.id }],
      default_tax_rates: [high.id],
    });
    await stripe.invoiceItems.create({
      customer,
      invoice: id,
      ...usd(1000),
      discounts: [{ coupon: half.id }],
      tax_rates: [low.id],
    });
    await stripe.invoiceItems.create({ customer, invoice: id, ...usd(1000) });
    // 500 less 20% is 400, and 10%; 1000 less 20% is 800, and 20%.
    const invoice = await read(id);
    expect(invoice.lines.data.map(({ taxes }) => taxes?.[0]?.amount)).toEqual([40, 160]);
    expect(invoice).toMatchObject({ subtotal: 1500, total_excluding_tax: 1200, total: 1400 });
    await stripe.invoices.update(id, { discounts: "", default_tax_rates: "" });
    expect(await read(id)).toMatchObject({ total_excluding_tax: 1500, total: 1550 });
  });
});

describe("the lines of a draft", () => {
  it("are added, changed and taken off", async () => {
    const id = await draft();
    const waiting = await stripe.invoiceItems.create({ customer, ...usd(250) });
    const added = await stripe.invoices.addLines(id, {
      lines: [
        { amount: 1000, description: "Work", period: { start: 1, end: 2 } },
        { invoice_item: waiting.id },
      ],
      invoice_metadata: { order: "7" },
    });
    expect(added).toMatchObject({ total: 1250, metadata: { order: "7" } });
    const [work, item] = added.lines.data;
    const changed = await stripe.invoices.updateLines(id, {
      lines: [{ id: work?.id ?? "", amount: 1500 }],
    });
    expect(changed.total).toBe(1750);
    const left = await stripe.invoices.removeLines(id, {
      lines: [{ id: item?.id ?? "", behavior: "unassign" }],
    });
    expect(left.total).toBe(1500);
    expect((await stripe.invoiceItems.retrieve(waiting.id)).invoice).toBeNull();
    await stripe.invoices.removeLines(id, { lines: [{ id: work?.id ?? "", behavior: "delete" }] });
    expect((await read(id)).lines.data).toEqual([]);
  });
});

it("until 2022-08-01 an invoice took what waited without being asked to", async () => {
  await stripe.invoiceItems.create({ customer, ...usd(400) });
  const old = client(it_.double, it_.double.secretKey, { apiVersion: "2020-08-27" } as never);
  expect((await stripe.invoices.create({ customer })).total).toBe(0);
  expect((await old.invoices.create({ customer })).total).toBe(400);
});
