/**
 * Reads a checkout session from Stripe with all that a purchase follows from, and stores it: on the
 * way back from the page, when the webhook may be late or lost, and after the event of a page of which
 * it is not known what was bought there.
 */
import type Stripe from "stripe";
import { plain, stripeStatus } from "../mirror/snapshot.js";
import { records, type SessionLines } from "../runtime/records/records.js";
import type { Runtime } from "../runtime/runtime.js";
import { paced } from "../stripe/pacer.js";
import { idOf, isWhole, type Part, storedAnswer } from "./answers.js";

type Session = Stripe.Checkout.Session;

/** The lines of a session that was asked for with them. */
export function linesOf(
  session: Pick<Session, "status" | "optional_items">,
  items: readonly Stripe.LineItem[],
): SessionLines {
  return {
    lines: items.flatMap(({ price, quantity }) =>
      price === null
        ? []
        : [{ priceId: price.id, lookupKey: price.lookup_key, quantity: quantity ?? 1 }],
    ),
    final: session.status !== "open" || !(hasOptions(session) || items.some(isAdjustable)),
  };
}

const hasOptions = ({ optional_items: items }: Pick<Session, "optional_items">) =>
  (items ?? []).length > 0;

const isAdjustable = ({ adjustable_quantity: adjustable }: Stripe.LineItem): boolean =>
  adjustable?.enabled === true;

/** Asks for the lines, and for what the page made. */
const WITH_PARTS = {
  expand: ["line_items", "payment_intent.latest_charge", "setup_intent.payment_method"],
};

/** A session, what was paid on it, and the card that was left there. */
function partsOfSession({
  line_items: _,
  payment_intent: intent,
  setup_intent: setup,
  ...session
}: Session): readonly Part[] {
  const whole = { ...session, payment_intent: idOf(intent), setup_intent: idOf(setup) };
  const parts: Part[] = [{ resource: "checkout_sessions", content: plain(whole) }];
  if (isWhole(intent)) {
    const { latest_charge: charge } = intent;
    const content = plain({ ...intent, latest_charge: idOf(charge) });
    parts.push({ resource: "payment_intents", content });
    if (isWhole(charge)) parts.push({ resource: "charges", content: plain(charge) });
  }
  if (isWhole(setup)) {
    const { payment_method: method } = setup;
    const content = plain({ ...setup, payment_method: idOf(method) });
    parts.push({ resource: "setup_intents", content });
    if (isWhole(method)) parts.push({ resource: "payment_methods", content: plain(method) });
  }
  return parts;
}

/** Reads a session for a person who waits. */
export async function settleSession(runtime: Runtime, id: string): Promise<void> {
  if (!runtime.resources.includes("checkout_sessions")) return;
  const send = async () => {
    const session = await runtime.stripe().checkout.sessions.retrieve(id, WITH_PARTS);
    // First: once the tables say that it is paid, they say what was.
    await keepLines(runtime, session);
    return session;
  };
  await storedAnswer(runtime, send, partsOfSession);
}

/** Reads a session in the background, unless it is known what was bought there. */
export async function settleLines(runtime: Runtime, id: string): Promise<void> {
  const { data } = await records.purchase(id).read(runtime);
  if (data?.final) return;
  try {
    await paced(runtime, "GET checkout/sessions", () => settleSession(runtime, id));
  } catch (error) {
    if (stripeStatus(error) !== 404) throw error; // test data that Stripe has dropped
  }
}

async function keepLines(runtime: Runtime, session: Session): Promise<void> {
  const { id, mode, line_items: list } = session;
  if (mode !== "payment" || list === undefined) return;
  // At most 100 lines can be sold at once: one page.
  const { data } = list.has_more
    ? await runtime.stripe().checkout.sessions.listLineItems(id, { limit: 100 })
    : list;
  const seen = linesOf(session, data);
  await records.purchase(id).update(runtime, (known) => (known?.final ? undefined : seen));
}
