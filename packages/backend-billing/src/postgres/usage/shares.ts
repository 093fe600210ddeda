/** Gives what a plan included on PostgreSQL, each feature in a transaction of its own. */
import type { ResourceChoice } from "../../core/catalogue/catalogue.js";
import type { AnyCatalogue } from "../../core/plans/catalogue.js";
import type { SharesStore } from "../../core/runtime/records/shares.js";
import { settleShares } from "../../core/usage/shares/settle.js";
import type { PoolLike } from "../database.js";
import { usageOn } from "./usage.js";

export function sharesOn(
  pool: PoolLike,
  tables: { readonly schema?: string; readonly resources?: ResourceChoice },
  catalogue: AnyCatalogue,
): SharesStore {
  const usage = usageOn(pool, tables);
  return { settle: (former, now) => settleShares(usage, catalogue, former, now) };
}
