/** The invoice of a payment, for sessions that were asked to make one: it is paid when it is made. */
import type { World } from "../../world/world.js";
import { draftInvoice } from "../invoices/draft.js";
import { createInvoiceItem } from "../invoices/invoice-items.js";
import { finalizeInvoice, type Invoice, linkPayment, markPaid } from "../invoices/invoices.js";
import { itemLine } from "../invoices/lines.js";
import { attemptOf, type CheckoutSession, lineItems, purposeOf } from "./session.js";

export function invoicePayment(
  world: World,
  session: CheckoutSession,
  { customer, discounts }: { readonly customer: string; readonly discounts: readonly string[] },
): Invoice {
  const { taxes } = purposeOf(world, session.id);
  const currency = session.currency ?? "usd";
  const said = session.invoice_creation?.invoice_data;
  const items = lineItems(world, session.id).flatMap(({ price, quantity, ...line }, index) =>
    price === null
      ? []
      : createInvoiceItem(world, {
          customer,
          amount: line.amount_subtotal,
          currency,
          description: line.description,
          price,
          quantity: quantity ?? 1,
          tax_rates: taxes.rates[index],
        }),
  );
  const draft = draftInvoice(world, {
    customer,
    currency,
    billing_reason: "manual",
    lines: items.map((item) => itemLine(world, item)),
    period: { start: world.now(), end: world.now() },
    description: said?.description ?? null,
    discounts,
    metadata: said?.metadata ?? {},
    taxes,
  });
  for (const item of items) world.patch("invoiceitem", item.id, { invoice: draft.id });
  const intent = attemptOf(world, session.id).payment_intent;
  if (intent !== undefined) linkPayment(world, draft, intent);
  const open = finalizeInvoice(world, draft.id);
  return open.status === "paid" ? open : markPaid(world, open);
}
