/**
 * Billing credits on invoices of subscriptions: after discounts, before taxes and the customer's
 * balance. Drafts and previews show what would be applied; finalization applies it.
 */
import type Stripe from "stripe";
import type { Plain } from "../../world/plain.js";
import type { World } from "../../world/world.js";
import { expireRest, grantsOf, isExpired, isPending } from "./grants.js";
import { type CreditGrant, ledgerBalance, moneyOf, record, transactionsOf } from "./ledger.js";
import { type Share, shareCredits, type UsageLine } from "./share.js";

type Invoice = Plain<Stripe.Invoice>;
type InvoiceLine = Plain<Stripe.InvoiceLineItem>;
export type PretaxAmount = NonNullable<InvoiceLine["pretax_credit_amounts"]>[number];

/** Whether a line is for usage that was counted by a meter: nothing else is paid with credits. */
export function isCreditable(world: World, { parent, pricing }: InvoiceLine): boolean {
  const price = world.objects.price.get(pricing?.price_details?.price ?? "");
  const { usage_type: type, meter } = price?.recurring ?? {};
  return Boolean(parent?.subscription_item_details) && type === "metered" && Boolean(meter);
}

/** What a grant can pay for: what its ledger says or, before that begins, what it will say. */
function spendable(world: World, grant: CreditGrant): number {
  if (grant.voided_at !== null || isExpired(world, grant)) return 0;
  return isPending(world, grant) ? moneyOf(grant).value : ledgerBalance(world, grant.id);
}

/** For each line, what the customer's credits would pay of what discounts left of it. */
export function creditsFor(
  world: World,
  customer: string,
  lines: readonly InvoiceLine[],
  discounted: readonly number[],
): Share[][] {
  const grants = grantsOf(world, customer);
  if (grants.length === 0) return lines.map(() => []);
  const purses = grants.map((grant) => ({ grant, left: spendable(world, grant) }));
  const usage = lines.map((line, index): UsageLine | undefined =>
    isCreditable(world, line)
      ? {
          price: line.pricing?.price_details?.price ?? "",
          // Stripe compares the end of the invoice's period, which looks back on what was used.
          end: line.period.end,
          currency: line.currency,
          amount: discounted[index] ?? 0,
        }
      : undefined,
  );
  return shareCredits(purses, usage);
}

/** As a line shows it. No transaction is named until the invoice is finalized. */
export const pretaxCredit = (amount: number, transaction: string | null): PretaxAmount => ({
  amount,
  credit_balance_transaction: transaction,
  type: "credit_balance_transaction",
});

const isCredit = ({ type }: PretaxAmount): boolean => type === "credit_balance_transaction";

/** What a draft shows of credits, for each of its lines. */
function sharesOf(world: World, { customer, lines, parent }: Invoice): Share[][] {
  if (!parent?.subscription_details) return lines.data.map(() => []);
  const discounted = lines.data.map(
    ({ amount, discount_amounts: off }) =>
      amount - (off ?? []).reduce((sum, each) => sum + each.amount, 0),
  );
  return creditsFor(world, customer ?? "", lines.data, discounted);
}

/** Takes the credits that a draft shows from their grants, and names the transactions on it. */
export function applyCredits(world: World, draft: Invoice): Partial<Invoice> {
  const shares = sharesOf(world, draft);
  if (shares.flat().length === 0) return {};
  const data = draft.lines.data.map((line, index): InvoiceLine => {
    const others = (line.pretax_credit_amounts ?? []).filter((each) => !isCredit(each));
    const credits = (shares[index] ?? []).map(({ grant, amount }) => {
      const credited = { invoice: draft.id, invoice_line_item: line.id };
      const { id } = record(world, grant, amount, { type: "credits_applied", line: credited });
      return pretaxCredit(amount, id);
    });
    return { ...line, pretax_credit_amounts: [...others, ...credits] };
  });
  const others = (draft.total_pretax_credit_amounts ?? []).filter((each) => !isCredit(each));
  const credits = data.flatMap(({ pretax_credit_amounts: all }) => (all ?? []).filter(isCredit));
  return {
    lines: { ...draft.lines, data },
    total_pretax_credit_amounts: [...others, ...credits],
  };
}

/** What drafts of the customer show of each grant, by its id: it is on the ledger still. */
export function creditsOnDrafts(world: World, customer: string): Map<string, number> {
  const shown = new Map<string, number>();
  for (const invoice of world.objects.invoice.where("customer", customer)) {
    if (invoice.status !== "draft") continue;
    for (const { grant, amount } of sharesOf(world, invoice).flat()) {
      shown.set(grant.id, (shown.get(grant.id) ?? 0) + amount);
    }
  }
  return shown;
}

/** Gives back the credits that a void invoice used. Those of a grant that has expired expire again. */
export function reinstateCredits(world: World, { id, customer }: Invoice): void {
  for (const grant of grantsOf(world, customer ?? "")) {
    for (const { debit } of transactionsOf(world, grant.id)) {
      const line = debit?.credits_applied;
      if (!debit || line?.invoice !== id) continue;
      const value = debit.amount.monetary?.value ?? 0;
      record(world, grant, value, { type: "credits_application_invoice_voided", line });
    }
    if (isExpired(world, grant)) expireRest(world, grant.id);
  }
}
