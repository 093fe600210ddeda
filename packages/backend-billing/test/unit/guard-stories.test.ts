import { expect, it } from "vitest";
import { runOnce } from "../../../../support/guard/check.js";
import { openMemory } from "../../../../support/guard/stores/memory.js";
import { declined, stories, waited } from "../../../../support/guard/stories.js";
import { records } from "../../src/core/runtime/records/records.js";

it.each(Object.entries(stories))("%s", async (_, story) => {
  const { wrong, tally } = await runOnce(await openMemory(), story);
  expect(wrong).toEqual([]);
  expect(tally.pages + tally.subscribed + tally.killed).toBe(story.callers.length + 2);
});

it("an invoice that is voided for another plan is given to no caller", async () => {
  const store = await openMemory();
  for (let second = 1_000; second < 2_500; second += 250) {
    expect((await runOnce(store, declined(second))).wrong).toEqual([]);
  }
});

it("a subscription that is mirrored while a call waits for another one is known to it", async () => {
  const { wrong, tally } = await runOnce(await openMemory(), waited);
  expect(wrong).toEqual([]);
  expect(tally).toMatchObject({ pages: 2, subscribed: 2, besideDashboard: 0 });
});

it("a revision of the guard does not come again once the store was set back", async () => {
  const database = await (await openMemory()).fresh();
  const store = database.connect({ pause: async () => {}, real: (work) => work() });
  const record = records.guard("entity");
  const data = { pages: {}, made: 1, leasedUntil: 0, trials: [] };
  const written = async () => {
    const write = record.write({ revision: 0, data: undefined }, data);
    await store.commit({ source: "record", now: 0, units: [], records: [write] });
    return (await store.record("guard", "entity"))?.revision;
  };
  const goBack = await database.remember();
  const first = await written();
  await goBack();
  expect(await written()).not.toBe(first);
});
