import { httpRouter } from "convex/server";
import { describe, expect, it } from "vitest";
import type { Operation } from "../../../src/convex/calls/operations.js";
import { createBilling } from "../../../src/convex/index.js";
import { type App, install, openApp } from "./kit.js";

describe("the webhook route", () => {
  it("tells every other method that it is wrong", async () => {
    const { deployment } = await openApp();
    for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
      const answer = await fetch(`${deployment.url}/stripe/webhook`, { method });
      expect(answer.status, method).toBe(405);
      expect(answer.headers.get("allow")).toBe("POST");
    }
  });

  it("leaves OPTIONS, and every other path, to the application", () => {
    const http = httpRouter();
    createBilling({ secret_key: undefined, webhook_secret: undefined }).billing.addHttpRoutes(http);
    const routes = http.getRoutes().map(([path, method]) => `${method} ${path}`);
    expect(routes.sort()).toEqual([
      "DELETE /stripe/webhook",
      "GET /stripe/return/*",
      "GET /stripe/webhook",
      "PATCH /stripe/webhook",
      "POST /stripe/webhook",
      "PUT /stripe/webhook",
    ]);
  });

  it("hangs where the configuration says", async () => {
    const app = await openApp({ config: { path: "/pay/stripe" }, delivery: "auto" });
    await install(app);
    const { double, deployment } = app;
    const [endpoint] = double.objects("webhook_endpoint");
    expect(endpoint?.url).toBe(`${deployment.url}/pay/stripe/webhook`);
    expect((await fetch(endpoint?.url ?? "")).status).toBe(405);
    expect((await fetch(`${deployment.url}/stripe/webhook`)).status).toBe(404);
  });
});

/** Has Stripe do something, and answers what the events of one type made the store do. */
async function operationsOf(type: string, act: (app: App) => Promise<unknown>) {
  const operations: Operation["type"][] = [];
  const app = await openApp({ onStore: ({ type: name }) => operations.push(name) });
  await install(app);
  await post(app, "products", { name: "The first event checks the account" });
  await app.double.deliveries.release(app.double.deliveries.held().map(({ id }) => id));
  await act(app);
  const held = app.double.deliveries.held().filter((delivery) => delivery.type === type);
  expect(held.length).toBeGreaterThan(0);
  operations.length = 0;
  await app.double.deliveries.release(held.map(({ id }) => id));
  for (const { attempts } of held) expect(attempts).toMatchObject([{ status: 200 }]);
  return { operations, events: held.length };
}

/** What the merchant does at Stripe. */
function post({ double }: App, path: string, form: { [name: string]: string }) {
  return fetch(`${double.url}/v1/${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${double.secretKey}` },
    body: new URLSearchParams(form),
  });
}

describe("an event", () => {
  it.each([
    ["product.created", "products", { name: "Engine" }],
    ["coupon.created", "coupons", { percent_off: "10", duration: "once" }],
    ["customer.created", "customers", { email: "ada@example.com" }],
  ] as const)("%s is one run of the store", async (type, path, form) => {
    const { operations, events } = await operationsOf(type, (app) => post(app, path, form));
    expect(events).toBe(1);
    expect(operations).toEqual(["commit"]);
  });
});

describe("a base URL with a path", () => {
  it("is a part of the routes, for those who see it and for those who do not", async () => {
    const app = await openApp({ delivery: "auto" });
    app.deployment.push({ base_url: `${app.deployment.url}/api` });
    await install(app);
    const [endpoint] = app.double.objects("webhook_endpoint");
    expect(endpoint?.url).toBe(`${app.deployment.url}/api/stripe/webhook`);
    await post(app, "customers", { email: "ada@example.com" });
    await app.double.settle();
    expect(app.double.deliveries.all()).toMatchObject([{ state: "delivered" }]);
    expect((await fetch(`${app.deployment.url}/stripe/webhook`)).status).toBe(405);
    for (const path of ["/api/stripe/return/portal", "/stripe/return/portal"]) {
      expect((await fetch(`${app.deployment.url}${path}`)).status, path).toBe(400);
    }
  });
});
