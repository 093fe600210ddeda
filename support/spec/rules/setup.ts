/** Section 4.2: `setup`. */
import { expect } from "vitest";
import type { Checks } from "../harness.js";
import { existing, later, onlyRow, refusal } from "../kit.js";

export const setup: Checks<"4.2#setup-"> = {
  "4.2#setup-creates": async (open) => {
    const app = await open();
    const { customerId } = await app.b.setup({ entityId: "user_1" });
    expect(app.double.requests.count("POST /v1/customers")).toBe(1);
    expect([...(await existing(app, "customers")).keys()]).toEqual([customerId]);
    // The answer is stored by the time `setup` returns, before any webhook.
    expect(await onlyRow(app, "customers")).toMatchObject({ entityId: "user_1", customerId });
  },

  "4.2#setup-updates": async (open) => {
    const app = await open();
    const { customerId } = await app.b.setup({ entityId: "user_1", metadata: { plan: "gold" } });
    await app.settle();
    await later(app);
    await app.b.setup({
      entityId: "user_1",
      email: "ada@example.com",
      metadata: { plan: "silver", source: "import" },
    });
    await app.settle();
    const wanted = {
      email: "ada@example.com",
      metadata: { entityId: "user_1", plan: "silver", source: "import" },
    };
    expect(await app.stripe.customers.retrieve(customerId)).toMatchObject(wanted);
    expect((await onlyRow(app, "customers")).stripe).toMatchObject(wanted);
    await later(app);
    expect(await app.a.setup({ entityId: "user_1", email: "lovelace@example.com" })).toEqual({
      customerId,
    });
    // The answer is stored by the time `setup` returns, before any webhook.
    expect((await onlyRow(app, "customers")).stripe).toMatchObject({
      ...wanted,
      email: "lovelace@example.com",
    });
  },

  "4.2#setup-keeps": async (open) => {
    const app = await open();
    const given = { entityId: "user_1", email: "ada@example.com", metadata: { plan: "gold" } };
    const { customerId } = await app.b.setup(given);
    await app.settle();
    await later(app);
    await app.stripe.customers.update(customerId, { email: "by-hand@example.com" });
    await app.settle();
    await later(app);
    const other = { email: "grace@example.com", metadata: { plan: "silver" } };
    await app.b.setup({ entityId: "user_1", ...other });
    expect(await app.stripe.customers.retrieve(customerId)).toMatchObject({
      email: "by-hand@example.com",
      metadata: { plan: "silver" },
    });
  },

  "4.2#setup-existing": async (open) => {
    const app = await open();
    const first = await app.a.setup({ entityId: "user_1", email: "ada@example.com" });
    const created = app.double.requests.count("POST /v1/customers");
    expect(await app.a.setup({ entityId: "user_1", email: "ada@example.com" })).toEqual(first);
    expect(await app.b.setup({ entityId: "user_1" })).toEqual(first);
    expect(app.double.requests.count("POST /v1/customers")).toBe(created);
  },

  "4.2#setup-entityId": async (open) => {
    const app = await open();
    for (const run of [app.a, app.b]) {
      for (const entityId of [undefined, "", 7, null]) {
        const call = run.setup({ entityId } as never);
        expect((await refusal(call)).code, String(entityId)).toBe("invalid_argument");
      }
    }
    expect(await existing(app, "customers")).toEqual(new Map());
  },

  "4.2#setup-email": async (open) => {
    const app = await open();
    const { customerId } = await app.b.setup({ entityId: "user_1", email: "ada@example.com" });
    const customer = await app.stripe.customers.retrieve(customerId);
    expect(customer).toMatchObject({ email: "ada@example.com" });
  },

  "4.2#setup-email-optional": async (open) => {
    const app = await open();
    const { customerId } = await app.b.setup({ entityId: "user_1" });
    expect(await app.stripe.customers.retrieve(customerId)).toMatchObject({ email: null });
  },

  "4.2#setup-metadata": async (open) => {
    const app = await open();
    const one = await app.b.setup({ entityId: "user_1", metadata: { plan: "gold" } });
    const other = await app.b.setup({ entityId: "user_2" });
    expect((await existing(app, "customers")).get(one.customerId)?.metadata).toEqual({
      plan: "gold",
      entityId: "user_1",
    });
    expect((await existing(app, "customers")).get(other.customerId)?.metadata).toEqual({
      entityId: "user_2",
    });
  },

  "4.2#setup-metadata-reserved": async (open) => {
    const app = await open();
    for (const run of [app.a, app.b]) {
      const call = run.setup({ entityId: "user_1", metadata: { entityId: "user_1" } });
      expect((await refusal(call)).code).toBe("reserved_metadata_key");
    }
    expect(await existing(app, "customers")).toEqual(new Map());
  },

  "4.2#setup-returns": async (open) => {
    const app = await open();
    for (const [run, entityId] of [
      [app.a, "user_1"],
      [app.b, "user_2"],
    ] as const) {
      const { customerId } = await run.setup({ entityId });
      expect((await app.stripe.customers.retrieve(customerId)).id).toBe(customerId);
    }
  },
};
