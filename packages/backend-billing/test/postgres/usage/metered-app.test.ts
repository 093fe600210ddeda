// An application that bills usage: what is taken is sent soon, by its own background, and what Stripe
// could not count is known from thin events.
import { describe, expect, it } from "vitest";
import { recorded } from "../../../../../support/telemetry.js";
import { defineCatalogue, usd } from "../../../src/catalogue/index.js";
import { refreshDue } from "../../../src/core/events/refresh.js";
import { records } from "../../../src/core/runtime/records/records.js";
import { applications, eventually } from "../service/kit.js";

const SEND = "POST /v1/billing/meter_events";
const open = applications();

const catalogue = defineCatalogue({
  app: "acme",
  features: { calls: { meter: "api_calls" } },
  plans: {
    team: {
      name: "Team",
      prices: { monthly: usd("50").monthly() },
      features: { calls: { included: 2, overage: usd("0.01") } },
    },
  },
});

async function openMetered() {
  const told = recorded();
  const app = await open({ config: { catalogue, telemetry: told.telemetry } });
  const meter = await app.stripe.billing.meters.create({
    display_name: "Calls",
    event_name: "api_calls",
    default_aggregation: { formula: "sum" },
  });
  return { app, meter, told };
}

describe("an application that bills usage", () => {
  it("has it sent soon after it was taken", async () => {
    const { app, told } = await openMetered();
    const { customerId } = await app.b.setup({ entityId: "org_1" });
    await app.stripe.products.create({ id: "acme_team", name: "Team" });
    const price = await app.stripe.prices.create({
      product: "acme_team",
      currency: "usd",
      unit_amount: 0,
      recurring: { interval: "month" },
    });
    await app.stripe.subscriptions.create({ customer: customerId, items: [{ price: price.id }] });
    await eventually(
      () => app.b.store.held("org_1"),
      (held) => held.length === 1,
    );
    const consume = (key: string) =>
      app.b.store.consume({ entityId: "org_1", feature: "calls", key });
    expect(await consume("a")).toMatchObject({ allowed: true, balance: 1 });
    expect(await consume("b")).toMatchObject({ allowed: true, balance: 0 });
    expect(await consume("c")).toMatchObject({ allowed: true, balance: 0 });
    await eventually(
      () => app.double.requests.count(SEND),
      (count) => count > 0,
    );
    await eventually(
      () => app.b.store.records("batch", "", 10),
      (left) => left.length === 0,
    );
    expect(app.double.requests.count(SEND)).toBe(1);
    const sent = { feature: "calls", outcome: "sent" };
    expect(await told.points("usage.units")).toMatchObject([
      { value: 1, sum: 1, attributes: sent },
    ]);
  });

  it("compares it when all is verified, and puts what is old into sums when it ticks", async () => {
    const { app } = await openMetered();
    const table = `"${app.schema}".backend_billing_usage`;
    await app.pool.query(
      `INSERT INTO ${table}_records VALUES ('org_1', 'calls', 'old', 3, 0, false, 0, NULL)`,
    );
    const { usage } = await app.b.billing.verify();
    expect(usage).toMatchObject({ state: "done", rows: 0, differing: 0 });
    await app.b.billing.tick();
    expect((await app.pool.query(`SELECT key FROM ${table}_records`)).rows).toEqual([]);
    const { rows } = await app.pool.query(`SELECT entity_id, amount::float8 FROM ${table}_days`);
    expect(rows).toEqual([{ entity_id: "org_1", amount: 3 }]);
  });

  it("knows what Stripe could not count, once for each report", async () => {
    const { app, meter, told } = await openMetered();
    const type = "v1.billing.meter.error_report_triggered";
    await app.stripe.webhookEndpoints.update(app.endpoint, {
      enabled_events: ["*", type as "*"],
    });
    for (const identifier of ["b1", "b2"]) {
      await app.stripe.billing.meterEvents.create({
        event_name: "api_calls",
        identifier,
        payload: { stripe_customer_id: "cus_gone", value: "1" },
      });
    }
    app.double.faults.add({ fault: "doubled" });
    await app.double.clock.advance({ seconds: 20 });
    await app.double.settle();
    const known = await eventually(
      async () => {
        await refreshDue(app.core);
        return (await records.meterErrors.read(app.core)).data;
      },
      (data) => data !== undefined,
    );
    expect(known).toMatchObject({
      count: 2,
      reports: [
        {
          meterId: meter.id,
          errors: [{ code: "meter_event_customer_not_found", count: 2, batches: ["b1", "b2"] }],
        },
      ],
    });
    const code = "meter_event_customer_not_found";
    expect(await told.points("meter.errors")).toMatchObject([{ value: 2, attributes: { code } }]);
    expect(app.log).toContain(`Stripe could not count usage that it had taken: ${meter.id}`);
  });
});
