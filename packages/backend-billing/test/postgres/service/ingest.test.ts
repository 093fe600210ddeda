// `ingest`: an event that a queue or an event bus brought goes the way of a webhook, without its signature.
import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { type App, applications, NOW } from "./kit.js";
import { event, receipts } from "./webhook-kit.js";

const open = applications();
/** No webhook reaches the application: what is stored came by `ingest`. */
const still = () => open({ endpoint: false, stripe: { now: NOW } });

const lastEvent = async ({ stripe }: App): Promise<Stripe.Event> => {
  const [newest] = (await stripe.events.list({ limit: 1 })).data;
  if (newest === undefined) throw new Error("Stripe has no event");
  return newest;
};
const made = (changes: object = {}) => event(changes) as unknown as Stripe.Event;

describe("ingest", () => {
  it.each(["A", "B"] as const)(
    "stores before it returns, and once, in variant %s",
    async (variant) => {
      const app = await still();
      const { ingest } = variant === "A" ? app.a.stripe : app.b.billing;
      const { id } = await app.stripe.customers.create({ metadata: { entityId: "user_1" } });
      const created = await lastEvent(app);
      expect(await ingest(created)).toBeUndefined();
      expect(await app.b.store.customerOf("user_1")).toMatchObject({ customerId: id });
      await Promise.all([ingest(created), ingest(created)]);
      expect(await receipts(app)).toEqual([
        { event_id: created.id, type: "customer.created", object_id: id },
      ]);
    },
  );

  it("takes what is older than what is known as such", async () => {
    const app = await still();
    const { id } = await app.stripe.products.create({ name: "Engine" });
    const first = await lastEvent(app);
    await app.double.clock.advance({ minutes: 5 });
    await app.stripe.products.update(id, { name: "Locomotive" });
    await app.b.billing.ingest(await lastEvent(app));
    await app.b.billing.ingest(first);
    expect((await app.b.store.row("products", id))?.stripe.name).toBe("Locomotive");
    expect(await receipts(app)).toHaveLength(2);
  });

  it("refuses what is no event, with what to do", async () => {
    const app = await still();
    const { ingest } = app.b.billing;
    const circle: { self?: unknown } = {};
    circle.self = circle;
    const envelope = { "detail-type": "customer.created", detail: event() };
    const wrong = [undefined, null, 1, JSON.stringify(event()), {}, [], circle, envelope];
    const halves = [made({ data: {} }), made({ object: "customer" }), made({ created: "now" })];
    for (const each of [...wrong, ...halves]) {
      const refused = ingest(each as Stripe.Event);
      await expect(refused).rejects.toMatchObject({ code: "invalid_argument" });
      await expect(refused).rejects.toThrow("`detail`");
    }
    expect(await receipts(app)).toEqual([]);
  });

  it("refuses an event of the other mode, and ignores one of another account", async () => {
    const app = await still();
    const live = app.b.billing.ingest(made({ livemode: true }));
    await expect(live).rejects.toMatchObject({ code: "livemode_mismatch" });
    const account = app.double.connectAccount();
    await app.b.billing.ingest(made({ account, livemode: true }));
    expect(await receipts(app)).toEqual([]);
  });

  it("throws where nothing could be stored, and takes the same event later", async () => {
    const app = await still();
    const table = `${app.schema}.backend_billing_receipts`;
    await app.sql(`ALTER TABLE ${table} RENAME TO away`);
    await expect(app.b.billing.ingest(made())).rejects.toThrow("backend_billing_receipts");
    await app.sql(`ALTER TABLE ${app.schema}.away RENAME TO backend_billing_receipts`);
    await app.b.billing.ingest(made());
    expect(await receipts(app)).toHaveLength(1);
    await app.b.billing.close();
    const closed = app.b.billing.ingest(made({ id: "evt_2" }));
    await expect(closed).rejects.toMatchObject({ code: "store_error" });
  });

  it("keeps what was given as it was, whatever its caller does with it then", async () => {
    const app = await still();
    await app.stripe.customers.create({ name: "Ada" });
    const given = await lastEvent(app);
    const stored = app.b.billing.ingest(given);
    (given.data.object as Stripe.Customer).name = "Eve";
    await stored;
    expect(await app.customers()).toMatchObject([{ stripe: { name: "Ada" } }]);
  });
});
