// What a first listing of much finds: nothing is told of it, or each object once.
import { expect, it } from "vitest";
import { createBilling } from "../../../src/postgres/index.js";
import { applications } from "../service/kit.js";
import { changesLeft, opened, writer } from "./kit.js";

const openApp = applications();

const MINUTE = 60_000;

it("is silent, and told once each with `initial_events`", () => listing(300));

it("is so for ten thousand", { tags: ["long"], timeout: 20 * MINUTE }, () => listing(10_000));

async function listing(count: number): Promise<void> {
  for (const initial of [false, true]) {
    const app = await opened(openApp, {}, { endpoint: false });
    app.double.populate({ object: "customer", count: count });
    const on = { change: { customers: writer("customer") } };
    const b = createBilling({ ...app.config, on, initial_events: initial });
    await b.sync();
    while ((await b.billing.tick({ budget: MINUTE })).more);
    expect(await changesLeft(app)).toEqual([]);
    const [told] = await app.sql<{ all: number; each: number }>(
      'SELECT count(*)::int AS all, count(DISTINCT key)::int AS "each" FROM told',
    );
    expect(told).toEqual(initial ? { all: count, each: count } : { all: 0, each: 0 });
    expect(await b.store.rows("customers", "", 2 * count)).toHaveLength(count);
    await b.billing.close();
  }
}
