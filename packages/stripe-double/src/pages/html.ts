/**
 * Plain HTML for the hosted pages: text is escaped unless it was made here, and one layout carries
 * the landmarks, the notice that this is no real Stripe, and the styles. No script is needed.
 */
import { STYLES } from "./styles.js";

/** Markup that may be put into a page as it is. */
export interface Html {
  readonly markup: string;
}

type Part = Html | string | number | null | undefined | false | readonly Part[];

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

function markupOf(part: Part): string {
  if (part === null || part === undefined || part === false) return "";
  if (typeof part === "string" || typeof part === "number") return escapeHtml(String(part));
  if ("markup" in part) return part.markup;
  return part.map(markupOf).join("");
}

/** A template: what is put in is escaped, unless it is markup itself; nothing and false are left out. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const markup = texts.map((text, index) => text + markupOf(parts[index])).join("");
  return { markup };
}

export interface PageAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

interface Layout {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
  /** Shown first and given the focus, so that a screen reader says it; forms keep what was typed. */
  readonly error?: string | undefined;
  readonly notice?: string | undefined;
  /** Where "Back" leads, and what it is called. */
  readonly back?: { readonly href: string; readonly text: string } | undefined;
  readonly livemode: boolean;
  /** How wide it gets on a large screen: two columns, a column of text, or a form. */
  readonly width: "wide" | "text" | "narrow";
}

/** A whole page. */
export function page(layout: Layout): PageAnswer {
  const { error, notice, back } = layout;
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${error === undefined ? "" : "Error: "}${layout.title} · Stripe double</title>
<link rel="icon" href="data:,">
<style>${{ markup: STYLES }}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="banner"><p><strong>Stripe double — test page.</strong> No money moves.${
    layout.livemode ? " This is live-mode data of the double." : ""
  }</p></header>
<main id="main" class="${layout.width}">
${back && html`<p class="back"><a href="${back.href}"><span aria-hidden="true">← </span>${back.text}</a></p>`}
<h1>${layout.title}</h1>
${error !== undefined && html`<div class="message error" role="alert" aria-live="assertive" tabindex="-1" autofocus><p>${error}</p></div>`}
${notice !== undefined && html`<div class="message notice" role="status" aria-live="polite"><p>${notice}</p></div>`}
${layout.body}
</main>
<footer><p>Served by <code>stripe-double</code>.</p></footer>
</body>
</html>
`;
  return {
    status: layout.status ?? 200,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      "Content-Security-Policy": "default-src 'none'; img-src data:; style-src 'unsafe-inline'",
    },
    body: document.markup,
  };
}

/** Sends the browser elsewhere after a form, so that a reload does not post it again. */
export function seeOther(location: string): PageAnswer {
  return { status: 303, headers: { Location: location, "Cache-Control": "no-store" }, body: "" };
}

interface Input {
  readonly name: string;
  readonly label: string;
  readonly value?: string | undefined;
  readonly type?: "text" | "email" | "tel";
  readonly autocomplete: string;
  readonly hint?: Html | string;
  readonly placeholder?: string;
  readonly numeric?: boolean;
  readonly optional?: boolean;
  readonly readonly?: boolean;
  /** Suggestions, each with what it stands for. */
  readonly suggestions?: readonly { readonly value: string; readonly label: string }[];
}

/** A labelled field; its hint belongs to it for screen readers too. */
export function field(input: Input): Html {
  const { name, hint, suggestions } = input;
  return html`<div class="field">
<label for="${name}">${input.label}${input.optional && html` <span class="quiet">(optional)</span>`}</label>
<input id="${name}" name="${name}" type="${input.type ?? "text"}" autocomplete="${input.autocomplete}" value="${input.value ?? ""}"${attribute("placeholder", input.placeholder)}${
    input.numeric && html` inputmode="numeric"`
  }${!input.optional && html` required`}${input.readonly && html` readonly`}${
    hint !== undefined && html` aria-describedby="${name}-hint"`
  }${suggestions && html` list="${name}-suggestions"`}>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${
  suggestions &&
  html`<datalist id="${name}-suggestions">${suggestions.map(
    ({ value, label }) => html`<option value="${value}">${label}</option>`,
  )}</datalist>`
}
</div>`;
}

function attribute(name: string, value: string | undefined): Html | undefined {
  return value === undefined ? undefined : html` ${{ markup: name }}="${value}"`;
}
