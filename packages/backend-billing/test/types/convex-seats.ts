// Compiled by `npm run typecheck` against both ends of the stripe range; never run. An application's
// `internal` keeps its types where the creator is given a part of it.
import {
  type ApiFromModules,
  type FilterApi,
  type FunctionArgs,
  type FunctionReference,
  type FunctionReturnType,
  type GenericDataModel,
  type GenericMutationCtx,
  type GenericQueryCtx,
  internalQueryGeneric,
} from "convex/server";
import { v } from "convex/values";
import { expectTypeOf } from "vitest";
import { defineCatalogue } from "../../src/catalogue/index.js";
import { createBilling, createStripe } from "../../src/convex/index.js";
import { createLocal } from "../../src/convex/local.js";

type Own = typeof import("./convex-seats.js");
declare const internal: FilterApi<
  ApiFromModules<{ billing: Own; members: Own }>,
  FunctionReference<"query" | "mutation" | "action", "internal">
>;

export const count = internalQueryGeneric({
  args: { entityId: v.string() },
  returns: v.number(),
  handler: async (_, { entityId }): Promise<number> => entityId.length,
});
export const name = internalQueryGeneric({
  args: { entityId: v.string() },
  returns: v.string(),
  handler: async (_, { entityId }): Promise<string> => entityId,
});

const config = { secret_key: "sk_test_1", webhook_secret: "whsec_1" };
export const { billing, store, sync, setup, checkout } = createBilling({
  ...config,
  seats: internal.members.count,
});
export const { stripe } = createStripe({ ...config, seats: internal.members.count });

expectTypeOf(internal.members.count).not.toBeAny();
expectTypeOf(internal.billing.setup).not.toBeAny();
expectTypeOf<FunctionArgs<typeof internal.members.count>>().toEqualTypeOf<{ entityId: string }>();
expectTypeOf<FunctionReturnType<typeof internal.billing.setup>>().toEqualTypeOf<{
  customerId: string;
}>();

// @ts-expect-error it must answer a number
createBilling({ ...config, seats: internal.members.name });
// @ts-expect-error it must be a query
createBilling({ ...config, seats: internal.billing.setup });

declare const mutation: GenericMutationCtx<GenericDataModel>;
declare const query: GenericQueryCtx<GenericDataModel>;
const { seatsChanged } = createLocal({ catalogue: defineCatalogue({}), module: "lib/billing" });
expectTypeOf(seatsChanged(mutation, { entityId: "org_1" })).resolves.toBeVoid();
// @ts-expect-error a query writes nothing
seatsChanged(query, { entityId: "org_1" });
