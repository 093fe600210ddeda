/** The schema that holds the tables: its name, and the refusal of one that was never decided. */
import { BillingError } from "../../core/runtime/errors.js";
import type { Queryable } from "../database.js";

/**
 * Where the tables are unless an application says otherwise. Not `public`: there, default
 * privileges and data APIs may give unintended roles access to the tables.
 */
export const DEFAULT_SCHEMA = "billing";

/** A table that every installation has, whichever resources it mirrors. */
export const TABLE_OF_EVERY_INSTALLATION = "backend_billing_records";

/** The name to use, checked. PostgreSQL would cut a longer one short and look for another schema. */
export function schemaOf({ schema = DEFAULT_SCHEMA }: { readonly schema?: string }): string {
  const bytes = new TextEncoder().encode(schema).length;
  if (bytes >= 1 && bytes <= 63 && !schema.includes("\0")) return schema;
  throw new BillingError("invalid_config", "`schema` must be a name of 1 to 63 bytes.");
}

/** Whether a schema holds tables of ours. */
export async function hasInstallation(database: Queryable, schema: string): Promise<boolean> {
  const { rows } = await database.query(
    `SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relname = $2`,
    [schema, TABLE_OF_EVERY_INSTALLATION],
  );
  return rows.length > 0;
}

/** `public` holds tables of ours and no `schema` is set: the default would start with empty ones. */
export function undecidedSchema(): BillingError {
  return new BillingError(
    "invalid_config",
    `\`schema\` is not set, and the schema "public" holds tables of backend-billing: the default is "${DEFAULT_SCHEMA}", where an installation would begin anew. ` +
      'To keep the tables where they are, set `schema: "public"` (on the command line: --schema public). ' +
      `To move them, run \`ALTER TABLE … SET SCHEMA ${DEFAULT_SCHEMA}\` for each, as docs/upgrading.md describes. ` +
      `If the tables in "public" are another application's, set \`schema: "${DEFAULT_SCHEMA}"\`.`,
  );
}
