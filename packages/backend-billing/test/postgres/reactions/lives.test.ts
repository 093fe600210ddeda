// @module-tag slow
// Random lives through the library: what its handlers are told is what an independent reading of
// Stripe's own log of events asks for. `npm run lives` looks at 2,000 of them.
import { expect, it } from "vitest";
import { createPool, databaseOfEachTest } from "../../../../../support/postgres/database.js";
import { judgeStoredLives } from "../../../../../support/tellings/stored.js";

const database = databaseOfEachTest();

it.each([
  ["exactly that, where every webhook comes", "whole"],
  ["nothing that contradicts it, where some are lost, doubled or late", "rough"],
] as const)("%s", async (_, delivery) => {
  const pool = createPool(database.url, { max: 7 });
  const entities = [1, 2, 3, 4, 5, 6];
  const lives = { seed: "stored", entities, pool, schema: "lives", delivery };
  const { wrong } = await judgeStoredLives(lives);
  await pool.end();
  expect(wrong).toEqual([]);
});
