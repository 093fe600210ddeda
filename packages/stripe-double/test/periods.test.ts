/** Periods of the items of a subscription: those that an end cuts short, and those that differ. */
import type Stripe from "stripe";
import { beforeEach, describe, expect, it } from "vitest";
import { cycleAt, fitTogether } from "../src/billing/period.js";
import { errorOf, expanded, payer, type Rig, rig } from "./kit.js";

let it_: Rig;
let stripe: Stripe;
let customer: Stripe.Customer;
let monthly: Stripe.Price;
let yearly: Stripe.Price;
let product: Stripe.Product;

const seconds = (moment: string) => Date.parse(moment) / 1000;
const price = (unit_amount: number, interval: "week" | "month" | "year") =>
  stripe.prices.create({
    product: product.id,
    currency: "usd",
    unit_amount,
    recurring: { interval },
  });

beforeEach(async () => {
  it_ = await rig({ now: "2026-04-01T00:00:00Z" });
  stripe = it_.stripe;
  product = await stripe.products.create({ name: "Pro" });
  [monthly, yearly] = [await price(3000, "month"), await price(36_500, "year")];
  customer = await payer(stripe);
});

const subscribe = (params: Partial<Stripe.SubscriptionCreateParams> = {}) =>
  stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: monthly.id }],
    ...params,
  });
const ends = ({ items }: Stripe.Subscription) =>
  items.data.map(({ current_period_end: end }) => new Date(end * 1000).toISOString().slice(0, 10));
const pending = async () =>
  (await stripe.invoiceItems.list({ customer: customer.id, pending: true })).data.reverse();
const totals = async () =>
  (await stripe.invoices.list({ customer: customer.id, limit: 100 })).data
    .map(({ total, lines }) => [total, lines.data.length])
    .reverse();

describe("an end within the period (the SDK's words on cancel_at)", () => {
  const at = seconds("2026-04-16T00:00:00Z");

  it("credits what is not used after it, and ends the items' periods", async () => {
    const made = await subscribe();
    await it_.double.clock.advance({ days: 3 });
    const after = await stripe.subscriptions.update(made.id, { cancel_at: at });
    expect(after).toMatchObject({ cancel_at: at, cancel_at_period_end: false });
    expect(ends(after)).toEqual(["2026-04-16"]);
    const [credit, ...more] = await pending();
    expect(more).toEqual([]);
    expect(credit).toMatchObject({
      amount: -1500,
      proration: true,
      description: "Unused time on Pro after 16 Apr 2026",
      period: { start: at, end: seconds("2026-05-01T00:00:00Z") },
    });
    await it_.double.clock.advance({ days: 20 });
    expect((await stripe.subscriptions.retrieve(made.id)).status).toBe("canceled");
    expect(await totals()).toEqual([[3000, 1]]);
  });

  it("credits nothing if there are to be no prorations", async () => {
    const made = await subscribe();
    const after = await stripe.subscriptions.update(made.id, {
      cancel_at: at,
      proration_behavior: "none",
    });
    expect(ends(after)).toEqual(["2026-05-01"]);
    expect(await pending()).toEqual([]);
  });

  it("that is taken back charges for the time again", async () => {
    const made = await subscribe();
    await stripe.subscriptions.update(made.id, { cancel_at: at });
    const after = await stripe.subscriptions.update(made.id, { cancel_at: "" });
    expect(after.cancel_at).toBeNull();
    expect(ends(after)).toEqual(["2026-05-01"]);
    expect((await pending()).map(({ amount }) => amount)).toEqual([-1500, 1500]);
    // Both parts of the period can be credited once more, each once.
    await stripe.subscriptions.update(made.id, {
      cancel_at: seconds("2026-04-11T00:00:00Z"),
    });
    expect((await pending()).slice(2).map(({ amount }) => amount)).toEqual([-500, -1500]);
  });

  it("makes the first invoice one for a part, and that of the last period", async () => {
    const short = await subscribe({ cancel_at: at, expand: ["latest_invoice"] });
    expect(expanded<Stripe.Invoice>(short.latest_invoice).total).toBe(1500);
    expect(ends(short)).toEqual(["2026-04-16"]);
    const later = await subscribe({ cancel_at: seconds("2026-05-11T00:00:00Z") });
    await it_.double.clock.advance({ days: 31 });
    const renewed = await stripe.subscriptions.retrieve(later.id, { expand: ["latest_invoice"] });
    expect(ends(renewed)).toEqual(["2026-05-11"]);
    expect(expanded<Stripe.Invoice>(renewed.latest_invoice).total).toBe(
      Math.round((3000 * 10) / 31),
    );
  });
});

describe("items with different intervals (changelog 2025-07-30: mixed intervals)", () => {
  const both = () => ({ items: [{ price: monthly.id }, { price: yearly.id }] });

  it("have periods of their own, and each invoice bills what is due", async () => {
    const made = await subscribe(both());
    expect(ends(made)).toEqual(["2026-05-01", "2027-04-01"]);
    await it_.double.clock.advance({ days: 31 });
    expect(ends(await stripe.subscriptions.retrieve(made.id))).toEqual([
      "2026-06-01",
      "2027-04-01",
    ]);
    await it_.double.clock.advance({ days: 335 });
    expect(ends(await stripe.subscriptions.retrieve(made.id))).toEqual([
      "2027-05-01",
      "2028-04-01",
    ]);
    const month = [3000, 1];
    expect(await totals()).toEqual([[39_500, 2], ...Array(11).fill(month), [39_500, 2]]);
  });

  it("are refused in classic mode, and where one is no multiple of the shortest", async () => {
    const classic = subscribe({ ...both(), billing_mode: { type: "classic" } });
    expect((await errorOf(classic)).statusCode).toBe(400);
    const weekly = await price(700, "week");
    const misfit = subscribe({ items: [{ price: weekly.id }, { price: monthly.id }] });
    expect((await errorOf(misfit)).message).toContain("multiples of the shortest");
  });

  it("may come later: an added year is charged from now until the anchor's day", async () => {
    const made = await subscribe();
    await it_.double.clock.advance({ days: 10 });
    const after = await stripe.subscriptions.update(made.id, { items: [{ price: yearly.id }] });
    expect(after.billing_cycle_anchor).toBe(made.billing_cycle_anchor);
    expect(ends(after)).toEqual(["2026-05-01", "2027-04-01"]);
    expect((await pending()).map(({ amount }) => amount)).toEqual([35_500]);
  });

  it("can end with the first or the last of their periods (SDK: min_period_end, max_period_end)", async () => {
    const made = await subscribe(both());
    const last = await stripe.subscriptions.update(made.id, { cancel_at: "max_period_end" });
    expect(last.cancel_at).toBe(seconds("2027-04-01T00:00:00Z"));
    expect(await pending()).toEqual([]);
    const first = await stripe.subscriptions.update(made.id, { cancel_at: "min_period_end" });
    expect(first.cancel_at).toBe(seconds("2026-05-01T00:00:00Z"));
    expect((await pending()).map(({ amount }) => amount)).toEqual([-33_500]);
  });
});

describe("cycles", () => {
  const every = (interval_count: number, interval: "day" | "week" | "month" | "year") => ({
    interval,
    interval_count,
  });

  it.each([
    [[every(1, "month"), every(1, "year")], true],
    [[every(3, "month"), every(1, "year")], true],
    [[every(2, "month"), every(3, "month")], false],
    [[every(1, "day"), every(2, "week")], true],
    [[every(1, "week"), every(1, "month")], false],
    [[every(1, "day"), every(1, "month")], false],
    [[every(5, "month")], true],
  ])("%j together: %s", (cycles, together) => {
    expect(fitTogether(cycles)).toBe(together);
  });

  it("lie on the grid of the anchor, also after a month that is too short", () => {
    const anchor = seconds("2026-01-31T00:00:00Z");
    const around = cycleAt(anchor, every(1, "month"), seconds("2026-03-02T00:00:00Z"));
    expect(around).toEqual({
      start: seconds("2026-02-28T00:00:00Z"),
      end: seconds("2026-03-31T00:00:00Z"),
    });
  });
});
