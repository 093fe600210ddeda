/** The checkout session that a visitor of a payment link gets. */
import { type CheckoutSession, lineItems, noteAttempt } from "../../billing/checkout/session.js";
import type { World } from "../../world/world.js";
import { given } from "../common.js";
import { sessionParams } from "./link-params.js";
import { createSession } from "./new-session.js";

/** What the address may say; Stripe leaves out what it cannot use, and says nothing of it. */
const REFERENCE = /^[\w-]{1,200}$/;
const EMAIL = /^[^@\s]+@[^@\s]+$/;

/** Opens a session for whom this address was given to. The link must be active. */
export function openLink(world: World, id: string, query: URLSearchParams): CheckoutSession {
  const link = world.find("payment_link", id);
  const said = (name: string, valid: RegExp) => {
    const value = query.get(name);
    return value !== null && valid.test(value) ? value : undefined;
  };
  const params = sessionParams(link, lineItems(world, id), {
    client_reference_id: said("client_reference_id", REFERENCE),
    email: said("locked_prefilled_email", EMAIL),
  });
  const session = createSession(world, params, world.version, { inlinePrices: true });
  noteAttempt(world, session.id, { email: said("prefilled_email", EMAIL) });
  return world.patch("checkout.session", session.id, {
    customer_creation: link.customer_creation,
    custom_text: link.custom_text,
    payment_link: id,
    tax_id_collection: link.tax_id_collection,
    ...given({ name_collection: link.name_collection }),
    ...given({ payment_method_types: link.payment_method_types ?? undefined }),
  });
}
