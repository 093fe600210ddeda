// What a `setup` costs: round trips to the database, counted at the pool and at its connections, and
// requests, counted at the double.
import type pg from "pg";
import { expect, it } from "vitest";
import { createBilling, type PostgresConfig } from "../../../src/postgres/index.js";
import { caughtUp } from "./claims-kit.js";
import { type App, applications } from "./kit.js";

const open = applications();
const ACCOUNT = "GET /v1/account";
const SEARCH = "GET /v1/customers/search";
const CREATE = "POST /v1/customers";

/** A client that counts every message that it sends. */
function counted<T extends object>(client: T, count: () => void): T {
  return new Proxy(client, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        if (name === "query") count();
        const result: unknown = Reflect.apply(member, target, args);
        if (name !== "connect") return result;
        return (result as Promise<pg.PoolClient>).then((lent) => counted(lent, count));
      };
    },
  });
}

/** A process of its own over the application's tables, and what each of its calls costs. */
function process({ config, pool, double }: App) {
  let trips = 0;
  const db = counted(pool, () => trips++);
  const { setup, billing } = createBilling({ ...config, db } as PostgresConfig);
  const costOf = async (entityId: string, email = "ada@example.com") => {
    trips = 0;
    double.requests.clear();
    const { customerId } = await setup({ entityId, email });
    const requests = [ACCOUNT, SEARCH, CREATE].filter((each) => double.requests.count(each) > 0);
    expect(double.requests.count()).toBe(requests.length);
    return { customerId, trips, requests };
  };
  return { costOf, close: billing.close };
}

it("a first setup takes at most 8 round trips: of an empty database, and of a process that just began", async () => {
  const app = await open({ endpoint: false, checked: false });
  const { costOf, close } = process(app);
  const first = await costOf("user_1");
  expect(first).toMatchObject({ trips: 8, requests: [ACCOUNT, SEARCH, CREATE] });
  expect(await costOf("user_2")).toMatchObject({ trips: 7, requests: [SEARCH, CREATE] });
  const again = await costOf("user_1");
  expect(again).toEqual({ customerId: first.customerId, trips: 1, requests: [] });
  await close();
  const rows = await app.customers();
  expect(rows.map(({ entityId }) => entityId).sort()).toEqual(["user_1", "user_2"]);
  expect(await app.claim("user_1")).toMatchObject({ state: "linked", params: null });
});

it("a first setup where the mirror knows all customers takes at most 7, and one request", async () => {
  const app = await open({ endpoint: false, checked: false });
  await caughtUp(app);
  const { costOf, close } = process(app);
  expect(await costOf("user_1")).toMatchObject({ trips: 7, requests: [ACCOUNT, CREATE] });
  expect(await costOf("user_2")).toMatchObject({ trips: 6, requests: [CREATE] });
  await close();
  const other = process(app);
  // The place of the tables, and the claim with whose they are.
  expect(await other.costOf("user_2")).toMatchObject({ trips: 2, requests: [ACCOUNT] });
  await other.close();
});
