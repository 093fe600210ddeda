/** The pages of the portal on which a customer changes something; each is one form. */
import type { PortalView } from "../billing/portal.js";
import type { Subscription } from "../billing/subscriptions/subscription.js";
import { offeredPlans, quantitiesFor } from "../resources/portal/changes.js";
import type { World } from "../world/world.js";
import { cardFields, type Form } from "./card-form.js";
import { field, html, type PageAnswer, page } from "./html.js";
import { day, priceText } from "./money.js";

const REASONS: Record<string, string> = {
  customer_service: "Customer service was less than expected",
  low_quality: "Quality was less than expected",
  missing_features: "Some features are missing",
  other: "Other reason",
  switched_service: "I’m switching to a different service",
  too_complex: "Ease of use was less than expected",
  too_expensive: "It’s too expensive",
  unused: "I don’t use the service enough",
};

export function cardPage(view: PortalView, home: string, form: Form, error?: string): PageAnswer {
  return page({
    title: "Use another card",
    width: "narrow",
    livemode: view.session.livemode,
    error,
    status: error === undefined ? 200 : 402,
    back: { href: `${home}?home`, text: "Back" },
    body: html`<form class="card stack" method="post" action="${home}/card" novalidate>
${cardFields(form)}
<button class="wide">Save card</button>
</form>`,
  });
}

export function cancelPage(
  view: PortalView,
  home: string,
  subscription: Subscription,
  error?: string,
): PageAnswer {
  const { mode, cancellation_reason: reason } = view.features.subscription_cancel;
  const end = subscription.items.data[0]?.current_period_end ?? 0;
  return page({
    title: "Cancel your plan",
    width: "narrow",
    livemode: view.session.livemode,
    error,
    status: error === undefined ? 200 : 400,
    back: { href: `${home}?home`, text: "Back" },
    body: html`<form class="card stack" method="post" action="${home}/subscriptions/${subscription.id}/cancel">
<p>${
      mode === "immediately"
        ? "Your subscription ends at once."
        : `Your subscription stays until ${day(end)}, the end of the period that is paid for.`
    }</p>
${
  reason.enabled &&
  html`<fieldset><legend>Why do you cancel? <span class="quiet">(optional)</span></legend>
${reason.options.map((option) => html`<label class="choice"><input type="radio" name="feedback" value="${option}"> ${REASONS[option] ?? option}</label>`)}
<div class="field"><label for="comment">Anything else? <span class="quiet">(optional)</span></label><textarea id="comment" name="comment" rows="3"></textarea></div>
</fieldset>`
}
<button class="danger wide">Cancel plan</button>
</form>`,
  });
}

export function updatePage(
  world: World,
  view: PortalView,
  home: string,
  subscription: Subscription,
  error?: string,
): PageAnswer {
  const current = subscription.items.data[0]?.price.id;
  const plans = offeredPlans(world, view.configuration, subscription);
  const [item] = subscription.items.data;
  const counts = item && quantitiesFor(world, view.configuration, item.price.product);
  return page({
    title: "Change your plan",
    width: "narrow",
    livemode: view.session.livemode,
    error,
    status: error === undefined ? 200 : 400,
    back: { href: `${home}?home`, text: "Back" },
    body:
      plans.length === 0 && counts === undefined
        ? html`<p class="card">There is no other plan to change to.</p>`
        : html`<form class="card stack" method="post" action="${home}/subscriptions/${subscription.id}/update" novalidate>
${
  plans.length > 0 &&
  html`<fieldset><legend>Choose a plan</legend>
${plans.map(
  (price) =>
    html`<label class="choice"><input type="radio" name="price" value="${price.id}" required${
      price.id === current && html` checked`
    }> <span>${world.objects.product.get(price.product)?.name ?? price.product}${
      price.nickname && html` <span class="quiet">${price.nickname}</span>`
    }<br><span class="quiet">${priceText(world, price, { currency: subscription.currency })}${price.id === current && ", your plan now"}</span></span></label>`,
)}
</fieldset>`
}
${counts && field({ name: "quantity", label: "Quantity", autocomplete: "off", numeric: true, value: String(item.quantity ?? 1) })}
<button class="wide">Change plan</button>
</form>`,
  });
}

/** A change that the application proposed, for the customer to agree to. */
export function confirmPage(
  world: World,
  view: PortalView,
  home: string,
  error?: string,
): PageAnswer {
  const update = view.session.flow?.subscription_update_confirm;
  const subscription = world.find("subscription", update?.subscription ?? "");
  const [item] = subscription.items.data;
  const [wanted] = update?.items ?? [];
  const price = world.find("price", wanted?.price ?? item?.price.id ?? "");
  const quantity = wanted?.quantity ?? item?.quantity ?? 1;
  return page({
    title: "Confirm your updates",
    width: "narrow",
    livemode: view.session.livemode,
    error,
    status: error === undefined ? 200 : 400,
    back: { href: `${home}?home`, text: "Back" },
    body: html`<form class="card stack" method="post" action="${home}/subscriptions/${subscription.id}/confirm">
<p>${world.objects.product.get(price.product)?.name ?? price.product}${
      quantity > 1 && html` <span class="quiet">× ${quantity}</span>`
    }<br><span class="quiet">${priceText(world, price, { quantity, currency: subscription.currency })}</span></p>
${update?.discounts?.length ? html`<p class="quiet">A discount is applied.</p>` : undefined}
<button class="wide">Confirm</button>
</form>`,
  });
}

/** What customers may change of themselves. */
export function detailsPage(view: PortalView, home: string, error?: string): PageAnswer {
  const { allowed_updates: allowed } = view.features.customer_update;
  const { customer } = view;
  const line = (name: "email" | "name" | "phone", label: string, type: "email" | "text" | "tel") =>
    allowed.includes(name) &&
    field({ name, label, type, autocomplete: name, value: customer[name] ?? "" });
  return page({
    title: "Your details",
    width: "narrow",
    livemode: view.session.livemode,
    error,
    status: error === undefined ? 200 : 400,
    back: { href: `${home}?home`, text: "Back" },
    body: html`<form class="card stack" method="post" action="${home}/details" novalidate>
${line("name", "Name", "text")}
${line("email", "Email", "email")}
${line("phone", "Phone", "tel")}
<button class="wide">Save</button>
</form>`,
  });
}
