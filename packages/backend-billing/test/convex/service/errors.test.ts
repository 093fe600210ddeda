import { ConvexError } from "convex/values";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { errorLog } from "../../../../../support/spec/kit.js";
import { catalogue } from "../../../../../support/usage/world.js";
import { explained } from "../../../src/convex/errors.js";
import { billingErrorOf } from "../../../src/convex/index.js";
import { createLocal, subscriptionOf } from "../../../src/convex/local.js";
import { BillingError } from "../../../src/core/runtime/errors.js";
import { openApp, thrown } from "./kit.js";

const config = { return_origins: ["https://app.example"] };

describe("an error of the library", () => {
  const nobody = { entityId: "user_1", returnUrl: "https://app.example/" };

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

  it("leaves an action so too that is refused by its arguments", async () => {
    const { call } = await openApp({ config });
    const urls = { successUrl: "https://app.example/a", cancelUrl: "https://app.example/b" };
    const error = await thrown(call("billing:checkout", { entityId: "user_1", ...urls }));
    expect(error).toBeInstanceOf(ConvexError);
    expect(billingErrorOf(error)?.code).toBe("invalid_argument");
  });

  it("leaves the reads and usage of `createLocal` so too, and what a mutation tells", async () => {
    const { deployment } = await openApp({ config });
    const local = createLocal({ catalogue });
    const none = { entityId: "user_1", feature: "none" as never, key: "a" };
    for (const refused of [
      deployment.backend.query((ctx) => local.subscriptionOf(ctx, "")),
      deployment.backend.query((ctx) => local.can(ctx, "user_1", "none" as never)),
      deployment.backend.mutation((ctx) => local.consume(ctx, none)),
      deployment.backend.mutation((ctx) => local.seatsChanged(ctx, { entityId: "" })),
      deployment.backend.query((ctx) => subscriptionOf(ctx, "")),
    ]) {
      const error = await thrown(refused);
      expect(error).toBeInstanceOf(ConvexError);
      expect((error as ConvexError<{ code: string }>).data.code).toBe("invalid_argument");
      expect(billingErrorOf(error)?.message).toMatch(/entityId|none/);
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

it("a sample is refused that a record of Convex could not hold", async () => {
  const { deployment, within } = await openApp({ config });
  const verify = (sample: number) =>
    within((ctx) => deployment.B.billing.verify(ctx, { sample })).then(
      () => undefined,
      (error: unknown) => billingErrorOf(error),
    );
  const message = expect.stringContaining("from 1 to 5000");
  expect(await verify(5_001)).toEqual({ code: "invalid_argument", message });
  expect(await verify(5_000)).toBeUndefined();
});

describe("what Stripe says", () => {
  const urls = { successUrl: "https://app.example/a", cancelUrl: "https://app.example/b" };
  const key = "sk_test_51PrivateAccountK3y";

  /** Everything that an error carries with it to a caller. */
  const carried = (error: unknown): string =>
    [
      String(error),
      JSON.stringify(error),
      JSON.stringify((error as ConvexError<string>).data),
    ].join();

  it("of a key never leaves the backend, and the code does", async () => {
    const { lines, logger } = errorLog();
    const { deployment } = await openApp({ config: { secret_key: key, ...config, logger } });
    const args = { entityId: "user_1", priceId: "price_1" };
    const error = await thrown(deployment.callPublic("app:buy", args, "user_1"));
    expect(billingErrorOf(error)?.code).toBe("provider_error");
    expect(carried(error)).not.toMatch(/sk_test|K3y|API Key|req_|acct_/);
    expect(lines.join()).toContain("StripeAuthenticationError 401");
    expect(lines.join()).toContain("Check STRIPE_SECRET_KEY");
    expect(lines.join()).not.toMatch(/sk_test|K3y/);
  });

  it("of an email never leaves the backend, by an action or by a client", async () => {
    const { lines, logger } = errorLog();
    const { call, deployment, within } = await openApp({ config: { ...config, logger } });
    const args = { entityId: "user_1", email: "not an address" };
    for (const refused of [
      () => call("billing:setup", args),
      () => call("stripe:setup", args),
      () => within((ctx) => deployment.B.billing.setup(ctx, args)),
    ]) {
      const error = await thrown(refused());
      expect(billingErrorOf(error)?.code).toBe("provider_error");
      expect(carried(error)).not.toMatch(/not an address|Invalid email|email_invalid/);
    }
    expect(lines.join()).toContain("email_invalid");
    expect(lines.join()).not.toContain("not an address");
  });

  it("goes to the console where there is no logger", async () => {
    const said = vi.spyOn(console, "error").mockImplementation(() => {});
    onTestFinished(() => said.mockRestore());
    const { call } = await openApp({ config: { secret_key: key, ...config } });
    const args = { entityId: "user_1", priceId: "price_1", ...urls };
    await thrown(call("billing:checkout", args));
    const lines = said.mock.calls.map((each) => JSON.stringify(each)).join();
    expect(lines).toContain("StripeAuthenticationError 401");
    expect(lines).not.toMatch(/sk_test|K3y/);
  });
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
    const { lines, logger } = errorLog();
    const { call, deployment, within } = await openApp({ missing: ["store"], config: { logger } });
    const entity = { entityId: "user_1" };
    const setup = billingErrorOf(await thrown(call("billing:setup", entity)));
    expect(setup?.code).toBe("missing_export");
    expect(lines.at(-1)).toContain(
      "export const { billing, store, sync, portal, checkout, setup }",
    );
    const client = within((ctx) => deployment.B.billing.setup(ctx, entity));
    expect(billingErrorOf(await thrown(client))?.code).toBe("missing_export");
    const variantA = billingErrorOf(await thrown(call("stripe:setup", entity)));
    expect(variantA?.code).toBe("missing_export");
    expect(lines.at(-1)).toContain("export const { stripe, store, sync, setup }");
  });
});
