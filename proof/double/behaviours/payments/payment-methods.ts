/** Payment methods: attaching, detaching, and Stripe's test cards. */
import type { Theme } from "../../harness/behaviour.js";
import { at, first, idOf, last, refusal, statusOf } from "../../harness/read.js";
import { docs, payload, reference } from "../../harness/sources.js";

/** Of Stripe's page on testing; each can be attached to a customer. */
const TEST_METHODS = [
  "pm_card_visa",
  "pm_card_visa_debit",
  "pm_card_mastercard",
  "pm_card_amex",
  "pm_card_jcb",
  "pm_card_us",
  "pm_card_de",
  "pm_card_createDispute",
  "pm_card_createDisputeInquiry",
  "pm_card_bypassPending",
  "pm_card_threeDSecure2Required",
  "pm_card_threeDSecureOptional",
  "pm_card_riskLevelElevated",
  "pm_card_chargeCustomerFail",
  "pm_card_chargeDeclinedFraudulent",
  "pm_usBankAccount",
];
/** These are declined when they are checked, which attaching does. */
const DECLINED_METHODS = [
  "pm_card_chargeDeclined",
  "pm_card_chargeDeclinedExpiredCard",
  "pm_card_visa_chargeDeclinedLostCard",
];

export const paymentMethods: Theme = {
  name: "Payment methods",
  behaviours: [
    {
      name: "Stripe's test methods can be attached",
      source: docs("testing?testing-method=payment-methods"),
      expected: [],
      async see({ stripe, customer }) {
        const payer = await customer(null);
        const refused: string[] = [];
        for (const method of TEST_METHODS) {
          const attached = stripe.paymentMethods.attach(method, { customer: payer });
          const { status, code } = await refusal(attached);
          if (status !== 200) refused.push(`${method}: ${status} ${code}`);
        }
        return refused;
      },
    },
    {
      name: "those that are declined cannot",
      source: docs("testing#declined-payments"),
      expected: DECLINED_METHODS.map((method) => `${method}: 402`),
      async see({ stripe, customer }) {
        const payer = await customer(null);
        const refused: string[] = [];
        for (const method of DECLINED_METHODS) {
          const attached = stripe.paymentMethods.attach(method, { customer: payer });
          refused.push(`${method}: ${await statusOf(attached)}`);
        }
        return refused;
      },
    },
    {
      name: "a declined one is refused with its reason when it is attached",
      source: docs("testing#declined-payments"),
      expected: { status: 402, code: "card_declined", type: "StripeCardError" },
      async see({ stripe, customer }) {
        const payer = await customer(null);
        const attached = stripe.paymentMethods.attach("pm_card_chargeDeclined", {
          customer: payer,
        });
        const { status, code, type } = await refusal(attached);
        return { status, code, type };
      },
    },
    {
      name: "detaching the default clears it",
      source: reference("payment_methods/detach"),
      expected: null,
      async see({ stripe, customer }) {
        const payer = await customer();
        const { id } = first(await stripe.paymentMethods.list({ customer: payer }));
        await stripe.paymentMethods.detach(id);
        const now = await stripe.customers.retrieve(payer);
        return now.deleted
          ? "deleted"
          : String(now.invoice_settings.default_payment_method ?? "") || null;
      },
    },
    {
      name: "a detached one cannot be attached again",
      source: reference("payment_methods/detach"),
      expected: 400,
      async see({ stripe, customer }) {
        const payer = await customer();
        const { id } = first(await stripe.paymentMethods.list({ customer: payer }));
        await stripe.paymentMethods.detach(id);
        return statusOf(stripe.paymentMethods.attach(id, { customer: payer }));
      },
    },
    {
      name: "one of another customer cannot be attached",
      source: reference("payment_methods/attach"),
      expected: 400,
      async see({ stripe, customer }) {
        const owner = await customer();
        const { id } = first(await stripe.paymentMethods.list({ customer: owner }));
        return statusOf(stripe.paymentMethods.attach(id, { customer: await customer(null) }));
      },
    },
    {
      name: "another customer's card cannot pay",
      source: reference("payment_intents/create#customer"),
      expected: 400,
      async see({ stripe, customer, pay }) {
        const owner = await customer();
        const { id } = first(await stripe.paymentMethods.list({ customer: owner }));
        return statusOf(pay({ customer: await customer(null), payment_method: id }));
      },
    },
    {
      name: "detaching tells whose it was",
      source: payload("pay-rails/pay, fixture of payment_method.detached"),
      expected: { customer: null, was: true },
      async see({ stripe, customer, events }) {
        const payer = await customer();
        const { id } = first(await stripe.paymentMethods.list({ customer: payer }));
        await stripe.paymentMethods.detach(id);
        const event = last(await events("payment_method.detached"));
        return {
          customer: at(event, "data.object.customer") === null ? null : "a customer",
          was: at(event, "data.previous_attributes.customer") === payer,
        };
      },
    },
    {
      name: "attaching is told, and makes nothing the default",
      source: reference("payment_methods/attach"),
      expected: { raised: ["payment_method.attached"], isDefault: false },
      async see({ stripe, customer, raisedBy }) {
        const payer = await customer(null);
        const raised = await raisedBy(() =>
          stripe.paymentMethods.attach("pm_card_visa", { customer: payer }),
        );
        const now = await stripe.customers.retrieve(payer);
        const isDefault = !now.deleted && now.invoice_settings.default_payment_method !== null;
        return { raised, isDefault };
      },
    },
    {
      name: "one that is attached by its test name gets an id of its own",
      source: docs("testing?testing-method=payment-methods"),
      expected: { own: true, brand: "visa", last4: "4242" },
      async see({ stripe, customer }) {
        const method = await stripe.paymentMethods.attach("pm_card_visa", {
          customer: await customer(null),
        });
        const own = idOf(method) !== "pm_card_visa";
        return { own, brand: method.card?.brand, last4: method.card?.last4 };
      },
    },
  ],
};
