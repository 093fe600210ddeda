/**
 * The hosted customer portal: subscriptions, the card on file and past invoices, as far as the
 * session's configuration allows, and a page for each change. What changes is in billing/portal.ts.
 */

import { ApiError } from "../api/errors.js";
import { money } from "../billing/money.js";
import {
  canChange,
  cancelInPortal,
  changeCard,
  changeDetails,
  changePlan,
  confirmChange,
  type PlanChange,
  type PortalView,
  portalView,
  resumeInPortal,
} from "../billing/portal.js";
import type { Subscription } from "../billing/subscriptions/subscription.js";
import { portalSessionId } from "../resources/portal/sessions.js";
import type { World } from "../world/world.js";
import { entered, type Form, readCard } from "./card-form.js";
import { type Html, html, type PageAnswer, page, seeOther } from "./html.js";
import { day, priceText } from "./money.js";
import { cancelPage, cardPage, confirmPage, detailsPage, updatePage } from "./portal-forms.js";

const NOTICES: Record<string, string> = {
  card: "Your card was updated.",
  canceled: "Your subscription was canceled.",
  ends: "Your subscription will end with the current period.",
  resumed: "Your subscription will go on.",
  changed: "Your plan was changed.",
  later: "Your plan will change with the next period.",
  details: "Your details were saved.",
};

export interface PortalRequest {
  readonly token: string;
  /** What follows the session in the path: nothing, `card`, or a subscription and what to do to it. */
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
  readonly form: Form | undefined;
}

export function portalPage(world: World, request: PortalRequest): PageAnswer | undefined {
  const view = portalView(world, portalSessionId(request.token));
  if (view === undefined) return expired(world);
  const [noun, id, verb] = request.rest;
  const home = `/p/session/${request.token}`;
  const { flow } = view.session;
  if (noun === undefined) {
    const goesOn = request.query.has("notice") || request.query.has("home");
    const start = flow && !goesOn ? flowPath(flow) : undefined;
    return start === undefined ? homePage(world, view, home, request) : seeOther(home + start);
  }
  const act = (change: () => string, again: (error: string) => PageAnswer): PageAnswer => {
    try {
      const notice = change();
      const leads = flow?.after_completion.redirect?.return_url;
      return seeOther(leads ?? `${home}?notice=${notice}`);
    } catch (error) {
      if (error instanceof ApiError) return again(error.message);
      throw error;
    }
  };
  const { form } = request;
  if (noun === "card" && view.features.payment_method_update.enabled) {
    if (form === undefined) return cardPage(view, home, new URLSearchParams());
    const card = readCard(form, world.now());
    const again = (error: string) => cardPage(view, home, form, error);
    if (typeof card === "string") return again(card);
    return act(() => changeCard(world, view, card, entered(form, "name")), again);
  }
  if (noun === "details" && view.features.customer_update.enabled) {
    if (form === undefined) return detailsPage(view, home);
    const said = {
      email: entered(form, "email"),
      name: entered(form, "name"),
      phone: entered(form, "phone"),
    };
    return act(
      () => changeDetails(world, view, said),
      (error) => detailsPage(view, home, error),
    );
  }
  const subscription = view.subscriptions.find((each) => each.id === id);
  if (noun !== "subscriptions" || subscription === undefined) return undefined;
  if (verb === "cancel" && canChange(subscription) && view.features.subscription_cancel.enabled) {
    if (form === undefined) return cancelPage(view, home, subscription);
    return act(
      () =>
        cancelInPortal(world, view, subscription.id, {
          feedback: entered(form, "feedback"),
          comment: entered(form, "comment"),
        }),
      (error) => cancelPage(view, home, subscription, error),
    );
  }
  if (verb === "update" && canChange(subscription) && view.features.subscription_update.enabled) {
    if (form === undefined) return updatePage(world, view, home, subscription);
    return act(
      () => changePlan(world, view, subscription.id, chosen(form)),
      (error) => updatePage(world, view, home, subscription, error),
    );
  }
  if (verb === "confirm" && flow?.subscription_update_confirm?.subscription === subscription.id) {
    if (form === undefined) return confirmPage(world, view, home);
    return act(
      () => confirmChange(world, view),
      (error) => confirmPage(world, view, home, error),
    );
  }
  if (verb === "resume" && form !== undefined) {
    return act(
      () => resumeInPortal(world, subscription.id),
      (error) => homePage(world, view, home, request, error),
    );
  }
  return undefined;
}

function chosen(form: Form): PlanChange {
  const quantity = entered(form, "quantity");
  return {
    price: entered(form, "price"),
    quantity: quantity === undefined ? undefined : Number(quantity),
  };
}

/** The page that a session made for one purpose begins with. */
function flowPath(flow: NonNullable<PortalView["session"]["flow"]>): string | undefined {
  if (flow.type === "payment_method_update") return "/card";
  if (flow.type === "customer_update") return "/details";
  if (flow.subscription_update_confirm)
    return `/subscriptions/${flow.subscription_update_confirm.subscription}/confirm`;
  if (flow.subscription_cancel)
    return `/subscriptions/${flow.subscription_cancel.subscription}/cancel`;
  if (flow.subscription_update)
    return `/subscriptions/${flow.subscription_update.subscription}/update`;
  return undefined;
}

function homePage(
  world: World,
  view: PortalView,
  home: string,
  { query }: PortalRequest,
  error?: string,
): PageAnswer {
  const { configuration, customer, features, session } = view;
  const back = session.return_url;
  const { headline } = configuration.business_profile;
  return page({
    title: "Your billing",
    width: "text",
    livemode: session.livemode,
    error,
    notice: noticeOf(view, query.get("notice") ?? ""),
    back: back === null ? undefined : { href: back, text: "Return to the website" },
    body: html`<div class="tight">
${headline && html`<p>${headline}</p>`}
<p class="quiet">${[customer.name, customer.email].filter(Boolean).join(" · ")}</p>
</div>
<section class="stack" aria-labelledby="subscriptions">
<h2 id="subscriptions">Current subscriptions</h2>
${
  view.subscriptions.length === 0
    ? html`<p class="card quiet">There is no subscription.</p>`
    : view.subscriptions.map((subscription) => subscriptionCard(world, view, home, subscription))
}
</section>
${features.payment_method_update.enabled && cardSection(view, home)}
${features.invoice_history.enabled && invoiceSection(view)}`,
  });
}

/** What was just done, with the words that the session asked to be shown after it. */
function noticeOf({ session }: PortalView, name: string): string | undefined {
  const notice = NOTICES[name];
  const message = session.flow?.after_completion.hosted_confirmation?.custom_message;
  return notice && message ? `${notice} ${message}` : notice;
}

function subscriptionCard(
  world: World,
  view: PortalView,
  home: string,
  subscription: Subscription,
): Html {
  const { features } = view;
  const path = `${home}/subscriptions/${subscription.id}`;
  const ends = subscription.cancel_at;
  const changeable = canChange(subscription);
  return html`<article class="card" aria-label="${nameOf(world, subscription)}">
<div class="row"><h3>${nameOf(world, subscription)}</h3>${badge(subscription)}</div>
<ul class="rows">${subscription.items.data.map(
    ({ price, quantity }) =>
      html`<li>${priceText(world, price, { quantity: quantity ?? 1, currency: subscription.currency })}${
        (quantity ?? 1) > 1 && html` <span class="quiet">for ${quantity}</span>`
      }</li>`,
  )}</ul>
<p class="quiet">${periodText(subscription)}</p>
<div class="actions">
${changeable && features.subscription_update.enabled && html`<a class="button" href="${path}/update">Change plan</a>`}
${changeable && ends === null && features.subscription_cancel.enabled && html`<a class="button danger" href="${path}/cancel">Cancel plan</a>`}
${changeable && ends !== null && html`<form method="post" action="${path}/resume"><button class="plain">Don’t cancel</button></form>`}
</div>
</article>`;
}

function periodText(subscription: Subscription): string {
  const end = subscription.items.data[0]?.current_period_end ?? 0;
  if (subscription.ended_at !== null) return `Ended on ${day(subscription.ended_at)}.`;
  if (subscription.cancel_at !== null) return `Ends on ${day(subscription.cancel_at)}.`;
  if (subscription.status === "trialing") return `Free trial until ${day(end)}.`;
  return `Renews on ${day(end)}.`;
}

function badge({ status, cancel_at: ends }: Subscription): Html {
  if (ends !== null && status !== "canceled") return html`<span class="badge">Ending</span>`;
  const words = capital(status.replaceAll("_", " "));
  const tone =
    status === "active" || status === "trialing"
      ? "good"
      : status === "past_due" || status === "unpaid"
        ? "bad"
        : "";
  return html`<span class="badge ${tone}">${words}</span>`;
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function nameOf(world: World, subscription: Subscription): string {
  return subscription.items.data
    .map(({ price }) => world.objects.product.get(price.product)?.name ?? price.product)
    .join(", ");
}

function cardSection({ card }: PortalView, home: string): Html {
  return html`<section class="stack" aria-labelledby="card">
<h2 id="card">Payment method</h2>
<div class="card"><p>${
    card?.card
      ? html`${capital(card.card.brand)} ending in ${card.card.last4}, expires ${card.card.exp_month}/${card.card.exp_year}`
      : "There is no card on file."
  }</p><div class="actions"><a class="button plain" href="${home}/card">${card ? "Use another card" : "Add a card"}</a></div></div>
</section>`;
}

function invoiceSection({ invoices }: PortalView): Html {
  return html`<section class="stack" aria-labelledby="invoices">
<h2 id="invoices">Invoices</h2>
${
  invoices.length === 0
    ? html`<p class="card quiet">There is no invoice.</p>`
    : html`<ul class="card rows entries">${invoices.map(
        (invoice) => html`<li class="row">
<span class="tight"><span>${day(invoice.created)}</span><code class="quiet">${invoice.number}</code></span>
<span class="tight"><span>${money(invoice.total, invoice.currency)}</span><span class="quiet">${invoice.status}</span></span>
</li>`,
      )}</ul>`
}
</section>`;
}

function expired(world: World): PageAnswer {
  return page({
    title: "This link has expired",
    width: "narrow",
    livemode: world.livemode,
    body: html`<section class="card"><p>Links to the customer portal are short-lived. Go back to the website and open it again.</p></section>`,
  });
}
