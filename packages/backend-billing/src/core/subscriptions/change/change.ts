/** Changes a running subscription: now, if it is paid for, or when the period ends. */
import Stripe from "stripe";
import { readAgain, storedAnswer } from "../../events/answers.js";
import { BillingError, provider } from "../../runtime/errors.js";
import type { Runtime } from "../../runtime/runtime.js";
import { isMetered } from "../terms/items.js";
import {
  type IsItem,
  isActive,
  isPlanning,
  laterParams,
  quantityParams,
  type Schedule,
  sameItem,
} from "../terms/schedule.js";
import { updateParams } from "../terms/update.js";
import { type ChangeArgs, type Changed, checkChange } from "./args.js";
import { type Decision, decide } from "./decision.js";
import { partsOfInvoice, partsOfSchedule, partsOfSubscription, WITH_PARTS } from "./parts.js";
import { previewOf } from "./preview.js";
import { expired, promisedBy } from "./quote.js";
import { asPlain, scheduleIn, stateAfter, subjectOf } from "./subject.js";

export async function change(
  runtime: Runtime,
  args: ChangeArgs & { readonly quote?: string | undefined },
): Promise<Changed> {
  checkChange(args);
  const decision = await decide(runtime, await subjectOf(runtime, args), args);
  const isMade = decision.changes.length === 0;
  // An earlier try of the same call was paid for, and did not get so far as to end what was scheduled.
  if (isMade && isPlanning(decision.subject.schedule)) return unchanged(runtime, decision);
  const prorationDate = await quotedDate(runtime, decision, args.quote);
  if (isMade) return unchanged(runtime, decision);
  return decision.at === "now"
    ? changeNow(runtime, decision, prorationDate)
    : changeLater(runtime, decision);
}

/** The moment that a quote was worked out for; refuses a quote whose promise cannot be kept. */
async function quotedDate(
  runtime: Runtime,
  decision: Decision,
  quote: string | undefined,
): Promise<number | undefined> {
  if (quote === undefined) return undefined;
  const { config } = runtime;
  const promised = await promisedBy(config, quote, decision.quoted, runtime.now());
  const date = promised.prorationDate ?? undefined;
  const { dueNow } = await previewOf(runtime, decision, date);
  if (dueNow === promised.dueNow) return date;
  throw expired("The change would not cost what the quote says any more.");
}

/** What is wanted is what there is: only what waits for the period's end may be otherwise. */
async function unchanged(runtime: Runtime, decision: Decision): Promise<Changed> {
  const { subject } = decision;
  await followSchedule(runtime, decision, subject.schedule);
  await readAgain(runtime, "subscriptions", subject.subscription.id);
  return { state: "changed", subscription: await stateAfter(runtime, subject) };
}

async function changeNow(
  runtime: Runtime,
  decision: Decision,
  prorationDate: number | undefined,
): Promise<Changed> {
  const { subject, standing, changes, proration } = decision;
  const params = updateParams(standing, changes, { proration, prorationDate });
  const answer = await update(runtime, subject.subscription.id, params);
  if (answer.pending_update !== null) return unpaid(runtime, decision, answer);
  const isReleased = await followSchedule(runtime, decision, scheduleIn(answer));
  // A release does not answer the subscription.
  if (isReleased) await readAgain(runtime, "subscriptions", subject.subscription.id);
  return { state: "changed", subscription: await stateAfter(runtime, subject) };
}

async function update(
  runtime: Runtime,
  id: string,
  params: Stripe.SubscriptionUpdateParams,
): Promise<Stripe.Subscription> {
  const send = (asked: Stripe.SubscriptionUpdateParams) =>
    storedAnswer(
      runtime,
      () => runtime.stripe().subscriptions.update(id, { ...asked, ...WITH_PARTS }),
      partsOfSubscription,
    );
  try {
    return await send(params);
  } catch (error) {
    if (!refusesToWait(error, params)) return refused(error);
  }
  // How the subscription is paid for cannot wait: it is paid for at once, or nothing changes.
  return send({ ...params, payment_behavior: "error_if_incomplete" }).catch(refused);
}

/** Whether Stripe refused the request because such a subscription has no pending updates. */
function refusesToWait(error: unknown, params: Stripe.SubscriptionUpdateParams): boolean {
  return (
    params.payment_behavior === "pending_if_incomplete" &&
    error instanceof Stripe.errors.StripeInvalidRequestError &&
    (error.param === "payment_behavior" || /pending_if_incomplete/.test(error.message))
  );
}

function refused(error: unknown): never {
  const { statusCode, code } = error as Partial<Stripe.errors.StripeError>;
  if (statusCode !== 402) return provider(error);
  const isChallenge = /requires_action|authentication_required/.test(code ?? "");
  throw declined(
    isChallenge
      ? "The bank asks for the person to confirm the payment, and this change cannot wait for that"
      : "The payment was declined",
    error,
  );
}

const declined = (reason: string, cause?: unknown): BillingError =>
  new BillingError(
    "payment_failed",
    `${reason}. Nothing was changed, and nothing is owed. Another way to pay may help.`,
    { cause },
  );

/** A change that waits for its payment: for a person whom the bank asks for; otherwise it is given up. */
async function unpaid(
  runtime: Runtime,
  { subject }: Decision,
  { latest_invoice: latest }: Stripe.Subscription,
): Promise<Changed> {
  const stripe = runtime.stripe();
  const id = typeof latest === "string" ? latest : latest?.id;
  if (id === undefined) throw declined("The payment was declined");
  const invoice = await stripe.invoices.retrieve(id, { expand: ["payments"] }).catch(provider);
  if (invoice.hosted_invoice_url && (await isChallenged(stripe, invoice))) {
    return {
      state: "payment_required",
      url: invoice.hosted_invoice_url,
      subscription: await stateAfter(runtime, subject),
    };
  }
  // This is how a pending update is cancelled (docs: pending updates).
  await storedAnswer(runtime, () => stripe.invoices.voidInvoice(id), partsOfInvoice).catch(
    provider,
  );
  await readAgain(runtime, "subscriptions", subject.subscription.id);
  throw declined("The payment was declined");
}

/** Whether the bank waits for the person who pays. */
async function isChallenged(stripe: Stripe, { payments }: Stripe.Invoice): Promise<boolean> {
  for (const { payment, status } of payments?.data ?? []) {
    const intent = payment.payment_intent;
    if (status !== "open" || intent === undefined) continue;
    const id = typeof intent === "string" ? intent : intent.id;
    const { status: now } = await stripe.paymentIntents.retrieve(id).catch(provider);
    if (now === "requires_action" || now === "requires_confirmation") return true;
  }
  return false;
}

/** A price takes the place of what was scheduled; a quantity holds for it, too. Answers whether it was released. */
async function followSchedule(
  runtime: Runtime,
  decision: Decision,
  schedule: Schedule | null,
): Promise<boolean> {
  const { isQuantity, after, main } = decision;
  if (!isPlanning(schedule)) return false;
  if (!isQuantity) {
    await release(runtime, schedule.id);
    return true;
  }
  const quantity = after.find(({ item }) => item?.id === main)?.quantity;
  if (quantity === undefined) return false;
  const isThat = await plannedBy(runtime, schedule, decision);
  const params = quantityParams(schedule, quantity, isThat);
  if (params === undefined) return false;
  await storedAnswer(
    runtime,
    () => runtime.stripe().subscriptionSchedules.update(schedule.id, params),
    partsOfSchedule,
  ).catch(provider);
  return false;
}

/** Which items of the phases are the one that is changed: not the add-ons, not the metered ones. */
async function plannedBy(
  runtime: Runtime,
  { phases }: Schedule,
  { after, main }: Decision,
): Promise<IsItem> {
  const ids = new Set(phases.flatMap(({ items }) => items.map(({ price }) => price)));
  const offers = await runtime.store.offers([...ids]);
  const metered = offers.flatMap(({ price }) => (isMetered(price) ? [price.id] : []));
  return sameItem(after, main, new Set(metered));
}

async function changeLater(runtime: Runtime, decision: Decision): Promise<Changed> {
  const { subject, after, periodEnd } = decision;
  const { subscription } = subject;
  const known = subject.schedule;
  const isNew = known === null || !isActive(known);
  const schedule = isNew ? await adopt(runtime, subscription.id) : known;
  const next = after.map(({ item, price, quantity }) => ({
    from: item?.price.id,
    price,
    quantity,
  }));
  try {
    await storedAnswer(
      runtime,
      () =>
        runtime
          .stripe()
          .subscriptionSchedules.update(schedule.id, laterParams(schedule, next, periodEnd)),
      partsOfSchedule,
    );
  } catch (error) {
    // Nothing is left behind of a change that Stripe refuses.
    if (isNew) await release(runtime, schedule.id);
    return provider(error);
  } finally {
    await readAgain(runtime, "subscriptions", subscription.id);
  }
  return { state: "scheduled", subscription: await stateAfter(runtime, subject) };
}

/** A schedule that begins as what the subscription is. */
async function adopt(runtime: Runtime, subscription: string) {
  const made = await runtime
    .stripe()
    .subscriptionSchedules.create({ from_subscription: subscription })
    .catch(provider);
  return asPlain(made);
}

/** Ends a schedule; its subscription goes on as it is. */
export async function release(runtime: Runtime, id: string): Promise<void> {
  await storedAnswer(
    runtime,
    () => runtime.stripe().subscriptionSchedules.release(id),
    partsOfSchedule,
  ).catch(provider);
}
