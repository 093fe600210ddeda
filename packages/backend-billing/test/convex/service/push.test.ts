// What happens when the files are pushed: nothing is set yet, and everything must be accepted.
import { cronJobs, httpRouter } from "convex/server";
import { afterEach, describe, expect, it } from "vitest";
import { errorLog } from "../../../../../support/spec/kit.js";
import { baseUrl } from "../../../src/convex/config.js";
import { billingErrorOf, createBilling, createStripe } from "../../../src/convex/index.js";
import { openApp, thrown } from "./kit.js";

const unset = { secret_key: undefined, webhook_secret: undefined };

/** What Convex reads off a function when it is pushed. */
interface Pushed {
  readonly isInternal?: boolean;
  readonly isPublic?: boolean;
  exportArgs(): string;
  exportReturns(): string;
}

describe("the first push, before any secret is set", () => {
  it("succeeds: functions, routes and crons are there", () => {
    const { billing } = createBilling(unset);
    const { stripe } = createStripe(unset);
    for (const client of [billing, stripe]) {
      const [http, crons] = [httpRouter(), cronJobs()];
      client.addHttpRoutes(http);
      client.addCronJobs(crons);
      expect(http.getRoutes().length).toBeGreaterThan(1);
      expect(Object.keys(crons.crons)).toHaveLength(2);
    }
  });

  it("tells at first use which variable is missing, and the command that sets it", async () => {
    const { lines, logger } = errorLog();
    const { call, deployment } = await openApp({ config: { ...unset, logger } });
    const error = billingErrorOf(await thrown(call("billing:setup", { entityId: "user_1" })));
    expect(error?.code).toBe("invalid_config");
    expect(lines.join()).toContain("npx convex env set STRIPE_SECRET_KEY");
    const answer = await fetch(`${deployment.url}/stripe/webhook`, { method: "POST", body: "{}" });
    expect(answer.status).toBe(500);
  });
});

describe("every function", () => {
  const all = [
    ...Object.entries(createBilling(unset)).filter(([name]) => name !== "billing"),
    ...Object.entries(createStripe(unset)).filter(([name]) => name !== "stripe"),
  ] as unknown as [string, Pushed][];

  it.each(all)("%s is internal and has validators on arguments and result", (_, pushed) => {
    expect(pushed.isInternal).toBe(true);
    expect(pushed.isPublic).toBeUndefined();
    expect(JSON.parse(pushed.exportArgs())).toMatchObject({ type: "object" });
    expect(JSON.parse(pushed.exportReturns())).toMatchObject({
      type: expect.stringMatching(/^(object|union)$/),
    });
  });
});

describe("`module`", () => {
  it("may be a path of folders", async () => {
    const { lines, logger } = errorLog();
    const { call, deployment } = await openApp({ config: { module: "lib/billing", logger } });
    // The file is convex/billing.ts all the same: what is missing is looked for where it was said.
    const error = billingErrorOf(await thrown(call("billing:setup", { entityId: "user_1" })));
    expect(error?.code).toBe("missing_export");
    expect(lines.join()).toContain("convex/lib/billing.ts");
    deployment.push({ module: "billing" });
    expect(await call("billing:setup", { entityId: "user_1" })).toEqual({
      customerId: expect.stringMatching(/^cus_/),
    });
  });

  it.each(["billing.ts", "convex/billing", "/billing", "lib/", "../billing", "my-billing", ""])(
    "is refused at load when Convex knows no such path: %s",
    (module) => {
      expect(() => createBilling({ ...unset, module })).toThrow(/without its ending/);
    },
  );
});

describe("the base URL", () => {
  afterEach(() => {
    delete process.env.CONVEX_SITE_URL;
  });

  it("is CONVEX_SITE_URL, read when it is needed", () => {
    expect(() => baseUrl(unset)).toThrow(/CONVEX_SITE_URL/);
    process.env.CONVEX_SITE_URL = "https://happy-animal-123.convex.site";
    expect(baseUrl(unset)).toBe("https://happy-animal-123.convex.site");
  });

  it("is `base_url` where that is given", () => {
    process.env.CONVEX_SITE_URL = "https://happy-animal-123.convex.site";
    expect(baseUrl({ ...unset, base_url: "https://api.app.example/" })).toBe(
      "https://api.app.example",
    );
    expect(() => baseUrl({ ...unset, base_url: "app.example" })).toThrow(/http\(s\)/);
  });
});
