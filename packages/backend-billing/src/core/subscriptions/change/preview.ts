/** What a change would cost, before it is made: Stripe works it out, and a quote makes it hold. */
import type Stripe from "stripe";
import { stripeStatus } from "../../mirror/snapshot.js";
import { provider } from "../../runtime/errors.js";
import type { Runtime } from "../../runtime/runtime.js";
import { changesInterval } from "../terms/items.js";
import { isProration, leftOver, prorationDateOf, recurringPart } from "../terms/preview-lines.js";
import { billsNow } from "../terms/update.js";
import { type ChangeArgs, checkChange, type Preview } from "./args.js";
import { type Decision, decide } from "./decision.js";
import { quoteOf } from "./quote.js";
import { subjectOf } from "./subject.js";

export async function preview(runtime: Runtime, args: ChangeArgs): Promise<Preview> {
  checkChange(args);
  const decision = await decide(runtime, await subjectOf(runtime, args), args);
  const { prorationDate, ...shown } = await previewOf(runtime, decision);
  const { config } = runtime;
  const promised = { prorationDate, dueNow: shown.dueNow };
  return { ...shown, quote: await quoteOf(config, decision.quoted, promised, runtime.now()) };
}

type Shown = Omit<Preview, "quote"> & { readonly prorationDate: number | null };

/** What Stripe says that a change costs, from now or from a given moment on. */
export async function previewOf(
  runtime: Runtime,
  decision: Decision,
  prorationDate?: number,
): Promise<Shown> {
  const { at, changes, subject, after, standing, periodEnd } = decision;
  const { currency } = subject.subscription;
  // At the end of a period nothing is left to prorate.
  const proration = at === "now" ? decision.proration : "none";
  const isNow = at === "now" && changes.length > 0 && billsNow(standing, after, proration);
  const invoice = await upcoming(runtime, decision, {
    proration_behavior: proration,
    ...(prorationDate === undefined || proration === "none"
      ? {}
      : { proration_date: prorationDate }),
  });
  if (invoice === undefined) {
    return { currency, dueNow: 0, next: null, lines: [], prorationDate: null };
  }
  return {
    currency: invoice.currency,
    dueNow: isNow ? invoice.amount_due : 0,
    next: isNow
      ? await nextAfter(runtime, decision, invoice)
      : { at: periodEnd * 1000, amount: invoice.amount_due },
    lines: invoice.lines.data.map((line) => ({
      description: line.description ?? "",
      amount: line.amount,
      isProration: isProration(line),
    })),
    prorationDate: proration === "none" ? null : prorationDateOf(invoice),
  };
}

/** What follows the invoice that is made at once. */
async function nextAfter(
  runtime: Runtime,
  decision: Decision,
  now: Stripe.Invoice,
): Promise<Preview["next"]> {
  const { standing, after, subject, periodEnd } = decision;
  const { cancel_at: ends } = subject.subscription;
  const isLast = (end: number) => ends !== null && ends <= end;
  const left = leftOver(now);
  if (changesInterval(standing.items.data, after)) {
    // The new period is on this very invoice, and comes again when it ends.
    const { amount, end } = recurringPart(now);
    return isLast(end) ? null : { at: end * 1000, amount: Math.max(0, amount + left) };
  }
  if (isLast(periodEnd)) return null;
  const renewal = await upcoming(runtime, decision, { proration_behavior: "none" });
  if (renewal === undefined) return null;
  return { at: periodEnd * 1000, amount: Math.max(0, recurringPart(renewal).amount + left) };
}

/** The invoice that the subscription has next, with the changes; undefined if none follows. */
async function upcoming(
  runtime: Runtime,
  { subject, changes }: Decision,
  terms: Stripe.InvoiceCreatePreviewParams.SubscriptionDetails,
): Promise<Stripe.Invoice | undefined> {
  const details = { ...terms, items: changes.map((change) => ({ ...change })) };
  return runtime
    .stripe()
    .invoices.createPreview({
      subscription: subject.subscription.id,
      ...(changes.length === 0 ? {} : { subscription_details: details }),
    })
    .catch((error: unknown) => (stripeStatus(error) === 404 ? undefined : provider(error)));
}
