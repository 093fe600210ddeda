// The two settings of the specification alone, and a site on another origin than the backend's.
import { expect, it, onTestFinished, vi } from "vitest";
import { linkNamed, payAt, visit } from "../../../../../support/spec/kit.js";
import { activeSubscriptionsOf } from "../../../src/convex/index.js";
import { openApp } from "./kit.js";

const SITE = "https://shop.example";

it("people buy and come back to the site, with nothing configured but the secrets", async () => {
  // Convex itself says where its routes are.
  const app = await openApp({
    config: {
      base_url: undefined,
      webhook_secret: "whsec_1",
      timing: { returnPatience: 20_000 }, // a busy machine is no failure
    },
  });
  vi.stubEnv("CONVEX_SITE_URL", app.deployment.url);
  onTestFinished(() => void vi.unstubAllEnvs());
  app.double.dashboard.savePortalSettings();
  const price = await fetch(`${app.double.url}/v1/prices`, {
    method: "POST",
    headers: { Authorization: `Bearer ${app.double.secretKey}` },
    body: new URLSearchParams({
      currency: "usd",
      unit_amount: "2000",
      "recurring[interval]": "month",
      "product_data[name]": "Engine",
    }),
  });
  const { id: priceId } = (await price.json()) as { id: string };
  const entityId = "user_1";
  const checkout = await app.call<{ url: string }>("billing:checkout", {
    entityId,
    priceId,
    successUrl: `${SITE}/welcome?plan=1`,
    cancelUrl: `${SITE}/pricing`,
  });
  expect(await payAt(checkout.url)).toBe(`${SITE}/welcome?plan=1`);
  // No webhook was delivered: the way back brought it.
  expect(app.double.deliveries.all().filter(({ state }) => state === "delivered")).toEqual([]);
  const active = await app.deployment.backend.query(async (ctx) =>
    activeSubscriptionsOf(ctx, entityId),
  );
  expect(active).toMatchObject([{ stripe: { status: "active" } }]);

  const returnUrl = `${SITE}/account`;
  const { url } = await app.call<{ url: string }>("billing:portal", { entityId, returnUrl });
  const back = await visit(linkNamed(await visit(url), "Return to the website"));
  expect(back).toMatchObject({ status: 303, location: returnUrl });
});
