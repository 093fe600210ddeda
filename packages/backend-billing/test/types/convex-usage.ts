// Compiled by `npm run typecheck`, by every compiler that it has; never run. Usage on Convex has the
// names of a catalogue: what is misspelt, or has no balance, does not compile.
import { mutationGeneric, queryGeneric } from "convex/server";
import { expectTypeOf } from "vitest";
import { defineCatalogue } from "../../src/catalogue/index.js";
import { createLocal, type UsageBalance } from "../../src/convex/local.js";

const catalogue = defineCatalogue({
  app: "acme",
  features: { sso: "boolean", tokens: "credits", calls: { meter: "calls" } },
  plans: { free: { name: "Free", default: true, features: { tokens: { included: 3 } } } },
});
const local = createLocal({ catalogue });
const { can, consume, track, reserve, finish, release, grant, usageOf } = local;
const use = { entityId: "user_1", key: "request_1" };

mutationGeneric({
  args: {},
  handler: async (ctx) => {
    const taken = await consume(ctx, { ...use, feature: "calls", amount: 3 });
    if (!taken.allowed) return taken.reason satisfies "limit_reached" | "not_included";
    expectTypeOf(track(ctx, { ...use, feature: "tokens" })).resolves.toEqualTypeOf<{
      readonly balance: number;
    }>();
    const held = await reserve(ctx, { ...use, feature: "tokens", expiresAt: 1 });
    if (held.allowed) await finish(ctx, { reservationId: held.reservationId, amount: 2 });
    if (held.allowed) await release(ctx, { reservationId: held.reservationId });
    await grant(ctx, { ...use, feature: "tokens", amount: 5 });
    // @ts-expect-error it is misspelt
    await consume(ctx, { ...use, feature: "call" });
    // @ts-expect-error it has no balance
    await consume(ctx, { ...use, feature: "sso" });
    // @ts-expect-error it is misspelt
    await reserve(ctx, { ...use, feature: "token" });
    // @ts-expect-error how much is given must be said
    await grant(ctx, { ...use, feature: "tokens" });
    return taken.balance;
  },
});

queryGeneric({
  args: {},
  handler: async (ctx) => {
    const all = await usageOf(ctx, "user_1");
    expectTypeOf(all).toEqualTypeOf<{
      readonly tokens: UsageBalance;
      readonly calls: UsageBalance;
    }>();
    // @ts-expect-error a query takes nothing
    await consume(ctx, { ...use, feature: "calls" });
    return (await can(ctx, "user_1", "calls")) ? all.calls.remaining : 0;
  },
});
