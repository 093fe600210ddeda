// Packs of credits on Convex: what is paid, refunded and disputed becomes a balance, by whatever function
// learns of it.
import { expect, it } from "vitest";
import { payAt } from "../../../../../support/spec/kit.js";
import { idle } from "../../../../../support/spec/platforms/convex-deployment.js";
import { defineCatalogue, usd } from "../../../src/catalogue/index.js";
import { createLocal } from "../../../src/convex/local.js";
import { type App, install, openApp } from "../service/kit.js";

const catalogue = defineCatalogue({
  app: "acme",
  features: { credits: "credits" },
  packs: { small: { name: "Small", price: usd("5"), credits: { credits: 100 } } },
});
const local = createLocal({ catalogue });

async function post<T>({ double }: App, path: string, form: { [name: string]: string }) {
  const answer = await fetch(`${double.url}/v1/${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${double.secretKey}` },
    body: new URLSearchParams(form),
  });
  return (await answer.json()) as T;
}

async function shop(options: Parameters<typeof openApp>[0] = {}) {
  const config = { catalogue, timing: { returnPatience: 20_000 }, ...options.config };
  const app = await openApp({ ...options, config });
  await post(app, "products", { id: "acme_pack_small", name: "Small" });
  await post(app, "prices", {
    product: "acme_pack_small",
    currency: "usd",
    unit_amount: "500",
    lookup_key: "acme:small",
  });
  const { backend, B } = app.deployment;
  const granted = async () => {
    const { credits } = await backend.query((ctx) => local.usageOf(ctx, "org_1"));
    return credits.granted;
  };
  const buy = (quantity: number) =>
    app.within((ctx) =>
      B.billing.pay(ctx, {
        entityId: "org_1",
        lookupKey: "small",
        quantity,
        successUrl: "https://shop.example/thanks",
        cancelUrl: "https://shop.example/cart",
      }),
    );
  const intentOf = () => String(app.double.objects("payment_intent").at(-1)?.id);
  const consume = (key: string, amount: number) =>
    backend.mutation((ctx) =>
      local.consume(ctx, { entityId: "org_1", feature: "credits", key, amount }),
    );
  return { app, granted, buy, intentOf, consume };
}

it("are there when the buyer comes back, and go back with the money, webhooks lost", async () => {
  const { app, granted, buy, intentOf, consume } = await shop({
    config: { webhook_secret: "whsec_1" },
  });
  const { backend } = app.deployment;
  const synced = async () => {
    await app.call("billing:sync", {});
    await idle(backend);
    return granted();
  };
  const page = await buy(2);
  expect(await granted()).toBe(0);
  await payAt(page.url ?? "");
  expect(await granted()).toBe(200);
  await idle(backend);
  expect(await synced()).toBe(200);
  await post(app, "refunds", { payment_intent: intentOf(), amount: "333" });
  expect(await synced()).toBe(133);
  expect(await consume("a", 33)).toEqual({ allowed: true, balance: 100 });
  const { id } = await post<{ id: string }>(app, "refunds", { payment_intent: intentOf() });
  expect(await synced()).toBe(33);
  app.double.dashboard.failRefund(id);
  expect(await synced()).toBe(133);
});

it("come by webhooks, and go when a dispute is lost", async () => {
  const { app, granted, buy, intentOf } = await shop({ delivery: "auto" });
  const { backend } = app.deployment;
  await install(app);
  const { sessionId } = await buy(1);
  app.double.dashboard.payCheckout(sessionId ?? "", { email: "ada@example.com" });
  await app.double.settle();
  await idle(backend);
  expect(await granted()).toBe(100);
  const { id } = app.double.dashboard.dispute(intentOf());
  await app.double.settle();
  await idle(backend);
  expect(await granted()).toBe(100);
  app.double.dashboard.decideDispute(id, "lost");
  await app.double.settle();
  await idle(backend);
  expect(await granted()).toBe(0);
});
