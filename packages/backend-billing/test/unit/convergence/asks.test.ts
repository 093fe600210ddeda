// Answering asks: what happens when Stripe fails, limits us, or is overtaken by events, and when a
// worker dies. The store is in memory and the clock is moved by hand.
import type Stripe from "stripe";
import { describe, expect, it, vi } from "vitest";
import { batch, event } from "../../../../../support/conformance/fixtures.js";
import { answerAsk, answerAsks, settleAsks } from "../../../src/core/events/refetch.js";
import { refreshDue } from "../../../src/core/events/refresh.js";
import { ASK_DELAY } from "../../../src/core/mirror/rule.js";
import type { Ask } from "../../../src/core/mirror/store.js";
import { createRuntime } from "../../../src/core/runtime/runtime.js";
import { checkPlace } from "../../../src/core/stripe/account.js";
import { createMemoryStore } from "../../../src/memory/store.js";

const START = Date.UTC(2026, 0, 15, 10);
const SECONDS = START / 1000;
const LEASE = 30_000;

type Body = { readonly id: string; readonly [field: string]: unknown };
type Script = (id: string) => Body | Error | Promise<Body | Error>;

function failure(statusCode: number | undefined, headers: Record<string, string> = {}): Error {
  return Object.assign(new Error(`Stripe said ${statusCode}`), { statusCode, headers });
}

interface Calls {
  readonly retrieve?: Script;
  readonly list?: () => readonly Body[] | Error;
  /** Pages of a subscription's items, in turn. */
  readonly items?: readonly (readonly Body[])[];
}

function open(calls: Calls = {}) {
  const store = createMemoryStore();
  const log: string[] = [];
  const woken: number[] = [];
  const made: string[] = [];
  let now = START;
  let page = 0;
  const dated = <T extends object>(answer: T): T =>
    Object.defineProperty({ ...answer }, "lastResponse", {
      value: { headers: { date: new Date(now).toUTCString() } },
    });
  const thrown = <T>(answer: T | Error): T => {
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const retrieve = async (id: string) => {
    made.push(`GET ${id}`);
    return dated(thrown((await calls.retrieve?.(id)) ?? failure(404)));
  };
  const stripe = {
    getApiField: () => "1",
    accounts: { retrieveCurrent: async () => ({ id: "acct_1", created: 0 }) },
    products: { retrieve },
    subscriptions: {
      retrieve,
      list: async () => {
        made.push("list");
        return dated({ data: thrown(calls.list?.() ?? []), has_more: false });
      },
    },
    subscriptionItems: {
      list: async ({ starting_after }: { starting_after?: string }) => {
        made.push(`items after ${starting_after}`);
        const data = calls.items?.[page++] ?? [];
        return dated({ data, has_more: page < (calls.items?.length ?? 0) });
      },
    },
  };
  const runtime = {
    ...createRuntime(
      {
        secret_key: "sk_test_1",
        webhook_secret: "whsec_1",
        rate: false,
        logger: {
          info() {},
          warn: (details, message) => void log.push(`${message}: ${details.object}`),
          error() {},
        },
      },
      { store, baseUrl: () => "", wake: (delay) => void woken.push(delay), now: () => now },
    ),
    stripe: () => stripe as unknown as Stripe,
  };
  const pass = (milliseconds: number) => {
    now += milliseconds;
  };
  /** An object that two events told of in one second. */
  const doubt = async (resource: "products" | "subscriptions" = "products", id = "prod_1") => {
    await checkPlace(runtime); // the process has begun before
    const customer = { customer: "cus_1" };
    for (const name of ["A", "B"]) {
      const seen = event(resource, id, SECONDS, { name, ...customer });
      await store.commit({ ...batch(seen), now });
    }
    pass(ASK_DELAY);
  };
  const due = () => store.takeAsks({ now, lease: 0, limit: 10 });
  return { runtime, store, log, woken, made, pass, doubt, due, now: () => now };
}

const product = (name: string): Body => ({ id: "prod_1", object: "product", name });
const subscription = (over: object = {}): Body => ({
  id: "sub_1",
  object: "subscription",
  customer: "cus_1",
  ...over,
});

describe("an ask", () => {
  it("waits for the burst to be over, and is settled by one retrieval", async () => {
    const { runtime, store, made, pass, doubt } = open({ retrieve: () => product("B") });
    await doubt();
    pass(-1);
    expect(await answerAsks(runtime)).toBe(0);
    pass(1);
    expect(await answerAsks(runtime)).toBe(1);
    expect(await answerAsks(runtime)).toBe(0);
    expect(made).toEqual(["GET prod_1"]);
    expect((await store.row("products", "prod_1"))?.stripe.name).toBe("B");
    expect(await store.version("products", "prod_1")).toMatchObject({ stale: false });
  });

  it.each([
    ["a failure", "10 to 20 seconds", failure(500), 10_000],
    ["no answer", "10 to 20 seconds", failure(undefined), 10_000],
    ["something that is no error of Stripe's", "10 to 20 seconds", new TypeError("a bug"), 10_000],
    ["a key that may not", "5 to 10 minutes", failure(403), 300_000],
  ])("stands after %s, and is tried again in %s", async (_, __, error, least) => {
    const answers: (Body | Error)[] = [error, product("B")];
    const { runtime, store, made, log, woken, pass, doubt, due } = open({
      retrieve: () => answers.shift() ?? failure(404),
    });
    await doubt();
    expect(await answerAsks(runtime)).toBe(0);
    expect(log).toEqual([`Stripe could not be asked; trying again later: prod_1`]);
    expect(await store.version("products", "prod_1")).toMatchObject({ stale: true, revision: 2 });
    const [delay = 0] = woken;
    expect(delay).toBeGreaterThanOrEqual(least);
    expect(delay).toBeLessThanOrEqual(2 * least);
    pass(delay - 1);
    expect(await due()).toEqual([]);
    pass(1);
    expect(await answerAsks(runtime)).toBe(1);
    expect(made).toHaveLength(2);
    expect((await store.row("products", "prod_1"))?.stripe.name).toBe("B");
  });

  it.each([
    ["", {}, 3_000],
    [", as long as Stripe says", { "retry-after": "40" }, 40_000],
    [", whatever else Stripe says", { "retry-after": "Thu, 15 Jan 2026 10:00:40 GMT" }, 3_000],
  ])("is put off when Stripe limits us%s", async (_, headers, least) => {
    const { runtime, woken, doubt } = open({ retrieve: () => failure(429, headers) });
    await doubt();
    expect(await answerAsks(runtime)).toBe(0);
    expect(woken[0]).toBeGreaterThanOrEqual(least);
    expect(woken[0]).toBeLessThanOrEqual(2 * least);
  });

  it("does not hold up the others when it fails", async () => {
    const { runtime, doubt } = open({
      retrieve: (id) => (id === "prod_1" ? failure(500) : { ...product("B"), id }),
    });
    await doubt();
    await doubt("products", "prod_2");
    expect(await answerAsks(runtime)).toBe(1);
  });

  it("objects that fail together are not tried again together", async () => {
    const { runtime, woken, doubt } = open({ retrieve: () => failure(500) });
    for (let n = 0; n < 20; n++) await doubt("products", `prod_${n}`);
    await answerAsks(runtime);
    expect(new Set(woken).size).toBe(20);
  });

  it("that was overtaken is not asked again at once: the next event may be on its way", async () => {
    const opened = open({
      retrieve: async () => {
        await opened.store.commit(batch(event("products", "prod_1", SECONDS, { name: "C" })));
        return product("B");
      },
    });
    const { runtime, store, made, woken, pass, doubt, due } = opened;
    await doubt();
    expect(await answerAsks(runtime)).toBe(0);
    expect(made).toHaveLength(1);
    expect((await store.row("products", "prod_1"))?.stripe.name).toBe("A");
    expect(woken).toEqual([ASK_DELAY]);
    expect(await due()).toEqual([]);
    pass(ASK_DELAY);
    expect(await due()).toHaveLength(1);
  });

  it("that was overtaken while Stripe failed is answered when its lease is over", async () => {
    const opened = open({
      retrieve: async () => {
        await opened.store.commit(batch(event("products", "prod_1", SECONDS, { name: "C" })));
        return failure(500);
      },
    });
    const { runtime, woken, pass, doubt, due } = opened;
    await doubt();
    expect(await answerAsks(runtime)).toBe(0);
    expect(woken).toContain(LEASE);
    pass(LEASE);
    expect(await due()).toHaveLength(1);
  });

  it("that somebody waits for is asked again at once, a few times", async () => {
    const opened = open({
      retrieve: async () => {
        const name = `C${opened.made.length}`;
        await opened.store.commit(batch(event("products", "prod_1", SECONDS, { name })));
        return product("B");
      },
    });
    const { runtime, made, doubt } = opened;
    await doubt();
    const ask: Ask = { resource: "products", id: "prod_1", revision: 2 };
    expect(await answerAsk(runtime, ask, { awaited: true })).toBe(false);
    expect(made).toHaveLength(5);
  });

  it("of a worker that died is handed to another when its lease is over", async () => {
    const answers: Script[] = [() => new Promise<never>(() => {}), () => product("B")];
    const { runtime, store, made, pass, doubt } = open({
      retrieve: (id) => answers.shift()?.(id) ?? failure(404),
    });
    await doubt();
    void answerAsks(runtime); // it never comes back
    await vi.waitFor(() => expect(made).toHaveLength(1));
    pass(LEASE - 1);
    expect(await answerAsks(runtime)).toBe(0);
    pass(1);
    expect(await answerAsks(runtime)).toBe(1);
    expect((await store.row("products", "prod_1"))?.stripe.name).toBe("B");
  });

  it("two workers that both hold it write once", async () => {
    let release = () => {};
    const slow = new Promise<Body>((resolve) => {
      release = () => resolve(product("B"));
    });
    const answers: Script[] = [() => slow, () => product("C")];
    const { runtime, store, made, pass, doubt } = open({
      retrieve: (id) => answers.shift()?.(id) ?? failure(404),
    });
    await doubt();
    const first = answerAsks(runtime);
    await vi.waitFor(() => expect(made).toHaveLength(1));
    pass(LEASE);
    expect(await answerAsks(runtime)).toBe(1);
    release();
    expect(await first).toBe(0);
    expect((await store.row("products", "prod_1"))?.stripe.name).toBe("C");
    expect(await store.version("products", "prod_1")).toMatchObject({ revision: 3, stale: false });
  });

  it("that another worker has in hand is answered at the end of a run", async () => {
    const answers: Script[] = [() => new Promise<never>(() => {}), () => product("B")];
    const { runtime, store, doubt } = open({
      retrieve: (id) => answers.shift()?.(id) ?? failure(404),
    });
    await doubt();
    void answerAsks(runtime); // it is still at it when the run is about to end
    expect(await settleAsks(runtime, 10)).toBe(1);
    expect(await store.version("products", "prod_1")).toMatchObject({ stale: false });
    expect(await settleAsks(runtime, 10)).toBe(0);
  });

  it("is settled for a run whichever worker has answered it", async () => {
    const opened = open({
      retrieve: async () => {
        if (opened.made.length === 1) await answerAsk(opened.runtime, ask);
        return product("B");
      },
    });
    const ask: Ask = { resource: "products", id: "prod_1", revision: 2 };
    await opened.doubt();
    expect(await settleAsks(opened.runtime, 10)).toBe(1);
    expect(opened.made).toHaveLength(2);
    expect(await opened.store.version("products", "prod_1")).toMatchObject({ stale: false });
  });

  it("that Stripe does not answer holds up no run", async () => {
    const { runtime, store, doubt } = open({ retrieve: () => failure(500) });
    await doubt();
    expect(await settleAsks(runtime, 10)).toBe(0);
    expect(await store.version("products", "prod_1")).toMatchObject({ stale: true });
  });

  it("about a subscription whose list of items is cut reads all pages of it", async () => {
    const pages = [[{ id: "si_2" }, { id: "si_3" }], [{ id: "si_4" }]];
    const cut = { items: { object: "list", has_more: true, data: [{ id: "si_1" }] } };
    const opened = open({
      retrieve: () => {
        opened.pass(3_000); // time goes by between its parts
        return subscription(cut);
      },
      items: pages,
    });
    const { runtime, store, made, doubt } = opened;
    await doubt("subscriptions", "sub_1");
    expect(await answerAsks(runtime)).toBe(1);
    expect(made).toEqual(["GET sub_1", "items after si_1", "items after si_3"]);
    const row = await store.row("subscriptions", "sub_1");
    expect(row?.stripe?.items).toEqual({
      object: "list",
      has_more: false,
      data: ["si_1", "si_2", "si_3", "si_4"].map((id) => ({ id })),
    });
    const version = await store.version("subscriptions", "sub_1");
    expect([version?.lo, version?.hi]).toEqual([SECONDS + 1, SECONDS + 6]); // from before the first part
  });
});

describe("a refresh of a customer's subscriptions", () => {
  const request = async ({ store, now }: ReturnType<typeof open>) => {
    const hint = { kind: "refresh", id: "cus_1", due: now(), data: {} } as const;
    await store.commit({ source: "event", now: now(), units: [{ requests: [hint] }] });
  };
  const left = async ({ store }: ReturnType<typeof open>) =>
    (await store.records("refresh", "", 10)).map(({ id }) => id);

  it("is dropped once the only one was read after the hint", async () => {
    const opened = open({ retrieve: () => subscription({ status: "active" }) });
    await opened.doubt("subscriptions", "sub_1");
    await request(opened);
    expect(await answerAsks(opened.runtime)).toBe(1);
    expect(await left(opened)).toEqual([]);
    expect(opened.made).toEqual(["GET sub_1"]);
  });

  it("stays if the hint came while it was read", async () => {
    const opened = open({
      retrieve: async () => {
        await request(opened);
        return subscription({ status: "active" });
      },
    });
    await opened.doubt("subscriptions", "sub_1");
    await request(opened);
    expect(await answerAsks(opened.runtime)).toBe(1);
    expect(await left(opened)).toEqual(["cus_1"]);
    expect(await opened.store.version("subscriptions", "sub_1")).toMatchObject({ stale: false });
  });

  it("stays if it was another customer's that was read", async () => {
    const opened = open({ retrieve: () => ({ ...subscription(), customer: "cus_2" }) });
    await opened.store.commit(
      batch(event("subscriptions", "sub_1", SECONDS, { customer: "cus_2" })),
    );
    await request(opened);
    await answerAsk(opened.runtime, { resource: "subscriptions", id: "sub_1", revision: 1 });
    expect(await left(opened)).toEqual(["cus_1"]);
  });

  it("stays where the customer has another one, which may be what it is about", async () => {
    const opened = open({ retrieve: () => subscription({ status: "active" }) });
    const other = subscription({ id: "sub_2" });
    await opened.store.commit(batch(event("subscriptions", "sub_2", SECONDS, other)));
    await opened.doubt("subscriptions", "sub_1");
    await request(opened);
    expect(await answerAsks(opened.runtime)).toBe(1);
    expect(await left(opened)).toEqual(["cus_1"]);
  });

  it("is done where the customer is gone, as one of a test clock goes with it", async () => {
    const gone = Object.assign(failure(400), { code: "resource_missing" });
    const opened = open({ list: () => gone });
    await request(opened);
    expect(await refreshDue(opened.runtime)).toBe(1);
    expect(await left(opened)).toEqual([]);
  });

  it("that fails is tried again when its lease is over", async () => {
    const answers: (readonly Body[] | Error)[] = [failure(429), [subscription()]];
    const opened = open({ list: () => answers.shift() ?? [] });
    await request(opened);
    expect(await refreshDue(opened.runtime)).toBe(0);
    expect(opened.woken).toEqual([LEASE]);
    opened.pass(LEASE - 1);
    expect(await refreshDue(opened.runtime)).toBe(0);
    opened.pass(1);
    expect(await refreshDue(opened.runtime)).toBe(1);
    expect(await left(opened)).toEqual([]);
    expect(await opened.store.row("subscriptions", "sub_1")).toBeDefined();
  });
});
