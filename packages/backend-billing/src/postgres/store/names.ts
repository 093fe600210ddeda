/** The tables by their names, as SQL has them. */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import { resources } from "../../core/catalogue/resources.js";
import { identifier } from "../database.js";

/** The tables of usage. */
export interface UsageNames {
  readonly balances: string;
  readonly grants: string;
  readonly holds: string;
  readonly records: string;
  readonly days: string;
}

export interface Names {
  readonly versions: string;
  readonly receipts: string;
  readonly records: string;
  readonly usage: UsageNames;
  table(resource: ResourceName): string;
}

export function namesIn(schema: string): Names {
  const inSchema = (table: string) => `${identifier(schema)}.${identifier(table)}`;
  return {
    versions: inSchema("backend_billing_versions"),
    receipts: inSchema("backend_billing_receipts"),
    records: inSchema("backend_billing_records"),
    usage: {
      balances: inSchema("backend_billing_usage_balances"),
      grants: inSchema("backend_billing_usage_grants"),
      holds: inSchema("backend_billing_usage_holds"),
      records: inSchema("backend_billing_usage_records"),
      days: inSchema("backend_billing_usage_days"),
    },
    table: (resource) => inSchema(resources[resource].table),
  };
}
