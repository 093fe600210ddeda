import { ConvexError } from "convex/values";
import { describe, expect, it } from "vitest";
import { explained } from "../../../src/convex/errors.js";
import { billingErrorOf } from "../../../src/convex/index.js";
import { BillingError } from "../../../src/core/errors.js";
import { openApp, thrown } from "./kit.js";

describe("an error of the library", () => {
  const nobody = { entityId: "user_1", returnUrl: "https://app.example/" };
  const config = { return_origins: ["https://app.example"] };

  it("leaves an action as a ConvexError with its code and message", async () => {
    const { call } = await openApp({ config });
    const error = await thrown(call("billing:portal", nobody));
    expect(error).toBeInstanceOf(ConvexError);
    expect((error as ConvexError<string>).data).toEqual({
      code: "customer_not_found",
      message: expect.stringContaining("user_1"),
    });
  });

  it("leaves the functions of both clients so too", async () => {
    const { deployment, within } = await openApp({ config });
    for (const call of [
      within((ctx) => deployment.A.stripe.portal(ctx, nobody)),
      within((ctx) => deployment.B.billing.portal(ctx, nobody)),
    ]) {
      const error = await thrown(call);
      expect(error).toBeInstanceOf(ConvexError);
      expect(billingErrorOf(error)?.code).toBe("customer_not_found");
    }
  });

  it("goes through an action of the application's own", async () => {
    const { deployment } = await openApp({ config: { secret_key: "sk_test_ofNoAccount" } });
    const args = { entityId: "user_1", priceId: "price_1" };
    const error = await thrown(deployment.callPublic("app:buy", args, "user_1"));
    expect(error).toBeInstanceOf(ConvexError);
    expect(billingErrorOf(error)).toMatchObject({ code: "provider_error" });
  });
});

it("sync is refused at once with a key that Stripe does not know, and opens no run", async () => {
  const { call, within, deployment } = await openApp({
    config: { secret_key: "sk_test_ofNoAccount" },
  });
  const error = await thrown(call("billing:sync", {}));
  expect(billingErrorOf(error)?.code).toBe("provider_error");
  expect(await within((ctx) => deployment.B.billing.runs(ctx))).toEqual([]);
});

describe("billingErrorOf", () => {
  it("reads what the library threw, before and after Convex carried it", () => {
    const data = { code: "invalid_config", message: "Set it." } as const;
    expect(billingErrorOf(new ConvexError(data))).toEqual(data);
    expect(billingErrorOf(new BillingError("invalid_config", "Set it."))).toEqual(data);
  });

  it("does not take what is somebody else's for its own", () => {
    for (const error of [
      new ConvexError({ code: "forbidden", message: "Not yours." }),
      new ConvexError("customer_not_found"),
      new ConvexError({ code: "toString", message: "" }),
      new Error("customer_not_found"),
      { code: "customer_not_found", message: "" },
      undefined,
      null,
    ]) {
      expect(billingErrorOf(error)).toBeUndefined();
    }
  });
});

describe("an export that is not there", () => {
  const exporter = {
    module: "lib/billing",
    line: "export const { store } = createBilling({ … });",
  };
  const codeOf = (message: string) => explained(new Error(message), exporter) as BillingError;

  // As Convex words it, and as convex-test does.
  it.each([
    "Could not find function for 'lib/billing:store'. Did you forget to run `npx convex dev` or `npx convex deploy`?",
    "Could not find public function for 'lib/billing:store'. Did you forget to run `npx convex dev`?",
    `Couldn't find "store" in module "lib/billing.js".`,
    'Expected a Convex function exported from module "lib/billing" as `store`, but there is no such export.',
  ])("is named: %s", (message) => {
    const error = codeOf(message);
    expect(error.code).toBe("missing_export");
    expect(error.message).toContain("`store` in convex/lib/billing.ts");
    expect(error.message).toContain(exporter.line);
    expect(error.cause).toMatchObject({ message });
  });

  it("is named when it could not be scheduled", () => {
    const error = codeOf(
      "Attempted to schedule function, but no exported function sync found in the file: lib/billing.js. Did you forget to export it?",
    );
    expect(error.code).toBe("missing_export");
    expect(error.message).toContain("`sync` in convex/lib/billing.ts");
  });

  it.each([
    "Couldn't find JavaScript module 'lib/billing.js'. Did you forget to run `npx convex dev` or `npx convex deploy`?",
    "Attempted to schedule function at nonexistent path: lib/billing.js",
    'Could not find module for: "lib/billing"',
  ])("is the whole file: %s", (message) => {
    const error = codeOf(message);
    expect(error.code).toBe("missing_export");
    expect(error.message).toContain("did not find convex/lib/billing.ts");
  });

  it("is not the reason of any other error", () => {
    for (const message of [
      "Could not find function for 'users:get'. Did you forget to run `npx convex dev`?",
      "Documents read from or written to the table changed while this mutation was being run",
      "Validator error: Expected `string`, got `7`",
    ]) {
      const error = new Error(message);
      expect(explained(error, exporter)).toBe(error);
    }
  });

  it("is named in the answers of actions and in those of the clients", async () => {
    const { call, deployment, within } = await openApp({ missing: ["store"] });
    const entity = { entityId: "user_1" };
    const setup = billingErrorOf(await thrown(call("billing:setup", entity)));
    expect(setup?.code).toBe("missing_export");
    expect(setup?.message).toContain(
      "export const { billing, store, sync, portal, checkout, setup }",
    );
    const client = within((ctx) => deployment.B.billing.setup(ctx, entity));
    expect(billingErrorOf(await thrown(client))?.code).toBe("missing_export");
    const variantA = billingErrorOf(await thrown(call("stripe:setup", entity)));
    expect(variantA?.message).toContain("export const { stripe, store, sync, setup }");
  });
});
