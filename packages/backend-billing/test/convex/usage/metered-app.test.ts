// An application on Convex that bills usage: what its mutations take is sent soon, by one job at a time
// that waits, whatever worker dies.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { defineCatalogue, usd } from "../../../src/catalogue/index.js";
import type { Operation } from "../../../src/convex/calls/operations.js";
import { createLocal } from "../../../src/convex/local.js";
import { type App, type AppOptions, openApp } from "../service/kit.js";

const SEND = "POST /v1/billing/meter_events";
const entityId = "org_1";
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
const { consume } = createLocal({ catalogue });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"], shouldAdvanceTime: true });
});
afterEach(() => void vi.useRealTimers());

async function ask<T>(
  { double }: App,
  path: string,
  form?: { readonly [name: string]: string },
): Promise<T> {
  const answer = await fetch(`${double.url}${path}`, {
    headers: { Authorization: `Bearer ${double.secretKey}` },
    ...(form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) }),
  });
  return (await answer.json()) as T;
}

async function subscribe(app: App, entity: string, price: string): Promise<string> {
  const { customerId } = await app.call<{ customerId: string }>("billing:setup", {
    entityId: entity,
  });
  await ask(app, "/v1/subscriptions", { customer: customerId, "items[0][price]": price });
  await app.within((ctx) => app.deployment.B.billing.refresh(ctx, { entityId: entity }));
  return customerId;
}

async function openMetered(options: AppOptions = {}) {
  const app = await openApp({ ...options, config: { catalogue, rate: false } });
  const meter = await ask<{ id: string }>(app, "/v1/billing/meters", {
    display_name: "Calls",
    event_name: "api_calls",
    "default_aggregation[formula]": "sum",
  });
  await ask(app, "/v1/products", { id: "acme_team", name: "Team" });
  const { id: price } = await ask<{ id: string }>(app, "/v1/prices", {
    product: "acme_team",
    currency: "usd",
    unit_amount: "0",
    "recurring[interval]": "month",
  });
  const customer = await subscribe(app, entityId, price);
  await rest(app);
  app.double.requests.clear();
  return { app, meter: meter.id, customer, price };
}

let keys = 0;
const take = ({ deployment }: App, amount = 1, of = entityId): Promise<unknown> =>
  deployment.backend.mutation((ctx) =>
    consume(ctx, { entityId: of, feature: "calls", key: `k${++keys}`, amount }),
  );

/** What waits to be run, as seconds from now. */
const waiting = ({ deployment }: App) =>
  deployment.backend.run(async ({ db }) => {
    const jobs = await db.system.query("_scheduled_functions").collect();
    return jobs
      .filter(({ state }) => state.kind === "pending")
      .map(({ scheduledTime }) => Math.round((scheduledTime - Date.now()) / 1000));
  });

const pass = async ({ deployment }: App, seconds: number): Promise<void> => {
  await vi.advanceTimersByTimeAsync(seconds * 1000);
  await deployment.idle();
};

/** Until nothing waits any more. */
async function rest(app: App): Promise<void> {
  for (let minute = 0; minute < 10 && (await waiting(app)).length > 0; minute++) {
    await pass(app, 60);
  }
  expect(await waiting(app)).toEqual([]);
}

const kept = ({ deployment }: App) =>
  deployment.backend.run(async ({ db }) =>
    (await db.query("backend_billing_records").collect()).filter(({ kind }) => kind === "batch"),
  );

/** What the meter has counted in the last hours. */
async function counted(app: App, meter: string, customer: string): Promise<number> {
  await app.double.clock.advance({ minutes: 5 });
  const hour = 3_600;
  const end = Math.ceil(Date.now() / 1000 / hour) * hour + hour;
  const span = `start_time=${end - 6 * hour}&end_time=${end}`;
  const { data } = await ask<{ data: { aggregated_value: number }[] }>(
    app,
    `/v1/billing/meters/${meter}/event_summaries?customer=${customer}&${span}`,
  );
  return data.reduce((sum, { aggregated_value }) => sum + aggregated_value, 0);
}

describe("an application that bills usage", () => {
  it("has it sent soon, by one job however many mutations take", async () => {
    const { app, meter, customer } = await openMetered();
    await take(app, 2);
    expect(await waiting(app)).toEqual([]); // the plan includes it
    for (let round = 0; round < 20; round++) await take(app);
    expect(await waiting(app)).toEqual([5]);
    await pass(app, 5);
    expect(app.double.requests.count(SEND)).toBe(1);
    expect(await kept(app)).toEqual([]);
    await take(app, 3);
    expect(await waiting(app)).toHaveLength(1);
    await pass(app, 60);
    expect(app.double.requests.count(SEND)).toBe(2);
    await rest(app);
    expect(app.double.requests.count(SEND)).toBe(2);
    expect(await counted(app, meter, customer)).toBe(23);
  });

  it("has nothing sent of what a mutation took that failed", async () => {
    const { app } = await openMetered();
    const failing = app.deployment.backend.mutation(async (ctx) => {
      await consume(ctx, { entityId, feature: "calls", key: "never", amount: 9 });
      throw new Error("No");
    });
    await expect(failing).rejects.toThrow("No");
    expect(await waiting(app)).toEqual([]);
  });

  it("has more places sent than one round takes", { tags: ["slow"] }, async () => {
    const { app, price } = await openMetered();
    const all = Array.from({ length: 24 }, (_, index) => `team_${index}`);
    for (const each of all) await subscribe(app, each, price);
    await rest(app);
    for (const each of all) await take(app, 5, each);
    await pass(app, 5);
    expect(app.double.requests.count(SEND)).toBe(24);
  });

  it.each(["before a batch is made", "before its result is stored"])(
    "has it sent once where a worker dies %s",
    async (when) => {
      let [isMortal, deaths] = [true, 0];
      const dies = (operation: Operation): boolean =>
        when === "before a batch is made"
          ? operation.type === "gather"
          : operation.type === "commit" &&
            (operation.batch.records ?? []).some(({ kind }) => kind === "batch");
      const onStore = (operation: Operation) => {
        if (!isMortal || !dies(operation)) return;
        deaths++;
        throw new Error("The worker is dead");
      };
      vi.spyOn(console, "error").mockImplementation(() => {}); // where each death is written
      const { app, meter, customer } = await openMetered({ onStore });
      await take(app, 7);
      await pass(app, 5);
      expect(deaths).toBeGreaterThan(0);
      isMortal = false;
      for (let minute = 0; minute < 3; minute++) await pass(app, 60);
      expect(await kept(app)).toEqual([]);
      expect(await counted(app, meter, customer)).toBe(5);
      await rest(app);
    },
  );

  it("rests though usage waits for a customer, and sends it when there is one", async () => {
    const { app, meter, price } = await openMetered();
    await app.deployment.backend.run(({ db }) =>
      db.insert("backend_billing_usage_records", {
        entityId: "org_0",
        feature: "calls",
        key: "early",
        amount: 7,
        over: 7,
        billed: true,
        at: Date.now(),
        batch: null,
      }),
    );
    await take(app, 3);
    await pass(app, 5);
    expect(app.double.requests.count(SEND)).toBe(1);
    await rest(app);
    const customer = await subscribe(app, "org_0", price);
    await rest(app);
    await app.call("billing:sync", { step: "catch-up" });
    await rest(app);
    expect(await counted(app, meter, customer)).toBe(7);
  });
});
