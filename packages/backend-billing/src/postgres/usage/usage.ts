/** Usage on PostgreSQL: on the pool, each call a transaction of its own; or in one of the application's. */
import { namesOf, type ResourceChoice, type ResourceName } from "../../core/catalogue/catalogue.js";
import { oneAtATime } from "../../core/runtime/one-at-a-time.js";
import type { UsageStore } from "../../core/usage/store.js";
import { type PoolLike, type Queryable, transaction } from "../database.js";
import { schemaOf } from "../schema/schema.js";
import { checkAtFirstUse } from "../store/first-use.js";
import { type Names, namesIn } from "../store/names.js";
import { isNotPrepared, type Prepared, prepareOn } from "../store/prepared.js";
import { beginOn, isPg, sharedPool } from "../store/share.js";
import { basisIn } from "./basis.js";
import { changeOn, type Select } from "./change.js";
import { walletsOn } from "./wallets.js";
import { quickFrom, quickValues, type RawQuick, takeQuickly } from "./write/quick.js";

interface Tables {
  readonly schema?: string;
  readonly resources?: ResourceChoice;
}

/** On a pool. */
export function usageOn(pool: PoolLike, tables: Tables): UsageStore {
  const names = namesIn(schemaOf(tables));
  const chosen = namesOf(tables.resources);
  const shared = sharedPool(pool);
  const prepared: Prepared = prepareOn(shared, isPg(pool));
  const firstUse = checkAtFirstUse({ pool, ...tables });
  const select: Select = async <T>(text: string, values: readonly unknown[]) => {
    const check = firstUse();
    if (check !== undefined) await check;
    return (await prepared.run({ text, values })) as T[];
  };
  const change: UsageStore["change"] = (place, keys, decide) =>
    transaction(
      shared,
      (connection) => {
        const on = prepared.on(connection);
        const run: Select = async <T>(text: string, values: readonly unknown[]) =>
          (await on({ text, values })) as T[];
        return changeOn(run, names, chosen)(place, keys, decide);
      },
      beginOn(pool),
    );
  return {
    ...quickOn(select, names),
    ...walletsOn(select, names, chosen),
    change: (...all) =>
      change(...all).catch((error: unknown) => {
        // Behind a proxy: the transaction is taken back, and from now on statements are sent as they are.
        if (isNotPrepared(error)) return change(...all);
        throw error;
      }),
  };
}

/** In a transaction of the application, of which calls that are begun together wait for each other. */
export function usageIn(connection: Queryable, tables: Tables): UsageStore {
  const names = namesIn(schemaOf(tables));
  const chosen: readonly ResourceName[] = namesOf(tables.resources);
  const select: Select = async <T>(text: string, values: readonly unknown[]) =>
    (await connection.query(text, [...values])).rows as T[];
  const { quick } = quickOn(select, names);
  const change = changeOn(select, names, chosen);
  return {
    quick: (use) => oneAtATime(connection, () => quick(use)),
    ...walletsOn(select, names, chosen),
    change: (...all) => oneAtATime(connection, () => change(...all)),
  };
}

function quickOn(select: Select, names: Names): Required<Pick<UsageStore, "quick">> {
  const text = takeQuickly(names.usage, basisIn(names));
  return {
    quick: async (use) => {
      const [found] = await select<RawQuick>(text, quickValues(use));
      return found && quickFrom(found);
    },
  };
}
