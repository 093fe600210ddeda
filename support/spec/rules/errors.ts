/** Section 7: what is an error, and what is none. */
import { expect } from "vitest";
import type { Check, Checks, VariantName } from "../harness.js";
import { existing, openShop, refusal } from "../kit.js";

const portalRefuses =
  (variant: VariantName): Check =>
  async (open) => {
    const app = await open({ variant });
    app.double.dashboard.savePortalSettings();
    await app.b.setup({ entityId: "user_1" });
    const args = { entityId: "user_2", returnUrl: `${app.baseUrl}/account` };
    const { code, message } = await refusal((variant === "A" ? app.a : app.b).portal(args));
    expect(code).toBe("customer_not_found");
    expect(message).toContain("user_2");
    expect(app.double.objects("billing_portal.session")).toEqual([]);
  };

export const errors: Checks<"7#"> = {
  "7#portal-a": portalRefuses("A"),
  "7#portal-b": portalRefuses("B"),

  "7#checkout": async (open) => {
    const app = await open();
    const { monthly } = await openShop(app);
    const { code } = await refusal(
      app.b.checkout({
        entityId: "user_1",
        priceId: monthly.id,
        successUrl: `${app.baseUrl}/welcome`,
        cancelUrl: `${app.baseUrl}/pricing`,
        createStripeCustomerIfMissing: false,
      }),
    );
    expect(code).toBe("customer_not_found");
    expect(await existing(app, "customers")).toEqual(new Map());
  },

  "7#reserved": async (open) => {
    const app = await open();
    for (const run of [app.a, app.b]) {
      const call = run.setup({ entityId: "user_1", metadata: { plan: "gold", entityId: "x" } });
      expect((await refusal(call)).code).toBe("reserved_metadata_key");
    }
    expect(await existing(app, "customers")).toEqual(new Map());
    const { customerId } = await app.b.setup({ entityId: "user_1" });
    // Nor does it change one that is there.
    const call = app.b.setup({ entityId: "user_1", metadata: { entityId: "x" } });
    expect((await refusal(call)).code).toBe("reserved_metadata_key");
    expect((await existing(app, "customers")).get(customerId)?.metadata).toEqual({
      entityId: "user_1",
    });
  },

  "7#existing": async (open) => {
    const app = await open();
    const first = await app.b.setup({ entityId: "user_1" });
    for (const run of [app.a, app.b]) {
      await expect(run.setup({ entityId: "user_1" })).resolves.toEqual(first);
    }
  },
};
