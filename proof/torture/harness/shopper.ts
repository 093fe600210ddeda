/** A person in front of a browser: clicks, pays on whatever page they are given, and comes back. */
import type Stripe from "stripe";
import type { Facts } from "./facts.js";
import { message } from "./patience.js";
import type { Stage } from "./stage.js";
import type { Answer, Entity, Instance, Order } from "./subject.js";

/** What came of a click: an answer, or what the subject said instead. */
export interface Given extends Answer {
  readonly refused?: string;
}

type Choice = Partial<Omit<Order, "price" | "entityId">> & { readonly on?: Instance };

export interface Shopper {
  readonly entity: Entity;
  /** Clicks "Subscribe" at a plan. */
  click(price: Stripe.Price, choice?: Choice): Promise<Given>;
  /** Confirms or pays what the page asks for; "nothing" if it asks for nothing. */
  pay(page: Given, wanted?: { price?: Stripe.Price; card?: string }): Promise<string>;
  /** Pays on the page of an invoice, with another card, if that can still be done. */
  payInvoice(id: string): Promise<string>;
  /** Follows the link on which checkout ended. */
  comeBack(page: Given): Promise<void>;
  /** Subscribes in one go, and the webhooks arrive. */
  subscribe(price: Stripe.Price, choice?: Choice): Promise<Plain>;
  /** What the subject's tables say of this person's only subscription. */
  row(): Promise<Facts | undefined>;
}

type Plain = ReturnType<typeof liveOf>[number];

const ADA: Entity = { entityId: "user_1", email: "ada@example.com" };
const CHECKOUT = /cs_test_\w+/;
/** What nobody pays for any more, or not yet. */
const NOT_LIVE: readonly string[] = ["canceled", "incomplete_expired", "incomplete"];

/** What the merchant has saved in the dashboard: people may change to any plan there. */
const PORTAL = {
  subscription_update: {
    enabled: true,
    default_allowed_updates: ["price" as const, "quantity" as const],
    proration_behavior: "always_invoice" as const,
  },
};

const liveOf = ({ double }: Stage) =>
  double.objects("subscription").filter(({ status }) => !NOT_LIVE.includes(status));

/** Somebody with a customer of their own, of whom the subject has heard. */
export async function shopper(t: Stage, entity = ADA): Promise<Shopper> {
  t.double.dashboard.savePortalSettings(PORTAL);
  await t.setupPatiently(entity);
  await t.deliver();
  await t.settle();
  const person: Shopper = {
    entity,
    click: async (price, { on = t.instance(), ...choice } = {}) => {
      const order = { ...entity, price, successUrl: `${t.url}/welcome`, ...choice };
      if (on.subscribe === undefined) throw new Error(`${t.subject.name} sells nothing`);
      return on.subscribe(order).catch((error: unknown) => ({ refused: message(error) }));
    },
    pay: async ({ url }, { price, card } = {}) => {
      if (url === undefined) return "nothing";
      const [session] = CHECKOUT.exec(url) ?? [];
      if (session !== undefined) {
        return t.double.dashboard.payCheckout(session, card === undefined ? {} : { card });
      }
      const invoice = t.double.objects("invoice").find((each) => each.hosted_invoice_url === url);
      if (invoice !== undefined) return person.payInvoice(invoice.id ?? "");
      if (!url.includes("/p/session/")) return "nothing";
      try {
        t.double.dashboard.completePortal(url, price === undefined ? {} : { price: price.id });
        return "confirmed";
      } catch {
        return "nothing"; // they look around in the portal, and leave
      }
    },
    payInvoice: async (id) => {
      const { status, customer } = await t.stripe.invoices.retrieve(id);
      if (status !== "open") return "closed";
      const owner = typeof customer === "string" ? customer : (customer?.id ?? "");
      const { paymentMethods, invoices } = t.stripe;
      const { id: card } = await paymentMethods.attach("pm_card_visa", { customer: owner });
      return String((await invoices.pay(id, { payment_method: card })).status);
    },
    comeBack: async ({ url }) => {
      const [session = ""] = CHECKOUT.exec(url ?? "") ?? [];
      const { success_url: link } = await t.stripe.checkout.sessions.retrieve(session);
      const followed = (link ?? "").replace("{CHECKOUT_SESSION_ID}", session);
      await t.instance().comeBack?.(followed, entity.entityId);
    },
    subscribe: async (price, choice) => {
      const page = await person.click(price, choice);
      const outcome = await person.pay(page);
      const [subscription] = liveOf(t);
      if (outcome !== "paid" || subscription === undefined) {
        throw new Error(`Nobody could subscribe: ${page.refused ?? outcome}`);
      }
      await t.deliver();
      await t.settle();
      return subscription;
    },
    row: async () => {
      const [subscription] = liveOf(t);
      return (await t.instance().rows("subscription")).find(({ id }) => id === subscription?.id);
    },
  };
  return person;
}

/** States that one subscription is live, that so many were paid for, and that nobody was refused. */
export async function checkOnce(
  t: Stage,
  pages: readonly Given[] = [],
  { bought = 1 } = {},
): Promise<void> {
  await t.deliver();
  await t.settle();
  const live = liveOf(t).length;
  t.check(live === 1, `${live} subscriptions are live`);
  const paid = t.double
    .objects("invoice")
    .filter(
      (each) => each.billing_reason === "subscription_create" && each.status === "paid",
    ).length;
  t.check(paid <= bought, `${paid} subscriptions were paid for`);
  for (const { refused } of pages) {
    t.check(refused === undefined, `somebody without a subscription was refused: ${refused}`);
  }
}

/** States that somebody who is not subscribed can pay on this page, and pays. */
export async function checkPayable(t: Stage, person: Shopper, page: Given): Promise<void> {
  if (page.refused !== undefined) t.check(false, `they were refused: ${page.refused}`);
  else {
    const outcome = await person.pay(page);
    t.check(outcome === "paid", `the page that they were given is ${outcome}`);
  }
}
