/** What a customer has of billing credits, by currency. */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { creditsOnDrafts } from "./apply.js";
import { grantsOf } from "./grants.js";
import { type CreditGrant, ledgerBalance, moneyOf } from "./ledger.js";

export type Scope = CreditGrant["applicability_config"]["scope"];
type Summary = Plain<Stripe.Billing.CreditBalanceSummary>;

/** Which grants are counted: one, or those that apply to all that a scope names. */
export type SummaryFilter = { readonly grant: string } | { readonly scope: Scope };

function isCounted({ id, applicability_config: { scope } }: CreditGrant, filter: SummaryFilter) {
  if ("grant" in filter) return filter.grant === id;
  if (scope.price_type !== undefined) return true;
  const named = filter.scope.prices;
  const own = new Set(scope.prices?.map((price) => price.id));
  return named?.every((price) => own.has(price.id)) ?? false;
}

const monetary = (currency: string, value: number) => ({
  monetary: { currency, value },
  type: "monetary" as const,
});

/** What is on the ledgers; of that, drafts of invoices leave the rest available. */
export function creditSummary(world: World, customer: string, filter: SummaryFilter): Summary {
  const grants = grantsOf(world, customer).filter((grant) => isCounted(grant, filter));
  const currencies = new Set(grants.map((grant) => moneyOf(grant).currency));
  const onDrafts = creditsOnDrafts(world, customer);
  return {
    object: "billing.credit_balance_summary",
    balances: [...currencies].map((currency) => {
      const own = grants
        .filter((grant) => moneyOf(grant).currency === currency)
        .map(({ id }) => ({ ledger: ledgerBalance(world, id), shown: onDrafts.get(id) ?? 0 }));
      const ledger = own.reduce((sum, each) => sum + each.ledger, 0);
      const available = own.reduce((sum, each) => sum + Math.max(0, each.ledger - each.shown), 0);
      return {
        available_balance: monetary(currency, available),
        ledger_balance: monetary(currency, ledger),
      };
    }),
    customer,
    customer_account: null,
    livemode: world.livemode,
  };
}
