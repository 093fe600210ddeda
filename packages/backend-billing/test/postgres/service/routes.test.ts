// The routes under the servers that people use, each with the smallest wiring that works. Events
// come over real HTTP from the double, which signs them as Stripe does.
import { request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import Fastify from "fastify";
import { Hono } from "hono";
import { describe, expect, it, onTestFinished } from "vitest";
import { returnLink } from "../../../src/core/links/return.js";
import { createBilling, type PostgresConfig, type Routes } from "../../../src/postgres/index.js";
import { type App, applications, bytes, type Listening, listen, NOW } from "./kit.js";

const open = applications();

/** Serves the library in another way than the kit does, and has Stripe deliver there. */
async function serve(
  start: (billing: Routes) => Promise<Pick<Listening, "url" | "close">>,
  config: Partial<PostgresConfig> = {},
  path = "",
) {
  const app = await open({ endpoint: false, stripe: { now: NOW } });
  const secrets: string[] = [];
  let billing: Routes | undefined;
  const server = await start({
    addHttpRoutes: (router) => billing?.addHttpRoutes(router),
    fetch: (request) => billing?.fetch(request) ?? Promise.reject(new Error("Too early")),
    nodeHandler: async (request, response) => billing?.nodeHandler(request, response),
  });
  onTestFinished(server.close);
  const parts = createBilling({
    ...app.config,
    webhook_secret: secrets,
    base_url: `${server.url}${path}`,
    ...config,
  });
  billing = parts.billing;
  const { webhook } = await parts.sync({ data: false, webhook: true });
  secrets.push(webhook?.secret ?? "");
  const url = `${server.url}${path}`.replace(/\/$/, "");
  return { ...app, url, b: parts, webhook: webhook?.id ?? "" };
}

/** An event is stored, a person is sent on, and the rest is refused. */
async function works(app: App): Promise<void> {
  const { id } = await app.stripe.customers.create({ metadata: { entityId: "user_1" } });
  await app.double.settle();
  expect(app.double.deliveries.all().map(({ attempts }) => attempts[0]?.status)).toEqual([200]);
  expect(await app.b.store.customerOf("user_1")).toMatchObject({ customerId: id });

  const target = `${app.url}/welcome?a=1&b=2`;
  const runtime = { ...app.core, now: Date.now, baseUrl: () => app.url };
  const to = { kind: "portal", target, customerId: id, account: null } as const;
  const answer = await fetch(await returnLink(runtime, to), { redirect: "manual" });
  expect([answer.status, answer.headers.get("location")]).toEqual([303, target]);

  const unsigned = await fetch(`${app.url}/stripe/webhook`, { method: "POST", body: "{}" });
  expect(unsigned.status).toBe(400);
  expect((await fetch(`${app.url}/stripe/webhook`)).status).toBe(405);
}

describe("Hono", () => {
  const served = (app: Hono) =>
    listen(async (request, response) => {
      const init = {
        method: request.method ?? "GET",
        headers: request.headers as Record<string, string>,
        ...(request.method === "POST" ? { body: await bytes(request) } : {}),
      };
      const answer = await app.fetch(new Request(`http://x${request.url}`, init));
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(Buffer.from(await answer.arrayBuffer()));
    });

  it("by addHttpRoutes, beside the application's own routes", async () => {
    const hono = new Hono();
    hono.get("/", (c) => c.text("home"));
    const app = await serve(async () => served(hono));
    app.b.billing.addHttpRoutes(hono);
    await works(app);
    expect(await (await fetch(app.url)).text()).toBe("home");
    expect(hono.routes.map(({ path }) => path)).toContain("/stripe/return/*");
  });

  it("with a middleware that read the body first, says so", async () => {
    const hono = new Hono();
    hono.use(async (c, next) => {
      await c.req.raw.text();
      await next();
    });
    const app = await serve(async () => served(hono));
    app.b.billing.addHttpRoutes(hono);
    await app.stripe.products.create({ name: "Engine" });
    await app.double.settle();
    expect(app.double.deliveries.all()[0]?.attempts[0]?.status).toBe(500);
    expect(app.log).toContain("A body parser read the webhook before the library could");
  });
});

it("any server that speaks Fetch, by billing.fetch", async () => {
  const app = await open({ stripe: { now: NOW } });
  app.double.answer(app.url, app.b.billing.fetch);
  await works(app);
  const nowhere = await app.b.billing.fetch(new Request("https://app.example/elsewhere"));
  expect(nowhere.status).toBe(404);
});

describe("plain node:http", () => {
  it("by nodeHandler", async () => {
    await works(await open({ stripe: { now: NOW } }));
  });

  it("below another path", async () => {
    const app = await serve((billing) => listen(billing.nodeHandler), { path: "/api/billing" });
    await app.stripe.customers.create({ metadata: { entityId: "user_1" } });
    await app.double.settle();
    expect(await app.b.store.customerOf("user_1")).toBeDefined();
    expect((await fetch(`${app.url}/stripe/webhook`, { method: "POST" })).status).toBe(404);
  });

  it.each([
    ["a path that is no address", "GET", "//"],
    ["a path full of percent signs", "GET", "/%%%"],
    ["the address of a proxy", "GET", "http://["],
    ["a method that Fetch forbids", "TRACE", "/stripe/webhook"],
    ["a return link that is only a beginning", "GET", "/stripe/return/checkout?data=%"],
  ])("survives %s", async (_, method, path) => {
    const app = await open({ endpoint: false });
    const { port } = new URL(app.url);
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest({ port, method, path, headers: { Host: "[" } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      request.on("error", reject).end();
    });
    expect([400, 404, 405]).toContain(status);
    expect((await fetch(`${app.url}/stripe/webhook`)).status).toBe(405); // it still runs
  });

  it("answers 500 and goes on when the configuration is wrong", async () => {
    const app = await serve((billing) => listen(billing.nodeHandler));
    const wrong = createBilling({ ...app.config, path: "not a path" });
    const server = await listen(wrong.billing.nodeHandler);
    onTestFinished(server.close);
    for (let i = 0; i < 2; i++) {
      const answer = await fetch(`${server.url}/stripe/webhook`, { method: "POST", body: "{}" });
      expect(answer.status).toBe(500);
      expect(await answer.json()).toMatchObject({ error: { code: "invalid_config" } });
    }
  });
});

describe("Express 5", () => {
  const started = (app: express.Express): Promise<Pick<Listening, "url" | "close">> =>
    new Promise((resolve) => {
      const server = app.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo;
        const close = () =>
          new Promise<void>((done) => {
            server.close(() => done());
            server.closeAllConnections();
          });
        resolve({ url: `http://127.0.0.1:${port}`, close });
      });
    });

  it("mounted before express.json()", async () => {
    await works(
      await serve((billing) => {
        const app = express();
        app.use("/stripe", billing.nodeHandler);
        app.use(express.json());
        return started(app);
      }),
    );
  });

  it("mounted after express.json() says what to do, and Stripe tries again", async () => {
    const app = await serve((billing) => {
      const site = express();
      site.use(express.json());
      site.use("/stripe", billing.nodeHandler);
      return started(site);
    });
    await app.stripe.products.create({ name: "Engine" });
    await app.double.settle();
    expect(app.double.deliveries.all()[0]?.attempts[0]?.status).toBe(500);
    const answer = await fetch(`${app.url}/stripe/webhook`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: "{}",
    });
    expect(answer.status).toBe(500);
    const { error } = (await answer.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe("invalid_config");
    expect(error.message).toContain("Mount this handler before express.json()");
  });

  it("mounted after express.json() that keeps the bytes as rawBody", async () => {
    await works(
      await serve((billing) => {
        const app = express();
        app.use(
          express.json({
            verify: (request, _, body) => Object.assign(request, { rawBody: body }),
          }),
        );
        app.use("/stripe", billing.nodeHandler);
        return started(app);
      }),
    );
  });

  it("mounted after express.raw(), whose bytes are the body", async () => {
    const app = await serve((billing) => {
      const site = express();
      site.use("/stripe", express.raw({ type: "*/*" }), (request, response) => {
        Object.assign(request, { rawBody: request.body });
        return billing.nodeHandler(request, response);
      });
      return started(site);
    });
    await app.stripe.products.create({ name: "Engine" });
    await app.double.settle();
    expect(app.double.deliveries.all()[0]?.attempts[0]?.status).toBe(200);
  });
});

describe("Fastify 5", () => {
  const started = async (app: ReturnType<typeof Fastify>) => {
    await app.listen({ port: 0, host: "127.0.0.1" });
    const { port } = app.server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}`, close: () => app.close() };
  };

  it("by a plugin whose parser leaves the body alone", async () => {
    await works(
      await serve((billing) => {
        const app = Fastify();
        app.register(async (plugin) => {
          plugin.removeAllContentTypeParsers();
          plugin.addContentTypeParser("*", (_request, _payload, done) => done(null));
          plugin.all("/stripe/*", (request, reply) => {
            reply.hijack();
            return billing.nodeHandler(request.raw, reply.raw);
          });
        });
        // The application's own routes still get their JSON.
        app.post("/own", async (request) => request.body);
        return started(app);
      }),
    );
  });

  it("by a hook, before anything is parsed", async () => {
    const app = await serve((billing) => {
      const site = Fastify();
      site.addHook("onRequest", async (request, reply) => {
        if (!request.url.startsWith("/stripe/")) return;
        reply.hijack();
        await billing.nodeHandler(request.raw, reply.raw);
      });
      site.post("/own", async (request) => request.body);
      return started(site);
    });
    await works(app);
    const own = await fetch(`${app.url}/own`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: '{"a":1}',
    });
    expect(await own.json()).toEqual({ a: 1 });
  });

  it("with its own JSON parser in the way says what to do", async () => {
    const app = await serve((billing) => {
      const site = Fastify();
      site.all("/stripe/*", (request, reply) => {
        reply.hijack();
        return billing.nodeHandler(request.raw, reply.raw);
      });
      return started(site);
    });
    await app.stripe.products.create({ name: "Engine" });
    await app.double.settle();
    expect(app.double.deliveries.all()[0]?.attempts[0]?.status).toBe(500);
    expect(app.log).toContain("A body parser read the webhook before the library could");
  });
});

describe("a base URL with a path", () => {
  const BASE = "/api/v1";

  /** A server over a Fetch handler, which sees the path that was asked for. */
  const fetching = (answer: (request: Request) => Response | Promise<Response>) =>
    listen(async (request, response) => {
      const init = {
        method: request.method ?? "GET",
        headers: request.headers as Record<string, string>,
        ...(request.method === "POST" ? { body: await bytes(request) } : {}),
      };
      const answered = await answer(new Request(`http://x${request.url}`, init));
      response.writeHead(answered.status, Object.fromEntries(answered.headers));
      response.end(Buffer.from(await answered.arrayBuffer()));
    });
  const inExpress = (mount: (app: express.Express, billing: Routes) => void) => (billing: Routes) =>
    new Promise<Listening>((resolve) => {
      const site = express();
      mount(site, billing);
      const server = site.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo;
        const close = () =>
          new Promise<void>((done) => {
            server.close(() => done());
            server.closeAllConnections();
          });
        resolve({ url: `http://127.0.0.1:${port}`, close });
      });
    });

  const servers: [string, (billing: Routes) => Promise<Listening>][] = [
    [
      "Hono, registered at the top",
      (billing) => {
        const hono = new Hono();
        // Registered late: `serve` knows the address, and so the configuration, only then.
        return fetching((request) => {
          if (hono.routes.length === 0) billing.addHttpRoutes(hono);
          return hono.fetch(request);
        });
      },
    ],
    [
      "Hono, registered on a router below the path",
      (billing) => {
        let hono: Hono | undefined;
        return fetching((request) => {
          if (hono === undefined) {
            const sub = new Hono();
            billing.addHttpRoutes(sub);
            hono = new Hono().route(BASE, sub);
          }
          return hono.fetch(request);
        });
      },
    ],
    ["Fetch, by billing.fetch", (billing) => fetching(billing.fetch)],
    [
      "Fetch behind a proxy that removes the path",
      (billing) =>
        fetching((request) => {
          const { pathname, search } = new URL(request.url);
          if (!pathname.startsWith(BASE)) return new Response(null, { status: 404 });
          const address = `http://x${pathname.slice(BASE.length)}${search}`;
          return billing.fetch(new Request(address, request));
        }),
    ],
    ["plain node:http", (billing) => listen(billing.nodeHandler)],
    ["Express at the top", inExpress((site, billing) => site.use(billing.nodeHandler))],
    ["Express below the path", inExpress((site, billing) => site.use(BASE, billing.nodeHandler))],
    [
      "Express below the whole path",
      inExpress((site, billing) => site.use(`${BASE}/stripe`, billing.nodeHandler)),
    ],
    [
      "an Express router below the path",
      inExpress((site, billing) => {
        const router = express.Router();
        router.use("/stripe", billing.nodeHandler);
        site.use(BASE, router);
      }),
    ],
  ];

  it.each(servers)("%s: the endpoint's address and the way back answer", async (_, start) => {
    const app = await serve(start, {}, `${BASE}/`);
    const [endpoint] = app.double.objects("webhook_endpoint");
    expect(endpoint?.url).toBe(`${app.url}/stripe/webhook`);
    expect(app.url.endsWith(BASE)).toBe(true);
    await works(app);
  });
});
