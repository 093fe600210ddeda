// A machine whose clock is a day ahead works for a while and dies. What it left must not wait a day.
import { expect, it } from "vitest";
import { setup } from "../../../src/core/customers/setup.js";
import { receiveEvent } from "../../../src/core/events/receive.js";
import { readEvent } from "../../../src/core/mirror/snapshot.js";
import { createRuntime, type Runtime } from "../../../src/core/runtime/runtime.js";
import { type App, applications, eventually } from "./kit.js";
import { event, send } from "./webhook-kit.js";

const open = applications();
const DAY = 86_400_000;

/** A machine whose clock is a day ahead, and which does nothing in the background any more. */
const ahead = (app: App): Runtime =>
  createRuntime(app.config, {
    store: app.b.store,
    baseUrl: () => app.url,
    wake: () => {},
    now: () => Date.now() + DAY,
  });

it("a question that it left is asked when the object is next doubted", async () => {
  const app = await open();
  const { id } = await app.stripe.customers.create({ name: "At Stripe" });
  await app.double.settle();
  /** Of another API version: it tells that something changed, and Stripe must be asked what. */
  const doubt = (eventId: string) => ({
    id: eventId,
    type: "customer.updated",
    created: Math.floor(Date.now() / 1000) + 5,
    api_version: "2011-01-01",
    data: { object: { id, object: "customer", metadata: {} } },
  });
  const read = readEvent(event(doubt("evt_ahead")));
  if (read === undefined) throw new Error("It is no event");
  await receiveEvent(ahead(app), read);
  const [left] = await app.sql<{ hours: number }>(
    `SELECT (ask_at - extract(epoch FROM now()) * 1000)::float / 3600000 AS hours
     FROM ${app.schema}.backend_billing_versions WHERE id = '${id}'`,
  );
  expect(left?.hours).toBeGreaterThan(23);
  expect(await send(app, doubt("evt_right"))).toMatchObject({ status: 200 });
  const version = await eventually(
    () => app.b.store.version("customers", id),
    (known) => known?.stale === false,
  );
  expect(version?.state).toBe("live");
  expect((await app.b.store.row("customers", id))?.stripe.name).toBe("At Stripe");
});

it("a claim that it held is finished by the next caller at once", async () => {
  const app = await open({ stripe: {} });
  app.double.faults.add({ fault: "latency", milliseconds: 20_000, on: "POST /v1/customers" });
  app.double.faults.add({ fault: "latency", milliseconds: 20_000, on: "GET /v1/customers/search" });
  const lost = setup(ahead(app), { entityId: "user_1" }).catch(() => "lost");
  const held = await eventually(
    () => app.claim("user_1"),
    (claim) => (claim?.leasedUntil ?? 0) > 0,
  );
  expect(held?.leasedUntil).toBeGreaterThan(Date.now() + DAY - 60_000);
  app.double.faults.clear();
  const { customerId } = await app.b.setup({ entityId: "user_1" });
  expect(customerId).toMatch(/^cus_/);
  await app.double.close(); // ends the request that hangs
  await lost;
});
