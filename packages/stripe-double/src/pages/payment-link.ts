/** The address of a payment link: a new checkout for each visitor, or why there is none. */
import { ApiError } from "../api/errors.js";
import { openLink } from "../resources/checkout/link-session.js";
import type { World } from "../world/world.js";
import { html, type PageAnswer, page, seeOther } from "./html.js";

export function paymentLinkPage(world: World, id: string, query: URLSearchParams): PageAnswer {
  const { active, inactive_message: message } = world.find("payment_link", id);
  if (!active) return closed(world, message ?? "This link is no longer active.");
  try {
    return seeOther(`/c/pay/${openLink(world, id, query).id}`);
  } catch (error) {
    if (error instanceof ApiError) return closed(world, error.message);
    throw error;
  }
}

function closed(world: World, message: string): PageAnswer {
  return page({
    title: "The link is not active",
    width: "narrow",
    livemode: world.livemode,
    body: html`<section class="card"><p>${message}</p></section>`,
  });
}
