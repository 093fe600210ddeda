// Usage on PostgreSQL, and the credits that are bought.
import { expect, it, onTestFinished } from "vitest";
import { describeUsage, JANUARY } from "../../../../../support/usage/cases.js";
import { describeCredits } from "../../../../../support/usage/credits.js";
import { catalogue } from "../../../../../support/usage/world.js";
import { queryableOf, type Tx } from "../../../src/postgres/transaction.js";
import { openUsage } from "./kit.js";

describeUsage(openUsage);
describeCredits(openUsage);

it("an edited catalogue counts at once, also where the sums of the one before are valid", async () => {
  const kit = await openUsage();
  onTestFinished(kit.close);
  const calls = (key: string, amount: number) =>
    ({ entityId: "user_1", feature: "calls", key, amount }) as const;
  await kit.subscribe("user_1", { ...JANUARY, plan: "pro" });
  await kit.usage.consume(calls("a", 1_000));
  const { pro } = catalogue.plans;
  const features = { ...pro.features, calls: { ...pro.features.calls, included: 1_200 } };
  const edited = { ...catalogue, plans: { ...catalogue.plans, pro: { ...pro, features } } };
  await kit.usageBy(edited).consume(calls("b", 300));
  expect(await kit.records("user_1")).toMatchObject([
    { key: "a", over: 0, billed: false },
    { key: "b", over: 100, billed: true },
  ]);
});

it("a transaction of Drizzle is one connection, however often it is passed", () => {
  const passed = (client: object) => queryableOf({ _: { session: { client } } } as unknown as Tx);
  const client = { query: async () => ({ rows: [] }) };
  expect(passed(client)).toBe(passed(client));
  const sql = { unsafe: async () => [] };
  expect(passed(sql)).toBe(passed(sql));
  expect(passed(sql)).not.toBe(passed(client));
});
