/** The invoice of a payment, for sessions that were asked to make one: it is paid when it is made. */
import type { World } from "../../world/world.js";
import { finalizeInvoice, type Invoice, linkPayment, markPaid } from "../invoices/invoices.js";
import { draftOnce } from "./draft-once.js";
import { attemptOf, type CheckoutSession, lineItems, purposeOf } from "./session.js";

export function invoicePayment(
  world: World,
  session: CheckoutSession,
  { customer, discounts }: { readonly customer: string; readonly discounts: readonly string[] },
): Invoice {
  const { taxes } = purposeOf(world, session.id);
  const currency = session.currency ?? "usd";
  const said = session.invoice_creation?.invoice_data;
  const terms = {
    customer,
    currency,
    billing_reason: "manual",
    description: said?.description ?? null,
    discounts,
    metadata: said?.metadata ?? {},
    taxes,
  } as const;
  const draft = draftOnce(world, lineItems(world, session.id), terms, taxes.rates);
  const intent = attemptOf(world, session.id).payment_intent;
  if (intent !== undefined) linkPayment(world, draft, intent);
  const open = finalizeInvoice(world, draft.id);
  return open.status === "paid" ? open : markPaid(world, open);
}
