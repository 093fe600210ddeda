/**
 * Section 6. Each event really happens at Stripe, and it alone is delivered, so that no other can
 * do its work.
 */
import { expect } from "vitest";
import {
  defaultResources,
  enabledEvents,
} from "../../../../packages/backend-billing/src/core/catalogue/catalogue.js";
import type { SpecEvent } from "../../event-rules.js";
import { eventGroups, specEvents, tableOf } from "../../event-rules.js";
import type { Check, Checks, SpecApp } from "../../harness.js";
import { expectMirror, mirrored, populate, retrieved } from "../../kit.js";
import { type Farewell, farewells, type Scene, scenes } from "./event-scenes.js";

/** What is mirrored beyond the specification; its events are enabled too. */
const BESIDES = defaultResources.filter((name) => !eventGroups.some(({ table }) => table === name));

/** Delivers what is held of this type, over HTTP, and nothing else. */
async function deliverOnly(app: SpecApp, type: SpecEvent): Promise<void> {
  const wanted = app.double.deliveries.held().filter((delivery) => delivery.type === type);
  expect(wanted.length, `deliveries of ${type}`).toBeGreaterThan(0);
  await app.double.deliveries.release(wanted.map(({ id }) => id));
  for (const { attempts, url } of wanted) {
    expect(url).toBe(`${app.baseUrl}/stripe/webhook`);
    expect(attempts).toMatchObject([{ status: 200 }]);
  }
  await app.settle();
}

/** The row is not there before the event; after it, it is what Stripe answers. */
const brings =
  (event: SpecEvent, scene: Scene): Check =>
  async (open) => {
    const app = await open({ delivery: "held" });
    const table = tableOf(event);
    const id = await scene(app);
    expect((await mirrored(app, table)).has(id)).toBe(false);
    await deliverOnly(app, event);
    expect((await mirrored(app, table)).get(id)).toEqual(await retrieved(app, table, id));
  };

/** The row is there before the event, and gone after it. */
const removes =
  (event: SpecEvent, { arrange, act }: Farewell): Check =>
  async (open) => {
    const app = await open({ delivery: "held" });
    const table = tableOf(event);
    const id = await arrange(app);
    await app.b.sync();
    expect((await mirrored(app, table)).has(id)).toBe(true);
    await act(app, id);
    await deliverOnly(app, event);
    expect((await mirrored(app, table)).has(id)).toBe(false);
    if (event === "customer.deleted") expect(await app.rows("subscriptions")).toEqual([]);
  };

type Listed = Pick<Checks<"6#">, `6#${SpecEvent}`>;

const listed = Object.fromEntries([
  ...Object.entries(scenes).map(([event, scene]) => [
    `6#${event}`,
    brings(event as SpecEvent, scene),
  ]),
  ...Object.entries(farewells).map(([event, farewell]) => [
    `6#${event}`,
    removes(event as SpecEvent, farewell),
  ]),
]) as Listed;

/** Every listed event has a scene of one kind or the other. */
({ ...scenes, ...farewells }) satisfies { readonly [event in SpecEvent]: Scene | Farewell };

export const events: Checks<"6#"> = {
  ...listed,

  "6#emits-none": async (open) => {
    const app = await open({ delivery: "held" });
    await populate(app);
    const count = async () => (await app.stripe.events.list({ limit: 100 })).data.length;
    const before = await count();
    const written = () =>
      app.double.requests.recent().filter(({ method }) => method !== "GET").length;
    const writes = written();
    const held = app.double.deliveries.held().map(({ id }) => id);
    expect(held.length).toBeGreaterThan(10);
    await app.double.deliveries.release(held);
    await app.settle();
    for (const resource of ["products", "subscriptions", "refunds"] as const) {
      await expectMirror(app, resource);
    }
    expect(await count()).toBe(before);
    expect(written()).toBe(writes);
  },

  "6#consumes": async (open) => {
    const app = await open();
    await populate(app);
    await app.settle();
    const deliveries = app.double.deliveries.all();
    expect(deliveries.length).toBeGreaterThan(10);
    for (const { url, state, attempts } of deliveries) {
      expect(url).toBe(`${app.baseUrl}/stripe/webhook`);
      expect(state).toBe("delivered");
      expect(attempts).toMatchObject([{ status: 200 }]);
    }
    await expectMirror(app, "customers");
  },

  "6#enabled": async (open) => {
    const app = await open();
    const [endpoint] = (await app.stripe.webhookEndpoints.list()).data;
    // The one that the list forgets is enabled too: without it an edited customer would stay old.
    expect([...(endpoint?.enabled_events ?? [])].sort()).toEqual(
      [...new Set([...specEvents, "customer.updated", ...enabledEvents(BESIDES)])].sort(),
    );
  },

  "6#variant-a": async (open) => {
    const app = await open({ variant: "A" });
    const [endpoint] = (await app.stripe.webhookEndpoints.list()).data;
    expect(endpoint?.enabled_events).toEqual(expect.arrayContaining([...specEvents]));
    await populate(app);
    await app.settle();
    for (const resource of ["customers", "subscriptions", "promotion_codes", "payouts"] as const) {
      await expectMirror(app, resource);
    }
  },
};
