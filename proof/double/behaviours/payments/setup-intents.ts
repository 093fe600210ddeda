/** Setup intents: saving a card without a payment. */
import type { Theme } from "../../harness/behaviour.js";
import { refusal } from "../../harness/read.js";
import { docs, reference } from "../../harness/sources.js";
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
  ],
};
