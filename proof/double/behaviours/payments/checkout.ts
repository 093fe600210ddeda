/** Checkout sessions: how they end, whom they make, and what they refuse. */
import type { Theme } from "../../harness/behaviour.js";
import { at, expanded, first, idOf, iso, last, seconds, statusOf } from "../../harness/read.js";
import { docs, reference, types } from "../../harness/sources.js";
import { PAGE } from "../../harness/world.js";

const BUYER = { email: "buyer@example.com" };

export const checkout: Theme = {
  name: "Checkout",
  behaviours: [
    {
      name: "a paid session names customer, subscription and invoice",
      source: docs("payments/checkout/how-checkout-works"),
      expected: { status: "complete", paid: "paid", made: [true, true, true], told: 1 },
      async see({ double, stripe, checkout, events }) {
        const { id } = await checkout();
        double.dashboard.payCheckout(id, BUYER);
        const done = await stripe.checkout.sessions.retrieve(id);
        const made = [done.customer, done.subscription, done.invoice].map((made) => made !== null);
        const told = (await events("checkout.session.completed")).length;
        return { status: done.status, paid: done.payment_status, made, told };
      },
    },
    {
      name: "an open session expires after 24 hours, and says so",
      source: reference("checkout/sessions/object#expires_at"),
      expected: { expires: "2026-02-01T10:00:00Z", status: "expired", told: 1, url: null },
      async see({ double, stripe, checkout, events }) {
        const { id, expires_at } = await checkout();
        await double.clock.advance({ hours: 24, minutes: 1 });
        const { status, url } = await stripe.checkout.sessions.retrieve(id);
        const told = (await events("checkout.session.expired")).length;
        return { expires: iso(expires_at), status, told, url };
      },
    },
    {
      name: "a declined card leaves it open",
      source: docs("payments/checkout/how-checkout-works"),
      expected: { outcome: "declined", status: "open", paid: "unpaid" },
      async see({ double, stripe, checkout }) {
        const { id } = await checkout();
        const card = "4000000000000002";
        const outcome = double.dashboard.payCheckout(id, { ...BUYER, card });
        const { status, payment_status: paid } = await stripe.checkout.sessions.retrieve(id);
        return { outcome, status, paid };
      },
    },
    {
      name: "a guest who pays once becomes no customer",
      source: reference("checkout/sessions/create#customer_creation"),
      expected: { customer: null, email: BUYER.email, intent: true },
      async see({ double, stripe, oneTimePrice, checkout }) {
        const line_items = [{ price: await oneTimePrice(500), quantity: 1 }];
        const { id } = await checkout({ mode: "payment", line_items });
        double.dashboard.payCheckout(id, BUYER);
        const done = await stripe.checkout.sessions.retrieve(id);
        return {
          customer: done.customer === null ? null : idOf(done.customer),
          email: done.customer_details?.email ?? null,
          intent: done.payment_intent !== null,
        };
      },
    },
    {
      name: "customer_creation: always makes one",
      source: reference("checkout/sessions/create#customer_creation"),
      expected: BUYER.email,
      async see({ double, stripe, oneTimePrice, checkout }) {
        const line_items = [{ price: await oneTimePrice(500), quantity: 1 }];
        const { id } = await checkout({ mode: "payment", customer_creation: "always", line_items });
        double.dashboard.payCheckout(id, BUYER);
        const done = await stripe.checkout.sessions.retrieve(id, { expand: ["customer"] });
        const { customer } = done;
        if (typeof customer === "string" || customer === null || customer.deleted) return null;
        return customer.email;
      },
    },
    {
      name: "a trial asks for no payment and saves the card",
      source: docs("payments/checkout/free-trials"),
      expected: { paid: "no_payment_required", status: "trialing", card: true },
      async see({ double, stripe, checkout }) {
        const { id } = await checkout({ subscription_data: { trial_period_days: 7 } });
        double.dashboard.payCheckout(id, BUYER);
        const done = await stripe.checkout.sessions.retrieve(id, { expand: ["subscription"] });
        const { status, default_payment_method } = expanded(done.subscription);
        return { paid: done.payment_status, status, card: default_payment_method !== null };
      },
    },
    {
      name: "a bank's question can be answered, and completes it",
      source: docs("payments/3d-secure/authentication-flow"),
      expected: { outcome: "requires_action", status: "complete", subscription: "active" },
      async see({ double, stripe, checkout }) {
        const { id } = await checkout();
        const card = "4000002500003155";
        const outcome = double.dashboard.payCheckout(id, { ...BUYER, card });
        const intent = first(await stripe.paymentIntents.list());
        double.dashboard.authenticate(intent.id, "succeed");
        const { status } = await stripe.checkout.sessions.retrieve(id);
        const subscription = first(await stripe.subscriptions.list({ status: "all" }));
        return { outcome, status, subscription: subscription.status };
      },
    },
    {
      name: "without a customer each subscription gets a new one",
      source: reference("checkout/sessions/create#customer"),
      expected: 2,
      async see({ double, stripe, checkout }) {
        for (const _ of ["first", "second"]) {
          double.dashboard.payCheckout((await checkout()).id, BUYER);
        }
        return (await stripe.customers.list({ email: BUYER.email })).data.length;
      },
    },
    {
      name: "metadata for the subscription goes there, the session's own does not",
      source: reference("checkout/sessions/create#subscription_data.metadata"),
      expected: { session: { a: "1" }, subscription: { b: "2" }, reference: "user_7" },
      async see({ double, stripe, checkout }) {
        const { id } = await checkout({
          metadata: { a: "1" },
          subscription_data: { metadata: { b: "2" } },
          client_reference_id: "user_7",
        });
        double.dashboard.payCheckout(id, BUYER);
        const done = await stripe.checkout.sessions.retrieve(id, { expand: ["subscription"] });
        return {
          session: done.metadata,
          subscription: expanded(done.subscription).metadata,
          reference: done.client_reference_id,
        };
      },
    },
    {
      name: "an open one can be expired, a complete one cannot",
      source: reference("checkout/sessions/expire"),
      expected: { open: "expired", complete: 400, told: 1 },
      async see({ double, stripe, checkout, events }) {
        const open = await checkout();
        const paid = await checkout();
        double.dashboard.payCheckout(paid.id, BUYER);
        const { status } = await stripe.checkout.sessions.expire(open.id);
        const complete = await statusOf(stripe.checkout.sessions.expire(paid.id));
        const told = (await events("checkout.session.expired")).length;
        return { open: status, complete, told };
      },
    },
    {
      name: "expires_at is between 30 minutes and 24 hours from now",
      source: reference("checkout/sessions/create#expires_at"),
      expected: { soon: 400, within: 200, late: 400 },
      async see({ checkout }) {
        const at = (text: string) => statusOf(checkout({ expires_at: seconds(text) }));
        return {
          soon: await at("2026-01-31T10:20:00Z"),
          within: await at("2026-01-31T12:00:00Z"),
          late: await at("2026-02-01T11:00:00Z"),
        };
      },
    },
    {
      name: "a recurring price needs the mode subscription",
      source: reference("checkout/sessions/create#mode"),
      expected: 400,
      see: ({ checkout }) => statusOf(checkout({ mode: "payment" })),
    },
    {
      name: "mode subscription needs a recurring price",
      source: reference("checkout/sessions/create#mode"),
      expected: 400,
      async see({ oneTimePrice, checkout }) {
        return statusOf(
          checkout({ line_items: [{ price: await oneTimePrice(500), quantity: 1 }] }),
        );
      },
    },
    {
      name: "lines are shown only when they are asked for",
      source: reference("checkout/sessions/object#line_items"),
      expected: { plain: false, expanded: 1, listed: 1 },
      async see({ stripe, checkout }) {
        const { id } = await checkout();
        const plain = await stripe.checkout.sessions.retrieve(id);
        const shown = await stripe.checkout.sessions.retrieve(id, { expand: ["line_items"] });
        const listed = await stripe.checkout.sessions.listLineItems(id);
        return {
          plain: plain.line_items !== undefined,
          expanded: shown.line_items?.data.length,
          listed: listed.data.length,
        };
      },
    },
    {
      name: "its amounts are known before it is paid",
      source: reference("checkout/sessions/object#amount_total"),
      expected: { subtotal: 3000, total: 3000, currency: "usd" },
      async see({ price, checkout }) {
        const line_items = [{ price: await price(1000), quantity: 3 }];
        const { amount_subtotal, amount_total, currency } = await checkout({ line_items });
        return { subtotal: amount_subtotal, total: amount_total, currency };
      },
    },
    {
      name: "discounts and allow_promotion_codes exclude each other",
      source: reference("checkout/sessions/create#allow_promotion_codes"),
      expected: 400,
      async see({ stripe, checkout }) {
        const coupon = await stripe.coupons.create({ percent_off: 50, duration: "once" });
        const discounts = [{ coupon: coupon.id }];
        return statusOf(checkout({ discounts, allow_promotion_codes: true }));
      },
    },
    {
      name: "a session's discount is on its invoice",
      source: docs("payments/checkout/discounts"),
      expected: { total: 500, paid: 500 },
      async see({ double, stripe, checkout }) {
        const coupon = await stripe.coupons.create({ percent_off: 50, duration: "once" });
        const { id } = await checkout({ discounts: [{ coupon: coupon.id }] });
        double.dashboard.payCheckout(id, BUYER);
        const done = await stripe.checkout.sessions.retrieve(id, { expand: ["invoice"] });
        return { total: done.amount_total, paid: expanded(done.invoice).amount_paid };
      },
    },
    {
      name: "a promotion code that is typed takes off, without a browser",
      source: docs("payments/checkout/discounts"),
      expected: { before: 1000, total: 500, paid: 500, used: 1 },
      async see({ double, stripe, checkout }) {
        const { id: coupon } = await stripe.coupons.create({ percent_off: 50, duration: "once" });
        const promotion = { type: "coupon", coupon } as const;
        const code = await stripe.promotionCodes.create({ promotion, code: "SPRING" });
        const { id, amount_total: before } = await checkout({ allow_promotion_codes: true });
        const typed = { ...BUYER, promotionCode: "SPRING" };
        double.dashboard.payCheckout(id, typed);
        const done = await stripe.checkout.sessions.retrieve(id, { expand: ["invoice"] });
        const { times_redeemed: used } = await stripe.promotionCodes.retrieve(code.id);
        return { before, total: done.amount_total, paid: expanded(done.invoice).amount_paid, used };
      },
    },
    {
      name: "a customer and an email address exclude each other",
      source: reference("checkout/sessions/create#customer_email"),
      expected: 400,
      async see({ customer, checkout }) {
        const both = { customer: await customer(), customer_email: "other@example.com" };
        return statusOf(checkout(both));
      },
    },
    {
      name: "mode setup saves a card and pays nothing",
      source: docs("payments/checkout/save-and-reuse"),
      expected: { paid: "no_payment_required", intent: "succeeded", cards: 1 },
      async see({ double, stripe, customer }) {
        const payer = await customer(null);
        const { id } = await stripe.checkout.sessions.create({
          mode: "setup",
          currency: "usd",
          customer: payer,
          success_url: PAGE,
        });
        double.dashboard.payCheckout(id);
        const done = await stripe.checkout.sessions.retrieve(id, { expand: ["setup_intent"] });
        const cards = await stripe.paymentMethods.list({ customer: payer });
        return {
          paid: done.payment_status,
          intent: expanded(done.setup_intent).status,
          cards: cards.data.length,
        };
      },
    },
    {
      name: "the setup intent of a session ends with the session, not by itself",
      source: reference("setup_intents/cancel"),
      expected: { cancel: 400, after: "canceled" },
      async see({ stripe }) {
        const { id, setup_intent } = await stripe.checkout.sessions.create({
          mode: "setup",
          currency: "usd",
          success_url: PAGE,
        });
        const intent = idOf(setup_intent);
        const cancel = await statusOf(stripe.setupIntents.cancel(intent));
        await stripe.checkout.sessions.expire(id);
        return { cancel, after: (await stripe.setupIntents.retrieve(intent)).status };
      },
    },
    {
      name: "what is completed is told as it then was",
      source: types("Event checkout.session.completed"),
      expected: { status: "complete", paid: "paid", lines: false },
      async see({ double, checkout, events }) {
        double.dashboard.payCheckout((await checkout()).id, BUYER);
        const event = last(await events("checkout.session.completed"));
        return {
          status: String(at(event, "data.object.status")),
          paid: String(at(event, "data.object.payment_status")),
          lines: at(event, "data.object.line_items") !== undefined,
        };
      },
    },
  ],
};
