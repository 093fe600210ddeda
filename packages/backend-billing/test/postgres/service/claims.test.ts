// The claim of an entity on a customer, step by step and in the double's time: what each answer of
// Stripe, each death and each event leads to. That it holds under load is shown by `npm run race`.
import { describe, expect, it, vi } from "vitest";
import { opened } from "../../../src/core/customers/claim/claim.js";
import { claimKey } from "../../../src/core/customers/claim/key.js";
import { put } from "../../../src/core/customers/claim/record.js";
import { finishClaims, setup } from "../../../src/core/customers/setup.js";
import type { Runtime } from "../../../src/core/runtime/runtime.js";
import { createBilling } from "../../../src/postgres/index.js";
import {
  CREATE,
  emailsAt,
  entityId,
  LIST,
  leftBehind,
  opening,
  SEARCH,
  sent,
} from "./claims-kit.js";
import { type App, type AppOptions, applications, billingError, eventually, NOW } from "./kit.js";

const open = applications();

/** A still clock, and no webhooks unless a test wants them. */
const still = (options: AppOptions = {}) =>
  open({ endpoint: false, ...options, stripe: { now: NOW, ...options.stripe } });

describe("a first setup", () => {
  it("makes one customer under a key of the entity, with the entity in its metadata", async () => {
    const app = await still();
    const args = { entityId, email: "ada@example.com", metadata: { team: "engines" } };
    const { customerId } = await setup(app.core, args);
    expect(app.double.objects("customer")).toMatchObject([
      { id: customerId, email: "ada@example.com", metadata: { entityId, team: "engines" } },
    ]);
    const [event] = (await app.stripe.events.list()).data;
    expect(event?.request?.idempotency_key).toBe(
      await claimKey({ entityId, account: null, livemode: false, counter: 1 }),
    );
    expect(await app.claim(entityId)).toMatchObject({
      state: "linked",
      generation: 1,
      key: event?.request?.idempotency_key,
      livemode: false,
    });
    expect(await app.customers()).toMatchObject([{ entityId, customerId }]);
  });

  it("asks Stripe nothing the second time", async () => {
    const app = await still();
    const first = await setup(app.core, { entityId, email: "ada@example.com" });
    app.double.requests.clear();
    expect(await setup(app.core, { entityId, email: "ada@example.com" })).toEqual(first);
    expect(await setup(app.core, { entityId })).toEqual(first);
    expect(app.double.requests.count()).toBe(0);
  });

  it("of fifty callers at once searches once and posts once", async () => {
    const app = await open({ endpoint: false });
    const callers = Array.from({ length: 50 }, (_, i) =>
      app.b.setup({ entityId, email: `caller${i}@example.com` }),
    );
    const ids = new Set((await Promise.all(callers)).map(({ customerId }) => customerId));
    expect(ids.size).toBe(1);
    expect(sent(app, "GET /v1/customers/search")).toBe(1);
    expect(sent(app, CREATE)).toBe(1);
  });

  it("of fifty callers in one process does not make fifty look at the same row", async () => {
    const app = await open({ endpoint: false });
    let queries = 0;
    const db = {
      query: (text: string, values?: unknown[]) => {
        queries++;
        return app.pool.query(text, values);
      },
      connect: () => app.pool.connect(),
    };
    const billing = createBilling({ ...app.config, db });
    app.double.faults.add({ fault: "latency", milliseconds: 800, on: CREATE });
    const callers = Array.from({ length: 50 }, () => billing.setup({ entityId }));
    expect(new Set((await Promise.all(callers)).map(({ customerId }) => customerId)).size).toBe(1);
    expect(queries).toBeLessThan(50 * 3 + 50); // each looks before and after, and one works
  });

  it("commits its claim and its first attempt before anything is sent", async () => {
    const app = await still();
    const seen: unknown[] = [];
    const core: Runtime = {
      ...app.core,
      stripe: () => {
        const stripe = app.core.stripe();
        const create = stripe.customers.create.bind(stripe.customers);
        vi.spyOn(stripe.customers, "create").mockImplementationOnce((async (
          ...args: Parameters<typeof create>
        ) => {
          seen.push(await app.claim(entityId));
          return create(...args);
        }) as never);
        return stripe;
      },
    };
    await setup(core, { entityId });
    expect(seen).toMatchObject([{ state: "open", firstAttemptAt: core.now(), customerId: null }]);
  });
});

describe("answers that are no success", () => {
  it.each([
    ["a connection cut before the effect", { fault: "cut_before" }],
    ["a connection cut after the effect", { fault: "cut_after" }],
    ["half an answer", { fault: "half_answer" }],
    ["a rate limit", { fault: "rate_limited" }],
    ["a lock time-out", { fault: "lock_timeout" }],
    ["a 503 that is not kept", { fault: "error_before", kept: false, status: 503 }],
  ] as const)("%s: the same key again, and one customer", async (_, fault) => {
    const app = await still();
    app.double.faults.add({ ...fault, on: CREATE, times: 3 });
    const { customerId } = await setup(app.core, { entityId });
    expect(app.double.objects("customer").map(({ id }) => id)).toEqual([customerId]);
    expect(sent(app, CREATE)).toBe(4);
    expect(await app.claim(entityId)).toMatchObject({ generation: 1, past: [] });
  });

  it("a key that is in use (409): the same key again", async () => {
    const app = await open({ endpoint: false, config: { timing: { claimLease: 150 } } });
    app.double.faults.add({ fault: "latency", milliseconds: 600, on: CREATE, times: 1 });
    const { customerId } = await app.b.setup({ entityId });
    expect(app.double.requests.countStatus(409)).toBeGreaterThan(0);
    expect(app.double.objects("customer").map(({ id }) => id)).toEqual([customerId]);
    expect(await app.claim(entityId)).toMatchObject({ generation: 1, past: [] });
  });

  it.each([
    ["the effect", "error_after", 0],
    ["no effect", "error_before", 1],
  ] as const)(
    "a 500 that is replayed, with %s: looked up after a minute",
    async (_, fault, rotations) => {
      const app = await still({ config: { timing: { claimPatience: 120_000 } } });
      app.double.faults.add({ fault, on: CREATE, times: 1 });
      app.double.faults.add({ fault: "list_lag", milliseconds: 120_000, on: SEARCH });
      const before = app.core.now();
      const { customerId } = await setup(app.core, { entityId });
      expect(app.double.objects("customer").map(({ id }) => id)).toEqual([customerId]);
      expect(app.core.now() - before).toBeGreaterThanOrEqual(60_000);
      expect(sent(app, LIST)).toBe(1);
      const claim = await app.claim(entityId);
      expect(claim).toMatchObject({ state: "linked", generation: 1 });
      expect(claim?.past).toHaveLength(rotations);
    },
  );

  it("a caller is not kept for that minute, and the next one finds the customer", async () => {
    const app = await still();
    app.double.faults.add({ fault: "error_after", on: CREATE, times: 1 });
    const error = await billingError(setup(app.core, { entityId }));
    expect(error).toMatchObject({ code: "provider_error", cause: { statusCode: 500 } });
    expect(error.message).toContain("looked up in a minute");
    expect(await app.claim(entityId)).toMatchObject({ state: "uncertain" });
    const early = await billingError(setup(app.core, { entityId }));
    expect(early.code).toBe("provider_error");
    expect(sent(app, LIST)).toBe(0);
    await app.double.clock.advance({ seconds: 60 });
    const { customerId } = await setup(app.core, { entityId });
    expect(app.double.objects("customer").map(({ id }) => id)).toEqual([customerId]);
  });

  it("is looked up without anybody asking again, too", async () => {
    const timing = { claimPatience: 100, claimSettle: 400 };
    const app = await open({ endpoint: false, config: { timing } });
    app.double.faults.add({ fault: "error_after", on: CREATE, times: 1 });
    await billingError(app.b.setup({ entityId }));
    await eventually(
      () => app.claim(entityId),
      (claim) => claim?.state === "linked",
    );
    expect(app.double.objects("customer")).toHaveLength(1);
  });

  it("a key that was used with other parameters is looked up and rotated", async () => {
    const app = await still();
    await leftBehind(app, false);
    await app.stripe.customers.create({ name: "Other" }, { idempotencyKey: opening.key });
    await app.double.clock.advance({ seconds: 31 });
    await billingError(setup(app.core, { entityId }));
    await app.double.clock.advance({ seconds: 61 });
    const { customerId } = await setup(app.core, { entityId });
    expect(await app.claim(entityId)).toMatchObject({ customerId, past: [opening.key] });
    expect(app.double.objects("customer")).toHaveLength(2);
  });

  it("a wrong key is told at once; the claim stays, and goes on under its own key", async () => {
    const app = await still();
    const wrong = { ...app.core, stripe: wrongKey(app) };
    const error = await billingError(setup(wrong, { entityId }));
    expect(error).toMatchObject({ code: "provider_error", cause: { statusCode: 401 } });
    expect(app.double.requests.countStatus(401)).toBe(1); // it does not get better by waiting
    const claim = await app.claim(entityId);
    expect(claim).toMatchObject({ state: "open", generation: 1 });
    await app.double.clock.advance({ seconds: 10 });
    const { customerId } = await setup(app.core, { entityId });
    expect(await app.claim(entityId)).toMatchObject({ customerId, key: claim?.key });
  });

  it("a failure that lasts ends with the error of Stripe as the cause", async () => {
    const app = await still();
    app.double.faults.add({ fault: "rate_limited", on: CREATE });
    const error = await billingError(setup(app.core, { entityId }));
    expect(error).toMatchObject({ code: "provider_error", cause: { statusCode: 429 } });
    expect(sent(app, CREATE)).toBeLessThan(15); // 20 seconds of patience, with pauses that grow
  });

  it("a failing look-up is repeated, and nothing is rotated on its account", async () => {
    const app = await still();
    await leftBehind(app, true);
    await app.double.clock.advance({ days: 2 });
    app.double.faults.add({ fault: "error_before", status: 400, on: SEARCH }); // not offered
    app.double.faults.add({ fault: "rate_limited", on: LIST, times: 2 });
    await setup(app.core, { entityId });
    expect(sent(app, LIST)).toBe(3);
    expect(app.double.objects("customer")).toHaveLength(1);
  });

  it("a customer that appears after the look-up is reported, never linked, never deleted", async () => {
    const app = await still({
      endpoint: true,
      config: { timing: { claimPatience: 120_000 } },
    });
    app.double.faults.add({ fault: "error_late", milliseconds: 300_000, on: CREATE, times: 1 });
    const { customerId } = await setup(app.core, { entityId });
    await app.double.clock.advance({ minutes: 10 });
    const late = app.double.objects("customer").find(({ id }) => id !== customerId);
    expect(late?.metadata).toEqual({ entityId });
    expect(await app.claim(entityId)).toMatchObject({ customerId, others: [late?.id] });
    expect(app.log.filter((line) => line.includes("second customer"))).toHaveLength(1);
    expect((await app.customers()).map((row) => [row.customerId, row.entityId])).toEqual(
      expect.arrayContaining([
        [customerId, entityId],
        [late?.id, null],
      ]),
    );
  });
});

/** A client whose key Stripe does not know. */
function wrongKey({ core }: App): Runtime["stripe"] {
  return () => {
    const stripe = core.stripe();
    return new Proxy(stripe, {
      get: (target, name) =>
        name === "customers"
          ? new Proxy(target.customers, {
              get: (customers, method) => (params: never, options: object) =>
                (customers[method as "create"] as (...args: unknown[]) => unknown)(params, {
                  ...options,
                  apiKey: "sk_test_wrong",
                }),
            })
          : Reflect.get(target, name),
    });
  };
}

describe("a bad email", () => {
  it("is told to its caller and does not poison the entity", async () => {
    const app = await still();
    const error = await billingError(setup(app.core, { entityId, email: "not an address" }));
    expect(error).toMatchObject({ code: "provider_error", cause: { statusCode: 400 } });
    expect(await app.claim(entityId)).toMatchObject({ state: "free" });
    await setup(app.core, { entityId, email: "ada@example.com" });
    expect(emailsAt(app)).toEqual(["ada@example.com"]);
    expect(await app.claim(entityId)).toMatchObject({ state: "linked", generation: 2 });
  });

  it("of a process that died is not told to the next caller", async () => {
    const app = await still();
    const params = { email: "not an address", metadata: { entityId } };
    await put(app.core, undefined, opened(undefined, { ...opening, params }));
    await setup(app.core, { entityId, email: "ada@example.com" });
    expect(emailsAt(app)).toEqual(["ada@example.com"]);
  });

  it("among many callers at once concerns nobody else, in the same process or another", async () => {
    const app = await open({ endpoint: false });
    const callers = Array.from({ length: 12 }, (_, i) =>
      (i % 3 === 0 ? app.a : app.b).setup({
        entityId,
        email: i % 2 === 0 ? "not an address" : "ada@example.com",
      }),
    );
    const ended = await Promise.allSettled(callers);
    expect(ended.filter((_, i) => i % 2 === 1).map(({ status }) => status)).toEqual(
      Array(6).fill("fulfilled"),
    );
    expect(emailsAt(app)).toEqual(["ada@example.com"]);
  });

  it("is refused in the background without an end", async () => {
    const app = await still();
    const params = { email: "not an address", metadata: { entityId } };
    await put(app.core, undefined, opened(undefined, { ...opening, params }));
    await app.double.clock.advance({ seconds: 61 });
    expect(await finishClaims(app.core)).toBe(1);
    expect(await app.claim(entityId)).toMatchObject({ state: "free" });
    await app.double.clock.advance({ days: 1 });
    expect(await finishClaims(app.core)).toBe(0);
  });
});
