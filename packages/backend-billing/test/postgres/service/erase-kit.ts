/** What the tests of erasures share: what is found in the tables, and when an erasure is over. */
import type { RunReport } from "../../../src/core/runtime/reports.js";
import { driftCount } from "../../../src/core/sync/drift/drift.js";
import { type App, eventually } from "./kit.js";

/** Every row of every table as text, by its table. */
async function rows(app: App): Promise<{ readonly table: string; readonly row: string }[]> {
  const tables = await app.sql<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = '${app.schema}'`,
  );
  const found = [];
  for (const { name } of tables) {
    const all = await app.sql<{ row: string }>(
      `SELECT t::text AS row FROM ${app.schema}.${name} t`,
    );
    found.push(...all.map(({ row }) => ({ table: name, row })));
  }
  return found;
}

/** Where something is found, by its table. */
export async function found(app: App, texts: readonly string[]): Promise<readonly string[]> {
  const all = await rows(app);
  return texts.flatMap((text) =>
    all
      .filter(({ row }) => row.includes(text))
      .map(({ table, row }) => `${text}: ${table} ${row.slice(0, 300)}`),
  );
}

/** Until every webhook is stored, and every question answered. */
export async function known(app: App): Promise<void> {
  await app.double.settle();
  await eventually(
    () =>
      app.sql(`SELECT 1 FROM ${app.schema}.backend_billing_versions WHERE ask_at IS NOT NULL
        UNION ALL SELECT 1 FROM ${app.schema}.backend_billing_records WHERE kind IN ('refresh', 'claim') AND due IS NOT NULL`),
    (left) => left.length === 0,
  );
}

export const waiting = async (app: App) =>
  (await app.b.store.records("erased", "entity ", 10)).filter(({ due }) => due !== null);

export const erased = (app: App) =>
  eventually(
    () => waiting(app),
    (left) => left.length === 0,
  );

/** The resources of which something differed. */
export const driftIn = ({ state, resources }: RunReport): readonly unknown[] => [
  ...(state === "done" ? [] : [state]),
  ...Object.entries(resources).filter(([, { drift }]) => drift && driftCount(drift) > 0),
];
