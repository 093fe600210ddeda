/**
 * The hosted checkout: what is bought, a form to pay with, the bank's question for cards that need
 * it, and what is shown once the session is over. Paying itself is in billing/checkout.
 */
import {
  authenticateCheckout,
  type CheckoutOutcome,
  completeCheckout,
  type Entered,
  needsCard,
  previewCheckout,
} from "../billing/checkout/checkout.js";
import type { CheckoutSession } from "../billing/checkout/session.js";
import {
  attemptOf,
  lineItems,
  purposeOf,
  recoverCheckout,
  successUrl,
} from "../billing/checkout/session.js";
import { money } from "../billing/money.js";
import { amountOf } from "../billing/prices/rates.js";
import type { World } from "../world/world.js";
import { cardFields, entered, type Form, readCard } from "./card-form.js";
import { field, type Html, html, type PageAnswer, page, seeOther } from "./html.js";
import { day, intervalText, priceText } from "./money.js";

type Totals = Pick<CheckoutSession, "amount_subtotal" | "amount_total" | "total_details">;

export function checkoutPage(
  world: World,
  id: string,
  step: string | undefined,
  form: Form | undefined,
): PageAnswer | undefined {
  const session = world.find("checkout.session", id);
  if (step === "recover") return recovered(world, session);
  if (step !== undefined && step !== "authenticate") return undefined;
  if (session.status !== "open") return over(session, confirmation(world, session));
  if (step === "authenticate") {
    if (form === undefined) return authenticationPage(session);
    return after(
      world,
      session,
      remembered(world, id),
      authenticateCheckout(world, id, form.get("result") === "fail" ? "fail" : "succeed"),
    );
  }
  if (form === undefined) return payPage(world, session, remembered(world, id));
  if (form.get("action") === "apply") return applied(world, session, form);
  const read = readEntered(world, session, form);
  if (typeof read === "string") return payPage(world, session, form, { error: read, status: 400 });
  return after(world, session, form, completeCheckout(world, id, read));
}

/** Where an expired session leads that can be recovered: to another one like it. */
function recovered(world: World, session: CheckoutSession): PageAnswer {
  const next = recoverCheckout(world, session.id);
  return next === undefined ? over(session) : seeOther(`/c/pay/${next.id}`);
}

/** What was entered with the last attempt, except for the card. */
function remembered(world: World, id: string): Form {
  const { email: proposed, terms } = attemptOf(world, id);
  const { address, email = proposed, name, phone } = terms?.details ?? {};
  const known = { email, name, phone, promotion_code: terms?.code, ...address };
  const filled = Object.entries(known).flatMap(([key, value]) => (value ? [[key, value]] : []));
  return new URLSearchParams(filled);
}

/** Where the browser goes after an attempt. */
function after(
  world: World,
  session: CheckoutSession,
  form: Form,
  result: CheckoutOutcome,
): PageAnswer {
  switch (result.outcome) {
    case "paid":
    case "processing":
      return seeOther(confirmation(world, session) ? `/c/pay/${session.id}` : successUrl(session));
    case "requires_action":
      return seeOther(`/c/pay/${session.id}/authenticate`);
    case "closed":
      return over(world.find("checkout.session", session.id), confirmation(world, session));
    default:
      return payPage(world, session, form, {
        error: result.message ?? "Your card was declined.",
        status: result.outcome === "declined" ? 402 : 400,
      });
  }
}

function readEntered(world: World, session: CheckoutSession, form: Form): Entered | string {
  const code = session.allow_promotion_codes ? entered(form, "promotion_code") : undefined;
  const totals = previewCheckout(world, session.id, code);
  if (typeof totals === "string") return totals;
  const email = session.customer_details?.email ?? entered(form, "email");
  if (email === undefined || !/^[^@\s]+@[^@\s]+$/.test(email)) return "Enter your email address.";
  const phone = entered(form, "phone");
  if (session.phone_number_collection?.enabled && phone === undefined)
    return "Enter your phone number.";
  if (mustAgree(session) && !form.has("terms")) return "Agree to the terms of service.";
  const card = needsCard(session, totals.amount_total ?? 0)
    ? readCard(form, world.now())
    : undefined;
  if (typeof card === "string") return card;
  return {
    card,
    email,
    name: entered(form, "name"),
    phone,
    promotion_code: code,
    address:
      session.billing_address_collection === "required"
        ? {
            city: entered(form, "city") ?? null,
            country: entered(form, "country")?.toUpperCase() ?? null,
            line1: entered(form, "line1") ?? null,
            line2: null,
            postal_code: entered(form, "postal_code") ?? null,
            state: null,
          }
        : undefined,
  };
}

function applied(world: World, session: CheckoutSession, form: Form): PageAnswer {
  const code = entered(form, "promotion_code");
  if (code === undefined)
    return payPage(world, session, form, { error: "Enter a promotion code.", status: 400 });
  const totals = previewCheckout(world, session.id, code);
  if (typeof totals === "string")
    return payPage(world, session, form, { error: totals, status: 400 });
  return payPage(world, session, form, {
    notice: `The promotion code ${code} was applied.`,
    totals,
  });
}

function payPage(
  world: World,
  session: CheckoutSession,
  form: Form,
  options: { error?: string; notice?: string; status?: number; totals?: Totals } = {},
): PageAnswer {
  const totals = options.totals ?? totalsNow(world, session);
  const subscribes = session.mode === "subscription";
  return page({
    title: session.mode === "setup" ? "Save your card" : subscribes ? "Subscribe" : "Pay",
    width: "wide",
    status: options.status ?? 200,
    error: options.error,
    notice: options.notice,
    livemode: session.livemode,
    back:
      session.cancel_url === null || session.payment_link !== null
        ? undefined
        : { href: session.cancel_url, text: "Back" },
    body: html`<div class="columns">
${
  session.mode !== "setup" &&
  html`<section class="card" aria-labelledby="order">
<h2 id="order">Your order</h2>
${summary(world, session, totals)}
</section>`
}
<section class="card" aria-labelledby="payment">
<h2 id="payment">${formTitle(session, totals.amount_total ?? 0)}</h2>
${payForm(world, session, form, totals)}
</section>
</div>`,
  });
}

/** What it costs with the discount that it was made with, taxes included. */
function totalsNow(world: World, session: CheckoutSession): Totals {
  const totals = previewCheckout(world, session.id, undefined);
  return typeof totals === "string" ? session : totals;
}

function summary(world: World, session: CheckoutSession, totals: Totals): Html {
  const currency = session.currency ?? "usd";
  const items = lineItems(world, session.id);
  const recurring = items.find((item) => item.price?.recurring);
  const { trial_period_days: days, trial_end: end } = purposeOf(world, session.id);
  const starts = end ?? (days === undefined ? undefined : world.now() + days * 86_400);
  const discount = totals.total_details?.amount_discount ?? 0;
  const tax = totals.total_details?.amount_tax ?? 0;
  const each = items.reduce(
    (sum, { price, quantity }) =>
      sum + (price?.recurring ? amountOf(world, price, quantity ?? 0, currency) : 0),
    0,
  );
  const per = recurring?.price?.recurring ? intervalText(recurring.price.recurring) : "";
  return html`<p><span class="amount">${money(totals.amount_total ?? 0, currency)}</span> <span class="quiet">due today</span></p>
${starts !== undefined && html`<p>Free trial until ${day(starts)}. Then ${money(each, currency)} ${per}.</p>`}
<ul class="rows">${items.map(
    (item) =>
      html`<li class="row"><span>${item.description ?? "Item"}${
        (item.quantity ?? 1) > 1 && html` <span class="quiet">× ${item.quantity}</span>`
      }</span><span>${item.price && priceText(world, item.price, { quantity: item.quantity ?? 1, currency })}</span></li>`,
  )}</ul>
<ul class="rows total">
${
  discount + tax > 0 &&
  html`<li class="row"><span>Subtotal</span><span>${money(totals.amount_subtotal ?? 0, currency)}</span></li>`
}
${discount > 0 && html`<li class="row"><span>Discount</span><span>−${money(discount, currency)}</span></li>`}
${tax > 0 && html`<li class="row"><span>Tax</span><span>${money(tax, currency)}</span></li>`}
<li class="row"><span>Total due today</span><span>${money(totals.amount_total ?? 0, currency)}</span></li>
</ul>`;
}

function payForm(world: World, session: CheckoutSession, form: Form, totals: Totals): Html {
  const known = session.customer_details?.email ?? undefined;
  const due = totals.amount_total ?? 0;
  const label = buttonText(world, session, due);
  return html`<form class="stack" method="post" action="/c/pay/${session.id}" novalidate>
<button class="unseen" name="action" value="pay" tabindex="-1" aria-hidden="true">${label}</button>
${field({
  name: "email",
  label: "Email",
  type: "email",
  autocomplete: "email",
  value: known ?? form.get("email") ?? "",
  readonly: known !== undefined,
})}
${session.phone_number_collection?.enabled && field({ name: "phone", label: "Phone", type: "tel", autocomplete: "tel", value: form.get("phone") ?? "" })}
${needsCard(session, due) && cardFields(form)}
${session.billing_address_collection === "required" && addressFields(form)}
${
  session.allow_promotion_codes &&
  html`<div class="joined">${field({
    name: "promotion_code",
    label: "Promotion code",
    autocomplete: "off",
    value: form.get("promotion_code") ?? "",
    optional: true,
  })}<button class="plain" name="action" value="apply">Apply</button></div>`
}
${mustAgree(session) && html`<label class="choice"><input type="checkbox" name="terms" value="yes"> I agree to the terms of service</label>`}
<button class="wide" name="action" value="pay">${label}</button>
</form>`;
}

const mustAgree = ({ consent_collection: asked }: CheckoutSession): boolean =>
  asked?.terms_of_service === "required";

function formTitle(session: CheckoutSession, due: number): string {
  if (!needsCard(session, due)) return "Your details";
  return due === 0 ? "Card for later payments" : "Pay with card";
}

function buttonText(world: World, session: CheckoutSession, due: number): string {
  const { trial_period_days: days, trial_end: end } = purposeOf(world, session.id);
  if (session.mode === "subscription") {
    return days === undefined && end === undefined ? "Subscribe" : "Start trial";
  }
  if (session.mode === "setup") return "Save card";
  if (due === 0) return "Complete order";
  const verb =
    session.submit_type === "book" ? "Book" : session.submit_type === "donate" ? "Donate" : "Pay";
  return `${verb} ${money(due, session.currency ?? "usd")}`;
}

function addressFields(form: Form): Html {
  const text = (name: string, label: string, autocomplete: string) =>
    field({ name, label, autocomplete, value: form.get(name) ?? "" });
  return html`<fieldset>
<legend>Billing address</legend>
${text("line1", "Address", "address-line1")}
<div class="pair">${text("postal_code", "Postal code", "postal-code")}${text("city", "City", "address-level2")}</div>
${text("country", "Country (two letters)", "country")}
</fieldset>`;
}

function authenticationPage(session: CheckoutSession): PageAnswer {
  return page({
    title: "Confirm with your bank",
    width: "narrow",
    livemode: session.livemode,
    body: html`<section class="card" aria-labelledby="question">
<h2 id="question">3-D Secure test</h2>
<p>The bank of this test card asks its holder to confirm ${
      session.mode === "setup"
        ? "that it may be saved for later payments"
        : `the payment of ${money(session.amount_total ?? 0, session.currency ?? "usd")}`
    }. Choose what the holder does.</p>
<form class="actions" method="post" action="/c/pay/${session.id}/authenticate">
<button name="result" value="succeed">Complete authentication</button>
<button class="danger" name="result" value="fail">Fail authentication</button>
</form>
</section>`,
  });
}

/** What a payment link says in the place of leading elsewhere; undefined where it does not. */
function confirmation(world: World, { payment_link: link }: CheckoutSession): string | undefined {
  const after = world.objects.payment_link.get(link ?? "")?.after_completion;
  if (after?.type !== "hosted_confirmation") return undefined;
  return after.hosted_confirmation?.custom_message ?? "Thanks for your payment.";
}

function over(session: CheckoutSession, thanks?: string): PageAnswer {
  const complete = session.status === "complete";
  return page({
    title: complete ? "You’re all done here" : "This checkout has expired",
    width: "narrow",
    livemode: session.livemode,
    body: html`<section class="card"><p>${
      complete
        ? (thanks ?? "This checkout was completed before. Nothing was charged again.")
        : "Nothing was charged. Go back to where you came from to start again."
    }</p></section>`,
  });
}
