// Claims of earlier versions kept what was sent to Stripe. It is removed, whoever touches them first.
import { expect, it } from "vitest";
import { setup } from "../../../src/core/customers/setup.js";
import { prune } from "../../../src/core/sync/work/prune.js";
import { type App, applications, NOW } from "./kit.js";

const open = applications();

/** As they were stored before: with parameters, and without what came later. */
async function oldClaims(app: App, count: number, state: "linked" | "open"): Promise<void> {
  const isLinked = state === "linked";
  await app.sql(
    `INSERT INTO ${app.schema}.backend_billing_records (kind, id, revision, ref, due, data)
     SELECT 'claim', '${state} ' || n, 1, ${isLinked ? "'cus_' || n" : "NULL"}, NULL, json_build_object(
       'state', '${state}', 'entityId', '${state} ' || n, 'account', NULL, 'livemode', false,
       'generation', 1, 'key', 'random-' || n, 'past', '[]'::json, 'searched', true,
       'params', json_build_object('email', 'ada@example.com'),
       'customerId', ${isLinked ? "'cus_' || n" : "NULL"}, 'provisional', false, 'others', '[]'::json,
       'since', NULL, 'firstAttemptAt', NULL, 'lastAttemptAt', NULL, 'failures', 0,
       'notBefore', 0, 'leasedUntil', 0)
     FROM generate_series(1, ${count}) n`,
  );
}

const holding = async ({ sql, schema }: App) =>
  (
    await sql<{ id: string }>(
      `SELECT id FROM ${schema}.backend_billing_records
       WHERE kind = 'claim' AND data::text LIKE '%ada@example.com%' ORDER BY id`,
    )
  ).map(({ id }) => id);

const still = () => open({ endpoint: false, stripe: { now: NOW } });

it("the pruning job removes it from claims that are linked, in bounded steps, and ends", async () => {
  const app = await still();
  await oldClaims(app, 2_150, "linked");
  await oldClaims(app, 1, "open");
  await prune(app.core);
  expect((await holding(app)).length).toBeGreaterThan(100); // more than one call may take
  await prune(app.core);
  expect(await holding(app)).toEqual(["open 1"]); // it is still to be sent
  const progress = `SELECT data FROM ${app.schema}.backend_billing_records WHERE id = 'claims swept'`;
  expect(await app.sql(progress)).toEqual([{ data: { after: "", done: true } }]); // no entity's id
  const before = await app.sql(`SELECT revision FROM ${app.schema}.backend_billing_records`);
  await prune(app.core);
  expect(await app.sql(`SELECT revision FROM ${app.schema}.backend_billing_records`)).toEqual(
    before,
  );
});

it("a call that reads the claim removes it, and asks Stripe nothing", async () => {
  const app = await still();
  await oldClaims(app, 2, "linked");
  app.double.requests.clear();
  expect(await setup(app.core, { entityId: "linked 1" })).toEqual({ customerId: "cus_1" });
  expect(await holding(app)).toEqual(["linked 2"]);
  expect(app.double.requests.count()).toBe(0);
});
