/** Payment intents: what a card's answer leaves behind, captures, and states that are final. */
import type { Theme } from "../../harness/behaviour.js";
import { at, expanded, first, idOf, refusal, statusOf } from "../../harness/read.js";
import { changelog, docs, reference, thread } from "../../harness/sources.js";

const DECLINED = "pm_card_visa_chargeDeclinedInsufficientFunds";

export const paymentIntents: Theme = {
  name: "Payment intents",
  behaviours: [
    {
      name: "off session and confirmed, it needs no return_url",
      source: thread("calls of six public applications in production"),
      expected: "succeeded",
      async see({ stripe, customer }) {
        const payer = await customer();
        const card = first(await stripe.paymentMethods.list({ customer: payer }));
        const { status } = await stripe.paymentIntents.create({
          amount: 500,
          currency: "usd",
          customer: payer,
          payment_method: card.id,
          off_session: true,
          confirm: true,
        });
        return status;
      },
    },
    {
      name: "off session, a card that asks for authentication is refused",
      source: docs("payments/save-and-reuse#charge-saved-payment-method"),
      expected: {
        status: 402,
        type: "StripeCardError",
        code: "authentication_required",
        intent: "requires_payment_method",
      },
      async see({ stripe, customer, pay }) {
        const payer = await customer(null);
        const card = "pm_card_authenticationRequired";
        const { id } = await stripe.paymentMethods.attach(card, { customer: payer });
        const { status, type, code, raw } = await refusal(
          pay({ customer: payer, payment_method: id, off_session: true }),
        );
        return { status, type, code, intent: String(at(raw, "payment_intent.status")) };
      },
    },
    {
      name: "on session, such a card asks for an action",
      source: docs("payments/paymentintents/lifecycle"),
      expected: { status: "requires_action", action: "redirect_to_url", events: 1 },
      async see({ pay, events }) {
        const { status, next_action } = await pay({
          payment_method: "pm_card_authenticationRequired",
        });
        const told = (await events("payment_intent.requires_action")).length;
        return { status, action: next_action?.type ?? null, events: told };
      },
    },
    {
      name: "a declined card is refused, and leaves a failed charge",
      source: docs("declines/codes"),
      expected: {
        status: 402,
        code: "card_declined",
        decline: "insufficient_funds",
        charge: "failed",
      },
      async see({ stripe, pay }) {
        const refused = await refusal(pay({ payment_method: DECLINED }));
        const charge = first(await stripe.charges.list());
        return {
          status: refused.status,
          code: refused.code,
          decline: refused.declineCode,
          charge: charge.status,
        };
      },
    },
    {
      name: "after a decline it takes another card",
      source: docs("payments/paymentintents/lifecycle"),
      expected: { between: "requires_payment_method", error: "card_declined", after: "succeeded" },
      async see({ stripe, pay }) {
        await refusal(pay({ payment_method: DECLINED }));
        const intent = first(await stripe.paymentIntents.list());
        const { status } = await stripe.paymentIntents.confirm(intent.id, {
          payment_method: "pm_card_visa",
          return_url: "https://app.example/back",
        });
        const error = intent.last_payment_error?.code;
        return { between: intent.status, error, after: status };
      },
    },
    {
      name: "a charge gets its balance transaction later, and says so",
      source: docs("payments/payment-intents/asynchronous-capture"),
      expected: { has: true, told: true },
      async see({ double, stripe, pay, events }) {
        const { latest_charge } = await pay();
        await double.clock.advance({ hours: 2 });
        const charge = await stripe.charges.retrieve(idOf(latest_charge));
        const told = (await events("charge.updated")).length > 0;
        return { has: charge.balance_transaction !== null, told };
      },
    },
    {
      name: "without a card it waits for one, and then for a confirmation",
      source: docs("payments/paymentintents/lifecycle"),
      expected: ["requires_payment_method", "requires_confirmation", "succeeded"],
      async see({ stripe }) {
        const intent = await stripe.paymentIntents.create({ amount: 500, currency: "usd" });
        const withCard = await stripe.paymentIntents.update(intent.id, {
          payment_method: "pm_card_visa",
        });
        const done = await stripe.paymentIntents.confirm(intent.id, {
          return_url: "https://app.example/back",
        });
        return [intent.status, withCard.status, done.status];
      },
    },
    {
      name: "captured by hand: held first, and the rest is let go",
      source: docs("payments/place-a-hold-on-a-payment-method"),
      expected: { held: "requires_capture", holds: 500, after: "succeeded", received: 300 },
      async see({ stripe, pay }) {
        const held = await pay({ capture_method: "manual" });
        const done = await stripe.paymentIntents.capture(held.id, { amount_to_capture: 300 });
        return {
          held: held.status,
          holds: held.amount_capturable,
          after: done.status,
          received: done.amount_received,
        };
      },
    },
    {
      name: "what is not captured counts as refunded",
      source: thread("woocommerce/woocommerce-gateway-stripe, is_partial_capture: amount_refunded"),
      expected: { amount: 500, captured: 300, refunded: 200, whole: false },
      async see({ stripe, pay }) {
        const held = await pay({ capture_method: "manual" });
        const { latest_charge } = await stripe.paymentIntents.capture(held.id, {
          amount_to_capture: 300,
          expand: ["latest_charge"],
        });
        const charge = expanded(latest_charge);
        return {
          amount: charge.amount,
          captured: charge.amount_captured,
          refunded: charge.amount_refunded,
          whole: charge.refunded,
        };
      },
    },
    {
      name: "confirmed by hand, it is confirmed again after authentication",
      source: reference("payment_intents/object#confirmation_method"),
      expected: ["requires_action", "requires_confirmation", "succeeded"],
      async see({ double, stripe, pay }) {
        const { id, status } = await pay({
          payment_method: "pm_card_authenticationRequired",
          confirmation_method: "manual",
        });
        double.dashboard.authenticate(id, "succeed");
        const between = await stripe.paymentIntents.retrieve(id);
        const done = await stripe.paymentIntents.confirm(id, {
          return_url: "https://app.example/back",
        });
        return [status, between.status, done.status];
      },
    },
    {
      name: "a bank account's payment is processing first",
      source: docs("payments/ach-direct-debit/accept-a-payment"),
      expected: { before: "processing", after: "succeeded", told: 1 },
      async see({ double, stripe, pay, events }) {
        const { id, status } = await pay({ payment_method: "pm_usBankAccount_success" });
        await double.clock.advance({ days: 5 });
        const after = (await stripe.paymentIntents.retrieve(id)).status;
        const told = (await events("payment_intent.processing")).length;
        return { before: status, after, told };
      },
    },
    {
      name: "a hold that is not captured is let go after seven days",
      source: docs("payments/place-a-hold-on-a-payment-method"),
      expected: { before: "requires_capture", after: "canceled", reason: "automatic" },
      async see({ double, stripe, pay }) {
        const { id } = await pay({ capture_method: "manual" });
        await double.clock.advance({ days: 6 });
        const before = (await stripe.paymentIntents.retrieve(id)).status;
        await double.clock.advance({ days: 2 });
        const { status, cancellation_reason } = await stripe.paymentIntents.retrieve(id);
        return { before, after: status, reason: cancellation_reason };
      },
    },
    {
      name: "a canceled one is final",
      source: reference("payment_intents/cancel"),
      expected: {
        status: "canceled",
        reason: "abandoned",
        confirm: "payment_intent_unexpected_state",
      },
      async see({ stripe }) {
        const { id } = await stripe.paymentIntents.create({ amount: 500, currency: "usd" });
        const canceled = await stripe.paymentIntents.cancel(id, {
          cancellation_reason: "abandoned",
        });
        const { code } = await refusal(
          stripe.paymentIntents.confirm(id, { payment_method: "pm_card_visa" }),
        );
        return { status: canceled.status, reason: canceled.cancellation_reason, confirm: code };
      },
    },
    {
      name: "one that succeeded is neither canceled nor confirmed again",
      source: docs("error-codes#payment-intent-unexpected-state"),
      expected: { cancel: 400, confirm: 400, code: "payment_intent_unexpected_state" },
      async see({ stripe, pay }) {
        const { id } = await pay();
        const confirm = await refusal(stripe.paymentIntents.confirm(id));
        const cancel = await statusOf(stripe.paymentIntents.cancel(id));
        return { cancel, confirm: confirm.status, code: confirm.code };
      },
    },
    {
      name: "less than the minimum charge is refused",
      source: docs("error-codes#amount-too-small"),
      expected: { status: 400, code: "amount_too_small" },
      async see({ pay }) {
        const { status, code } = await refusal(pay({ amount: 49 }));
        return { status, code };
      },
    },
    {
      name: "metadata is copied to the charge",
      source: docs("payments/payment-intents#storing-information-in-metadata"),
      expected: { order: "7" },
      async see({ pay }) {
        const metadata = { order: "7" };
        const { latest_charge } = await pay({ metadata, expand: ["latest_charge"] });
        return expanded(latest_charge).metadata;
      },
    },
    {
      name: "what a payment raises",
      source: reference("events/types#payment_intent.succeeded"),
      expected: ["charge.succeeded", "payment_intent.created", "payment_intent.succeeded"],
      async see({ pay, raisedBy }) {
        return (await raisedBy(() => pay())).sort();
      },
    },
    {
      name: "the charge's list of refunds is shown only when it is asked for",
      source: changelog("2022-11-15: charge.refunds is not expanded by default"),
      expected: { plain: false, expanded: true },
      async see({ stripe, pay }) {
        const charge = idOf((await pay()).latest_charge);
        const plain = await stripe.charges.retrieve(charge);
        const shown = await stripe.charges.retrieve(charge, { expand: ["refunds"] });
        return {
          plain: (plain.refunds ?? null) !== null,
          expanded: (shown.refunds ?? null) !== null,
        };
      },
    },
  ],
};
