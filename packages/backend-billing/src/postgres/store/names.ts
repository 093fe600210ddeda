/** The tables by their names, as SQL has them. */
import type { ResourceName } from "../../core/catalogue/catalogue.js";
import { resources } from "../../core/catalogue/resources.js";
import { identifier } from "../database.js";

export interface Names {
  readonly versions: string;
  readonly receipts: string;
  readonly records: string;
  table(resource: ResourceName): string;
}

export function namesIn(schema: string): Names {
  const inSchema = (table: string) => `${identifier(schema)}.${identifier(table)}`;
  return {
    versions: inSchema("backend_billing_versions"),
    receipts: inSchema("backend_billing_receipts"),
    records: inSchema("backend_billing_records"),
    table: (resource) => inSchema(resources[resource].table),
  };
}
