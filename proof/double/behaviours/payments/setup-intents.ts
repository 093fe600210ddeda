/** Setup intents: saving a card without a payment. */
import type { Theme } from "../../harness/behaviour.js";
import { expanded, idOf, refusal } from "../../harness/read.js";
import { docs, reference, thread } from "../../harness/sources.js";
import { PAGE } from "../../harness/world.js";

export const setupIntents: Theme = {
  name: "Setup intents",
  behaviours: [
    {
      name: "a card that is set up is attached",
      source: docs("payments/save-and-reuse"),
      expected: { before: "requires_payment_method", after: "succeeded", cards: 1, told: 1 },
      async see({ stripe, customer, events }) {
        const payer = await customer(null);
        const { id, status: before } = await stripe.setupIntents.create({ customer: payer });
        const { status } = await stripe.setupIntents.confirm(id, {
          payment_method: "pm_card_visa",
          return_url: PAGE,
        });
        const { data } = await stripe.paymentMethods.list({ customer: payer });
        const told = (await events("setup_intent.succeeded")).length;
        return { before, after: status, cards: data.length, told };
      },
    },
    {
      name: "a declined card is refused",
      source: docs("declines/codes"),
      expected: { status: 402, code: "card_declined", told: 1 },
      async see({ stripe, customer, events }) {
        const { id } = await stripe.setupIntents.create({ customer: await customer(null) });
        const { status, code } = await refusal(
          stripe.setupIntents.confirm(id, {
            payment_method: "pm_card_chargeDeclined",
            return_url: PAGE,
          }),
        );
        return { status, code, told: (await events("setup_intent.setup_failed")).length };
      },
    },
    {
      name: "a card that asks for authentication waits for it",
      source: reference("setup_intents/object#status"),
      expected: "requires_action",
      async see({ stripe, customer }) {
        const { status } = await stripe.setupIntents.create({
          customer: await customer(null),
          payment_method: "pm_card_authenticationRequired",
          confirm: true,
          return_url: PAGE,
        });
        return status;
      },
    },
    {
      name: "the customer's default stays as it was",
      source: docs("payments/save-and-reuse"),
      expected: true,
      async see({ stripe, customer }) {
        const payer = await customer(null);
        await stripe.setupIntents.create({
          customer: payer,
          payment_method: "pm_card_visa",
          confirm: true,
          return_url: PAGE,
        });
        const after = await stripe.customers.retrieve(payer);
        return !after.deleted && after.invoice_settings.default_payment_method === null;
      },
    },
    {
      name: "one that succeeded or was canceled is final",
      source: docs("error-codes#setup-intent-unexpected-state"),
      expected: ["setup_intent_unexpected_state", "setup_intent_unexpected_state"],
      async see({ stripe }) {
        const done = await stripe.setupIntents.create({
          payment_method: "pm_card_visa",
          confirm: true,
          return_url: PAGE,
        });
        const gone = await stripe.setupIntents.create();
        await stripe.setupIntents.cancel(gone.id);
        const again = await refusal(stripe.setupIntents.confirm(done.id));
        const late = await refusal(stripe.setupIntents.confirm(gone.id));
        return [again.code, late.code];
      },
    },
    {
      name: "a card that was authenticated at setup is charged off session",
      source: docs("testing#authentication-and-setup"),
      expected: "succeeded",
      async see({ double, stripe, customer }) {
        const payer = await customer(null);
        const { id, payment_method } = await stripe.setupIntents.create({
          customer: payer,
          payment_method: "pm_card_authenticationRequiredOnSetup",
          confirm: true,
          return_url: PAGE,
        });
        double.dashboard.authenticate(id, "succeed");
        const { status } = await stripe.paymentIntents.create({
          amount: 500,
          currency: "usd",
          customer: payer,
          payment_method: idOf(payment_method),
          off_session: true,
          confirm: true,
        });
        return status;
      },
    },
    {
      name: "each confirmation is an attempt",
      source: reference("setup_attempts/list"),
      expected: ["succeeded", "failed"],
      async see({ stripe }) {
        const { id } = await stripe.setupIntents.create();
        const confirm = (payment_method: string) =>
          stripe.setupIntents.confirm(id, { payment_method, return_url: PAGE });
        await refusal(confirm("pm_card_chargeDeclined"));
        await confirm("pm_card_visa");
        const { data } = await stripe.setupAttempts.list({ setup_intent: id });
        return data.map(({ status }) => status);
      },
    },
    {
      name: "a trial without a card asks for one by its pending setup intent",
      source: thread("stripe/stripe-react-native#964: default_incomplete with a trial"),
      expected: { status: "trialing", asks: "requires_payment_method", done: true },
      async see({ stripe, customer, subscribe }) {
        const { id, status, pending_setup_intent } = await subscribe(1000, {
          customer: await customer(null),
          trial_period_days: 7,
          payment_behavior: "default_incomplete",
          expand: ["pending_setup_intent"],
        });
        const asks = expanded(pending_setup_intent);
        await stripe.setupIntents.confirm(asks.id, {
          payment_method: "pm_card_visa",
          return_url: PAGE,
        });
        const after = await stripe.subscriptions.retrieve(id);
        return { status, asks: asks.status, done: after.pending_setup_intent === null };
      },
    },
  ],
};
