// Compiled by `npm run typecheck` against both ends of the stripe range; never run. An application's
// `internal` keeps its types where `on` names its mutations, in the module that exports what the
// creators answer.
import {
  type ApiFromModules,
  type FilterApi,
  type FunctionArgs,
  type FunctionReference,
  type FunctionReturnType,
  internalMutationGeneric,
} from "convex/server";
import { v } from "convex/values";
import { expectTypeOf } from "vitest";
import { defineCatalogue } from "../../src/catalogue/index.js";
import type { Reactions } from "../../src/convex/index.js";
import { createBilling, createStripe } from "../../src/convex/index.js";
import { createLocal } from "../../src/convex/local.js";
import type { BillingEvent, Change, StripeObject } from "../../src/index.js";

type Own = typeof import("./convex-reactions.js");
declare const internal: FilterApi<
  ApiFromModules<{ billing: Own; hooks: Own }>,
  FunctionReference<"query" | "mutation" | "action", "internal">
>;

const { onEvent, onChange } = createLocal({ catalogue: defineCatalogue({}) });

export const started = internalMutationGeneric({
  args: onEvent("subscription.started"),
  returns: v.null(),
  handler: async (_, { event }): Promise<null> => {
    expectTypeOf(event).toEqualTypeOf<BillingEvent<"subscription.started">>();
    expectTypeOf(event.after.subscriptionId).toBeString();
    return null;
  },
});
export const invoice = internalMutationGeneric({
  args: onChange("invoices"),
  returns: v.null(),
  handler: async (_, { change }): Promise<null> => {
    expectTypeOf(change).toEqualTypeOf<Change<StripeObject<"invoices">>>();
    expectTypeOf(change.entityId).toEqualTypeOf<string | null>();
    return null;
  },
});
export const anything = internalMutationGeneric({
  args: { event: v.any() },
  returns: v.null(),
  handler: async (): Promise<null> => null,
});

const config = { secret_key: "sk_test_1", webhook_secret: "whsec_1" };
const on = {
  "subscription.started": internal.hooks.started,
  "access.lost": internal.hooks.anything,
  change: { invoices: internal.hooks.invoice },
  stripe: { "radar.early_fraud_warning.created": internal.hooks.anything },
} satisfies Reactions;
export const { billing, store, sync, setup, checkout } = createBilling({
  ...config,
  on: {
    "subscription.started": internal.hooks.started,
    "access.lost": internal.hooks.anything,
    change: { invoices: internal.hooks.invoice },
    stripe: { "radar.early_fraud_warning.created": internal.hooks.anything },
  },
});
export const { stripe } = createStripe({ ...config, on });

// A handler whose plans are those of a catalogue is told of the same event.
const typed = createLocal({
  catalogue: defineCatalogue({ app: "acme", plans: { free: { name: "Free", default: true } } }),
});
export const provisioned = internalMutationGeneric({
  args: typed.onEvent("access.granted"),
  returns: v.null(),
  handler: async (_, { event }): Promise<null> => {
    expectTypeOf(event.after.plan).toEqualTypeOf<"free">();
    return null;
  },
});
createBilling({ ...config, on: { "access.granted": internal.hooks.provisioned } });

expectTypeOf(internal.hooks.started).not.toBeAny();
expectTypeOf(internal.billing.setup).not.toBeAny();
expectTypeOf<FunctionArgs<typeof internal.hooks.started>>().toEqualTypeOf<{
  event: BillingEvent<"subscription.started">;
}>();
expectTypeOf<FunctionReturnType<typeof internal.billing.setup>>().toEqualTypeOf<{
  customerId: string;
}>();

// @ts-expect-error it is told of another event
createBilling({ ...config, on: { "access.lost": internal.hooks.started } });
// @ts-expect-error it takes an event, and not a change
createBilling({ ...config, on: { change: { invoices: internal.hooks.started } } });
// @ts-expect-error it must be a mutation
createBilling({ ...config, on: { "access.lost": internal.billing.setup } });
// @ts-expect-error there is no such event
createBilling({ ...config, on: { "access.list": internal.hooks.anything } });
