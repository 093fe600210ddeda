/**
 * Convex under `convex-test`, for histories of the guard: others may come in between any two
 * mutations. Workers are the harness's own, at its own time; those that the store schedules do nothing
 * here. To set the store back, its documents are put back, in their order: `convex-test` gives them
 * other ids then, which nothing depends on.
 */

import { billingTables } from "../../../packages/backend-billing/src/convex/tables/tables.js";
import { deployStore, type StoreDeployment } from "../../convex/store.js";
import type { OpenGuardStore } from "./memory.js";

type Db = Parameters<Parameters<StoreDeployment["test"]["run"]>[0]>[0]["db"];
const tables = Object.keys(billingTables) as (keyof typeof billingTables)[];
const all = (db: Db, table: (typeof tables)[number]) => db.query(table).collect();

export const openConvex = async (): Promise<OpenGuardStore> => ({
  fresh: async () => {
    const { test, through } = deployStore();
    return {
      connect: ({ pause, real }) =>
        through(async (call) => {
          await pause();
          return real(call);
        }),
      remember: async () => {
        const kept = await test.run(({ db }) =>
          Promise.all(tables.map(async (table) => ({ table, documents: await all(db, table) }))),
        );
        return () =>
          test.run(async ({ db }) => {
            for (const { table, documents } of kept) {
              for (const { _id } of await all(db, table)) await db.delete(_id);
              for (const { _id, _creationTime, ...fields } of documents) {
                await db.insert(table, fields as never);
              }
            }
          });
      },
    };
  },
});
