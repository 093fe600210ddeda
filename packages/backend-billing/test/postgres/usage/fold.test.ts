// Old usage becomes sums of days: nothing is lost, and what is not sent stays.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { emptiedSchema } from "../../../../../support/postgres/emptied.js";
import { disagreements, type UsageLedger } from "../../../../../support/usage/agree.js";
import { createCallers } from "../../../../../support/usage/callers.js";
import { NOW } from "../../../../../support/usage/cases.js";
import { stream } from "../../../../stripe-double/src/world/random.js";
import { foldUsage } from "../../../src/core/usage/books/fold.js";
import { booksOn } from "../../../src/postgres/usage/books.js";
import { openUsage } from "./kit.js";

const DAY = 86_400_000;
const TABLE = "billing.backend_billing_usage";
let kit: Awaited<ReturnType<typeof openUsage>>;
let empty: () => Promise<void>;
beforeAll(async () => {
  kit = await openUsage();
  empty = await emptiedSchema(kit.pool, "billing");
});
afterAll(() => kit.close());
beforeEach(async () => {
  await empty();
  kit.clock.now = NOW;
});

const fold = () => foldUsage({ books: booksOn(kit.pool, {}), now: () => kit.clock.now });
const rows = async (text: string) => (await kit.pool.query(text)).rows;
const keys = async () =>
  (await rows(`SELECT key FROM ${TABLE}_records ORDER BY key`)).map(({ key }) => key);
const days = () =>
  rows(`SELECT entity_id, feature, day::float8, amount::float8, over::float8, billed::float8,
    booked::float8 FROM ${TABLE}_days ORDER BY 1, 2, 3`);
const use = (key: string, amount: number, feature = "credits") =>
  kit.usage.consume({ entityId: "user", feature, key, amount });
const month = { from: Date.UTC(2026, 0, 10), until: Date.UTC(2026, 1, 10) };

describe("old usage", () => {
  it("is kept for 66 days, and is then one sum for a day", async () => {
    await use("a", 2);
    await use("b", 3);
    kit.clock.now += 66 * DAY;
    expect(await fold()).toBe(0);
    expect(await use("a", 2)).toEqual({ allowed: true, balance: 10 }); // the share of March
    expect(await keys()).toEqual(["a", "b"]);
    kit.clock.now += 1;
    expect(await fold()).toBe(2);
    expect(await keys()).toEqual([]);
    const sums = { entity_id: "user", feature: "credits", over: 0, billed: 0 };
    expect(await days()).toEqual([{ ...sums, day: Date.UTC(2026, 0, 15), amount: 5, booked: 0 }]);
    expect(await use("a", 2)).toEqual({ allowed: true, balance: 8 }); // counted anew
  });

  it("is added to the sum of its day, with what Stripe bills of it", async () => {
    await kit.subscribe("user", { plan: "pro", ...month });
    await use("a", 1_100, "calls");
    await kit.pool.query(`UPDATE ${TABLE}_records SET batch = 'sent'`);
    kit.clock.now += 67 * DAY;
    await fold();
    kit.clock.now = NOW;
    await use("b", 50, "calls");
    await kit.pool.query(`UPDATE ${TABLE}_records SET billed = false`);
    kit.clock.now += 67 * DAY;
    await fold();
    expect(await days()).toMatchObject([{ amount: 1_150, over: 150, billed: 100 }]);
  });

  it("stays where Stripe bills it and it is not sent, or its batch is kept", async () => {
    await kit.subscribe("user", { plan: "pro", ...month });
    for (const key of ["free", "kept", "sent", "unsent"]) await use(key, 300, "calls");
    const put = (key: string) =>
      kit.pool.query(`UPDATE ${TABLE}_records SET batch = $1 WHERE key = $1`, [key]);
    await kit.pool.query(`UPDATE ${TABLE}_records SET billed = key <> 'free'`);
    await put("kept");
    await put("sent");
    await kit.pool.query(`INSERT INTO billing.backend_billing_records
      VALUES ('batch', 'kept', 1, NULL, NULL, '{"problem": "missing"}')`);
    kit.clock.now += 100 * DAY;
    await fold();
    expect(await keys()).toEqual(["kept", "unsent"]);
  });

  it("takes shares of plans along, and holds that ended, but nothing that was given", async () => {
    await kit.usage.grant({
      ...{ entityId: "user", feature: "credits", key: "gift", amount: 5 },
      expiresAt: NOW + DAY,
    });
    await use("a", 7);
    const hold = { entityId: "user", feature: "credits", amount: 1 };
    await kit.usage.reserve({ ...hold, key: "over" });
    kit.clock.now += 40 * DAY;
    await use("b", 1);
    kit.clock.now += 90 * DAY;
    await kit.usage.reserve({ ...hold, key: "held" });
    await use("c", 1);
    await fold();
    const grants = await rows(
      `SELECT source, used::float8 FROM ${TABLE}_grants ORDER BY created_at`,
    );
    expect(grants).toMatchObject([{ source: "given" }, { source: "plan" }]);
    expect(await rows(`SELECT key FROM ${TABLE}_holds`)).toEqual([{ key: "held" }]);
    const given = { entityId: "user", feature: "credits", key: "gift", amount: 5 };
    expect(await kit.usage.grant(given)).toEqual({ balance: 8 }); // once for its key
  });
});

/** Everything that is stored, by places. */
async function ledgers(): Promise<readonly UsageLedger[]> {
  const text = `SELECT json_build_object('of', b.entity_id || ' ' || b.feature,
    'balance', json_build_object('granted', granted, 'used', used, 'held', held,
      'over', over_used, 'heldOver', over_held),
    ${["grants", "holds", "records", "days"]
      .map(
        (each) => `'${each}', (SELECT coalesce(json_agg(x), '[]') FROM ${TABLE}_${each} x
          WHERE (x.entity_id, x.feature) = (b.entity_id, b.feature))`,
      )
      .join(", ")}) AS ledger FROM ${TABLE}_balances b`;
  return (await rows(text)).map(({ ledger }) => ledger as UsageLedger);
}

describe("random months", () => {
  it("agree to the unit over sums of days, whoever folds when", async () => {
    const next = stream(3, "fold");
    const below = (count: number) => Math.floor(next() * count);
    const callers = createCallers({ below, clock: kit.clock, entities: 4 });
    for (const entity of ["user_0", "user_1"]) {
      await kit.subscribe(entity, { plan: "pro", ...month });
    }
    for (let step = 0; step < 250; step++) {
      const call = callers.draw();
      const args = { ...call.args, expiresAt: call.args.expiresAt };
      if (call.lasts !== undefined) args.expiresAt = kit.clock.now + call.lasts;
      const answer = await kit.usage[call.name](args as never).catch(() => undefined);
      callers.learn(call, answer);
      if (below(3) === 0) kit.clock.now += below(4 * DAY);
      await kit.pool.query(
        `UPDATE ${TABLE}_records SET batch = 'sent' WHERE billed AND batch IS NULL`,
      );
      if (below(10) === 0) await Promise.all([fold(), fold()]);
    }
    await fold();
    const all = await ledgers();
    expect(all.flatMap(disagreements)).toEqual([]);
    const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);
    const folded = all.flatMap((each) => each.days ?? []);
    expect(sum(folded.map(({ amount }) => amount))).toBeGreaterThan(100);
    expect(sum(folded.map(({ booked }) => booked))).toBeGreaterThan(10);
    expect(kit.clock.now - NOW).toBeGreaterThan(100 * DAY);
  });
});
