/** The fields for a card, as both the checkout and the portal ask for them, and how they are read. */

import type { CardEntry } from "../billing/checkout/checkout.js";
import { passesLuhn } from "../billing/payments/cards.js";
import { field, type Html, html } from "./html.js";

export type Form = URLSearchParams;

const TEST_CARDS = [
  { value: "4242 4242 4242 4242", label: "Succeeds" },
  { value: "4000 0000 0000 0002", label: "Is declined" },
  { value: "4000 0025 0000 3155", label: "Requires authentication" },
];

/** What was typed, without what only separates it; undefined for a field left empty. */
export function entered(form: Form, name: string): string | undefined {
  return form.get(name)?.trim() || undefined;
}

export function cardFields(form: Form): Html {
  return html`<fieldset>
<legend class="unseen">Card</legend>
${field({
  name: "number",
  label: "Card number",
  autocomplete: "cc-number",
  value: form.get("number") ?? "",
  numeric: true,
  placeholder: "4242 4242 4242 4242",
  suggestions: TEST_CARDS,
})}
<details>
<summary>Only test cards work: show them</summary>
<ul class="rows">${TEST_CARDS.map(
    ({ value, label }) => html`<li class="row"><span>${label}</span><code>${value}</code></li>`,
  )}</ul>
</details>
<div class="pair">
${field({
  name: "expiry",
  label: "Expiry",
  autocomplete: "cc-exp",
  value: form.get("expiry") ?? "",
  placeholder: "MM / YY",
  hint: "Any month to come.",
})}
${field({
  name: "cvc",
  label: "Security code",
  autocomplete: "cc-csc",
  numeric: true,
  placeholder: "CVC",
  hint: "Any three digits.",
})}
</div>
${field({ name: "name", label: "Name on card", autocomplete: "cc-name", value: form.get("name") ?? "" })}
</fieldset>`;
}

/** The card that was entered, or what is wrong with it in the words a card form uses. */
export function readCard(form: Form, now: number): CardEntry | string {
  const number = (entered(form, "number") ?? "").replace(/[\s-]/g, "");
  if (number === "") return "Enter your card number.";
  if (!passesLuhn(number)) return "Your card number is invalid.";
  const expiry = /^(\d{1,2})\s*\/?\s*(\d{2}|\d{4})$/.exec(entered(form, "expiry") ?? "");
  const month = Number(expiry?.[1]);
  if (expiry === null || month < 1 || month > 12) return "Your card’s expiry date is incomplete.";
  const year = Number(expiry[2]) + (expiry[2]?.length === 2 ? 2000 : 0);
  if (Date.UTC(year, month) / 1000 <= now) return "Your card’s expiry date is in the past.";
  const cvc = entered(form, "cvc") ?? "";
  if (!/^\d{3,4}$/.test(cvc)) return "Your card’s security code is incomplete.";
  if (entered(form, "name") === undefined) return "Enter the name on the card.";
  return { number, exp_month: month, exp_year: year, cvc };
}
