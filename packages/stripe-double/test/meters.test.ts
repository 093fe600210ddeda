/** Meters: what is taken and refused of usage, how it adds up, and what it costs in arrears. */
import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { client, DAY, errorOf, payer, type Rig, raisedBy, receiver, rig, START } from "./kit.js";

const EVENT = "api_requests";
type Mode = "classic" | "flexible";

async function shop(formula: "sum" | "count" | "last" = "sum") {
  const { double, stripe } = await rig();
  const { id: product } = await stripe.products.create({ name: "API" });
  const meter = await stripe.billing.meters.create({
    display_name: "Requests",
    event_name: EVENT,
    default_aggregation: { formula },
  });
  const price = (unit_amount: number, more: Partial<Stripe.PriceCreateParams> = {}) =>
    stripe.prices.create({
      product,
      currency: "usd",
      unit_amount,
      recurring: { interval: "month", usage_type: "metered", meter: meter.id },
      ...more,
    });
  const { id: customer } = await payer(stripe);
  const use = (value: number | string, more: Partial<Stripe.Billing.MeterEventCreateParams> = {}) =>
    stripe.billing.meterEvents.create({
      event_name: EVENT,
      payload: { stripe_customer_id: customer, value: String(value) },
      ...more,
    });
  const subscribe = (id: string, more: Partial<Stripe.SubscriptionCreateParams> = {}) =>
    stripe.subscriptions.create({ customer, items: [{ price: id }], ...more });
  const totals = async () =>
    (await stripe.invoices.list({ customer })).data.map(({ total }) => total).reverse();
  const last = async () => {
    const [invoice] = (await stripe.invoices.list({ customer })).data;
    if (invoice === undefined) throw new Error("There is no invoice");
    return invoice;
  };
  return { double, stripe, meter, product, price, customer, use, subscribe, totals, last };
}

const later = (double: Rig["double"], days: number) => double.clock.advance({ days });

describe("a meter", () => {
  it("can be renamed, switched off and on again, each with its event", async () => {
    const { stripe, meter } = await shop();
    const { meters } = stripe.billing;
    const types = await raisedBy(stripe, async () => {
      await meters.update(meter.id, { display_name: "Calls" });
      await meters.deactivate(meter.id);
      await meters.reactivate(meter.id);
    });
    expect(types).toEqual([
      "billing.meter.updated",
      "billing.meter.deactivated",
      "billing.meter.reactivated",
    ]);
    expect(await meters.retrieve(meter.id)).toMatchObject({
      customer_mapping: { event_payload_key: "stripe_customer_id", type: "by_id" },
      display_name: "Calls",
      event_time_window: null,
      status: "active",
      value_settings: { event_payload_key: "value" },
    });
    expect((await meters.list({ status: "inactive" })).data).toEqual([]);
  });

  // thread: applications that compare Stripe's message word by word
  it("is the only active one of its event name", async () => {
    const { stripe, meter } = await shop();
    const params = {
      display_name: "Again",
      event_name: EVENT,
      default_aggregation: { formula: "sum" as const },
    };
    expect((await errorOf(stripe.billing.meters.create(params))).message).toBe(
      `An active meter already exists for event name '${EVENT}'. To create a new meter with the same event name, first deactivate the currently active meter.`,
    );
    await stripe.billing.meters.deactivate(meter.id);
    await stripe.billing.meters.create(params);
    expect((await errorOf(stripe.billing.meters.reactivate(meter.id))).statusCode).toBe(400);
  });

  // API reference: billing/meter/deactivate, "You can't attach a deactivated meter to a price."
  it("must be active to be attached to a price, and must exist", async () => {
    const { stripe, meter, price, product } = await shop();
    await stripe.billing.meters.deactivate(meter.id);
    expect((await errorOf(price(1))).statusCode).toBe(400);
    const recurring = { interval: "month", usage_type: "metered", meter: "mtr_no" } as const;
    const params = { product, currency: "usd", unit_amount: 1, recurring };
    expect(await errorOf(stripe.prices.create(params))).toMatchObject({
      code: "resource_missing",
      statusCode: 400,
    });
  });
});

describe("a meter event", () => {
  it("is answered as it was taken", async () => {
    const { customer, use } = await shop();
    expect(await use(25, { identifier: "first" })).toMatchObject({
      object: "billing.meter_event",
      created: START,
      event_name: EVENT,
      identifier: "first",
      livemode: false,
      payload: { stripe_customer_id: customer, value: "25" },
      timestamp: START,
    });
  });

  // threads: the message; API reference: billing/meter-event/create#identifier, the 24 hours
  it("has an identifier that is taken again after 24 hours", async () => {
    const { double, use } = await shop();
    await use(1, { identifier: "once" });
    expect((await errorOf(use(1, { identifier: "once" }))).message).toBe(
      "An event already exists with identifier once.",
    );
    await double.clock.advance({ hours: 24 });
    await use(1, { identifier: "once" });
  });

  it.each([
    ["35 days ago", -35 * DAY, true],
    ["before that", -35 * DAY - 1, false],
    ["in five minutes", 300, true],
    ["after that", 301, false],
  ])("%s is taken or not", async (_, seconds, taken) => {
    const { use } = await shop();
    const event = use(1, { timestamp: START + seconds });
    if (taken) await event;
    else expect((await errorOf(event)).param).toBe("timestamp");
  });

  it("is refused where no active meter takes it", async () => {
    const { stripe, meter, use } = await shop();
    expect((await errorOf(use(1, { event_name: "other" }))).message).toBe(
      'No active meter found for event name "other".',
    );
    await stripe.billing.meters.deactivate(meter.id);
    expect((await errorOf(use(1))).statusCode).toBe(400);
  });

  // docs: api/v2/core/events/object, the example of a report; billing/…/recording-usage-api
  it("that is wrong otherwise is told of by a notification some seconds later", async () => {
    const { double, stripe, meter, use } = await shop();
    const type = "v1.billing.meter.error_report_triggered";
    const thin: { body: string; signature: string }[] = [];
    const endpoint = await stripe.webhookEndpoints.create({
      url: "https://thin.example/hook",
      enabled_events: [type as never],
    });
    double.answer("https://thin.example", async (request) => {
      const signature = request.headers.get("stripe-signature") ?? "";
      thin.push({ body: await request.text(), signature });
      return new Response();
    });
    const all = await receiver({ double, stripe });
    await use(1, { payload: { value: "1" }, identifier: "nobody" });
    await use(1, { payload: { stripe_customer_id: "cus_no", value: "1" } });
    await use("1.5");
    await double.clock.advance({ seconds: 10 });
    const [sent] = thin;
    const notice = stripe.parseEventNotification(
      sent?.body ?? "",
      sent?.signature ?? "",
      endpoint.secret ?? "",
    );
    expect(notice).toMatchObject({ type, related_object: { id: meter.id, type: "billing.meter" } });
    expect(JSON.parse(sent?.body ?? "")).not.toHaveProperty("data");
    const event = (await stripe.v2.core.events.retrieve(notice.id)) as { data?: unknown };
    expect(event.data).toMatchObject({
      developer_message_summary: "There are 3 invalid events",
      reason: {
        error_count: 3,
        error_types: [
          {
            code: "meter_event_no_customer_defined",
            error_count: 1,
            sample_errors: [
              {
                error_message: "Customer mapping key stripe_customer_id not found in payload.",
                request: { identifier: "nobody" },
              },
            ],
          },
          { code: "meter_event_customer_not_found" },
          { code: "meter_event_invalid_value" },
        ],
      },
      validation_start: "2026-01-15T10:00:00.000Z",
    });
    expect((await stripe.v2.core.events.list({ object_id: meter.id })).data).toHaveLength(1);
    // Endpoints of version 1 and the list of its events know nothing of it.
    expect(all.types()).toEqual([]);
    expect((await stripe.events.list({ type })).data).toEqual([]);
  });

  // API reference: v2/billing/meter-events/create, "Events are validated synchronously"
  it("of version 2 is checked at once", async () => {
    const { stripe, customer } = await shop();
    const use = (payload: { [key: string]: string }, timestamp?: string) =>
      stripe.v2.billing.meterEvents.create({
        event_name: EVENT,
        payload,
        identifier: "v2",
        ...(timestamp ? { timestamp } : {}),
      });
    expect(await use({ stripe_customer_id: customer, value: "3" }, "2026-01-15T09:00:00Z")).toEqual(
      expect.objectContaining({
        object: "v2.billing.meter_event",
        created: "2026-01-15T10:00:00.000Z",
        timestamp: "2026-01-15T09:00:00.000Z",
        identifier: "v2",
      }),
    );
    expect(await errorOf(use({ value: "3" }))).toMatchObject({
      statusCode: 400,
      code: "meter_event_no_customer_defined",
    });
  });

  // SDK types: MeterEventAdjustmentCreateParams.Cancel, "within 24 hours of Stripe receiving them"
  it("can be taken back for a day", async () => {
    const { double, stripe, use, price, subscribe, totals } = await shop();
    await subscribe((await price(100)).id);
    const cancel = (identifier: string) =>
      stripe.billing.meterEventAdjustments.create({
        event_name: EVENT,
        type: "cancel",
        cancel: { identifier },
      });
    await use(5, { identifier: "wrong" });
    await use(2, { identifier: "right" });
    expect(await cancel("wrong")).toMatchObject({
      object: "billing.meter_event_adjustment",
      cancel: { identifier: "wrong" },
      status: "pending",
    });
    await later(double, 2);
    expect((await errorOf(cancel("right"))).statusCode).toBe(400);
    await later(double, 31);
    expect(await totals()).toEqual([200]);
  });
});

describe("summaries", () => {
  const minute = Math.floor(START / 60) * 60;

  // docs: recording-usage-api, "might not immediately reflect recently received meter events"
  it("show usage a minute after it was reported, from boundary to boundary", async () => {
    const { double, stripe, meter, customer, use } = await shop();
    await use(5);
    await use(7, { timestamp: minute - 60 });
    const sum = async (start_time: number, end_time: number) => {
      const params = { customer, start_time, end_time };
      const { data } = await stripe.billing.meters.listEventSummaries(meter.id, params);
      return data.map(({ aggregated_value: value }) => value);
    };
    expect(await sum(minute - 60, minute + 60)).toEqual([0]);
    await double.clock.advance({ minutes: 1 });
    expect(await sum(minute - 60, minute + 60)).toEqual([12]);
    expect(await sum(minute - 60, minute)).toEqual([7]);
    expect(await sum(minute, minute + 60)).toEqual([5]);
    expect((await errorOf(sum(minute + 1, minute + 60))).param).toBe("start_time");
  });

  it("by the day are one for each, newest first", async () => {
    const { double, stripe, meter, customer, use } = await shop("count");
    await use(5);
    await later(double, 1);
    await use(5);
    await use(5);
    await later(double, 1);
    const today = Math.floor(START / DAY) * DAY;
    const { data } = await stripe.billing.meters.listEventSummaries(meter.id, {
      customer,
      start_time: today,
      end_time: today + 3 * DAY,
      value_grouping_window: "day",
    });
    expect(data.map(({ aggregated_value: value }) => value)).toEqual([0, 2, 1]);
  });

  it("are the same after the single events were let go", async () => {
    const { double, stripe, meter, customer, use } = await shop("last");
    for (let day = 0; day < 100; day += 1) {
      await use(day, { identifier: `a${day}` });
      await use(day + 1000, { identifier: `b${day}`, timestamp: START + day * DAY - 120 });
      await later(double, 1);
    }
    const value = async (start_time: number, end_time: number) => {
      const params = { customer, start_time, end_time };
      const { data } = await stripe.billing.meters.listEventSummaries(meter.id, params);
      return data[0]?.aggregated_value;
    };
    expect(await value(minute, minute + 50 * DAY + 60)).toBe(50);
    expect(await value(minute, minute + 50 * DAY)).toBe(1050);
  });
});

describe("usage in arrears", () => {
  it.each([
    ["sum", 9],
    ["count", 3],
    ["last", 2],
  ] as const)("is billed when the period is over: %s", async (formula, quantity) => {
    const { double, price, subscribe, use, last, customer } = await shop(formula);
    const subscription = await subscribe((await price(100)).id);
    // docs: billing-mode/compare, "If the resulting invoice wouldn't contain any items, we don't
    // generate one."
    expect(subscription).toMatchObject({ status: "active", latest_invoice: null });
    await use(4);
    await use(3);
    await later(double, 20);
    await use(2);
    await later(double, 12);
    const invoice = await last();
    expect(invoice).toMatchObject({ customer, status: "paid", total: quantity * 100 });
    expect(invoice.lines.data).toEqual([
      expect.objectContaining({
        description: `${quantity} × API (at $1.00 / month)`,
        quantity,
        period: { start: START, end: START + 31 * DAY },
      }),
    ]);
  });

  it("belongs to the period in which it was used, until the invoice is finalized", async () => {
    const { double, price, subscribe, use, totals } = await shop();
    await subscribe((await price(100)).id);
    await later(double, 31);
    // docs: configure-grace-period, "During finalization, Stripe updates the invoice"
    await use(6, { timestamp: START + 30 * DAY });
    await use(1);
    expect(await totals()).toEqual([0]);
    await double.clock.advance({ hours: 1 });
    expect(await totals()).toEqual([600]);
    // Too late for the first invoice, and not of the second period.
    await use(50, { timestamp: START + 30 * DAY });
    await later(double, 28);
    expect(await totals()).toEqual([600, 100]);
  });

  it("less than nothing costs nothing", async () => {
    const { double, price, subscribe, use, totals } = await shop();
    await subscribe((await price(100)).id);
    await use(3);
    await use(-5);
    await later(double, 32);
    expect(await totals()).toEqual([0]);
  });

  it("of graduated tiers has a line for each, beside what is paid beforehand", async () => {
    const { double, stripe, product, price, subscribe, use, last } = await shop();
    const tiers = [
      { up_to: 100, unit_amount: 0, flat_amount: 900 },
      { up_to: "inf" as const, unit_amount_decimal: "3.6" as never },
    ];
    const { id: metered } = await price(0, {
      unit_amount: undefined as never,
      billing_scheme: "tiered",
      tiers_mode: "graduated",
      tiers,
    });
    const { id: base } = await stripe.prices.create({
      product,
      currency: "usd",
      unit_amount: 2000,
      recurring: { interval: "month" },
    });
    const subscription = await subscribe(metered, { items: [{ price: base }, { price: metered }] });
    expect((await last()).lines.data.map(({ amount }) => amount)).toEqual([2000]);
    await use(131);
    await double.clock.advance({ minutes: 1 });
    const preview = await stripe.invoices.createPreview({ subscription: subscription.id });
    await later(double, 32);
    const invoice = await last();
    expect(invoice.lines.data.map(({ amount, quantity }) => [quantity, amount])).toEqual([
      [100, 0],
      [0, 900],
      [31, 112],
      [1, 2000],
    ]);
    expect(preview.total).toBe(invoice.total);
    expect(preview.lines.data.map(({ amount }) => amount)).toEqual([0, 900, 112, 2000]);
  });

  it("is free during a trial", async () => {
    const { double, price, subscribe, use, totals, last } = await shop();
    await subscribe((await price(100)).id, { trial_period_days: 7 });
    await use(5);
    await later(double, 8);
    expect((await last()).lines.data[0]?.description).toBe("5 × API (Free trial)");
    await use(2);
    await later(double, 31);
    expect(await totals()).toEqual([0, 200]);
  });

  // docs: usage-based/meters/configure: of events aggregated beforehand the last one of each hour
  // or day counts.
  it("that was added up beforehand is replaced within its window", async () => {
    const { double, stripe, product, customer, subscribe, totals } = await shop();
    const meter = await stripe.billing.meters.create({
      display_name: "Daily",
      event_name: "daily",
      event_time_window: "day",
      default_aggregation: { formula: "sum" },
    });
    const { id: price } = await stripe.prices.create({
      product,
      currency: "usd",
      unit_amount: 100,
      recurring: { interval: "month", usage_type: "metered", meter: meter.id },
    });
    await subscribe(price);
    for (const value of ["10", "12", "7"]) {
      const payload = { stripe_customer_id: customer, value };
      await stripe.billing.meterEvents.create({ event_name: "daily", payload });
      await double.clock.advance({ hours: value === "12" ? 24 : 1 });
    }
    await later(double, 31);
    expect(await totals()).toEqual([1900]);
  });
});

describe("a metered price that is given up", () => {
  async function switched(type: Mode, more: Partial<Stripe.SubscriptionUpdateParams> = {}) {
    const it = await shop();
    const [cheap, dear] = [await it.price(100), await it.price(150)];
    const subscription = await it.subscribe(cheap.id, { billing_mode: { type } });
    const [item] = subscription.items.data;
    await it.use(10);
    await later(it.double, 15);
    await it.stripe.subscriptions.update(subscription.id, {
      items: [{ id: item?.id ?? "", price: dear.id }],
      ...more,
    });
    await it.double.clock.advance({ seconds: 1 });
    await it.use(4);
    await later(it.double, 17);
    return it.totals();
  }

  // docs: billing-mode/compare, "Bill usage-based items based on price at time of reporting"
  it("is billed for what was used, in flexible mode", async () => {
    expect(await switched("flexible")).toEqual([10 * 100 + 4 * 150]);
  });
  // docs: manage-billing-setup, "set proration_behavior to none"
  it("is not billed without prorations", async () => {
    expect(await switched("flexible", { proration_behavior: "none" })).toEqual([4 * 150]);
  });
  it("is billed at once if all is", async () => {
    const behavior = { proration_behavior: "always_invoice" as const };
    expect(await switched("flexible", behavior)).toEqual([10 * 100, 4 * 150]);
  });
  // docs: billing-mode/compare: only what was used since the change; a zero line at the start
  it("is not billed in classic mode", async () => {
    expect(await switched("classic")).toEqual([0, 4 * 150]);
  });
  // docs: manage-billing-setup, "Reset the billing_cycle_anchor parameter to now"
  it("is billed in classic mode when the period begins anew", async () => {
    expect(await switched("classic", { billing_cycle_anchor: { type: "now" } })).toEqual([0, 1000]);
  });
});

describe("a subscription that ends", () => {
  // docs: manage-billing-setup, "the final invoice at the end of the period includes metered usage"
  it("with its period bills what was used", async () => {
    const { double, stripe, price, subscribe, use, last } = await shop();
    const { id } = await subscribe((await price(100)).id, { cancel_at_period_end: true });
    await use(8);
    await later(double, 32);
    expect((await stripe.subscriptions.retrieve(id)).status).toBe("canceled");
    expect(await last()).toMatchObject({ status: "paid", total: 800 });
  });

  // API reference: subscriptions/cancel#invoice_now
  it("with an invoice now bills what was used until then", async () => {
    const { stripe, price, subscribe, use, last } = await shop();
    const { id } = await subscribe((await price(100)).id);
    await use(8);
    await stripe.subscriptions.cancel(id, { invoice_now: true });
    expect(await last()).toMatchObject({ status: "paid", total: 800 });
  });

  // docs: billing/subscriptions/cancel, "Otherwise, all metered usage is discarded"
  it("at once bills nothing more", async () => {
    const { double, stripe, price, subscribe, use, totals } = await shop();
    const { id } = await subscribe((await price(100)).id);
    await use(8);
    await stripe.subscriptions.cancel(id);
    await later(double, 40);
    expect(await totals()).toEqual([]);
  });
});

describe("the stream of meter events", () => {
  const stream = (stripe: Stripe, events: Stripe.V2.Billing.MeterEventCreateParams[]) =>
    stripe.v2.billing.meterEventStream.create({ events });

  // API reference: v2/billing/meter-event-stream/create
  it("takes events with the token of a session, and checks them afterwards", async () => {
    const { double, stripe, meter, customer, price, subscribe, totals } = await shop();
    await subscribe((await price(100)).id);
    const session = await stripe.v2.billing.meterEventSession.create();
    expect(session).toMatchObject({
      object: "v2.billing.meter_event_session",
      expires_at: "2026-01-15T10:15:00.000Z",
    });
    const fast = client(double, session.authentication_token);
    const event = (payload: { [key: string]: string }, event_name = EVENT) => ({
      event_name,
      identifier: JSON.stringify([event_name, payload]),
      payload,
    });
    const good = event({ stripe_customer_id: customer, value: "3" });
    await stream(fast, [good, good, event({ value: "3" }), event({}, "unknown")]);
    await double.clock.advance({ minutes: 1 });
    const { data } = await stripe.v2.core.events.list({ object_id: meter.id });
    expect(data.map(({ type }) => type)).toEqual(["v1.billing.meter.error_report_triggered"]);
    const all = await stripe.v2.core.events.list({ limit: 5 } as never);
    expect(all.data.map(({ type }) => type).sort()).toEqual([
      "v1.billing.meter.error_report_triggered",
      "v1.billing.meter.no_meter_found",
    ]);
    await later(double, 32);
    expect(await totals()).toEqual([300]);
  });

  it("takes no other key, and no token after 15 minutes or for anything else", async () => {
    const { double, stripe } = await shop();
    const session = await stripe.v2.billing.meterEventSession.create();
    const fast = client(double, session.authentication_token);
    expect((await errorOf(fast.customers.list())).statusCode).toBe(403);
    await double.clock.advance({ minutes: 15 });
    expect((await errorOf(stream(fast, []))).type).toBe("TemporarySessionExpiredError");
  });
});
