// Seats follow the members on Convex: told of inside a mutation of the application, counted by its query.
import { makeFunctionReference } from "convex/server";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { defineCatalogue } from "../../../src/catalogue/index.js";
import type { Operation } from "../../../src/convex/calls/operations.js";
import type { ConvexConfig } from "../../../src/convex/index.js";
import { createLocal } from "../../../src/convex/local.js";
import { type App, type AppOptions, openApp, thrown } from "./kit.js";

const entityId = "org_1";
const seats = makeFunctionReference<"query", { entityId: string }, number>(
  "app:seats",
) as unknown as NonNullable<ConvexConfig["seats"]>; // the application's `internal.app.seats`
const { seatsChanged } = createLocal({ catalogue: defineCatalogue({}) });

// Only the time of day: what waits goes on waiting, and workers are called by hand.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
});
afterEach(() => {
  vi.useRealTimers();
});

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

const open = (options: AppOptions = {}) => openApp({ ...options, config: { seats } });

/** An organisation that has bought a plan per seat; the tables know of it. */
const subscribed = async (options?: AppOptions) => subscribe(await open(options));

async function subscribe(app: App) {
  const { id: price } = await ask<{ id: string }>(app, "/v1/prices", {
    currency: "usd",
    unit_amount: "1000",
    "recurring[interval]": "month",
    "product_data[name]": "Team",
    "metadata[billing_per_seat]": "true",
  });
  const { customerId } = await app.call<{ customerId: string }>("billing:setup", { entityId });
  const attached = `/v1/payment_methods/pm_card_visa/attach`;
  const { id: card } = await ask<{ id: string }>(app, attached, { customer: customerId });
  await ask(app, `/v1/customers/${customerId}`, {
    "invoice_settings[default_payment_method]": card,
  });
  const { id } = await ask<{ id: string }>(app, "/v1/subscriptions", {
    customer: customerId,
    "items[0][price]": price,
    "items[0][quantity]": "1",
  });
  await app.within((ctx) => app.deployment.B.billing.refresh(ctx, { entityId }));
  return { app, id, price };
}

/** A mutation of the application: people join, and the library is told of it. */
const join = ({ deployment }: App, names: readonly string[], fails = false): Promise<unknown> =>
  deployment.backend.mutation(async (ctx) => {
    for (const name of names) {
      await ctx.db.insert("users", { userId: `${entityId}/${name}` });
      await seatsChanged(ctx, { entityId });
    }
    if (fails) throw new Error("No");
  });

const work = async (app: App, seconds: number): Promise<void> => {
  vi.setSystemTime(Date.now() + seconds * 1000);
  await app.call("billing:sync", { step: "work" });
};

const requested = ({ deployment }: App) =>
  deployment.backend.run(async ({ db }) =>
    (await db.query("backend_billing_records").collect()).flatMap(({ kind, recordId }) =>
      kind === "seats" ? [recordId] : [],
    ),
  );

const quantityAt = async (app: App, id: string) =>
  (await ask<{ items: { data: { quantity: number }[] } }>(app, `/v1/subscriptions/${id}`)).items
    .data[0]?.quantity;

describe("seats", () => {
  it("that change in a mutation are one update ten seconds later", async () => {
    const { app, id } = await subscribed();
    await work(app, 10);
    expect(await requested(app)).toEqual([]);
    app.double.requests.clear();
    await join(app, ["a", "b", "c"]);
    await join(app, ["d"]);
    expect(await requested(app)).toEqual([`entity ${entityId}`]);
    const jobs = await app.deployment.backend.run(({ db }) =>
      db.system.query("_scheduled_functions").collect(),
    );
    const waiting = jobs.filter(
      ({ state, scheduledTime }) =>
        state.kind === "pending" && scheduledTime === Date.now() + 10_000,
    );
    expect(waiting).toMatchObject([{ name: "billing:sync", args: [{ step: "work" }] }]);
    await work(app, 9);
    expect(await quantityAt(app, id)).toBe(1);
    await work(app, 1);
    expect(await quantityAt(app, id)).toBe(4);
    expect(app.double.requests.count("POST /v1/subscriptions/:subscription")).toBe(1);
    expect(await requested(app)).toEqual([]);
    const { page } = await app.deployment.backend.run(async ({ db }) => ({
      page: await db.query("backend_billing_subscriptions").collect(),
    }));
    expect(page).toMatchObject([{ stripe: { items: { data: [{ quantity: 4 }] } } }]);
  });

  it("of a mutation that fails were never told of", async () => {
    const { app } = await subscribed();
    await work(app, 10);
    await thrown(join(app, ["a", "b"], true));
    expect(await requested(app)).toEqual([]);
  });

  it("of many entities at once are all looked at by one worker", async () => {
    const app = await open();
    await app.deployment.backend.mutation(async (ctx) => {
      for (let i = 0; i < 45; i++) await seatsChanged(ctx, { entityId: `org_${i}` });
    });
    expect(await requested(app)).toHaveLength(45);
    await work(app, 10);
    expect(await requested(app)).toEqual([]); // none of them has a subscription
  });

  it("are counted when a subscription begins, and sold as they are", async () => {
    const app = await open();
    await join(app, ["a", "b"]);
    await work(app, 10);
    expect(await requested(app)).toEqual([]);
    const began = await subscribe(app);
    expect(await requested(app)).toEqual([`subscription ${began.id}`]);
    await work(app, 10);
    expect(await quantityAt(app, began.id)).toBe(2);
    const urls = { successUrl: "https://app.example/a", cancelUrl: "https://app.example/b" };
    await app.within((ctx) =>
      app.deployment.B.billing.checkout(ctx, {
        entityId,
        priceId: began.price,
        ifSubscribed: "allow",
        ...urls,
      }),
    );
    const session = app.double.objects("checkout.session").at(-1)?.id;
    const lines = await ask<{ data: { quantity: number }[] }>(
      app,
      `/v1/checkout/sessions/${session}/line_items`,
    );
    expect(lines.data).toMatchObject([{ quantity: 2 }]);
  });

  it.each([0, 1, 2, 3, 4, 5])(
    "are sent by another worker where one dies %i calls after it has taken them up",
    async (calls) => {
      let left = Number.POSITIVE_INFINITY;
      let isMortal = false;
      const onStore = (operation: Operation) => {
        if (left-- <= 0) throw new Error("The worker is dead");
        const isTaken = operation.type === "takeRecords" && operation.kind === "seats";
        if (isMortal && isTaken) left = calls;
      };
      const { app, id } = await subscribed({ onStore });
      await work(app, 10);
      await join(app, ["a", "b"]);
      isMortal = true;
      const end = await work(app, 10).then(
        () => "done",
        () => "dead",
      );
      expect(end).toBe("dead");
      [isMortal, left] = [false, Number.POSITIVE_INFINITY];
      await join(app, ["c"]);
      for (let minute = 0; minute < 5; minute++) await work(app, 60);
      expect(await quantityAt(app, id)).toBe(3);
      expect(await requested(app)).toEqual([]);
    },
  );

  it("are told of by an action too, in both variants", async () => {
    const { app, id } = await subscribed();
    await work(app, 10);
    const { A, B } = app.deployment;
    for (const client of [A.stripe, B.billing]) {
      await app.deployment.backend.run(({ db }) =>
        db.insert("users", { userId: `${entityId}/${Math.random()}` }),
      );
      await app.within((ctx) => client.seatsChanged(ctx, { entityId }));
      await work(app, 20);
    }
    expect(await quantityAt(app, id)).toBe(2);
  });
});
