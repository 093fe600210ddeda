/** Section 4.2: `portal`, of both variants. */
import { expect } from "vitest";
import type { Check, Checks, Open, SpecApp, VariantName } from "../../harness.js";
import { existing, linkNamed, refusal, subscriber, visit, without } from "../../kit.js";

/** An application whose portal is enabled at Stripe, and the arguments of a call. */
async function openPortal(open: Open, variant: VariantName = "B") {
  const app = await open({ variant });
  app.double.dashboard.savePortalSettings();
  return { app, args: { entityId: "user_1", returnUrl: `${app.baseUrl}/account?tab=billing` } };
}

const sessionsOf = ({ double }: SpecApp) => double.objects("billing_portal.session");

const both = (app: SpecApp) => [app.a, app.b] as const;

const creates =
  (variant: VariantName): Check =>
  async (open) => {
    const { app, args } = await openPortal(open, variant);
    const { customerId } = await app.b.setup({ entityId: "user_1" });
    await app.b.setup({ entityId: "user_2" });
    const { url } = await (variant === "A" ? app.a : app.b).portal(args);
    expect(sessionsOf(app)).toMatchObject([{ customer: customerId, url }]);
  };

export const portal: Checks<"4.2#portal-"> = {
  "4.2#portal-a": creates("A"),
  "4.2#portal-b": creates("B"),

  "4.2#portal-entityId": async (open) => {
    const { app, args } = await openPortal(open);
    for (const run of both(app)) {
      const call = run.portal(without(args, "entityId"));
      expect((await refusal(call)).code).toBe("invalid_argument");
    }
  },

  "4.2#portal-customer": async (open) => {
    const { app, args } = await openPortal(open);
    for (const run of both(app)) {
      expect((await refusal(run.portal(args))).code).toBe("customer_not_found");
    }
    expect(await existing(app, "customers")).toEqual(new Map());
    await app.b.setup({ entityId: "user_1" });
    for (const run of both(app)) expect((await run.portal(args)).url).toMatch(/^http/);
  },

  "4.2#portal-returnUrl": async (open) => {
    const { app, args } = await openPortal(open);
    await app.b.setup({ entityId: "user_1" });
    for (const run of both(app)) {
      const call = run.portal(without(args, "returnUrl"));
      expect((await refusal(call)).code).toBe("invalid_argument");
      const { url } = await run.portal(args);
      const back = await visit(linkNamed(await visit(url), "Return to the website"));
      expect(back).toMatchObject({ status: 303, location: args.returnUrl });
    }
  },

  "4.2#portal-deleted": async (open) => {
    for (const run of ["a", "b"] as const) {
      const { app, args } = await openPortal((options) => open({ ...options, delivery: "held" }));
      const { customerId } = await app.b.setup({ entityId: "user_1" });
      await app.stripe.customers.del(customerId);
      expect((await refusal(app[run].portal(args))).code).toBe("customer_not_found");
      expect(await existing(app, "customers")).toEqual(new Map());
    }
  },

  "4.2#portal-pass-through": async (open) => {
    const { app, args } = await openPortal(open, "A");
    const { customerId, subscription } = await subscriber(app, "user_1");
    const configuration = await app.stripe.billingPortal.configurations.create({
      features: { subscription_cancel: { enabled: true } },
    });
    await app.a.portal({
      ...args,
      configuration: configuration.id,
      locale: "de",
      flow_data: {
        type: "subscription_cancel",
        subscription_cancel: { subscription: subscription.id },
      },
    });
    expect(sessionsOf(app)).toMatchObject([
      {
        customer: customerId,
        configuration: configuration.id,
        locale: "de",
        flow: { type: "subscription_cancel" },
      },
    ]);
  },

  "4.2#portal-request-options": async (open) => {
    const { app, args } = await openPortal(open, "A");
    await app.a.setup({ entityId: "user_1" });
    await app.a.portal(args);
    const options = { idempotencyKey: "click-1" };
    const first = await app.a.portal(args, options);
    await new Promise((resolve) => setTimeout(resolve, 1100)); // a retry comes later
    expect(await app.a.portal(args, options)).toEqual(first);
    expect(sessionsOf(app)).toHaveLength(2);
    const call = app.a.portal(args, { apiKey: "sk_test_none" });
    expect((await refusal(call)).code).toBe("provider_error");
  },

  "4.2#portal-single-argument": async (open) => {
    const { app, args } = await openPortal(open);
    const { customerId } = await app.b.setup({ entityId: "user_1" });
    // Request options, as variant A takes them, are no argument here: they change nothing.
    await app.b.portal(args, { apiKey: "sk_test_none" });
    expect(sessionsOf(app)).toMatchObject([{ customer: customerId }]);
  },

  "4.2#portal-returns": async (open) => {
    const { app, args } = await openPortal(open);
    const { subscription } = await subscriber(app, "user_1");
    for (const run of both(app)) {
      const { url } = await run.portal(args);
      const page = await visit(url);
      expect(page.status).toBe(200);
      expect(page.text).toContain("Difference Engine");
      expect(linkNamed(page, "Cancel plan")).toContain(subscription.id);
    }
  },
};
