// The route of a schedule: who may call `tick` over HTTP, and what it answers.
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { listedAtOnce } from "../../../../../support/listed-at-once.js";
import { createBilling } from "../../../src/postgres/index.js";
import { type AppOptions, applications, NOW } from "./kit.js";

const open = applications();
const SECRET = "a long text that is hard to guess";
const still = (config: AppOptions["config"] = { cron_secret: SECRET }) =>
  open({ endpoint: false, stripe: { now: NOW }, config: { resources: listedAtOnce, ...config } });

const call = async (url: string, authorization = `Bearer ${SECRET}`, init: RequestInit = {}) => {
  const answer = await fetch(url, { headers: { authorization }, ...init });
  const body = (await answer.json()) as {
    more?: boolean;
    error?: { code: string; message: string };
  };
  return { status: answer.status, headers: answer.headers, body };
};

describe("the route of a schedule", () => {
  it("does what is due for a caller that knows the secret", async () => {
    const app = await still();
    const { id } = await app.stripe.products.create({ name: "Engine" });
    const url = `${app.url}/stripe/tick?budget=60000`;
    expect(await call(url)).toMatchObject({ status: 200, body: { more: false } });
    expect((await app.b.store.row("products", id))?.stripe.name).toBe("Engine");
    const posted = await call(url, `bearer ${SECRET}`, { method: "POST" });
    expect(posted).toMatchObject({ status: 200, body: { more: false } });
    expect(posted.headers.get("cache-control")).toBe("no-store");
  });

  it("ends with its budget", async () => {
    const app = await still();
    await app.stripe.products.create({ name: "Engine" });
    const { body } = await call(`${app.url}/stripe/tick?budget=0`);
    expect(body).toEqual({ more: true });
    const { status } = await call(`${app.url}/stripe/tick?budget=soon`);
    expect(status).toBe(400);
  });

  it.each([
    ["no secret", ""],
    ["another secret", "Bearer a long text that is hard to guesS"],
    ["a part of it", "Bearer a"],
    ["another scheme", `Basic ${SECRET}`],
    ["the secret alone", SECRET],
  ])("refuses %s with 401, and asks nothing of Stripe", async (_, authorization) => {
    const app = await still();
    app.double.requests.clear();
    const { status, headers, body } = await call(`${app.url}/stripe/tick`, authorization);
    expect([status, headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    expect(JSON.stringify(body)).not.toContain(SECRET);
    expect(app.double.requests.count()).toBe(0);
    expect(await app.b.billing.runs()).toEqual([]);
    expect(app.log).toContain(
      "A call of the schedule's route was refused: it does not know the secret",
    );
  });

  it.each([undefined, ""])(
    "is closed without a secret, and says what to do (%j)",
    async (secret) => {
      const app = await still({ cron_secret: secret });
      for (const authorization of ["", "Bearer ", "Bearer undefined"]) {
        const { status, body } = await call(`${app.url}/stripe/tick`, authorization);
        expect([status, body.error?.code]).toEqual([404, "invalid_config"]);
        expect(body.error?.message).toContain("CRON_SECRET");
      }
    },
  );

  it("is called by GET or POST", async () => {
    const app = await still();
    const { status, headers } = await call(`${app.url}/stripe/tick`, undefined, {
      method: "DELETE",
    });
    expect([status, headers.get("allow")]).toEqual([405, "GET, POST"]);
  });

  it("answers 500 where the work fails, and goes on at the next call", async () => {
    const app = await still();
    const table = `${app.schema}.backend_billing_records`;
    await app.sql(`ALTER TABLE ${table} RENAME TO away`);
    const failed = await call(`${app.url}/stripe/tick`);
    expect([failed.status, failed.body.error?.code]).toEqual([500, "store_error"]);
    await app.sql(`ALTER TABLE ${app.schema}.away RENAME TO backend_billing_records`);
    expect(await call(`${app.url}/stripe/tick?budget=60000`)).toMatchObject({ status: 200 });
  });

  it("is there by `fetch` and in a Hono application, below the path of the base URL too", async () => {
    const app = await still();
    const base_url = "https://app.example/api";
    const { billing } = createBilling({ ...app.config, base_url, path: "/pay" });
    const hono = new Hono();
    billing.addHttpRoutes(hono);
    for (const path of ["/api/pay/tick", "/pay/tick"]) {
      const request = () => {
        const headers = { authorization: `Bearer ${SECRET}` };
        return new Request(`https://app.example${path}?budget=60000`, { headers });
      };
      expect(await (await billing.fetch(request())).json()).toEqual({ more: false });
      expect(await (await hono.fetch(request())).json()).toEqual({ more: false });
    }
    expect((await hono.request("/pay/tick")).status).toBe(401);
    await billing.close();
  });
});

describe("without background work", () => {
  it("a process leaves to the schedule what a webhook left to do", async () => {
    const app = await open({
      stripe: { now: NOW },
      config: { cron_secret: SECRET, background: false, timing: { refreshDelay: 0 } },
    });
    const { id } = await app.stripe.customers.create();
    // An event without content: Stripe is to be asked what there is.
    app.double.faults.add({ fault: "thin" });
    await app.stripe.customers.update(id, { name: "Ada" });
    await app.double.settle();
    const name = async () => (await app.customers())[0]?.stripe?.name ?? null;
    expect(await name()).toBeNull();
    expect(await call(`${app.url}/stripe/tick?budget=60000`)).toMatchObject({ status: 200 });
    await expect
      .poll(async () => {
        await call(`${app.url}/stripe/tick?budget=60000`);
        return name();
      })
      .toBe("Ada");
  });
});
