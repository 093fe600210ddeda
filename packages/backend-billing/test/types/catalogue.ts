// Compiled by `npm run typecheck`; never run. A catalogue's names are types: what is misspelt, or of
// another kind, does not compile, at its own line.
import { expectTypeOf } from "vitest";
import {
  type AnyCatalogue,
  type BalanceName,
  defineCatalogue,
  type GateName,
  type LimitName,
  type PackKey,
  type PlanOf,
  type PriceKey,
  usd,
} from "../../src/catalogue/index.js";

const prices = { monthly: usd("20").monthly(), yearly: usd("200").yearly() };
const features = {
  sso: "boolean",
  projects: "limit",
  members: { limit: "highest" },
  tokens: "credits",
  calls: { meter: "api_calls" },
} as const;

const catalogue = defineCatalogue({
  app: "acme",
  features,
  plans: {
    free: { name: "Free", default: true, features: { projects: 3 } },
    pro: {
      name: "Pro",
      prices,
      features: {
        sso: true,
        projects: "unlimited",
        members: 5,
        tokens: { included: 5 },
        calls: { included: 1, overage: usd("0.01"), cap: 9 },
      },
    },
  },
  packs: { small: { name: "Small", price: usd("5"), credits: { tokens: 100, calls: 1 } } },
});
type Own = typeof catalogue;

expectTypeOf<PriceKey<Own>>().toEqualTypeOf<"pro:monthly" | "pro:yearly">();
expectTypeOf<PackKey<Own>>().toEqualTypeOf<"small">();
expectTypeOf<PlanOf<Own>>().toEqualTypeOf<"free" | "pro">();
expectTypeOf<LimitName<Own>>().toEqualTypeOf<"projects" | "members">();
expectTypeOf<BalanceName<Own>>().toEqualTypeOf<"tokens" | "calls">();
expectTypeOf<GateName<Own>>().toEqualTypeOf<"sso" | "tokens" | "calls">();
expectTypeOf(catalogue.keys.pro.yearly).toEqualTypeOf<"pro:yearly">();
// @ts-expect-error there is no such price
catalogue.keys.pro.weekly;
declare const sent: unknown;
if (catalogue.isKey(sent)) expectTypeOf(sent).toEqualTypeOf<"pro:monthly" | "pro:yearly">();

// A group without a default has no plan for those who bought none.
const grouped = defineCatalogue({
  app: "acme",
  plans: {
    free: { name: "Free", default: true },
    extra: { name: "Extra", group: "extras", prices },
  },
});
expectTypeOf<PlanOf<typeof grouped>>().toEqualTypeOf<"free" | "extra" | null>();

// Any catalogue, and one without plans: any text.
expectTypeOf<PlanOf<AnyCatalogue>>().toEqualTypeOf<string | null>();
expectTypeOf<GateName<AnyCatalogue>>().toEqualTypeOf<string>();
const bare = defineCatalogue({ access: { past_due: true } });
expectTypeOf<PlanOf<typeof bare>>().toEqualTypeOf<string | null>();
expectTypeOf<GateName<typeof bare>>().toEqualTypeOf<string>();
expectTypeOf<LimitName<typeof bare>>().toEqualTypeOf<string>();
expectTypeOf<PriceKey<typeof bare>>().toEqualTypeOf<string>();
expectTypeOf<PackKey<typeof bare>>().toEqualTypeOf<string>();
const any: readonly AnyCatalogue[] = [catalogue, grouped, bare];
any.at(0);

defineCatalogue({
  app: "acme",
  features,
  plans: {
    // @ts-expect-error it is misspelt
    pro: { name: "Pro", features: { ssso: true } },
  },
});
defineCatalogue({
  app: "acme",
  features,
  plans: {
    // @ts-expect-error it is a number
    pro: { name: "Pro", features: { projects: true } },
  },
});
defineCatalogue({
  app: "acme",
  features,
  plans: {
    // @ts-expect-error Stripe bills no credits
    pro: { name: "Pro", features: { tokens: { overage: usd("1") } } },
  },
});
defineCatalogue({
  app: "acme",
  // @ts-expect-error a plan has a name
  plans: { team: { prices } },
});
defineCatalogue({
  app: "acme",
  features,
  // @ts-expect-error it has no balance
  packs: { one: { name: "One", price: usd("5"), credits: { sso: 1 } } },
});
// @ts-expect-error it is charged again and again, so say how often
defineCatalogue({ app: "acme", plans: { pro: { name: "Pro", prices: { monthly: usd("20") } } } });
// @ts-expect-error money is no float
usd(20);
