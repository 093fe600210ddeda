/** What Convex generates of an application's schema, as far as the templates use it. Not published. */
import type { billingTables } from "backend-billing/convex";
import {
  type ActionBuilder,
  actionGeneric,
  type DataModelFromSchemaDefinition,
  type GenericActionCtx,
  type GenericQueryCtx,
  internalQueryGeneric,
  type QueryBuilder,
  queryGeneric,
  type SchemaDefinition,
} from "convex/server";

type DataModel = DataModelFromSchemaDefinition<SchemaDefinition<typeof billingTables, true>>;

export type QueryCtx = GenericQueryCtx<DataModel>;
export type ActionCtx = GenericActionCtx<DataModel>;
export const query: QueryBuilder<DataModel, "public"> = queryGeneric;
export const internalQuery: QueryBuilder<DataModel, "internal"> = internalQueryGeneric;
export const action: ActionBuilder<DataModel, "public"> = actionGeneric;
